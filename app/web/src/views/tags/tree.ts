/** What the tree needs of a tag: slashes in its name part what is above from what is below. */
interface Named {
  tag: string;
  /** That have it, and that have it or one below it. */
  items: number;
  below: number;
}

export interface Branch<Entry extends Named = Named> {
  name: string;
  /** The last part of it. */
  label: string;
  level: number;
  within: number;
  /** Undefined where nothing has it, and only tags below it are there. */
  entry?: Entry;
  below: Branch<Entry>[];
}

const keyOf = (name: string) => name.toLowerCase();
export const sameTag = (a: string, b: string) => keyOf(a) === keyOf(b);
export const isBelow = (name: string, root: string) => keyOf(name).startsWith(`${keyOf(root)}/`);
export const aboveOf = (name: string) => name.slice(0, Math.max(0, name.lastIndexOf('/')));
export const labelOf = (name: string) => name.slice(name.lastIndexOf('/') + 1);

/** Makes a tree of tags; what is above a tag is there although nothing has it. */
export function treeOf<Entry extends Named>(tags: Entry[], order: 'name' | 'items' = 'name'): Branch<Entry>[] {
  const known = new Map<string, Branch<Entry>>();
  const roots: Branch<Entry>[] = [];
  const branch = (name: string): Branch<Entry> => {
    const before = known.get(keyOf(name));
    if (before) return before;
    const above = aboveOf(name);
    const parent = above ? branch(above) : undefined;
    const made: Branch<Entry> = { name, label: labelOf(name), level: (parent?.level ?? 0) + 1, within: 0, below: [] };
    (parent?.below ?? roots).push(made);
    known.set(keyOf(name), made);
    return made;
  };
  for (const each of tags) Object.assign(branch(each.tag), { name: each.tag, label: labelOf(each.tag), entry: each });
  const compare = (a: Branch<Entry>, b: Branch<Entry>) => (order === 'items' ? b.within - a.within : 0) || a.label.localeCompare(b.label);
  const finish = (each: Branch<Entry>): number => {
    const sum = each.below.reduce((before, one) => before + finish(one), 0);
    each.within = each.entry?.below ?? sum;
    each.below.sort(compare);
    return each.within;
  };
  for (const each of roots) finish(each);
  return roots.sort(compare);
}

/** What is seen of a tree: what is open, or all that leads to a tag that contains `filter`. */
export function seen<Entry extends Named>(roots: Branch<Entry>[], open: (name: string) => boolean, filter = ''): Branch<Entry>[] {
  const asked = keyOf(filter.trim());
  const rows: Branch<Entry>[] = [];
  const fits = (each: Branch<Entry>): boolean => keyOf(each.name).includes(asked) || each.below.some(fits);
  const visit = (each: Branch<Entry>) => {
    if (asked && !fits(each)) return;
    rows.push(each);
    if (asked || open(each.name)) each.below.forEach(visit);
  };
  roots.forEach(visit);
  return rows;
}

/** Whether a tag may be put below another. */
export const mayLieBelow = (name: string, above: string): boolean =>
  !sameTag(name, above) && !isBelow(above, name) && !sameTag(aboveOf(name), above);

/** What a tag is called once it lies below another, or nowhere. */
export const nested = (name: string, above: string) => (above ? `${above}/${labelOf(name)}` : labelOf(name));
