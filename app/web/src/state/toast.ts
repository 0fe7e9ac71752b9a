import { signal } from '@preact/signals';
import * as api from '../api/api';
import type { ChangeAnswer } from '../api/types';
import { tn } from '../words/say';
import { announce, report } from './alerts';
import { storedCount } from './decisions';

export interface Toast {
  number: number;
  text: string;
  undo?: () => void;
}

/** What was done last, for as long as it is shown. */
export const toast = signal<Toast | undefined>(undefined);
/** Counts what changed tags, for those who show them. */
export const changeCount = signal(0);

let last = 0;
/** What Ctrl+Z takes back, which outlives the toast. */
let takeBack: (() => void) | undefined;

export function show(text: string, undo?: () => void): void {
  takeBack = undo;
  toast.value = { number: ++last, text, undo };
  announce(text);
}

/** Says something that cannot be taken back; what was done before it still can. */
export function tell(text: string): void {
  if (!toast.value?.undo) toast.value = { number: ++last, text };
  announce(text);
}

export function hideToast(number: number): void {
  if (toast.value?.number === number) toast.value = undefined;
}

/** Takes back what was done last; false if there is nothing. */
export function undoLast(): boolean {
  if (!takeBack) return false;
  const undo = takeBack;
  takeBack = undefined;
  undo();
  return true;
}

/** Says what was changed, with a button that takes all of it back. */
export function showChange(text: string, answer: ChangeAnswer | ChangeAnswer[], undone?: () => void): void {
  storedCount.value += 1;
  changeCount.value += 1;
  const answers = [answer].flat().filter((each) => each.stored > 0);
  if (answers.length === 0) {
    show(text);
    return;
  }
  show(text, () => void takenBack(answers).then(
    (stored) => {
      storedCount.value += 1;
      changeCount.value += 1;
      undone?.();
      show(tn('Taken back: {n} change.', 'Taken back: {n} changes.', stored));
    },
    (error: unknown) => report(error),
  ));
}

/** The last first, as they lie on each other. */
async function takenBack(answers: ChangeAnswer[]): Promise<number> {
  let stored = 0;
  for (const each of [...answers].reverse()) stored += (await api.undo(each)).stored;
  return stored;
}
