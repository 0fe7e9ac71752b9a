import type { SamePair, TagCount } from '../../api/types';

/** The same whichever of them stands first. */
export const keyOfPair = (pair: SamePair) => [pair.first, pair.second].map((each) => each.toLowerCase()).sort().join('\n');

/** Pairs that are left to be decided on, each once: both tags are there still, and nobody said that they differ. */
export function openPairs(pairs: SamePair[], tags: TagCount[], different: string[]): SamePair[] {
  const counts = new Map(tags.map((each) => [each.tag.toLowerCase(), each.items]));
  const seen = new Set(different);
  return pairs.filter((each) => {
    const key = keyOfPair(each);
    if (seen.has(key) || !counts.has(each.first.toLowerCase()) || !counts.has(each.second.toLowerCase())) return false;
    seen.add(key);
    return true;
  }).map((each) => ({ ...each, first_items: counts.get(each.first.toLowerCase())!, second_items: counts.get(each.second.toLowerCase())! }));
}
