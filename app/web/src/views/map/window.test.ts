import { expect, test } from 'vitest';
import { inside, nearest, panned, START, toMap, toScreen, zoomed } from './window';

const size = { width: 800, height: 600 };

test('the screen and the map lead to each other', () => {
  const camera = { x: 0.3, y: 0.6, zoom: 4 };
  const [left, top] = toScreen(camera, size, 0.25, 0.5);
  const [x, y] = toMap(camera, size, left, top);
  expect(x).toBeCloseTo(0.25);
  expect(y).toBeCloseTo(0.5);
});

test('what is under the pointer stays there while zooming', () => {
  const before = toMap(START, size, 200, 100);
  const after = toMap(zoomed(START, size, 3, 200, 100), size, 200, 100);
  expect(after[0]).toBeCloseTo(before[0]);
  expect(after[1]).toBeCloseTo(before[1]);
  expect(zoomed(START, size, 1e9, 0, 0).zoom).toBe(200);
});

test('panning moves the map with the hand', () => {
  const [left] = toScreen(panned(START, size, 50, 0), size, 0.5, 0.5);
  expect(left).toBeCloseTo(450);
});

test('a lasso holds what is inside', () => {
  const square: [number, number][] = [[0, 0], [1, 0], [1, 1], [0, 1]];
  expect(inside(square, 0.5, 0.5)).toBe(true);
  expect(inside(square, 1.5, 0.5)).toBe(false);
});

test('the nearest point is found, but not a hidden one', () => {
  const points = { x: [0.5, 0.51], y: [0.5, 0.5], kind: [0, 1] };
  const [left, top] = toScreen(START, size, 0.51, 0.5);
  expect(nearest(points, new Set(), START, size, left, top, 10)).toBe(1);
  expect(nearest(points, new Set([1]), START, size, left, top, 10)).toBe(0);
  expect(nearest(points, new Set(), START, size, 10, 10, 10)).toBe(-1);
});
