import { signal } from '@preact/signals';

const KEY = 'commonplace.recent-tags';
const MOST = 9;

function kept(): string[] {
  try {
    const read = JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown;
    return Array.isArray(read) ? read.filter((each): each is string => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

/** The tags that were given last, the newest first. */
export const recentTags = signal<string[]>(kept());

export function noteTag(tag: string): void {
  recentTags.value = [tag, ...recentTags.value.filter((each) => each !== tag)].slice(0, MOST);
  localStorage.setItem(KEY, JSON.stringify(recentTags.value));
}
