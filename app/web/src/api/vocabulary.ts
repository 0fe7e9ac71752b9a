/** Tags themselves, in place of what has them: each change is one of all items that have the tag. */
import { collections } from '../state/library';
import { tagQuery } from '../state/route';
import * as api from './api';
import type { ChangeAnswer, TagChange, TagCount } from './types';

/** A tag that is called otherwise, with all below it; or, with no name, is nowhere any more. */
export interface Renaming {
  tag: string;
  to?: string;
}

/** So many tags are counted. */
const MOST = 1000;

/** All tags of all collections, of hidden items too. */
export const vocabulary = async (signal?: AbortSignal): Promise<TagCount[]> =>
  (await api.facets({ q: '', collection: [], tags: MOST }, signal)).tags;

/** What all that have the tag get in its place. */
async function moved({ tag, to }: Renaming): Promise<ChangeAnswer[]> {
  const changes: TagChange[] = [...(to === undefined ? [] : [{ do: 'add' as const, tag: to }]), { do: 'remove', tag }];
  const answers = [await api.change({ search: { q: tagQuery(tag), words_only: true } }, changes)];
  if (collections.value.some((each) => (each.hidden ?? 0) > 0)) {
    answers.push(await api.change({ search: { q: `${tagQuery(tag)} #hidden`, words_only: true } }, changes));
  }
  return answers;
}

/** The renamings that these mean for each tag below them, the deepest first, so that none is taken for what is above it. */
export function spread(renamings: Renaming[], known: string[]): Renaming[] {
  const all = renamings.flatMap(({ tag, to }) => known
    .filter((each) => `${each}/`.toLowerCase().startsWith(`${tag}/`.toLowerCase()))
    .map((each) => ({ tag: each, to: to === undefined ? undefined : to + each.slice(tag.length) })));
  return all.filter(({ tag, to }) => to?.toLowerCase() !== tag.toLowerCase())
    .sort((a, b) => b.tag.split('/').length - a.tag.split('/').length);
}

/** Renames tags with all below them; where one fails, what was done before it is taken back. */
export async function rename(renamings: Renaming[], known: string[]): Promise<ChangeAnswer[]> {
  const answers: ChangeAnswer[] = [];
  try {
    for (const each of spread(renamings, known)) answers.push(...await moved(each));
  } catch (error) {
    for (const each of answers.reverse()) if (each.stored > 0) await api.undo(each);
    throw error;
  }
  return answers;
}
