import type { TagCount } from '../../api/types';

/** A tag in the tree: slashes part what is above from what is below. */
export interface Branch {
  name: string;
  /** The last part of it. */
  label: string;
  level: number;
  /** That have it, and that have it or one below it. */
  items: number;
  within: number;
  below: Branch[];
}

const keyOf = (name: string) => name.toLowerCase();
export const sameTag = (a: string, b: string) => keyOf(a) === keyOf(b);
export const isBelow = (name: string, root: string) => keyOf(name).startsWith(`${keyOf(root)}/`);
export const aboveOf = (name: string) => name.slice(0, Math.max(0, name.lastIndexOf('/')));
export const labelOf = (name: string) => name.slice(name.lastIndexOf('/') + 1);

/** Makes a tree of tags; what is above a tag is there although nothing has it. */
export function treeOf(tags: TagCount[], order: 'name' | 'items' = 'name'): Branch[] {
  const known = new Map<string, Branch>();
  const roots: Branch[] = [];
  const branch = (name: string): Branch => {
    const before = known.get(keyOf(name));
    if (before) return before;
    const above = aboveOf(name);
    const parent = above ? branch(above) : undefined;
    const made: Branch = { name, label: labelOf(name), level: (parent?.level ?? 0) + 1, items: 0, within: 0, below: [] };
    (parent?.below ?? roots).push(made);
    known.set(keyOf(name), made);
    return made;
  };
  for (const each of tags) branch(each.tag).items += each.items;
  const finish = (each: Branch): number => {
    each.within = each.items + each.below.reduce((sum, one) => sum + finish(one), 0);
    each.below.sort(compare);
    return each.within;
  };
  const compare = (a: Branch, b: Branch) => (order === 'items' ? b.within - a.within : 0) || a.label.localeCompare(b.label);
  for (const each of roots) finish(each);
  return roots.sort(compare);
}

/** What is seen of a tree: what is open, or all that leads to a tag that contains `filter`. */
export function seen(roots: Branch[], open: (name: string) => boolean, filter = ''): Branch[] {
  const asked = keyOf(filter.trim());
  const rows: Branch[] = [];
  const fits = (each: Branch): boolean => keyOf(each.name).includes(asked) || each.below.some(fits);
  const visit = (each: Branch) => {
    if (asked && !fits(each)) return;
    rows.push(each);
    if (asked || open(each.name)) each.below.forEach(visit);
  };
  roots.forEach(visit);
  return rows;
}

/** A tag and all below it, the deepest first. */
export function withBelow(roots: Branch[], name: string): string[] {
  const names: string[] = [];
  const visit = (each: Branch) => {
    each.below.forEach(visit);
    if (each.items > 0 && (sameTag(each.name, name) || isBelow(each.name, name))) names.push(each.name);
  };
  roots.forEach(visit);
  return names;
}

/** Why a tag cannot be called so, in a word for the page to say; undefined if it can. */
export function refused(from: string, to: string): 'empty' | 'same' | 'below itself' | undefined {
  if (to.split('/').some((each) => !each.trim())) return 'empty';
  if (sameTag(from, to)) return 'same';
  if (isBelow(to, from)) return 'below itself';
  return undefined;
}

/** What a tag is called once it lies below another, or nowhere. */
export const nested = (name: string, above: string) => (above ? `${above}/${labelOf(name)}` : labelOf(name));
