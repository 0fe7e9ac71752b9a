import { expect, test } from 'vitest';
import { reduced } from './asked_picture';

test('a picture to ask with is made small, and never large', () => {
  expect(reduced(4000, 3000)).toEqual([512, 384]);
  expect(reduced(300, 200)).toEqual([300, 200]);
  expect(reduced(10000, 1)).toEqual([512, 1]);
});
