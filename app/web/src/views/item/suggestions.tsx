import { useRef, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { Item, Suggestion, Verdict } from '../../api/types';
import { useAnswer, useKeys, useShown } from '../../components/hooks';
import { NoModel } from '../../components/no_model';
import { Confidence } from '../../components/progress';
import { Reasons } from '../../components/reasons';
import { Tag } from '../../components/tag';
import { Failure, Legend, Loading } from '../../components/view';
import { announce, isMissing, messageOf } from '../../state/alerts';
import { decide, whenSent } from '../../state/decisions';
import { chosenModel, hasModel, models, readOnly } from '../../state/library';
import { litNow } from '../../state/lit';
import { t } from '../../words/say';

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
  // What a model learned from is of its own collection, which may be another.
  const source = models.value.find((each) => each.name === answer.value?.model)?.collection ?? collection;
  const done = new Set(decided.map((each) => each.tag));
  const open = (answer.value?.suggestions ?? []).filter((each) => !done.has(each.tag));
  const current = Math.min(at, open.length - 1);
  const shown = useShown(String(decided.length));
  const light = (suggestion: Suggestion | undefined) => { litNow.value = (suggestion?.reasons?.words ?? []).map((each) => each.word.toLowerCase()); };

  const focus = (index: number) => {
    setAt(index);
    // After the list was drawn anew, which a decision makes it.
    requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>(':scope > li')[index]?.focus());
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
      <h2>{t('Suggested')}</h2>
      {!learned && <NoModel kind="suggest" collection={collection} />}
      {answer.loading && !answer.value && <Loading what={t('the suggestions')} />}
      {answer.error !== undefined && (isMissing(answer.error)
        ? <p>{messageOf(answer.error)}</p> : <Failure error={answer.error} again={answer.again} />)}
      {answer.value && (
        <>
          {answer.value.familiarity !== undefined && answer.value.familiarity < 0.3 && open.length > 0 && (
            <p class="quiet">{t('Little of this is like what was learned: take it with care.')}</p>
          )}
          {open.length === 0 && (
            <p>{decided.length > 0 ? t('All suggestions are decided.') : t('Nothing fits: no tag is likely enough to be right.')}</p>
          )}
          <ul class={`suggestions ${shown ? 'shown' : ''}`} ref={list}>
            {open.map((each, index) => (
              <li key={each.tag} tabIndex={index === current ? 0 : -1} onFocusIn={() => { setAt(index); light(each); }} onMouseEnter={() => light(each)} onMouseLeave={() => light(undefined)}>
                <div class="suggestion-line">
                  <strong><Tag name={each.tag} machine plain /></strong>
                  <Confidence share={each.confidence} label={t('How sure')} />
                  {!readOnly.value && (
                    <span class="buttons">
                      <button type="button" class="small" aria-label={t('Accept {tag}', { tag: each.tag })}
                        onClick={() => say(each, 'accepted')}>{t('Accept')}</button>
                      <button type="button" class="small" aria-label={t('Reject {tag}', { tag: each.tag })}
                        onClick={() => say(each, 'rejected')}>{t('Reject')}</button>
                    </span>
                  )}
                </div>
                {each.implied && <p class="quiet">{t('It follows from a tag below it.')}</p>}
                <Reasons collection={source} suggestion={each} />
              </li>
            ))}
          </ul>
          {!readOnly.value && (
            <div class="buttons">
              <button type="button" class="small" onClick={undo} disabled={decided.length === 0}>{t('Undo')}</button>
              <Legend keys={[['j', t('next')], ['k', t('before')], ['a', t('accept')], ['r', t('reject')], ['u', t('undo')]]} />
            </div>
          )}
        </>
      )}
    </section>
  );
}
