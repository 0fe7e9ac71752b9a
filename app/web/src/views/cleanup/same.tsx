import { signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { SamePair } from '../../api/types';
import { rename, vocabulary } from '../../api/vocabulary';
import { useAnswer, useKeys } from '../../components/hooks';
import { NoModel } from '../../components/no_model';
import { Tag } from '../../components/tag';
import { TagCover } from '../../components/tag_cover';
import { Failure, Legend, Loading } from '../../components/view';
import { report } from '../../state/alerts';
import { collections, modelsOf, readOnly } from '../../state/library';
import { tagSearchAddress } from '../../state/route';
import { changeCount, show, showChange } from '../../state/toast';
import { t, tn } from '../../words/say';
import { keyOfPair, openPairs } from './pairs';

const MOST = 100;
const KEY = 'commonplace.tags-that-differ';

function kept(): string[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as string[];
  } catch {
    return [];
  }
}

/** Pairs that somebody said mean different things, in this browser. */
const different = signal<string[]>(kept());

function setDifferent(key: string, on: boolean): void {
  different.value = [...different.value.filter((each) => each !== key), ...(on ? [key] : [])];
  localStorage.setItem(KEY, JSON.stringify(different.value));
}

/** The pairs that are left to be decided on; none where nothing was learned that could tell. */
export async function sameTags(signal_?: AbortSignal): Promise<SamePair[]> {
  if (modelsOf('relate').length === 0) return [];
  const [found, tags] = await Promise.all([api.sameTags(MOST), vocabulary(signal_)]);
  return openPairs(found.pairs, tags, different.value);
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
  const answer = useAnswer((signal_) => sameTags(signal_), [changeCount.value, different.value]);
  const [at, setAt] = useState(0);
  const [turned, setTurned] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const pairs = answer.value ?? [];
  const current = Math.min(at, pairs.length - 1);
  // The rarer goes into the more frequent, unless somebody turns it round.
  const directed = (pair: SamePair) => ((pair.first_items > pair.second_items) === turned.includes(keyOfPair(pair))
    ? { from: pair.first, to: pair.second } : { from: pair.second, to: pair.first });

  const focus = (index: number) => {
    const to = Math.max(0, Math.min(pairs.length - 1, index));
    setAt(to);
    requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>(':scope > li')[to]?.focus());
  };
  const merge = async (pair: SamePair) => {
    if (busy || readOnly.value) return;
    const { from, to } = directed(pair);
    setBusy(true);
    try {
      const known = await vocabulary();
      showChange(t('“{from}” into “{to}”.', { from, to }), await rename([{ tag: from, to }], known.map((each) => each.tag)));
    } catch (error) {
      report(error);
    }
    setBusy(false);
    focus(current);
  };
  const differ = (pair: SamePair) => {
    const key = keyOfPair(pair);
    setDifferent(key, true);
    show(t('They stay as they are.'), () => setDifferent(key, false));
    focus(current);
  };
  const turn = (pair: SamePair) => {
    const key = keyOfPair(pair);
    setTurned(turned.includes(key) ? turned.filter((each) => each !== key) : [...turned, key]);
  };
  useKeys((key) => {
    const pair = pairs[current];
    if (!pair) return false;
    if (key === 'ArrowDown' || key === 'j') focus(current + 1);
    else if (key === 'ArrowUp' || key === 'k') focus(current - 1);
    else if (readOnly.value) return false;
    else if (key === 's') turn(pair);
    else if (key === 'x') differ(pair);
    else if (key === 'Enter' && !(document.activeElement instanceof HTMLButtonElement || document.activeElement instanceof HTMLAnchorElement)) void merge(pair);
    else return false;
    return true;
  }, ['ArrowDown', 'ArrowUp', 'j', 'k']);

  if (modelsOf('relate').length === 0) return <div class="nothing"><NoModel kind="relate" collection={collections.value[0]?.name ?? ''} /></div>;
  if (answer.error !== undefined) return <Failure error={answer.error} again={answer.again} />;
  if (!answer.value) return <Loading what={t('the tags')} />;
  if (pairs.length === 0) return <div class="nothing"><p role="status">{t('No two tags seem to mean the same.')}</p></div>;
  return (
    <section aria-label={t('Tags that mean the same')}>
      <p role="status">{tn('{n} pair, the most alike first', '{n} pairs, the most alike first', pairs.length)}</p>
      <ol ref={list} class="same-list">
        {pairs.map((pair, index) => {
          const { from, to } = directed(pair);
          const items = (tag: string) => (tag === pair.first ? pair.first_items : pair.second_items);
          return (
            <li key={keyOfPair(pair)} tabIndex={index === current ? 0 : -1} onFocusIn={() => setAt(index)} class={index === current ? 'current' : ''}
              aria-label={t('{from} into {to}', { from, to })}>
              <Side tag={from} items={items(from)} />
              {readOnly.value ? <span aria-hidden="true">→</span>
                : <button type="button" class="round" aria-label={t('The other way round')} title="s" onClick={() => turn(pair)}>→</button>}
              <Side tag={to} items={items(to)} />
              <p class="same-why quiet">{pair.together > 0 ? tn('together on {n} item', 'together on {n} items', pair.together) : t('never together')}</p>
              {!readOnly.value && (
                <div class="buttons">
                  <button type="button" class="primary small" disabled={busy} onClick={() => void merge(pair)}>{t('Merge')}</button>
                  <button type="button" class="small" disabled={busy} onClick={() => differ(pair)}>{t('Not the same')}</button>
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
