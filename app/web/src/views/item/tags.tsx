import { useState } from 'preact/hooks';
import type { Item, ItemTag, Verdict } from '../../api/types';
import { Combobox } from '../../components/combobox';
import { tagChoices } from '../../components/tag_choices';
import { percent } from '../../format';
import { announce } from '../../state/alerts';
import { decide, whenSent } from '../../state/decisions';
import { readOnly } from '../../state/library';
import { tagSearchAddress } from '../../state/route';

interface Props {
  item: Item;
  changed: () => void;
}

/** The tags of people and those of machines, apart. */
export function ItemTags({ item, changed }: Props) {
  const [text, setText] = useState('');
  const human = item.tags.filter((each) => each.by !== 'machine');
  const machine = item.tags.filter((each) => each.by === 'machine');
  const say = (tag: string, verdict: Verdict) => {
    decide({ collection: item.collection, item: item.id, tag, verdict });
    announce(`${tag}: ${verdict === 'withdrawn' ? 'taken back' : verdict}.`);
    void whenSent().then(changed);
  };
  const add = (tag: string) => {
    if (!tag.trim()) return;
    setText('');
    say(tag.trim(), 'accepted');
  };
  const mine = new Map(item.decisions.map((each) => [each.tag, each.verdict]));
  return (
    <section class="card">
      <h2>Tags</h2>
      <h3>Given by people</h3>
      {human.length === 0 && <p class="quiet">Nobody gave it a tag yet.</p>}
      <ul class="tags">
        {human.map((each) => (
          <HumanTag key={`${each.name}/${each.by}`} tag={each} mine={mine.get(each.name) === 'accepted'} say={say} />
        ))}
      </ul>
      {!readOnly.value && (
        <div class="add-tag">
          <Combobox label="Add a tag" value={text} changed={setText} choices={tagChoices}
            chosen={(choice) => add(choice.text)} entered={add} />
          <button type="button" onClick={() => add(text)} disabled={!text.trim()}>Add</button>
        </div>
      )}
      {machine.length > 0 && (
        <>
          <h3>Given by machines</h3>
          <ul class="machine-tags">
            {machine.map((each) => (
              <li key={`${each.name}/${each.model}`}>
                <a class="tag machine" href={tagSearchAddress(each.name)}>{each.name}</a>
                <span class="quiet">
                  {`${each.model ?? 'a machine'}${each.score !== undefined ? `, ${percent(each.score)}` : ''}`}
                </span>
                {!readOnly.value && (
                  <span class="buttons">
                    <button type="button" class="small" aria-label={`Accept ${each.name}`}
                      onClick={() => say(each.name, 'accepted')}>Accept</button>
                    <button type="button" class="small" aria-label={`Reject ${each.name}`}
                      onClick={() => say(each.name, 'rejected')}>Reject</button>
                  </span>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function HumanTag(props: { tag: ItemTag; mine: boolean; say: (tag: string, verdict: Verdict) => void }) {
  const { tag } = props;
  return (
    <li>
      <a class="tag" href={tagSearchAddress(tag.name)}>
        {tag.name}{(tag.count ?? 1) > 1 ? ` × ${tag.count}` : ''}
      </a>
      {!readOnly.value && (
        <button type="button" class="remove"
          aria-label={props.mine ? `Take back ${tag.name}` : `Reject ${tag.name}`}
          title={props.mine ? 'Take this back' : 'This does not fit'}
          onClick={() => props.say(tag.name, props.mine ? 'withdrawn' : 'rejected')}>×</button>
      )}
    </li>
  );
}
