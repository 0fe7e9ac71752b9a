import { expect, test } from 'vitest';
import { flat, moved, scrolled, settledAt, TALLEST } from './tall';

const WINDOW = 800;

test('what a browser can show is scrolled as it is', () => {
  const tall = scrolled(flat(50_000), 12_345, WINDOW);
  expect(tall.shift).toBe(0);
  expect(settledAt(tall, WINDOW)).toBe(12_345);
});

test('a small step moves by as much, a leap by its share, and both ends are reached', () => {
  const whole = 40_000_000;
  let tall = scrolled(flat(whole), 0, WINDOW);
  expect(tall.at + tall.shift).toBe(0);
  tall = scrolled(tall, 100, WINDOW);
  expect(tall.at + tall.shift).toBe(100);
  tall = scrolled(tall, TALLEST / 2, WINDOW);
  expect((tall.at + tall.shift) / whole).toBeCloseTo(0.5, 3);
  const middle = tall.at + tall.shift;
  tall = scrolled(tall, tall.at + 37, WINDOW);
  expect(tall.at + tall.shift).toBeCloseTo(middle + 37, 6);
  tall = scrolled(tall, TALLEST - WINDOW, WINDOW);
  expect(tall.at + tall.shift).toBeCloseTo(whole - WINDOW, 6);
});

test('putting the scroll bar right moves nothing', () => {
  let tall = scrolled(scrolled(flat(90_000_000), TALLEST / 3, WINDOW), TALLEST / 3 + 900, WINDOW);
  const seen = tall.at + tall.shift;
  const right = settledAt(tall, WINDOW);
  tall = moved(tall, right);
  expect(tall.at + tall.shift).toBeCloseTo(seen, 6);
  expect(scrolled(tall, right, WINDOW).shift).toBeCloseTo(tall.shift, 3);
});
