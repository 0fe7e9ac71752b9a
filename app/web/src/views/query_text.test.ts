import { expect, test } from 'vitest';
import { completed, fullQuery, lastWord } from './query_text';

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
