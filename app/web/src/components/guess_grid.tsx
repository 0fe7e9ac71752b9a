import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { percent, titleOf } from '../format';
import { readOnly } from '../state/library';
import { tileHeight } from '../state/looks';
import { t } from '../words/say';
import { useKeys, useShown } from './hooks';
import { Icon } from './icon';
import { GAP, justified } from './justified';
import { Thumbnail } from './picture';

/** What is said of an item: that it deserves a tag. */
export interface Guess {
  id: string;
  tag: string;
  title?: string;
  snippet?: string;
  image: boolean;
  ratio?: number;
  tags?: string[];
  confidence: number;
}

export const guessKey = (guess: Guess) => `${guess.id}\u0000${guess.tag}`;

interface Props<Kind extends Guess> {
  label: string;
  collection: string;
  guesses: Kind[];
  /** Another for other guesses: what was clicked belongs to these. */
  round: string;
  head: ComponentChildren;
  /** What Enter does, with so many that were clicked. */
  action: (off: number) => string;
  busy: boolean;
  /** What stands below a picture, where the guesses are not all of one tag. */
  caption?: (guess: Kind) => ComponentChildren;
  done: (off: Set<string>) => void;
}

/** Many guesses at once: those that are wrong are clicked, and Enter decides about all. */
export function GuessGrid<Kind extends Guess>(props: Props<Kind>) {
  const { guesses, collection } = props;
  const [off, setOff] = useState<Set<string>>(new Set());
  const [at, setAt] = useState(0);
  const [width, setWidth] = useState(0);
  const frame = useRef<HTMLUListElement>(null);
  const all = guesses.map(guessKey).join('\n');
  const shown = useShown(`${props.round}/${all}`);
  useEffect(() => { setOff(new Set()); setAt(0); }, [props.round, all]);
  useLayoutEffect(() => {
    const look = () => setWidth(frame.current?.clientWidth ?? 0);
    look();
    addEventListener('resize', look);
    return () => removeEventListener('resize', look);
  }, [guesses.length === 0]);

  const toggle = (guess: Kind | undefined) => {
    if (!guess) return;
    const next = new Set(off);
    if (!next.delete(guessKey(guess))) next.add(guessKey(guess));
    setOff(next);
  };
  const focus = (index: number) => {
    const to = Math.max(0, Math.min(guesses.length - 1, index));
    setAt(to);
    frame.current?.querySelectorAll<HTMLElement>('button.guess')[to]?.focus();
  };
  const decide = () => {
    if (guesses.length > 0 && !props.busy && shown && !readOnly.value) props.done(off);
  };
  const pictures = guesses.some((each) => each.image);
  const rows = pictures && width > 0 ? justified(guesses.map((each) => each.ratio ?? 1.4), width - 1, Math.min(170, tileHeight())).rows : [];
  const place = new Map<number, { width: number; height: number }>();
  for (const row of rows) row.widths.forEach((each, i) => place.set(row.first + i, { width: each, height: row.height }));
  const columns = Math.max(1, rows[0]?.widths.length ?? 1);
  useKeys((key) => {
    if (key === 'Enter') decide();
    else if (key === 'x' || key === 'n' || key === ' ') toggle(guesses[at]);
    else if (key === 'ArrowRight') focus(at + 1);
    else if (key === 'ArrowLeft') focus(at - 1);
    else if (key === 'ArrowDown') focus(at + columns);
    else if (key === 'ArrowUp') focus(at - columns);
    else return false;
    return true;
  }, ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp']);

  return (
    <section class={`review-grid ${shown && guesses.length > 0 ? 'shown' : ''}`} aria-label={props.label}>
      <div class="review-grid-head">
        {props.head}
        <span class="push" />
        {!readOnly.value && (
          <button type="button" class="primary" disabled={props.busy || guesses.length === 0} onClick={decide}>{props.action(off.size)} <kbd>Enter</kbd></button>
        )}
      </div>
      <ul ref={frame} class={`guesses ${pictures ? '' : 'guess-lines'} ${props.caption ? 'captioned' : ''}`} style={{ gap: `${GAP}px` }}>
        {guesses.map((each, index) => {
          const wrong = off.has(guessKey(each));
          const caption = props.caption?.(each);
          return (
            <li key={guessKey(each)} style={place.has(index) ? { width: `${place.get(index)!.width}px`, '--height': `${place.get(index)!.height}px` } : undefined}>
              <button type="button" class={wrong ? 'guess off' : 'guess'} aria-pressed={wrong} tabIndex={index === at ? 0 : -1}
                aria-label={`${wrong ? t('Wrong') : t('Right')}: ${titleOf(each)}, ${props.caption ? `${each.tag}, ` : ''}${percent(each.confidence)}`}
                onFocus={() => setAt(index)} onClick={() => toggle(each)}
                onKeyDown={(event) => { if (event.key === 'Enter') { event.preventDefault(); event.stopPropagation(); if (!event.repeat) decide(); } if (event.key === ' ') event.preventDefault(); }}>
                {each.image ? <Thumbnail item={{ ...each, collection }} alt="" />
                  : <span class="guess-text"><strong dir="auto">{titleOf(each)}</strong> <span dir="auto">{each.snippet !== titleOf(each) ? each.snippet : ''}</span></span>}
                {wrong && <span class="cross"><Icon name="close" /></span>}
              </button>
              {caption}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
