/** The bars of a timeline without gaps, and what they stand for. Pure, so that it can be tested. */
export interface Bar {
  from: string;
  items: number;
}

function next(from: string): string {
  const [year, month, day] = from.split('-').map(Number);
  if (month === undefined) return String(year! + 1).padStart(4, '0');
  const date = new Date(Date.UTC(year!, day === undefined ? month : month - 1, day === undefined ? 1 : day + 1));
  return date.toISOString().slice(0, from.length);
}

/** The counts with those of nothing between them; what would be more bars than `most` is joined. */
export function bars(counts: Bar[], most = 120): { bars: Bar[]; ends: string[] } {
  if (counts.length === 0) return { bars: [], ends: [] };
  const known = new Map(counts.map((each) => [each.from, each.items]));
  const last = counts[counts.length - 1]!.from;
  const all: Bar[] = [];
  for (let at = counts[0]!.from; at <= last && all.length < 5000; at = next(at)) all.push({ from: at, items: known.get(at) ?? 0 });
  const step = Math.ceil(all.length / most);
  const joined: Bar[] = [];
  const ends: string[] = [];
  for (let i = 0; i < all.length; i += step) {
    const part = all.slice(i, i + step);
    joined.push({ from: part[0]!.from, items: part.reduce((sum, each) => sum + each.items, 0) });
    ends.push(next(part[part.length - 1]!.from));
  }
  return { bars: joined, ends };
}
