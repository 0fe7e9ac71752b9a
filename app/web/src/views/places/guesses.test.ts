import { expect, test } from 'vitest';
import { thickness } from './guesses';

test('half of a cloud lies within its radius', () => {
  let within = 0;
  let all = 0;
  for (let at = 0.005; at < 8; at += 0.01) {
    all += thickness(at) * at;
    if (at < 1) within += thickness(at) * at;
  }
  expect(within / all).toBeCloseTo(0.5, 2);
});
