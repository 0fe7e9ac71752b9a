import { signal } from '@preact/signals';
import { isAbort, Problem } from '../api/http';

export interface Alert {
  number: number;
  text: string;
  retry?: () => void;
}

export const alerts = signal<Alert[]>([]);
/** What a screen reader is told without moving the focus. */
export const announcement = signal('');

let last = 0;

export function alertOf(text: string, retry?: () => void): void {
  const others = alerts.value.filter((each) => each.text !== text);
  alerts.value = [...others.slice(-3), { number: ++last, text, retry }];
}

export function dismiss(number: number): void {
  alerts.value = alerts.value.filter((each) => each.number !== number);
}

export function sentence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed) return 'Something went wrong.';
  const first = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

/** Shows what went wrong, unless it was given up on purpose. */
export function report(error: unknown, retry?: () => void): void {
  if (isAbort(error)) return;
  alertOf(messageOf(error), retry);
}

export function messageOf(error: unknown): string {
  return sentence(error instanceof Error ? error.message : String(error));
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
