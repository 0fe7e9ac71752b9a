import { expect, test } from 'vitest';
import { keyOfPair, openPairs } from './pairs';

const pair = (first: string, second: string) => ({ kind: 'photos/tags', first, second, alike: 0.9, first_items: 1, second_items: 1, together: 0 });
const tags = [{ tag: 'boat', items: 7 }, { tag: 'Ship', items: 3 }, { tag: 'sea', items: 2 }];

test('each pair stands once, with what has its tags in all collections', () => {
  const open = openPairs([pair('boat', 'ship'), pair('ship', 'boat'), pair('boat', 'gone')], tags, []);
  expect(open.map((each) => [each.first, each.second, each.first_items, each.second_items])).toEqual([['boat', 'ship', 7, 3]]);
});

test('what somebody said differs is not asked again', () => {
  expect(openPairs([pair('boat', 'sea')], tags, [keyOfPair(pair('Sea', 'boat'))])).toEqual([]);
});
