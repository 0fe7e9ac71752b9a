import { expect, test } from 'vitest';
import { expectedRight } from './expected';

test('what is sure has no spread, what is not has', () => {
  expect(expectedRight([1, 1, 0])).toEqual({ right: 2, low: 2, high: 2 });
  const half = expectedRight(Array<number>(100).fill(0.5))!;
  expect(half.right).toBe(50);
  expect(half.low).toBeLessThan(45);
  expect(half.high).toBeGreaterThan(55);
});

test('what is not known is not guessed', () => {
  expect(expectedRight([])).toBeUndefined();
  expect(expectedRight([0.5, NaN])).toBeUndefined();
});
