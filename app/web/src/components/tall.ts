/**
 * Lists that are higher than a browser can make an element. What is scrolled is lower than the list; a small step
 * moves the list by as much, a leap by its share, and when nothing moves any more the scroll bar is put right
 * without moving what is seen.
 */

/** Browsers stop at 17 to 33 million pixels. */
export const TALLEST = 8_000_000;

export interface Tall {
  /** The list's whole height, and that of the element that stands for it. */
  whole: number;
  real: number;
  /** So much further down the list is than the element was scrolled. */
  shift: number;
  /** Where the element was scrolled to. */
  at: number;
}

export const flat = (whole: number): Tall => ({ whole, real: Math.min(whole, TALLEST), shift: 0, at: 0 });

const clamp = (value: number, most: number) => Math.max(0, Math.min(value, Math.max(0, most)));

/** The shift at which scroll bar and list agree, with the element scrolled to `at` in a window so high. */
function shareOf(tall: Tall, at: number, window: number): number {
  const real = Math.max(1, tall.real - window);
  return (clamp(at, real) / real) * Math.max(0, tall.whole - window) - clamp(at, real);
}

/** The element was scrolled to `at`. */
export function scrolled(tall: Tall, at: number, window: number): Tall {
  if (tall.whole <= tall.real) return { ...tall, shift: 0, at };
  const leap = Math.abs(at - tall.at) > 2 * window;
  const end = at <= 0 || at >= tall.real - window;
  const shift = leap || end ? shareOf(tall, at, window) : clamp(at + tall.shift, tall.whole - window) - at;
  return { ...tall, shift, at };
}

/** Where the element has to be scrolled to so that scroll bar and list agree on what is in view now. */
export function settledAt(tall: Tall, window: number): number {
  if (tall.whole <= tall.real) return tall.at;
  return (clamp(tall.at + tall.shift, tall.whole - window) / Math.max(1, tall.whole - window)) * (tall.real - window);
}

/** The element stands at `at`, and the list where it was. */
export const moved = (tall: Tall, at: number): Tall => ({ ...tall, shift: tall.at + tall.shift - at, at });
