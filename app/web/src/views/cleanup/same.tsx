import { useRef, useState } from 'preact/hooks';
import type { MergeCandidate, VocabularyChange } from '../../api/types';
import { candidates, changeVocabulary, dismissCandidate } from '../../api/vocabulary';
import { useAnswer, useKeys } from '../../components/hooks';
import { Tag } from '../../components/tag';
import { TagCover } from '../../components/tag_cover';
import { Failure, Legend, Loading } from '../../components/view';
import { report } from '../../state/alerts';
import { readOnly } from '../../state/library';
import { tagSearchAddress } from '../../state/route';
import { changeCount, show } from '../../state/toast';
import { t, tn } from '../../words/say';
import { said, takeBack } from '../tags/steps';

const MOST = 100;

function why(candidate: MergeCandidate): string {
  switch (candidate.why) {
    case 'writing': return t('but for capitals and signs');
    case 'plural': return t('one and many');
    case 'level': return t('the same at another place of the tree');
    case 'spelling': return t('spelled alike');
    case 'use': return t('used for the same');
    default: return '';
  }
}

function Side(props: { tag: string; items: number }) {
  return (
    <a class="same-side" href={tagSearchAddress(props.tag)}>
      <TagCover tag={props.tag} />
      <span><Tag name={props.tag} plain /></span>
      <span class="quiet">{tn('{n} item', '{n} items', props.items)}</span>
    </a>
  );
}

/** Pairs of tags that may mean the same: merged into one, the other way round, or left as they are. */
export function SameTags() {
  const answer = useAnswer((signal) => candidates(MOST, signal), [changeCount.value]);
  const [at, setAt] = useState(0);
  const [turned, setTurned] = useState<Set<string>>(new Set());
  const [busy, setBusy] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const pairs = answer.value?.candidates ?? [];
  const current = Math.min(at, pairs.length - 1);
  const keyOf = (pair: MergeCandidate) => `${pair.tag}\u0000${pair.into}`;
  const directed = (pair: MergeCandidate) => (turned.has(keyOf(pair)) ? { from: pair.into, to: pair.tag } : { from: pair.tag, to: pair.into });

  const focus = (index: number) => {
    const to = Math.max(0, Math.min(pairs.length - 1, index));
    setAt(to);
    requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>(':scope > li')[to]?.focus());
  };
  const store = async (work: () => Promise<VocabularyChange[]>) => {
    if (busy || readOnly.value) return;
    setBusy(true);
    try {
      const steps = await work();
      changeCount.value += 1;
      if (steps.length > 0) show(steps.length === 1 ? said(steps[0]!) : tn('{n} tag merged.', '{n} tags merged.', steps.length), () => void takeBack(steps));
    } catch (error) {
      report(error);
    }
    setBusy(false);
    focus(current);
  };
  const merge = (some: MergeCandidate[]) => store(async () => {
    // A tag goes into one other only: what else is said of it is asked anew.
    const gone = new Set<string>();
    const changes = some.map(directed).filter(({ from, to }) => {
      if (gone.has(from.toLowerCase()) || gone.has(to.toLowerCase())) return false;
      gone.add(from.toLowerCase());
      return true;
    });
    return changeVocabulary(changes.map(({ from, to }) => ({ do: 'merge', tag: from, to })));
  });
  const differ = (pair: MergeCandidate) => store(async () => [await dismissCandidate(pair.tag, pair.into)]);
  const turn = (pair: MergeCandidate) => {
    const next = new Set(turned);
    if (!next.delete(keyOf(pair))) next.add(keyOf(pair));
    setTurned(next);
  };
  useKeys((key) => {
    const pair = pairs[current];
    if (!pair) return false;
    if (key === 'ArrowDown' || key === 'j') focus(current + 1);
    else if (key === 'ArrowUp' || key === 'k') focus(current - 1);
    else if (key === 's') turn(pair);
    else if (key === 'x') void differ(pair);
    else if (key === 'Enter' && !(document.activeElement instanceof HTMLButtonElement || document.activeElement instanceof HTMLAnchorElement)) void merge([pair]);
    else return false;
    return true;
  }, ['ArrowDown', 'ArrowUp', 'j', 'k']);

  if (answer.error !== undefined) return <Failure error={answer.error} again={answer.again} />;
  if (!answer.value) return <Loading what={t('the tags')} />;
  if (pairs.length === 0) return <div class="nothing"><p role="status">{t('No two tags seem to mean the same.')}</p></div>;
  const sure = pairs.filter((each) => each.why === 'writing' || each.why === 'plural');
  return (
    <section aria-label={t('Tags that mean the same')}>
      <div class="tools">
        <p role="status">{tn('{n} pair', '{n} pairs', pairs.length)}</p>
        <span class="push" />
        {!readOnly.value && sure.length > 1 && (
          <button type="button" disabled={busy} onClick={() => void merge(sure)}>{tn('Merge {n} that differs in capitals or number', 'Merge all {n} that differ in capitals or number', sure.length)}</button>
        )}
      </div>
      <ol ref={list} class="same-list">
        {pairs.map((pair, index) => {
          const { from, to } = directed(pair);
          const items = (tag: string) => (tag === pair.tag ? pair.items : pair.into_items);
          return (
            <li key={keyOf(pair)} tabIndex={index === current ? 0 : -1} onFocusIn={() => setAt(index)} class={index === current ? 'current' : ''}
              aria-label={t('{from} into {to}', { from, to })}>
              <Side tag={from} items={items(from)} />
              {readOnly.value ? <span aria-hidden="true">→</span>
                : <button type="button" class="round" aria-label={t('The other way round')} title="s" onClick={() => turn(pair)}>→</button>}
              <Side tag={to} items={items(to)} />
              <p class="same-why quiet">{why(pair)}{pair.together > 0 ? `, ${tn('together on {n} item', 'together on {n} items', pair.together)}` : ''}</p>
              {!readOnly.value && (
                <div class="buttons">
                  <button type="button" class="primary small" disabled={busy} onClick={() => void merge([pair])}>{t('Merge')}</button>
                  <button type="button" class="small" disabled={busy} onClick={() => void differ(pair)}>{t('Not the same')}</button>
                </div>
              )}
            </li>
          );
        })}
      </ol>
      <Legend keys={[['↑ ↓', t('another pair')], ['Enter', t('merge')], ['s', t('the other way round')], ['x', t('not the same')]]} />
    </section>
  );
}
