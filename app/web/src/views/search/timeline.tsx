import { useRef, useState } from 'preact/hooks';
import type { Facets } from '../../api/types';
import { count } from '../../format';
import { changed, replaceAddress, route } from '../../state/route';
import { t } from '../../words/say';
import { tokensOf } from '../../state/query_text';
import { bars } from './timeline_bars';

/** The query narrowed to times from `from` on and before `end`; without them, to no time. */
export function during(query: string, from?: string, end?: string): string {
  const kept = tokensOf(query).filter((each) => !/^(after|before|in):/.test(each));
  if (from && end) kept.push(`after:${from}`, `before:${end}`);
  return kept.join(' ');
}

/** When the results are from. A part that is drawn with the pointer, or by shift and arrows, narrows them to it. */
export function Timeline({ timeline }: { timeline: Facets['timeline'] }) {
  const { bars: drawn, ends } = bars(timeline.counts);
  const [brush, setBrush] = useState<[number, number]>();
  const [at, setAt] = useState(0);
  const svg = useRef<SVGSVGElement>(null);
  const q = route.value.query.get('q') ?? '';
  const narrowed = /(^|\s)(after|before|in):/.test(q);
  if (drawn.length < 2 && !narrowed) return null;
  const most = Math.max(...drawn.map((each) => each.items), 1);
  const [width, height] = [280, 64];
  const step = width / Math.max(1, drawn.length);
  const narrow = (a: number, b: number) =>
    replaceAddress(changed({ q: during(q, drawn[Math.min(a, b)]?.from, ends[Math.max(a, b)]), at: undefined }));
  const barOf = (event: PointerEvent) => {
    const box = svg.current!.getBoundingClientRect();
    return Math.max(0, Math.min(drawn.length - 1, Math.floor(((event.clientX - box.left) / box.width) * drawn.length)));
  };
  const said = (index: number) => `${drawn[index]?.from ?? ''}: ${count(drawn[index]?.items ?? 0)}`;
  const press = (event: PointerEvent) => {
    const start = barOf(event);
    svg.current!.setPointerCapture(event.pointerId);
    setBrush([start, start]);
  };
  const key = (event: KeyboardEvent) => {
    const to = event.key === 'ArrowRight' ? Math.min(drawn.length - 1, at + 1) : event.key === 'ArrowLeft' ? Math.max(0, at - 1) : at;
    if (event.key === 'Enter') narrow(...(brush ?? [at, at]));
    else if (event.key === 'Escape' && brush) setBrush(undefined);
    else if (to !== at) {
      setAt(to);
      setBrush(event.shiftKey ? [brush?.[0] ?? at, to] : undefined);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section class="timeline">
      <h3>{t('When')}</h3>
      {drawn.length > 1 && (
        <svg ref={svg} viewBox={`0 0 ${width} ${height + 14}`} role="slider" tabindex={0} aria-label={t('When: arrows move, shift and arrows choose a part, Enter narrows to it')}
          aria-valuemin={0} aria-valuemax={drawn.length - 1} aria-valuenow={at} aria-valuetext={said(at)} onKeyDown={key}
          onPointerDown={press} onPointerMove={(event) => { if (brush && event.buttons) setBrush([brush[0], barOf(event)]); }}
          onPointerUp={(event) => { if (brush) { narrow(brush[0], barOf(event)); setBrush(undefined); } }}>
          {drawn.map((each, index) => {
            const tall = each.items === 0 ? 0 : Math.max(2, (each.items / most) * height);
            return (
              <rect key={each.from} class={index === at ? 'bar at' : 'bar'} x={index * step} y={height - tall} width={Math.max(1, step - 1)} height={tall}>
                <title>{said(index)}</title>
              </rect>
            );
          })}
          {brush && <rect class="brush" x={Math.min(...brush) * step} y={0} width={(Math.abs(brush[1] - brush[0]) + 1) * step} height={height} />}
          <text x={0} y={height + 12}>{drawn[0]!.from}</text>
          <text x={width} y={height + 12} text-anchor="end">{drawn[drawn.length - 1]!.from}</text>
        </svg>
      )}
      {narrowed && (
        <button type="button" class="small" onClick={() => replaceAddress(changed({ q: during(q), at: undefined }))}>{t('Any time')}</button>
      )}
    </section>
  );
}
