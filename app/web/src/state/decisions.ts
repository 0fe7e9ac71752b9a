import { signal } from '@preact/signals';
import * as api from '../api/api';
import type { Verdict } from '../api/types';
import { Problem } from '../api/http';
import { messageOf } from './alerts';

/** A decision on its way to the server. It stays here, and in the browser, until it is stored. */
export interface Outgoing {
  collection: string;
  item: string;
  tag: string;
  verdict: Verdict;
}

const KEY = 'commonplace.unsent';

function kept(): Outgoing[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as Outgoing[];
  } catch {
    return [];
  }
}

export const unsent = signal<Outgoing[]>([]);
export const sendingError = signal('');
/** Counts what was stored, for those who show what follows from it. */
export const storedCount = signal(0);

/** So often it is tried whether the server is back. */
const AGAIN = 4000;
let again = 0;
let sending = false;
let settled: (() => void)[] = [];

function keep(): void {
  localStorage.setItem(KEY, JSON.stringify(unsent.value));
}

export function decide(decision: Outgoing): void {
  unsent.value = [...unsent.value, decision];
  keep();
  void send();
}

export async function send(): Promise<void> {
  if (sending) return;
  clearTimeout(again);
  sending = true;
  sendingError.value = '';
  let failures = 0;
  while (unsent.value.length > 0) {
    const next = unsent.value[0]!;
    try {
      const { collection, ...decision } = next;
      await api.decide(collection, [decision]);
      unsent.value = unsent.value.slice(1);
      keep();
      storedCount.value += 1;
      failures = 0;
    } catch (error) {
      failures += 1;
      const passing = error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500);
      if (passing && failures < 4) {
        await new Promise((resolve) => setTimeout(resolve, 400 * 2 ** failures));
        continue;
      }
      sendingError.value = messageOf(error);
      if (passing) again = window.setTimeout(() => void send(), AGAIN);
      break;
    }
  }
  sending = false;
  const done = settled;
  settled = [];
  for (const each of done) each();
}

/** Resolves when nothing is on its way any more, stored or failed. */
export function whenSent(): Promise<void> {
  if (!sending) return Promise.resolve();
  return new Promise((resolve) => settled.push(resolve));
}

/** Gives up on the decision that the server does not take, and goes on with the others. */
export function discardFirst(): void {
  unsent.value = unsent.value.slice(1);
  keep();
  void send();
}

export function startDecisions(): void {
  unsent.value = kept();
  if (unsent.value.length > 0) void send();
  addEventListener('online', () => void send());
  addEventListener('beforeunload', (event) => {
    if (unsent.value.length > 0) event.preventDefault();
  });
}
