import { expect, test } from 'vitest';
import { layout } from './force_layout';

test('near collections come to lie near', () => {
  const [a, b, c] = layout(3, [
    { first: 0, second: 1, length: 0.25 }, { first: 0, second: 2, length: 0.9 }, { first: 1, second: 2, length: 0.9 },
  ]);
  const far = (p: typeof a, q: typeof a) => Math.hypot(p!.x - q!.x, p!.y - q!.y);
  expect(far(a, b)).toBeLessThan(0.6 * far(a, c));
});

test('all lie in the square, also one alone', () => {
  expect(layout(1, [])).toEqual([{ x: 0.5, y: 0.5 }]);
  for (const each of layout(7, [])) {
    expect(each.x).toBeGreaterThanOrEqual(-1e-9);
    expect(each.x).toBeLessThanOrEqual(1 + 1e-9);
  }
});
