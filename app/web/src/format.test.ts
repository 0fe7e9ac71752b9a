import { expect, test } from 'vitest';
import { coordinates, count, counted, listed, metres, number, percent, seconds, time } from './format';

test('numbers are short', () => {
  expect(count(12000)).toBe('12,000');
  expect(counted(1, 'item')).toBe('1 item');
  expect(counted(2, 'entry', 'entries')).toBe('2 entries');
  expect(percent(0.705)).toBe('71\u00a0%');
  expect(number(0.12345)).toBe('0.123');
  expect(number(0.00001)).toBe('1.0e-5');
  expect(number(12)).toBe('12');
  expect(number(NaN)).toBe('–');
});

test('times, distances and places', () => {
  expect(seconds(0.0032)).toBe('3 ms');
  expect(seconds(3.24)).toBe('3.2 s');
  expect(seconds(75)).toBe('1 min 15 s');
  expect(time('1904-05')).toBe('1904-05');
  expect(metres(420)).toBe('420 m');
  expect(metres(1500)).toBe('1.5 km');
  expect(coordinates(-40.7127, 74)).toBe('40.7127° S, 74.0000° E');
});

test('lists read as sentences', () => {
  expect(listed([])).toBe('');
  expect(listed(['a'])).toBe('a');
  expect(listed(['a', 'b', 'c'])).toBe('a, b and c');
});
