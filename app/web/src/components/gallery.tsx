import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Brief } from '../api/types';
import { PAGE, type PagedList } from '../state/paged_list';
import { isSelected, select, selectedCount, toggle } from '../state/selection';
import { report } from '../state/alerts';
import { GAP, justified, listed, vertically, type JustifiedRow, type PageLayout } from './justified';
import { useWhenMoved } from './hooks';
import { flat, moved, scrolled, settledAt } from './tall';

export interface GalleryProps {
  label: string;
  list: PagedList<Brief>;
  /** Rows of pictures so high, or lines. */
  mode: 'grid' | 'list';
  height: number;
  /** The item to begin with, for instance on the way back; it is scrolled to. */
  at?: number;
  /** Draws an item. What carries `data-focus` gets the focus; `active` says whether Tab reaches it. */
  tile: (index: number, active: boolean, size: { width: number; height: number }) => ComponentChildren;
  activated?: (index: number) => void;
  opened: (index: number) => void;
  /** Other keys on an item; true if it was one of these. */
  pressed?: (key: string, index: number) => boolean;
}

interface Band {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The height of what stays at the top of the window. */
const headHeight = () => document.querySelector('.header')?.getBoundingClientRect().bottom ?? 0;

/** Items in rows as wide as the window, of which only those near it are in the page. Any of them can be selected. */
export function Gallery(props: GalleryProps) {
  const { list, mode, height } = props;
  const outer = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [view, setView] = useState<[top: number, bottom: number]>([0, 0]);
  const [active, setActive] = useState(props.at ?? 0);
  const [band, setBand] = useState<Band>();
  const wantsFocus = useRef(props.at !== undefined);
  const anchor = useRef(props.at ?? 0);
  const version = list.version.value;
  const total = list.total;
  const current = Math.max(0, Math.min(active, total - 1));
  const heldFocus = outer.current?.contains(document.activeElement) ?? false;

  // What was not read yet is as wide as what was, on average.
  const { pages, tops, rowsBefore, whole } = useMemo(() => {
    const count = Math.ceil(total / PAGE);
    const layouts: PageLayout[] = [];
    const before: number[] = [];
    const rows: number[] = [];
    let known = 0;
    let sum = 0;
    for (let page = 0; page < count && mode === 'grid'; ++page) {
      if (!list.isHere(page)) continue;
      for (let i = page * PAGE; i < Math.min(total, (page + 1) * PAGE); ++i) {
        sum += list.entry(i)?.ratio ?? 1.4;
        known += 1;
      }
    }
    const usual = known > 0 ? sum / known : 1.4;
    const blank = new Map<number, PageLayout>();
    let top = 0;
    let row = 0;
    for (let page = 0; page < count; ++page) {
      const size = Math.min(PAGE, total - page * PAGE);
      let layout: PageLayout | undefined;
      if (mode === 'list' || !list.isHere(page)) {
        layout = blank.get(size);
        if (!layout) {
          layout = mode === 'list' ? listed(size, width, height) : justified(Array<number>(size).fill(usual), width || 1, height);
          blank.set(size, layout);
        }
      } else {
        layout = justified(Array.from({ length: size }, (_, i) => list.entry(page * PAGE + i)?.ratio ?? 1.4), width || 1, height);
      }
      layouts.push(layout);
      before.push(top);
      rows.push(row);
      top += layout.height;
      row += layout.rows.length;
    }
    return { pages: layouts, tops: before, rowsBefore: rows, whole: { height: top, rows: row } };
  }, [version, total, width, mode, height, list]);

  const rowAt = (index: number): { page: number; row: JustifiedRow; top: number } | undefined => {
    const page = Math.floor(index / PAGE);
    const row = pages[page]?.rows.find((each) => index % PAGE >= each.first && index % PAGE < each.first + each.widths.length);
    return row && { page, row, top: tops[page]! + row.top };
  };

  const tall = useRef(flat(0));
  if (tall.current.whole !== whole.height) tall.current = { ...flat(whole.height), shift: tall.current.shift, at: tall.current.at };
  const [shift, setShift] = useState(0);
  /** Where the top of the list would be in the window, if a browser had elements so high. */
  const originOf = (box: DOMRect) => box.top - tall.current.shift;
  const settling = useRef(0);
  const look = useCallback(() => {
    const box = outer.current?.getBoundingClientRect();
    if (!box) return;
    setWidth(box.width);
    tall.current = scrolled(tall.current, -box.top, innerHeight);
    setShift(tall.current.shift);
    if (tall.current.whole > tall.current.real) {
      clearTimeout(settling.current);
      settling.current = window.setTimeout(() => {
        const to = settledAt(tall.current, innerHeight);
        if (Math.abs(to - tall.current.at) < 1) return;
        const by = to - tall.current.at;
        tall.current = moved(tall.current, to);
        setShift(tall.current.shift);
        scrollBy(0, by);
      }, 250);
    }
    // In steps, so that not every pixel draws anew.
    const step = 100;
    const top = originOf(box);
    const next: [number, number] = [Math.floor(-top / step) * step - 400, Math.ceil((innerHeight - top) / step) * step + 400];
    setView((before) => (before[0] === next[0] && before[1] === next[1] ? before : next));
  }, []);
  useEffect(() => () => clearTimeout(settling.current), []);

  useLayoutEffect(look, [look, whole.height]);
  useWhenMoved(outer, look);

  const drawn: { page: number; row: JustifiedRow; number: number }[] = [];
  if (width > 0) {
    let page = 0;
    for (let low = 0, high = tops.length; low < high;) {
      page = (low + high) >> 1;
      if (tops[page]! + pages[page]!.height < view[0]) low = page + 1;
      else high = page;
      page = low;
    }
    for (; page < pages.length && tops[page]! <= view[1]; ++page) {
      pages[page]!.rows.forEach((row, index) => {
        const top = tops[page]! + row.top;
        if (top + row.height >= view[0] && top <= view[1]) drawn.push({ page, row, number: rowsBefore[page]! + index });
      });
    }
    const focused = total > 0 ? rowAt(current) : undefined;
    // The row with the focus stays, wherever the window is: the focus would be lost with it.
    if (focused && !drawn.some((each) => each.row === focused.row && each.page === focused.page)) {
      drawn.push({ ...focused, number: rowsBefore[focused.page]! + pages[focused.page]!.rows.indexOf(focused.row) });
    }
  }
  const first = drawn.length > 0 ? drawn[0]!.page * PAGE + drawn[0]!.row.first : 0;
  const last = drawn.reduce((most, { page, row }) => Math.max(most, page * PAGE + row.first + row.widths.length - 1), 0);

  // A short wait spares the server the pages that fly past.
  useEffect(() => {
    const timer = setTimeout(() => list.need(first, last), 60);
    return () => clearTimeout(timer);
  }, [first, last, list, version]);

  // Pages that arrive, or another width, move what is below: what stands at the top of the window stays there.
  const held = useRef<{ index: number; offset: number }>();
  useLayoutEffect(() => {
    const box = outer.current?.getBoundingClientRect();
    const kept = held.current && rowAt(held.current.index);
    if (box && kept && held.current && box.top < 0) {
      const away = originOf(box) + kept.top - held.current.offset;
      if (Math.abs(away) > 1) scrollBy(0, away);
    }
  }, [pages]);
  useLayoutEffect(() => {
    const box = outer.current?.getBoundingClientRect();
    if (!box) return;
    const head = headHeight();
    const origin = originOf(box);
    const top = drawn.find(({ page, row }) => origin + tops[page]! + row.top + row.height > head);
    held.current = top && { index: top.page * PAGE + top.row.first, offset: origin + tops[top.page]! + top.row.top };
  });

  const reveal = (index: number) => {
    const box = outer.current?.getBoundingClientRect();
    const place = rowAt(index);
    if (!box || !place) return;
    const top = originOf(box) + place.top;
    const head = headHeight() + 8;
    if (whole.height > tall.current.real && Math.abs(top) > 2 * innerHeight) {
      // Far away in a list that is higher than its element: by its share, and then exactly.
      held.current = undefined;
      const to = (place.top / Math.max(1, whole.height - innerHeight)) * (tall.current.real - innerHeight);
      const by = to - tall.current.at;
      tall.current = { ...tall.current, shift: place.top - head - to, at: to };
      setShift(tall.current.shift);
      scrollBy(0, by);
      return;
    }
    const below = top + place.row.height - innerHeight + 64;
    if (top < head) scrollBy(0, top - head);
    else if (below > 0) scrollBy(0, Math.min(below, top - head));
  };

  useLayoutEffect(() => {
    // An item that was read, or that moved to another row, is another element: the focus follows it.
    const lost = heldFocus && !outer.current?.contains(document.activeElement) && !document.querySelector('dialog[open]');
    if ((!wantsFocus.current && !lost) || width === 0) return;
    wantsFocus.current = false;
    reveal(current);
    outer.current?.querySelector<HTMLElement>(`[data-index="${current}"] [data-focus]`)?.focus({ preventScroll: true });
  });

  const selectRange = (from: number, to: number, on = true) => {
    list.range(Math.min(from, to), Math.max(from, to)).then((entries) => select(entries, on), report);
  };
  const pick = (index: number) => {
    const entry = list.entry(index);
    if (!entry) return;
    anchor.current = index;
    toggle(entry);
  };

  const goTo = (to: number, extend: boolean) => {
    wantsFocus.current = true;
    setActive(to);
    // The same item again is not drawn again, so it is brought into view here.
    if (to === current) {
      wantsFocus.current = false;
      reveal(to);
    }
    if (extend) selectRange(anchor.current, to);
    else anchor.current = to;
    props.activated?.(to);
  };
  const target = (key: string): number | undefined => {
    const onScreen = Math.max(1, Math.floor((innerHeight - headHeight()) / (height + GAP)) - 1);
    switch (key) {
      case 'ArrowRight': return mode === 'list' ? undefined : Math.min(total - 1, current + 1);
      case 'ArrowLeft': return mode === 'list' ? undefined : Math.max(0, current - 1);
      case 'ArrowDown': return vertically(pages, PAGE, current, 1);
      case 'ArrowUp': return vertically(pages, PAGE, current, -1);
      case 'PageDown': return vertically(pages, PAGE, current, onScreen);
      case 'PageUp': return vertically(pages, PAGE, current, -onScreen);
      case 'Home': return 0;
      case 'End': return total - 1;
      default: return undefined;
    }
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = target(event.key);
    const onItem = event.target instanceof HTMLElement && event.target.hasAttribute('data-focus');
    if (to !== undefined) goTo(to, event.shiftKey);
    else if (event.repeat) return;
    else if ((event.key === ' ' && onItem) || event.key === 'x') pick(current);
    else if (event.key === 'Enter' && onItem) props.opened(current);
    else if (!props.pressed?.(event.key, current)) return;
    event.preventDefault();
  };

  const click = (event: MouseEvent) => {
    const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    if (!cell) return;
    const index = Number(cell.dataset['index']);
    const onCheck = (event.target as HTMLElement).closest('.check-round');
    const onItem = (event.target as HTMLElement).closest('[data-focus]');
    if (!onCheck && !onItem) return;
    if (event.shiftKey) selectRange(anchor.current, index);
    else if (onCheck || event.ctrlKey || event.metaKey || selectedCount.value > 0) pick(index);
    else props.opened(index);
    event.preventDefault();
  };

  /** The items that a rectangle of the gallery touches. */
  const within = (area: Band): Brief[] => {
    const found: Brief[] = [];
    pages.forEach((layout, page) => {
      if (tops[page]! > area.bottom || tops[page]! + layout.height < area.top) return;
      for (const row of layout.rows) {
        const top = tops[page]! + row.top;
        if (top > area.bottom || top + row.height < area.top) continue;
        let x = 0;
        row.widths.forEach((each, i) => {
          const entry = x <= area.right && x + each >= area.left ? list.entry(page * PAGE + row.first + i) : undefined;
          if (entry) found.push(entry);
          x += each + GAP;
        });
      }
    });
    return found;
  };
  /** A mouse that is dragged draws a rectangle, and what it touches is selected. */
  const press = (event: PointerEvent) => {
    if (event.button !== 0 || event.pointerType !== 'mouse' || (event.target as HTMLElement).closest('button, input')) return;
    const box = outer.current!.getBoundingClientRect();
    const start = { x: event.clientX - box.left, y: event.clientY - originOf(box) };
    let drawing = false;
    let touched: Brief[] = [];
    let latest = { x: event.clientX, y: event.clientY };
    const draw = () => {
      const now = outer.current!.getBoundingClientRect();
      const x = latest.x - now.left;
      const y = latest.y - originOf(now);
      if (!drawing && Math.hypot(x - start.x, y - start.y) < 8) return;
      drawing = true;
      const area = { left: Math.min(x, start.x), right: Math.max(x, start.x), top: Math.min(y, start.y), bottom: Math.max(y, start.y) };
      setBand(area);
      const next = within(area);
      const still = new Set(next);
      const gone = touched.filter((each) => !still.has(each));
      const fresh = next.filter((each) => !isSelected(each));
      if (gone.length > 0) select(gone, false);
      if (fresh.length > 0) select(fresh, true);
      touched = [...touched.filter((each) => still.has(each)), ...fresh];
    };
    const move = (moved: PointerEvent) => {
      latest = { x: moved.clientX, y: moved.clientY };
      if (drawing && moved.clientY > innerHeight - 40) scrollBy(0, 24);
      if (drawing && moved.clientY < headHeight() + 40) scrollBy(0, -24);
      draw();
    };
    const end = () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
      setBand(undefined);
      if (!drawing) return;
      // The click that ends it, if there is one, opens nothing.
      const swallow = (after: Event) => { after.preventDefault(); after.stopPropagation(); };
      addEventListener('click', swallow, { capture: true });
      setTimeout(() => removeEventListener('click', swallow, { capture: true }), 0);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
  };

  const cells = (page: number, row: JustifiedRow) => row.widths.map((each, i) => {
    const index = page * PAGE + row.first + i;
    const entry = list.entry(index);
    return (
      <div role="gridcell" key={index} class="cell" data-index={index} style={{ width: `${each}px` }}
        aria-colindex={i + 1} aria-selected={entry ? isSelected(entry) : undefined}
        onFocusIn={() => index !== current && setActive(index)}>
        {props.tile(index, index === current, { width: each, height: row.height })}
      </div>
    );
  });

  return (
    <div ref={outer} class={`gallery ${mode === 'list' ? 'lines' : ''} ${selectedCount.value > 0 ? 'selecting' : ''}`} role="grid"
      aria-label={props.label} aria-multiselectable="true" aria-rowcount={whole.rows} onKeyDown={key} onClick={click}
      onPointerDown={press} style={{ height: `${Math.max(0, Math.min(tall.current.real, whole.height - (mode === 'grid' ? GAP : 0)))}px` }}>
      {drawn.map(({ page, row, number }) => (
        <div role="row" key={`${page}/${row.first}`} class="gallery-row" aria-rowindex={number + 1}
          style={{ transform: `translateY(${tops[page]! + row.top - shift}px)`, height: `${row.height}px`, gap: `${GAP}px` }}>
          {cells(page, row)}
        </div>
      ))}
      {band && (
        <div class="band" style={{ left: `${band.left}px`, top: `${band.top - shift}px`, width: `${band.right - band.left}px`, height: `${band.bottom - band.top}px` }} />
      )}
    </div>
  );
}
