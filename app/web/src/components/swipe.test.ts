import { expect, test } from 'vitest';
import { swiped } from './swipe';

test('a finger that goes far to a side is meant, and one that scrolls is not', () => {
  expect(swiped(120, 10)).toBe(1);
  expect(swiped(-120, -30)).toBe(-1);
  expect(swiped(40, 0)).toBe(0);
  expect(swiped(120, 200)).toBe(0);
});
