import { signal } from '@preact/signals';
import { isAbort, Problem } from '../api/http';
import { sayingOf, type Saying } from '../words/problems';

export interface Alert extends Saying {
  number: number;
  retry?: () => void;
}

export const alerts = signal<Alert[]>([]);
/** What a screen reader is told without moving the focus. */
export const announcement = signal('');

let last = 0;

export function alertOf(saying: Saying, retry?: () => void): void {
  const others = alerts.value.filter((each) => each.text !== saying.text);
  alerts.value = [...others.slice(-3), { ...saying, number: ++last, retry }];
}

export function dismiss(number: number): void {
  alerts.value = alerts.value.filter((each) => each.number !== number);
}

/** Shows what went wrong, unless it was given up on purpose. */
export function report(error: unknown, retry?: () => void): void {
  if (isAbort(error)) return;
  alertOf(sayingOf(error), retry);
}

export function messageOf(error: unknown): string {
  return sayingOf(error).text;
}

export function isMissing(error: unknown): boolean {
  return error instanceof Problem && error.status === 404;
}

/** The server understood and says no: asking again would not help. */
export function isRefused(error: unknown): boolean {
  return error instanceof Problem && (error.status === 400 || error.status === 404);
}

export function announce(text: string): void {
  announcement.value = text;
}
