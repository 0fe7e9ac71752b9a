import { expect, test } from 'vitest';
import { moved, rowsInView, shapeOf } from './grid_layout';

test('a phone has two columns, a wide window more', () => {
  expect(shapeOf(336, 1000, 150, 190).columns).toBe(2);
  expect(shapeOf(1200, 1000, 150, 190).columns).toBe(7);
  expect(shapeOf(100, 10, 150, 190)).toEqual({ columns: 1, rows: 10, step: 200 });
});

test('only rows near the window are drawn, also far down', () => {
  const shape = shapeOf(1200, 100000, 150, 190);
  const [first, last] = rowsInView(shape, 2_000_000, 2_000_900);
  expect(first).toBe(9998);
  expect(last - first).toBeLessThan(12);
  expect(rowsInView(shape, -500, 300)[0]).toBe(0);
  expect(rowsInView(shape, 9e9, 9e9 + 900)[1]).toBe(shape.rows - 1);
});

test('keys lead among the tiles and never out of them', () => {
  expect(moved('ArrowRight', 9, 10, 4, 3)).toBe(9);
  expect(moved('ArrowDown', 1, 10, 4, 3)).toBe(5);
  expect(moved('ArrowDown', 7, 10, 4, 3)).toBe(7);
  expect(moved('PageDown', 1, 100, 4, 3)).toBe(13);
  expect(moved('PageUp', 1, 100, 4, 3)).toBe(0);
  expect(moved('End', 1, 100, 4, 3)).toBe(99);
  expect(moved('x', 1, 100, 4, 3)).toBeUndefined();
});
