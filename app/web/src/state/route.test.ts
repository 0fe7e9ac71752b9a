import { expect, test } from 'vitest';
import { address, parseHash, tagQuery } from './route';

test('an address is read back as it was made', () => {
  const hash = address('item', ['my photos', '2019/owl?.jpg'], { q: 'a & b', tag: ['x', 'y'] });
  const read = parseHash(hash);
  expect(read.view).toBe('item');
  expect(read.parts).toEqual(['my photos', '2019/owl?.jpg']);
  expect(read.query.get('q')).toBe('a & b');
  expect(read.query.getAll('tag')).toEqual(['x', 'y']);
});

test('what is empty or off is left out', () => {
  expect(address('search', [], { q: '', words: false, at: 0, on: true })).toBe('#/search?at=0&on=1');
});

test('no address is home', () => {
  expect(parseHash('').view).toBe('home');
  expect(parseHash('#/').view).toBe('home');
});

test('a broken escape is taken as it is', () => {
  expect(parseHash('#/item/a/%E0%A4').parts).toEqual(['a', '%E0%A4']);
});

test('tags of several words are quoted', () => {
  expect(tagQuery('owl')).toBe('#owl');
  expect(tagQuery('animals/birds')).toBe('#animals/birds');
  expect(tagQuery('two words')).toBe('tag:"two words"');
});
