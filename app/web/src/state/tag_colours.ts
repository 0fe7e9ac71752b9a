import { signal } from '@preact/signals';

const KEY = 'commonplace.tag-colours';

function kept(): Record<string, number> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, number>;
  } catch {
    return {};
  }
}

/** Hues that were chosen, by root; the library has them, and this browser keeps them for the next visit. */
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

function keep(hues: Record<string, number>): void {
  chosenHues.value = hues;
  globalThis.localStorage?.setItem(KEY, JSON.stringify(hues));
}

export function chooseHue(tag: string, hue: number): void {
  keep({ ...chosenHues.value, [rootOf(tag)]: hue });
}

/** What the library says of colours, in place of what was known of them. */
export function takeColours(tags: { tag: string; colour: string }[]): void {
  const hues: Record<string, number> = {};
  for (const each of tags) {
    const hue = each.tag.includes('/') ? undefined : hueOfColour(each.colour);
    if (hue !== undefined) hues[rootOf(each.tag)] = hue;
  }
  keep(hues);
}

/** A colour of that hue, as the library keeps it. */
export function colourOfHue(hue: number): string {
  const part = (turn: number) => {
    const at = (turn + hue / 30) % 12;
    return Math.round(255 * (0.5 - 0.3 * Math.max(-1, Math.min(at - 3, 9 - at, 1)))).toString(16).padStart(2, '0');
  };
  return `#${part(0)}${part(8)}${part(4)}`;
}

/** The hue of a colour such as #aa3311; undefined for what has none. */
export function hueOfColour(colour: string): number | undefined {
  const match = /^#(..)(..)(..)$/.exec(colour);
  if (!match) return undefined;
  const [red, green, blue] = match.slice(1).map((each) => parseInt(each, 16)) as [number, number, number];
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  if (!(range > 0)) return undefined;
  const turn = most === red ? (green - blue) / range : most === green ? 2 + (blue - red) / range : 4 + (red - green) / range;
  return Math.round((60 * turn + 360) % 360);
}
