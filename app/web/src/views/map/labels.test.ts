import { expect, test } from 'vitest';
import { fitting } from './labels';

test('of two names in one place the larger group keeps its own', () => {
  const labels = [
    { left: 100, top: 100, text: 'owl, bird', weight: 5 },
    { left: 105, top: 104, text: 'boat, river', weight: 9 },
    { left: 400, top: 100, text: 'snow', weight: 1 },
  ];
  expect(fitting(labels)).toEqual([1, 2]);
});
