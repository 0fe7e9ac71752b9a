import { signal } from '@preact/signals';

export interface Route {
  /** 'home', 'search', 'review', ... */
  view: string;
  /** What follows the view in the path, decoded. */
  parts: string[];
  query: URLSearchParams;
}

export function parseHash(hash: string): Route {
  const text = hash.replace(/^#?\/?/, '');
  const at = text.indexOf('?');
  const path = at < 0 ? text : text.slice(0, at);
  const [view = '', ...parts] = path.split('/').map(decoded);
  return { view: view || 'home', parts, query: new URLSearchParams(at < 0 ? '' : text.slice(at + 1)) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export type Parameters = Record<string, string | number | boolean | string[] | undefined>;

export function address(view: string, parts: string[] = [], parameters: Parameters = {}): string {
  const path = [view, ...parts].map(encodeURIComponent).join('/');
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === '' || value === false) continue;
    if (Array.isArray(value)) for (const each of value) query.append(name, each);
    else query.set(name, value === true ? '1' : String(value));
  }
  const text = query.toString();
  return `#/${path}${text ? `?${text}` : ''}`;
}

export const itemAddress = (collection: string, id: string) => address('item', [collection, id]);
export const tagSearchAddress = (tag: string) => address('search', [], { q: tagQuery(tag) });

/** A tag as the query language demands it. */
export function tagQuery(tag: string): string {
  return /^[\p{L}\p{N}_/.-]+$/u.test(tag) ? `#${tag}` : `tag:"${tag.replace(/"/g, '')}"`;
}

export const route = signal<Route>(parseHash(''));

function read(): void {
  route.value = parseHash(location.hash);
}

export function startRouting(): void {
  read();
  addEventListener('hashchange', read);
}

export function go(hash: string): void {
  if (location.hash === hash) read();
  else location.hash = hash;
}

/** Changes the address without a step in the history: for filters and positions. */
export function replaceAddress(hash: string): void {
  if (location.hash === hash) return;
  history.replaceState(null, '', hash);
  read();
}

/** Remembers something for the way back without drawing the view anew. */
export function noteInAddress(name: string, value: string): void {
  const now = parseHash(location.hash);
  now.query.set(name, value);
  const path = [now.view, ...now.parts].map(encodeURIComponent).join('/');
  history.replaceState(null, '', `#/${path}?${now.query.toString()}`);
}

/** The present address with some parameters changed. */
export function changed(parameters: Parameters): string {
  const now = route.value;
  const all: Parameters = {};
  for (const name of new Set(now.query.keys())) all[name] = now.query.getAll(name);
  return address(now.view, now.parts, { ...all, ...parameters });
}
