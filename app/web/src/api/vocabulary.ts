/** Requests about tags themselves, not about what has them. */
import { request, withQuery } from './http';
import type { MergeCandidates, TagNode, Vocabulary, VocabularyChange, VocabularyEdit } from './types';

/** How many are asked for at once, and how many there may be. */
const PAGE = 1000;
const MOST = 50_000;

/** All tags, those that are not shown among others too, in the order of the tree. */
export async function vocabulary(signal?: AbortSignal): Promise<TagNode[]> {
  const all: TagNode[] = [];
  for (let total = 1; all.length < Math.min(total, MOST);) {
    const answer = await request<Vocabulary>(withQuery('/v1/vocabulary', { offset: all.length, limit: PAGE, hidden: true }), { signal });
    if (answer.tags.length === 0) break;
    all.push(...answer.tags);
    total = answer.total;
  }
  return all;
}

/** All changes are made, or none. */
export const changeVocabulary = async (changes: VocabularyEdit[]): Promise<VocabularyChange[]> =>
  (await request<{ changes: VocabularyChange[] }>('/v1/vocabulary/changes', { method: 'POST', body: { changes } })).changes;

export const vocabularyHistory = (limit: number, signal?: AbortSignal) =>
  request<{ total: number; changes: VocabularyChange[] }>(withQuery('/v1/vocabulary/history', { limit }), { signal });

export const undoChange = (change: number) =>
  request<VocabularyChange>(`/v1/vocabulary/changes/${change}/undo`, { method: 'POST' });

export const restoreChange = (change: number) =>
  request<VocabularyChange>(`/v1/vocabulary/changes/${change}/restore`, { method: 'POST' });

export const candidates = (limit: number, signal?: AbortSignal) =>
  request<MergeCandidates>(withQuery('/v1/vocabulary/candidates', { limit }), { signal });

/** They are not the same: they are not proposed again. */
export const dismissCandidate = (tag: string, into: string) =>
  request<VocabularyChange>('/v1/vocabulary/candidates/dismiss', { method: 'POST', body: { tag, into } });
