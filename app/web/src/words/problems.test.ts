import { expect, test } from 'vitest';
import { Problem } from '../api/http';
import { sayingOf, sayingOfJob } from './problems';

test('a code has a sentence of the page, and the way to what helps', () => {
  const said = sayingOf(new Problem(404, 'Not found', "run 'commonplace learn LIB suggest'", 'no-model', { kind: 'suggest' }));
  expect(said.text).not.toContain('commonplace');
  expect(said.help?.to).toBe('#/library');
  expect(said.detail).toContain('commonplace learn');
});

test('values stand in the sentence', () => {
  expect(sayingOf(new Problem(404, '', '', 'no-collection', { collection: 'fotos' })).text).toContain('“fotos”');
});

test('what has no sentence is not told in the words of the server', () => {
  const said = sayingOf(new Problem(400, 'Bad request', "'size' is 7; expected 64", 'bad-request'));
  expect(said.text).toBe('This did not work.');
  expect(said.detail).toBe("'size' is 7; expected 64.");
});

test('what the page says itself stays', () => {
  expect(sayingOf(new Error('there are no files')).text).toBe('There are no files.');
  expect(sayingOfJob('Adding a', 'line 1').text).toBe('Adding a did not work.');
});
