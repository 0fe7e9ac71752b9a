import { useState } from 'preact/hooks';
import type { Item, ItemTag, Verdict } from '../../api/types';
import { Combobox } from '../../components/combobox';
import { tagChoices } from '../../components/tag_choices';
import { Tag } from '../../components/tag';
import { percent } from '../../format';
import { announce } from '../../state/alerts';
import { decide, whenSent } from '../../state/decisions';
import { readOnly } from '../../state/library';
import { t } from '../../words/say';

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
      <h2>{t('Tags')}</h2>
      {human.length === 0 && <p class="quiet">{t('Nobody gave it a tag yet.')}</p>}
      <ul class="tags">
        {human.map((each) => (
          <HumanTag key={`${each.name}/${each.by}`} tag={each} mine={mine.get(each.name) === 'accepted'} say={say} />
        ))}
      </ul>
      {!readOnly.value && (
        <div class="add-tag">
          <Combobox label={t('Add a tag')} value={text} changed={setText} choices={tagChoices}
            chosen={(choice) => add(choice.text)} entered={add} />
          <button type="button" onClick={() => add(text)} disabled={!text.trim()}>{t('Add')}</button>
        </div>
      )}
      {machine.length > 0 && (
        <>
          <h3>{t('Given by a machine')}</h3>
          <ul class="machine-tags">
            {machine.map((each) => (
              <li key={`${each.name}/${each.model}`}>
                <Tag name={each.name} machine />
                <span class="quiet">
                  {each.score !== undefined ? t('{share} sure', { share: percent(each.score) }) : ''}
                </span>
                {!readOnly.value && (
                  <span class="buttons">
                    <button type="button" class="small" aria-label={t('Accept {tag}', { tag: each.name })}
                      onClick={() => say(each.name, 'accepted')}>{t('Accept')}</button>
                    <button type="button" class="small" aria-label={t('Reject {tag}', { tag: each.name })}
                      onClick={() => say(each.name, 'rejected')}>{t('Reject')}</button>
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
      <Tag name={tag.name}>{(tag.count ?? 1) > 1 ? ` × ${tag.count}` : ''}</Tag>
      {!readOnly.value && (
        <button type="button" class="remove"
          aria-label={props.mine ? t('Take back {tag}', { tag: tag.name }) : t('Reject {tag}', { tag: tag.name })}
          title={props.mine ? t('Take this back') : t('This does not fit')}
          onClick={() => props.say(tag.name, props.mine ? 'withdrawn' : 'rejected')}>×</button>
      )}
    </li>
  );
}
