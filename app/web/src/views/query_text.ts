import { tagQuery } from '../state/route';

/** The last word of a query, which is what completion is for. */
export function lastWord(query: string): { start: number; word: string; sign: string } {
  const match = /(^|[\s(])([#-]*)([^\s()"]*)$/.exec(query);
  if (!match) return { start: query.length, word: '', sign: '' };
  const sign = match[2] ?? '';
  const word = match[3] ?? '';
  return { start: query.length - sign.length - word.length, word, sign };
}

/** The query with its last word replaced by a tag; a tag that was demanded stays demanded. */
export function completed(query: string, tag: string): string {
  const { start, sign } = lastWord(query);
  const minus = sign.startsWith('-') ? '-' : '';
  const text = sign.includes('#') ? tagQuery(tag) : minus && /\s/.test(tag) ? `"${tag}"` : tag;
  return `${query.slice(0, start)}${minus}${text} `;
}

export function fullQuery(words: string, before: string, after: string): string {
  const parts = [words.trim()];
  if (before) parts.push(`before:${before}`);
  if (after) parts.push(`after:${after}`);
  return parts.filter((each) => each !== '').join(' ');
}
