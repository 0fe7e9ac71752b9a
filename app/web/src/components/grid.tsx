import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { GAP, moved, rowsInView, shapeOf } from './grid_layout';
import { useWhenMoved } from './hooks';

interface GridProps {
  label: string;
  total: number;
  /** The narrowest tile, and the height of each. */
  least: number;
  height: number;
  /** The tile to begin with, for instance on the way back; it is scrolled to. */
  at?: number;
  need: (first: number, last: number) => void;
  /** Draws a tile. What carries `data-focus` gets the focus; `active` says whether Tab reaches it. */
  tile: (index: number, active: boolean) => ComponentChildren;
  activated?: (index: number) => void;
  /** Other keys on a tile; true if it was one of these. */
  pressed?: (key: string, index: number) => boolean;
}

/** A grid of any length of which only the rows near the window are in the page. */
export function Grid(props: GridProps) {
  const outer = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [range, setRange] = useState<[number, number]>([0, 0]);
  const [active, setActive] = useState(props.at ?? 0);
  const wantsFocus = useRef(props.at !== undefined);
  const { total, need } = props;
  const shape = shapeOf(width, total, props.least, props.height);
  const current = Math.max(0, Math.min(active, total - 1));
  const heldFocus = outer.current?.contains(document.activeElement) ?? false;

  const look = useCallback(() => {
    const box = outer.current?.getBoundingClientRect();
    if (!box) return;
    setWidth(box.width);
    const now = shapeOf(box.width, total, props.least, props.height);
    const next = rowsInView(now, -box.top, innerHeight - box.top);
    setRange((before) => (before[0] === next[0] && before[1] === next[1] ? before : next));
  }, [total, props.least, props.height]);

  useLayoutEffect(look, [look]);
  useWhenMoved(outer, look);

  // A short wait spares the server the pages that fly past.
  useEffect(() => {
    const timer = setTimeout(() => need(range[0] * shape.columns, (range[1] + 1) * shape.columns - 1), 60);
    return () => clearTimeout(timer);
  }, [range, shape.columns, need]);

  const reveal = (index: number) => {
    const box = outer.current?.getBoundingClientRect();
    if (!box || shape.columns < 1) return;
    const top = box.top + Math.floor(index / shape.columns) * shape.step;
    const below = top + props.height - innerHeight + 8;
    if (top < 8) scrollBy(0, top - 8);
    else if (below > 0) scrollBy(0, below);
  };

  useLayoutEffect(() => {
    // A tile that was read, or that moved to another row, is another element: the focus follows it.
    const lost = heldFocus && !outer.current?.contains(document.activeElement);
    if ((!wantsFocus.current && !lost) || width === 0) return;
    wantsFocus.current = false;
    reveal(current);
    outer.current?.querySelector<HTMLElement>(`[data-index="${current}"] [data-focus]`)
      ?.focus({ preventScroll: true });
  });

  // Another number of columns moves all tiles: the one that mattered stays in view.
  const columnsBefore = useRef(0);
  useLayoutEffect(() => {
    if (width === 0) return;
    const before = columnsBefore.current;
    columnsBefore.current = shape.columns;
    const row = Math.floor(current / before);
    if (before > 0 && before !== shape.columns && row >= range[0] && row <= range[1]) reveal(current);
  }, [shape.columns, width === 0]);

  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onScreen = Math.max(1, Math.floor(innerHeight / shape.step) - 1);
    const to = moved(event.key, current, total, shape.columns, onScreen);
    if (to !== undefined) {
      event.preventDefault();
      wantsFocus.current = true;
      setActive(to);
      // The same tile again is not drawn again, so it is brought into view here.
      if (to === current) {
        wantsFocus.current = false;
        reveal(to);
      }
      props.activated?.(to);
    } else if (!event.repeat && props.pressed?.(event.key, current)) {
      event.preventDefault();
    }
  };

  const rows: number[] = [];
  for (let row = range[0]; row <= range[1]; ++row) rows.push(row);
  const activeRow = Math.floor(current / shape.columns);
  // The row with the focus stays, wherever the window is: the focus would be lost with it.
  if (width > 0 && total > 0 && (activeRow < range[0] || activeRow > range[1])) rows.push(activeRow);

  const cells = (row: number) => {
    const result = [];
    const end = Math.min(total, (row + 1) * shape.columns);
    for (let index = row * shape.columns; index < end; ++index) {
      result.push(
        <div role="gridcell" key={index} class="cell" data-index={index} aria-colindex={(index % shape.columns) + 1}
          onFocusIn={() => index !== current && setActive(index)}>
          {props.tile(index, index === current)}
        </div>,
      );
    }
    return result;
  };

  return (
    <div ref={outer} class="grid" role="grid" aria-label={props.label} aria-rowcount={shape.rows}
      aria-colcount={shape.columns} onKeyDown={key}
      style={{ height: `${Math.max(0, shape.rows * shape.step - GAP)}px` }}>
      {width > 0 && rows.map((row) => (
        <div role="row" key={row} class="grid-row" aria-rowindex={row + 1}
          style={{
            transform: `translateY(${row * shape.step}px)`, height: `${props.height}px`,
            gridTemplateColumns: `repeat(${shape.columns}, minmax(0, 1fr))`,
          }}>
          {cells(row)}
        </div>
      ))}
    </div>
  );
}
