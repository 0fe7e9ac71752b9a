import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** So far a finger goes until it is meant. */
const FAR = 80;

/** What a way of a finger means: to the right 1, to the left -1, neither 0. */
export function swiped(across: number, down: number): -1 | 0 | 1 {
  if (Math.abs(across) < FAR || Math.abs(across) < 1.5 * Math.abs(down)) return 0;
  return across > 0 ? 1 : -1;
}

/** Lets an element follow a finger to the left or right, and says where it was let go. A mouse does nothing. */
export function useSwipe(place: RefObject<HTMLElement>, done: (way: -1 | 1) => void): void {
  const latest = useRef(done);
  latest.current = done;
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    let from: { x: number; y: number } | undefined;
    const move = (across: number) => {
      element.style.transform = across ? `translateX(${across}px) rotate(${across / 40}deg)` : '';
      element.dataset['way'] = across > FAR ? 'yes' : across < -FAR ? 'no' : '';
    };
    const start = (event: TouchEvent) => {
      const touch = event.touches[0]!;
      from = event.touches.length === 1 ? { x: touch.clientX, y: touch.clientY } : undefined;
      move(0);
    };
    const on = (event: TouchEvent) => {
      if (!from) return;
      const across = event.touches[0]!.clientX - from.x;
      if (Math.abs(across) < 1.5 * Math.abs(event.touches[0]!.clientY - from.y)) return;
      event.preventDefault();
      move(across);
    };
    const end = (event: TouchEvent) => {
      const touch = event.changedTouches[0]!;
      const way = from ? swiped(touch.clientX - from.x, touch.clientY - from.y) : 0;
      from = undefined;
      move(0);
      if (way !== 0) latest.current(way);
    };
    const cancel = () => { from = undefined; move(0); };
    element.addEventListener('touchstart', start, { passive: true });
    element.addEventListener('touchmove', on, { passive: false });
    element.addEventListener('touchend', end);
    element.addEventListener('touchcancel', cancel);
    return () => {
      element.removeEventListener('touchstart', start);
      element.removeEventListener('touchmove', on);
      element.removeEventListener('touchend', end);
      element.removeEventListener('touchcancel', cancel);
    };
  }, []);
}
