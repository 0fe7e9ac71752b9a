import { expect, test } from 'vitest';
import { PictureLevels, pictureUnder } from './pictures';

const size = { width: 800, height: 800 };
const points = { x: [] as number[], y: [] as number[], kind: [] as number[] };
for (let i = 0; i < 2500; ++i) {
  points.x.push((i % 50) / 50);
  points.y.push(Math.floor(i / 50) / 50);
  points.kind.push(i % 2);
}
const levels = new PictureLevels(points, (point) => points.kind[point] === 0);

test('pictures thin out where they would cover each other, and come as one zooms in', () => {
  const far = levels.inView({ x: 0.5, y: 0.5, zoom: 1 }, size, new Set());
  expect(far.length).toBeGreaterThan(20);
  expect(far.length).toBeLessThan(150);
  expect(far.every((each) => points.kind[each.point] === 0)).toBe(true);
  const near = levels.inView({ x: 0.5, y: 0.5, zoom: 8 }, size, new Set());
  const inside = new Set(near.map((each) => each.point));
  expect(near.length).toBeGreaterThan(10);
  expect(inside.size).toBe(near.length);
});

test('those in view stay as the map is moved', () => {
  const before = new Set(levels.inView({ x: 0.5, y: 0.5, zoom: 4 }, size, new Set()).map((each) => each.point));
  const after = levels.inView({ x: 0.51, y: 0.5, zoom: 4 }, size, new Set()).map((each) => each.point);
  expect(after.filter((each) => before.has(each)).length).toBeGreaterThan(0.7 * after.length);
});

test('what is hidden is not shown, and what is under the pointer is found', () => {
  expect(levels.inView({ x: 0.5, y: 0.5, zoom: 1 }, size, new Set([0]))).toEqual([]);
  const placed = levels.inView({ x: 0.5, y: 0.5, zoom: 1 }, size, new Set());
  const one = placed[placed.length - 1]!;
  expect(pictureUnder(placed, one.left + 1, one.top - 1)).toBe(one.point);
  expect(pictureUnder(placed, -500, -500)).toBe(-1);
});
