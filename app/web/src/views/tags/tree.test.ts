import { expect, test } from 'vitest';
import { nested, refused, seen, treeOf, withBelow } from './tree';

const tags = [{ tag: 'boat', items: 3 }, { tag: 'Animals/dog', items: 2 }, { tag: 'animals/cat', items: 1 }, { tag: 'animals', items: 4 },
  { tag: 'animals/dog/poodle', items: 1 }];

test('tags become a tree with what they have and what is below', () => {
  const [animals, boat] = treeOf(tags);
  expect([animals!.label, animals!.items, animals!.within]).toEqual(['Animals', 4, 8]);
  expect(animals!.below.map((each) => [each.label, each.level, each.within])).toEqual([['cat', 2, 1], ['dog', 2, 3]]);
  expect([boat!.name, boat!.within]).toEqual(['boat', 3]);
  expect(treeOf([{ tag: 'b', items: 9 }, { tag: 'a', items: 1 }], 'items').map((each) => each.name)).toEqual(['b', 'a']);
});

test('what is open is seen, and what is looked for with all above it', () => {
  const roots = treeOf(tags);
  const names = (rows: { label: string }[]) => rows.map((each) => each.label);
  expect(names(seen(roots, () => false))).toEqual(['Animals', 'boat']);
  expect(names(seen(roots, (name) => name.toLowerCase() === 'animals'))).toEqual(['Animals', 'cat', 'dog', 'boat']);
  expect(names(seen(roots, () => false, 'poodle'))).toEqual(['Animals', 'dog', 'poodle']);
});

test('a tag goes with all below it, the deepest first', () => {
  expect(withBelow(treeOf(tags), 'animals/DOG')).toEqual(['animals/dog/poodle', 'Animals/dog']);
});

test('a tag lies below another, but not below itself', () => {
  expect(nested('sea/boat', 'ships')).toBe('ships/boat');
  expect(nested('sea/boat', '')).toBe('boat');
  expect(refused('sea', 'sea/boat')).toBe('below itself');
  expect(refused('sea', 'SEA')).toBe('same');
  expect(refused('sea', 'a//b')).toBe('empty');
  expect(refused('sea', 'seaside')).toBe(undefined);
});
