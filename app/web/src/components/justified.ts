/** Where the tiles of a long gallery are: rows as wide as the window, a page of items at a time. Pure numbers. */

export interface JustifiedRow {
  /** From the top of its page. */
  top: number;
  height: number;
  /** The first item, counted within the page. */
  first: number;
  widths: number[];
}

export interface PageLayout {
  height: number;
  rows: JustifiedRow[];
}

export const GAP = 6;
const clamped = (ratio: number) => Math.max(0.4, Math.min(4, ratio));

/**
 * Rows that all are as wide as the page, of nearly the same height. Each page fills its rows for itself, so that those
 * that were not read yet do not move the others. Few items that do not fill a row stay as high as wanted.
 */
export function justified(ratios: number[], width: number, wanted: number, gap = GAP): PageLayout {
  const shapes = ratios.map(clamped);
  const whole = shapes.reduce((sum, each) => sum + each, 0);
  const rowsWanted = (whole * wanted + gap * shapes.length) / (width + gap);
  const count = Math.max(1, Math.round(rowsWanted));
  const rows: JustifiedRow[] = [];
  let top = 0;
  let first = 0;
  let used = 0;
  for (let row = 0; row < count && first < shapes.length; ++row) {
    const aim = (whole * (row + 1)) / count;
    let end = first + 1;
    let sum = shapes[first]!;
    // On to the item that brings the row nearest to its share.
    while (end < shapes.length && (row === count - 1 || Math.abs(used + sum + shapes[end]! - aim) <= Math.abs(used + sum - aim))) {
      sum += shapes[end]!;
      end += 1;
    }
    const full = (width - gap * (end - first - 1)) / sum;
    const height = Math.max(24, rowsWanted < 0.85 && count === 1 ? Math.min(full, wanted) : full);
    rows.push({ top, height, first, widths: shapes.slice(first, end).map((each) => each * height) });
    top += height + gap;
    used += sum;
    first = end;
  }
  return { height: top, rows };
}

/** One item a line, all of the same height. */
export function listed(count: number, width: number, height: number): PageLayout {
  const rows = Array.from({ length: count }, (_, index) => ({ top: index * height, height, first: index, widths: [width] }));
  return { height: count * height, rows };
}

/** The item of another row that is nearest to the middle of an item, `by` rows further down or up. */
export function vertically(pages: PageLayout[], pageSize: number, index: number, by: number): number {
  let page = Math.floor(index / pageSize);
  const rowOf = (at: number) => pages[page]!.rows.findIndex((each) => at >= each.first && at < each.first + each.widths.length);
  let row = rowOf(index % pageSize);
  if (row < 0) return index;
  const here = pages[page]!.rows[row]!;
  const at = (index % pageSize) - here.first;
  const middle = here.widths.slice(0, at).reduce((sum, each) => sum + each + GAP, 0) + here.widths[at]! / 2;
  for (let left = Math.abs(by); left > 0; --left) {
    row += Math.sign(by);
    if (row < 0) {
      if (page === 0) { row = 0; break; }
      page -= 1;
      row = pages[page]!.rows.length - 1;
    } else if (row >= pages[page]!.rows.length) {
      if (page === pages.length - 1) { row = pages[page]!.rows.length - 1; break; }
      page += 1;
      row = 0;
    }
  }
  const there = pages[page]!.rows[row]!;
  if (there === here) return index;
  let best = 0;
  let nearest = Infinity;
  let x = 0;
  there.widths.forEach((each, i) => {
    const distance = Math.abs(x + each / 2 - middle);
    if (distance < nearest) [nearest, best] = [distance, i];
    x += each + GAP;
  });
  return page * pageSize + there.first + best;
}
