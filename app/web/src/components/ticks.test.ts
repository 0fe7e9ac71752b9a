import { expect, test } from 'vitest';
import { niceTicks } from './ticks';

test('ticks are round and cover what is shown', () => {
  expect(niceTicks(0, 0.43, 4)).toEqual([0, 0.2, 0.4, 0.6]);
  expect(niceTicks(0, 1, 4)).toEqual([0, 0.5, 1]);
  expect(niceTicks(-0.05, 0.1, 4)).toEqual([-0.05, 0, 0.05, 0.1]);
  expect(niceTicks(3, 3, 4)).toEqual([3]);
});
