import { expect, test } from 'vitest';
import { panned, START, zoomed } from './zoom';

const size = { width: 800, height: 600 };

test('the point under the pointer stays', () => {
  const zoom = zoomed(START, 2, { x: 100, y: -50 }, size);
  expect(zoom).toEqual({ scale: 2, x: -100, y: 50 });
});

test('it ends at the whole picture and at eight times', () => {
  expect(zoomed(START, 0.5, { x: 100, y: 0 }, size)).toEqual(START);
  expect(zoomed(START, 100, { x: 0, y: 0 }, size).scale).toBe(8);
});

test('the picture is not pushed out of view', () => {
  expect(panned({ scale: 2, x: 0, y: 0 }, 9999, -9999, size)).toEqual({ scale: 2, x: 400, y: -300 });
});
