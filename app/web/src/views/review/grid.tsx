import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { ReviewEntry } from '../../api/types';
import { useAnswer, useKeys, useShown } from '../../components/hooks';
import { justified, GAP } from '../../components/justified';
import { Icon } from '../../components/icon';
import { Thumbnail } from '../../components/picture';
import { Failure, Loading } from '../../components/view';
import { count, percent, titleOf } from '../../format';
import { report } from '../../state/alerts';
import { readOnly } from '../../state/library';
import { changed } from '../../state/route';
import { tileHeight } from '../../state/looks';
import { showChange } from '../../state/toast';
import { t, tn } from '../../words/say';

const MANY = 40;

interface Props {
  collection: string;
  model?: string;
  tag: string;
  order: string;
  /** Something was stored. */
  answered: () => void;
}

/** Many items of one suggested tag: the wrong ones are clicked, the others are accepted together. */
export function ReviewGrid(props: Props) {
  const { collection, model, tag, order } = props;
  const [round, setRound] = useState(0);
  const answer = useAnswer(
    () => api.review({ collection, model, tag, order, offset: 0, limit: MANY }), [collection, model, tag, order, round]);
  const [wrong, setWrong] = useState<Set<string>>(new Set());
  const [sending, setSending] = useState(false);
  const [at, setAt] = useState(0);
  const [width, setWidth] = useState(0);
  const frame = useRef<HTMLUListElement>(null);
  const entries = answer.loading ? [] : answer.value?.entries ?? [];
  const shown = useShown(`${round}/${tag}/${entries.length}`);
  useEffect(() => { setWrong(new Set()); setAt(0); }, [answer.value]);
  useLayoutEffect(() => {
    const look = () => setWidth(frame.current?.clientWidth ?? 0);
    look();
    addEventListener('resize', look);
    return () => removeEventListener('resize', look);
  }, [entries.length === 0]);

  const toggle = (entry: ReviewEntry | undefined) => {
    if (!entry) return;
    const next = new Set(wrong);
    if (!next.delete(entry.id)) next.add(entry.id);
    setWrong(next);
  };
  const focus = (index: number) => {
    const to = Math.max(0, Math.min(entries.length - 1, index));
    setAt(to);
    frame.current?.querySelectorAll<HTMLElement>('button.guess')[to]?.focus();
  };
  const accept = () => {
    if (entries.length === 0 || sending || !shown || readOnly.value) return;
    setSending(true);
    const decisions = entries.map((each) => ({ item: each.id, tag: each.tag, verdict: wrong.has(each.id) ? 'rejected' as const : 'accepted' as const }));
    const no = wrong.size;
    const yes = entries.length - no;
    api.decide(collection, decisions).then((stored) => {
      setSending(false);
      setRound((before) => before + 1);
      props.answered();
      showChange(no > 0 ? t('“{tag}”: {yes} accepted, {no} rejected.', { tag, yes, no }) : tn('“{tag}”: {n} accepted.', '“{tag}”: {n} accepted.', yes, { tag }),
        stored, () => { setRound((before) => before + 1); props.answered(); });
    }, (error: unknown) => {
      setSending(false);
      report(error, accept);
    });
  };
  const pictures = entries.some((each) => each.image);
  const rows = pictures && width > 0 ? justified(entries.map((each) => each.ratio ?? 1.4), width - 1, Math.min(170, tileHeight())).rows : [];
  const place = new Map<number, { width: number; height: number }>();
  for (const row of rows) row.widths.forEach((each, i) => place.set(row.first + i, { width: each, height: row.height }));
  const columns = Math.max(1, rows[0]?.widths.length ?? 1);
  useKeys((key) => {
    if (key === 'Enter') accept();
    else if (key === 'x' || key === 'n' || key === ' ') toggle(entries[at]);
    else if (key === 'ArrowRight') focus(at + 1);
    else if (key === 'ArrowLeft') focus(at - 1);
    else if (key === 'ArrowDown') focus(at + columns);
    else if (key === 'ArrowUp') focus(at - columns);
    else return false;
    return true;
  }, ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp']);

  if (answer.error !== undefined) return <Failure error={answer.error} again={answer.again} />;
  if (answer.loading && !answer.value) return <Loading what={t('the questions')} />;
  if (!answer.loading && entries.length === 0) {
    return <p>{t('There is nothing left to ask about {tag}.', { tag })} <a href={changed({ tag: undefined, many: undefined })}>{t('All tags')}</a></p>;
  }
  const right = entries.reduce((sum, each) => sum + each.confidence, 0);
  return (
    <section class={`review-grid ${shown && entries.length > 0 ? 'shown' : ''}`} aria-label={t('Is this {tag}?', { tag })}>
      <div class="review-grid-head">
        <h2>{t('Which of these are not')} <em dir="auto">{tag}</em>?</h2>
        <p class="quiet" role="status">
          {tn('{n} of {left}; about {right} are expected to be right.', '{n} of {left}; about {right} are expected to be right.',
            entries.length, { left: count(answer.value?.left ?? 0), right: Math.round(right) })}
        </p>
        <span class="push" />
        {!readOnly.value && (
          <button type="button" class="primary" disabled={sending || entries.length === 0} onClick={accept}>
            {wrong.size > 0 ? t('Accept {yes}, reject {no}', { yes: entries.length - wrong.size, no: wrong.size }) : tn('Accept {n}', 'Accept all {n}', entries.length)} <kbd>Enter</kbd>
          </button>
        )}
      </div>
      <ul ref={frame} class={pictures ? 'guesses' : 'guesses guess-lines'} style={{ gap: `${GAP}px` }}>
        {entries.map((each, index) => {
          const off = wrong.has(each.id);
          return (
            <li key={each.id} style={place.has(index) ? { width: `${place.get(index)!.width}px`, height: `${place.get(index)!.height}px` } : undefined}>
              <button type="button" class={off ? 'guess off' : 'guess'} aria-pressed={off} tabIndex={index === at ? 0 : -1}
                aria-label={`${off ? t('Wrong') : t('Right')}: ${titleOf(each)}, ${percent(each.confidence)}`}
                onFocus={() => setAt(index)} onClick={() => toggle(each)}
                onKeyDown={(event) => { if (event.key === 'Enter') { event.preventDefault(); event.stopPropagation(); if (!event.repeat) accept(); } if (event.key === ' ') event.preventDefault(); }}>
                {each.image ? <Thumbnail item={{ ...each, collection }} alt="" />
                  : <span class="guess-text"><strong dir="auto">{titleOf(each)}</strong> <span dir="auto">{each.snippet !== titleOf(each) ? each.snippet : ''}</span></span>}
                {off && <span class="cross"><Icon name="close" /></span>}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
