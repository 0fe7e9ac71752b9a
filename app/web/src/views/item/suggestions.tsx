import { useRef, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { Item, Suggestion, Verdict } from '../../api/types';
import { useAnswer, useKeys, useShown } from '../../components/hooks';
import { NoModel } from '../../components/no_model';
import { Confidence } from '../../components/progress';
import { Failure, Legend, Loading } from '../../components/view';
import { percent } from '../../format';
import { announce, isMissing, messageOf } from '../../state/alerts';
import { decide, whenSent } from '../../state/decisions';
import { chosenModel, hasModel, readOnly } from '../../state/library';
import { itemAddress } from '../../state/route';

function Reasons(props: { collection: string; suggestion: Suggestion }) {
  const { reasons } = props.suggestion;
  if (!reasons) return null;
  const words = reasons.words ?? [];
  const items = reasons.items ?? [];
  const shares: [string, number | undefined][] = [
    ['from tags', reasons.from_tags], ['from items like it', reasons.from_neighbours],
    ['from its category', reasons.from_category],
  ];
  const told = shares.filter(([, share]) => share !== undefined && share !== 0);
  return (
    <div class="reasons quiet">
      {words.length > 0 && <p>{`Words: ${words.slice(0, 6).map((each) => each.word).join(', ')}.`}</p>}
      {items.length > 0 && (
        <p>
          {'Like '}
          {items.slice(0, 4).map((each, index) => (
            <span key={each.id}>
              {index > 0 ? ', ' : ''}
              <a href={itemAddress(props.collection, each.id)}>{each.id}</a>{` (${percent(each.likeness)})`}
            </span>
          ))}.
        </p>
      )}
      {told.length > 0 && <p>{told.map(([name, share]) => `${name} ${share!.toFixed(2)}`).join(', ')}.</p>}
    </div>
  );
}

/** What the machine would add, with how sure it is and why. */
export function ItemSuggestions(props: { item: Item; changed: () => void }) {
  const { collection, id } = props.item;
  const learned = hasModel('suggest', collection);
  const model = chosenModel('suggest', collection, null);
  const answer = useAnswer(
    (signal) => (learned ? api.suggestions(collection, id, 12, model, signal) : undefined), [collection, id, learned, model]);
  const [decided, setDecided] = useState<{ tag: string; verdict: Verdict }[]>([]);
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const done = new Set(decided.map((each) => each.tag));
  const open = (answer.value?.suggestions ?? []).filter((each) => !done.has(each.tag));
  const current = Math.min(at, open.length - 1);
  const shown = useShown(String(decided.length));

  const focus = (index: number) => {
    setAt(index);
    // After the list was drawn anew, which a decision makes it.
    requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>('li')[index]?.focus());
  };
  const say = (suggestion: Suggestion | undefined, verdict: Verdict) => {
    if (!suggestion || !shown || readOnly.value) return;
    setDecided([...decided, { tag: suggestion.tag, verdict }]);
    decide({ collection, item: id, tag: suggestion.tag, verdict });
    announce(`${suggestion.tag} ${verdict}.`);
    void whenSent().then(props.changed);
    focus(Math.max(0, Math.min(current, open.length - 2)));
  };
  const undo = () => {
    const last = decided[decided.length - 1];
    if (!last || !shown) return;
    setDecided(decided.slice(0, -1));
    decide({ collection, item: id, tag: last.tag, verdict: 'withdrawn' });
    announce(`${last.tag}: taken back.`);
    void whenSent().then(props.changed);
  };
  useKeys((key) => {
    if (open.length === 0 && key !== 'u') return false;
    if (key === 'j') focus(Math.min(open.length - 1, current + 1));
    else if (key === 'k') focus(Math.max(0, current - 1));
    else if (key === 'u' && decided.length > 0) undo();
    else if ((key === 'a' || key === 'r') && list.current?.contains(document.activeElement)) {
      say(open[current], key === 'a' ? 'accepted' : 'rejected');
    } else return false;
    return true;
  }, ['j', 'k']);

  return (
    <section class="card">
      <h2>Suggestions</h2>
      {!learned && <NoModel kind="suggest" collection={collection} />}
      {answer.loading && !answer.value && <Loading what="suggestions" />}
      {answer.error !== undefined && (isMissing(answer.error)
        ? <p>{messageOf(answer.error)}</p> : <Failure error={answer.error} again={answer.again} />)}
      {answer.value && (
        <>
          <p class="quiet">
            {`By ${answer.value.model}`}
            {answer.value.familiarity !== undefined ? `, to which ${percent(answer.value.familiarity)} of this is familiar` : ''}.
          </p>
          {open.length === 0 && (
            <p>{decided.length > 0 ? 'All suggestions are decided.' : 'Nothing fits: no tag is likely enough to be right.'}</p>
          )}
          <ul class={`suggestions ${shown ? 'shown' : ''}`} ref={list}>
            {open.map((each, index) => (
              <li key={each.tag} tabIndex={index === current ? 0 : -1} onFocusIn={() => setAt(index)}>
                <div class="suggestion-line">
                  <strong>{each.tag}</strong>
                  <Confidence share={each.confidence} label="Confidence" />
                  {!readOnly.value && (
                    <span class="buttons">
                      <button type="button" class="small" aria-label={`Accept ${each.tag}`}
                        onClick={() => say(each, 'accepted')}>Accept</button>
                      <button type="button" class="small" aria-label={`Reject ${each.tag}`}
                        onClick={() => say(each, 'rejected')}>Reject</button>
                    </span>
                  )}
                </div>
                {each.implied && <p class="quiet">It follows from a tag below it.</p>}
                <Reasons collection={collection} suggestion={each} />
              </li>
            ))}
          </ul>
          {!readOnly.value && (
            <div class="buttons">
              <button type="button" class="small" onClick={undo} disabled={decided.length === 0}>Undo</button>
              <Legend keys={[['j', 'next'], ['k', 'before'], ['a', 'accept'], ['r', 'reject'], ['u', 'undo']]} />
            </div>
          )}
        </>
      )}
    </section>
  );
}
