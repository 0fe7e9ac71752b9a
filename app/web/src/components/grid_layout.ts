/** Where the tiles of a long grid are. Pure numbers, so that they can be tested. */

export interface GridShape {
  columns: number;
  rows: number;
  /** From the top of one row to the top of the next. */
  step: number;
}

export const GAP = 10;

export function shapeOf(width: number, total: number, least: number, height: number): GridShape {
  const columns = Math.max(1, Math.floor((width + GAP) / (least + GAP)));
  return { columns, rows: Math.ceil(total / columns), step: height + GAP };
}

/** The rows to draw when the window shows `top` .. `bottom` of the grid, with a few more around. */
export function rowsInView(shape: GridShape, top: number, bottom: number, more = 2): [number, number] {
  const first = Math.max(0, Math.floor(top / shape.step) - more);
  const last = Math.min(shape.rows - 1, Math.floor(bottom / shape.step) + more);
  return [Math.min(first, Math.max(0, shape.rows - 1)), last];
}

/** The tile that a key leads to, or undefined for other keys. */
export function moved(
  key: string, index: number, total: number, columns: number, rowsOnScreen: number,
): number | undefined {
  const within = (to: number) => Math.max(0, Math.min(total - 1, to));
  switch (key) {
    case 'ArrowRight': return within(index + 1);
    case 'ArrowLeft': return within(index - 1);
    case 'ArrowDown': return index + columns < total ? index + columns : index;
    case 'ArrowUp': return index - columns >= 0 ? index - columns : index;
    case 'PageDown': return within(index + columns * rowsOnScreen);
    case 'PageUp': return within(index - columns * rowsOnScreen);
    case 'Home': return 0;
    case 'End': return total - 1;
    default: return undefined;
  }
}
