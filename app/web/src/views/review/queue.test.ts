import { expect, test } from 'vitest';
import type { ReviewEntry } from '../../api/types';
import { answered, EMPTY, extended, offsetOf, tally, undone } from './queue';

const entry = (id: string): ReviewEntry => ({ collection: 'c', id, title: '', tag: 't', image: false, tags: [], confidence: 0.5 });

test('what comes twice is asked once', () => {
  let queue = extended(EMPTY, [entry('a'), entry('b')], 10);
  queue = answered(queue, 'accepted');
  queue = extended(queue, [entry('a'), entry('b'), entry('c')], 9);
  expect(queue.ahead.map((each) => each.id)).toEqual(['b', 'c']);
});

test('undo brings the question back', () => {
  const start = extended(EMPTY, [entry('a'), entry('b')], 2);
  const { queue, step } = undone(answered(start, 'rejected'));
  expect(queue).toEqual(start);
  expect(step?.verdict).toBe('rejected');
  expect(undone(start).step).toBeUndefined();
});

test('skipped questions still stand in the list of the server', () => {
  let queue = extended(EMPTY, [entry('a'), entry('b'), entry('c')], 3);
  queue = answered(answered(queue, undefined), 'accepted');
  expect(offsetOf(queue)).toBe(2);
  expect(queue.left).toBe(2);
  expect(tally(queue)).toEqual({ accepted: 1, rejected: 0, skipped: 1 });
});
