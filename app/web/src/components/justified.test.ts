import { expect, test } from 'vitest';
import { GAP, justified, listed, vertically } from './justified';

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

test('every row is as wide as the page, and none is far from the height wanted', () => {
  const ratios = Array.from({ length: 100 }, (_, i) => [1.5, 0.66, 1.33, 1][i % 4]!);
  for (const width of [360, 800, 1600]) {
    const page = justified(ratios, width, 190);
    expect(sum(page.rows.map((each) => each.widths.length))).toBe(100);
    page.rows.forEach((row) => {
      expect(sum(row.widths) + GAP * (row.widths.length - 1)).toBeCloseTo(width, 3);
      expect(row.height).toBeGreaterThan(95);
      expect(row.height).toBeLessThan(380);
    });
    expect(page.height).toBeCloseTo(sum(page.rows.map((each) => each.height + GAP)), 3);
  }
});

test('a few items are not blown up', () => {
  const page = justified([1, 1], 1200, 190);
  expect(page.rows).toHaveLength(1);
  expect(page.rows[0]!.height).toBe(190);
});

test('up and down lead to what is above and below, over pages too', () => {
  const pages = [justified(Array(6).fill(1), 312, 100), justified(Array(6).fill(1), 312, 100)];
  expect(pages[0]!.rows.map((each) => each.widths.length)).toEqual([3, 3]);
  expect(vertically(pages, 6, 1, 1)).toBe(4);
  expect(vertically(pages, 6, 4, 1)).toBe(7);
  expect(vertically(pages, 6, 7, -2)).toBe(1);
  expect(vertically(pages, 6, 1, -1)).toBe(1);
  expect(vertically(pages, 6, 10, 5)).toBe(10);
});

test('a list has a line for each', () => {
  expect(listed(3, 500, 90).height).toBe(270);
  expect(vertically([listed(3, 500, 90)], 100, 0, 2)).toBe(2);
});
