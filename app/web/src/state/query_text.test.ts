import { expect, test } from 'vitest';
import {
  completed, fullQuery, isLit, isWhole, lastWord, litWords, tokensOf, withToken, withoutHidden, withoutToken,
} from './query_text';

test('the last word is what stands after the last blank or parenthesis', () => {
  expect(lastWord('river bo').word).toBe('bo');
  expect(lastWord('(sea or #har')).toEqual({ start: 8, word: 'har', sign: '#' });
  expect(lastWord('river ').word).toBe('');
  expect(lastWord('"a phrase').word).toBe('phrase');
});

test('completion keeps what stands before and how it was asked', () => {
  expect(completed('river bo', 'boat')).toBe('river boat ');
  expect(completed('#ha', 'harbour')).toBe('#harbour ');
  expect(completed('x #ha', 'harbour at night')).toBe('x tag:"harbour at night" ');
  expect(completed('-sa', 'sail boat')).toBe('-"sail boat" ');
});

test('dates are demanded beside the words', () => {
  expect(fullQuery(' owl ', '1950', '')).toBe('owl before:1950');
  expect(fullQuery('', '', '1904-05')).toBe('after:1904-05');
});

test('what is half written is known', () => {
  for (const whole of ['', 'owl', '"a b"', '#owl dog', 'in:2019']) expect(isWhole(whole)).toBe(true);
  for (const half of ['"a', '(owl', '#', 'tag:', 'is:unt', 'owl and', '-']) expect(isWhole(half)).toBe(false);
});

test('conditions come and go', () => {
  expect(tokensOf('owl tag:"two words" -"a b"')).toEqual(['owl', 'tag:"two words"', '-"a b"']);
  expect(withToken('owl in:2018', 'in:2019')).toBe('owl in:2019');
  expect(withToken('owl', 'is:untagged')).toBe('owl is:untagged');
  expect(withoutToken('owl is:untagged', 'is:untagged')).toBe('owl');
  expect(withoutHidden('owl', 2)).toBe('owl -#hidden');
  expect(withoutHidden('#hidden', 2)).toBe('#hidden');
  expect(withoutHidden('', 0)).toBe('');
});

test('words are lit with their endings', () => {
  expect(litWords('River "steam boat" #owl -sail in:1904')).toEqual(['river', 'steam', 'boat', 'owl']);
  expect(isLit('rivers', ['river'])).toBe(true);
  expect(isLit('sailing', ['sailed'])).toBe(true);
  expect(isLit('riverside', ['rive'])).toBe(false);
  expect(isLit('a', ['owl'])).toBe(false);
});
