import { expect, test } from 'vitest';
import { PagedList, pagesOf } from './paged_list';

test('pages cover what is in view and nothing beyond the end', () => {
  expect(pagesOf(0, 99, 1000)).toEqual([0]);
  expect(pagesOf(99, 100, 1000)).toEqual([0, 1]);
  expect(pagesOf(950, 2000, 1000)).toEqual([9]);
  expect(pagesOf(0, 50, 0)).toEqual([]);
});

test('entries come from the page that was fetched', async () => {
  const asked: number[] = [];
  const list = new PagedList<number>(
    async (offset, limit) => {
      asked.push(offset);
      return { total: 250, entries: Array.from({ length: limit }, (_, i) => offset + i) };
    },
    () => undefined,
  );
  await list.start();
  expect(list.total).toBe(250);
  list.need(180, 220);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(asked).toEqual([0, 100, 200]);
  expect(list.entry(199)).toBe(199);
  expect(list.entry(5)).toBe(5);
});

test('a page that left the view is given up', async () => {
  const given: number[] = [];
  const list = new PagedList<number>(
    (offset, _limit, signal) =>
      offset === 0
        ? Promise.resolve({ total: 100000, entries: [1] })
        : new Promise((_, reject) => signal.addEventListener('abort', () => {
            given.push(offset);
            reject(new Error('given up'));
          })),
    () => undefined,
  );
  await list.start();
  list.need(5000, 5010);
  list.need(90000, 90010);
  expect(given).toEqual([5000]);
  list.stop();
});
