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
export function showChange(text: string, answer: ChangeAnswer, undone?: () => void): void {
  storedCount.value += 1;
  changeCount.value += 1;
  if (answer.stored === 0) {
    show(text);
    return;
  }
  show(text, () => void api.undo(answer).then(
    (back) => {
      storedCount.value += 1;
      changeCount.value += 1;
      undone?.();
      show(tn('Taken back: {n} change.', 'Taken back: {n} changes.', back.stored));
    },
    (error: unknown) => report(error),
  ));
}
