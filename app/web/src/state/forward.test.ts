import { expect, test } from 'vitest';
import { BEGIN, forwarded } from './forward';

test('a bar never goes back, whatever the stages do', () => {
  let at = BEGIN;
  let last = 0;
  for (const [stage, share] of [['read', 0.2], ['read', 1], ['fit', 0], ['fit', 0.5], ['fit', 0.3], ['write', 0], ['write', 1]] as const) {
    at = forwarded(at, stage, share);
    expect(at.share).toBeGreaterThanOrEqual(last);
    expect(at.share).toBeLessThan(1);
    last = at.share;
  }
  expect(last).toBeGreaterThan(0.9);
});
