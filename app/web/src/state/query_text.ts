import { tagQuery } from './route';

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

/** Whether nothing is left open that would make the query a mistake while it is being written. */
export function isWhole(query: string): boolean {
  const quotes = (query.match(/"/g) ?? []).length;
  const opened = (query.match(/\(/g) ?? []).length - (query.match(/\)/g) ?? []).length;
  return quotes % 2 === 0 && opened === 0 && !/(^|\s)(\S*:|#|-|is:\S*|in:\S{0,3}|area:\S*|and|or|not)$/i.test(query.trimEnd());
}

/** The parts of a query that stand side by side: words, "phrases", #tags, conditions. */
export function tokensOf(query: string): string[] {
  return query.match(/-?[#\w:]*"[^"]*"|\S+/g) ?? [];
}

/** The query with a condition more; one that cannot hold beside it gives way. */
export function withToken(query: string, token: string): string {
  const alone = /^(in|area):/.exec(token)?.[0];
  const kept = tokensOf(query).filter((each) => each !== token && !(alone && each.startsWith(alone)));
  return [...kept, token].join(' ');
}

export const withoutToken = (query: string, token: string) => tokensOf(query).filter((each) => each !== token).join(' ');

/** The words to light up in what is shown, in small letters. */
export function litWords(query: string): string[] {
  return tokensOf(query).filter((each) => !/^-|^(is|in|area|before|after):|^(and|or|not)$/i.test(each))
    .flatMap((each) => each.replace(/^(#|tag:)/, '').replace(/"/g, '').toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter((each) => each.length > 1);
}

/** Whether a word of a text is one that was asked for: an ending more or less does not matter. */
export function isLit(word: string, asked: string[]): boolean {
  const small = word.toLowerCase();
  return asked.some((each) => small === each || (each.length > 3 && small.startsWith(each.length > 5 ? each.slice(0, -2) : each) && small.length < each.length + 4));
}

/** Those that were hidden stay so, unless they are asked for. */
export function withoutHidden(query: string, hidden: number): string {
  return hidden > 0 && !/#hidden\b/.test(query) ? `${query} -#hidden`.trim() : query;
}
