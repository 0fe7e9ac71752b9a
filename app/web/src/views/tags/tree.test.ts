import { expect, test } from 'vitest';
import { mayLieBelow, nested, seen, treeOf } from './tree';

const entry = (tag: string, items: number, below = items) => ({ tag, items, below });
const tags = [entry('animals', 4, 7), entry('animals/cat', 1), entry('animals/dog', 2, 3), entry('animals/dog/poodle', 1), entry('boat', 3)];

test('tags become a tree with what they have and what is below', () => {
  const [animals, boat] = treeOf(tags);
  expect([animals!.label, animals!.entry?.items, animals!.within]).toEqual(['animals', 4, 7]);
  expect(animals!.below.map((each) => [each.label, each.level, each.within])).toEqual([['cat', 2, 1], ['dog', 2, 3]]);
  expect([boat!.name, boat!.within]).toEqual(['boat', 3]);
  expect(treeOf([entry('a', 1), entry('b', 9)], 'items').map((each) => each.name)).toEqual(['b', 'a']);
});

test('what is above a tag is there although nothing has it', () => {
  const [people] = treeOf([entry('people/girl', 2), entry('people/boy', 3)]);
  expect([people!.entry, people!.within, people!.below.length]).toEqual([undefined, 5, 2]);
});

test('what is open is seen, and what is looked for with all above it', () => {
  const roots = treeOf(tags);
  const names = (rows: { label: string }[]) => rows.map((each) => each.label);
  expect(names(seen(roots, () => false))).toEqual(['animals', 'boat']);
  expect(names(seen(roots, (name) => name === 'animals'))).toEqual(['animals', 'cat', 'dog', 'boat']);
  expect(names(seen(roots, () => false, 'poodle'))).toEqual(['animals', 'dog', 'poodle']);
});

test('a tag lies below another, but not below itself', () => {
  expect(nested('sea/boat', 'ships')).toBe('ships/boat');
  expect(nested('sea/boat', '')).toBe('boat');
  expect(mayLieBelow('sea', 'sea/boat')).toBe(false);
  expect(mayLieBelow('sea', 'SEA')).toBe(false);
  expect(mayLieBelow('sea/boat', 'sea')).toBe(false);
  expect(mayLieBelow('sea', 'seaside')).toBe(true);
});
