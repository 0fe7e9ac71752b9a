import { signal } from '@preact/signals';

/** The words that a suggestion comes from, lit in the text while one looks at it. */
export const litNow = signal<string[]>([]);
