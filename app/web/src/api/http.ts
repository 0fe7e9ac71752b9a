import { signal } from '@preact/signals';

/** An answer that says what went wrong: by a code with its values for people, in the server's words for programmers. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    detail: string,
    readonly code = '',
    readonly values: Record<string, string> = {},
  ) {
    super(detail);
  }
}

const TOKEN_KEY = 'commonplace.token';

/** True while the server wants a token that was not given yet. */
export const tokenWanted = signal(false);
/** True where the one that was given is not the one. */
export const tokenWrong = signal(false);
/** True after a request that nobody answered. */
export const unreachable = signal(false);

let token = globalThis.sessionStorage?.getItem(TOKEN_KEY) ?? '';
let waiting: (() => void)[] = [];

export function giveToken(text: string): void {
  token = text;
  sessionStorage.setItem(TOKEN_KEY, text);
  tokenWanted.value = false;
  const resumed = waiting;
  waiting = [];
  for (const resume of resumed) resume();
}

function untilToken(): Promise<void> {
  tokenWanted.value = true;
  return new Promise((resolve) => waiting.push(resolve));
}

export type QueryValue = string | number | boolean | undefined | string[];

export function withQuery(path: string, query: Record<string, QueryValue> = {}): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue;
    if (Array.isArray(value)) for (const each of value) parts.append(name, each);
    else if (typeof value === 'boolean') parts.set(name, value ? '1' : '0');
    else parts.set(name, String(value));
  }
  const text = parts.toString();
  return text ? `${path}?${text}` : path;
}

/** For what cannot send headers: pictures and event streams. */
export function withToken(path: string): string {
  if (!token) return path;
  return `${path}${path.includes('?') ? '&' : '?'}token=${encodeURIComponent(token)}`;
}

export function authorization(): Record<string, string> {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

export async function problemOf(status: number, text: string): Promise<Problem> {
  try {
    const body = JSON.parse(text) as { title?: string; detail?: string; code?: string; values?: Record<string, string> };
    const code = body.code ?? (status >= 500 ? 'internal-server-error' : '');
    return new Problem(status, body.title ?? 'Error', body.detail ?? body.title ?? text, code, body.values);
  } catch {
    return new Problem(status, 'Error', `the server answered ${status} and did not say why`);
  }
}

export interface RequestOptions {
  method?: string;
  body?: unknown;
  /** Sent as they are, in place of a body. */
  bytes?: Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
  /** The answer is a file. */
  blob?: boolean;
}

/** How long to wait before asking again, where the server is too busy for the moment. */
function pause(response: Response): Promise<void> {
  const wanted = Number(response.headers.get('Retry-After') ?? 1);
  return new Promise((resolve) => setTimeout(resolve, 1000 * Math.min(3, Math.max(0.3, wanted || 1))));
}

export async function request<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  for (let round = 0; ; ++round) {
    const used = token;
    const headers: Record<string, string> = { Accept: 'application/json', ...authorization() };
    if (options.body !== undefined) headers['Content-Type'] = 'application/json';
    if (options.bytes) headers['Content-Type'] = 'application/octet-stream';
    let response: Response;
    try {
      response = await fetch(path, {
        method: options.method ?? 'GET',
        headers,
        body: options.bytes ?? (options.body === undefined ? undefined : JSON.stringify(options.body)),
        signal: options.signal,
      });
    } catch (error) {
      if (options.signal?.aborted) throw error;
      unreachable.value = true;
      throw new Problem(0, 'No answer', '', 'unreachable');
    }
    unreachable.value = false;
    if (options.blob && response.ok) return (await response.blob()) as Answer;
    const text = await response.text();
    if (response.status === 401) {
      if (used === token) {
        tokenWrong.value = token !== '';
        await untilToken();
      }
      continue;
    }
    if ((response.status === 429 || response.status === 503) && !options.method && round < 3) {
      await pause(response);
      continue;
    }
    if (!response.ok) throw await problemOf(response.status, text);
    return (text ? JSON.parse(text) : undefined) as Answer;
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
