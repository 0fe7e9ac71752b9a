import { signal } from '@preact/signals';

const KEY = 'commonplace.tag-colours';

function kept(): Record<string, number> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, number>;
  } catch {
    return {};
  }
}

/** Hues that were chosen, by root; kept in this browser. */
export const chosenHues = signal<Record<string, number>>(kept());

export const rootOf = (tag: string) => tag.split('/')[0]!.toLowerCase();

/** The hue of a tag in degrees: all below a root have the same, and it stays the same for good. */
export function hueOf(tag: string): number {
  const root = rootOf(tag);
  const chosen = chosenHues.value[root];
  if (chosen !== undefined) return chosen;
  let sum = 2166136261;
  for (let i = 0; i < root.length; ++i) sum = Math.imul(sum ^ root.charCodeAt(i), 16777619) >>> 0;
  return (sum >>> 3) % 360;
}

export function chooseHue(tag: string, hue: number): void {
  chosenHues.value = { ...chosenHues.value, [rootOf(tag)]: hue };
  globalThis.localStorage?.setItem(KEY, JSON.stringify(chosenHues.value));
}
