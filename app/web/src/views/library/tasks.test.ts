import { expect, test } from 'vitest';
import { LEARN, requestOf, startValues } from './tasks';

const form = (task: string) => LEARN.find((each) => each.task === task)!;

test('what is empty is not sent', () => {
  const values = startValues(form('learn-suggest'), 'photos');
  expect(requestOf(form('learn-suggest'), values)).toEqual({ task: 'learn-suggest', collection: 'photos' });
});

test('numbers and switches are sent as such', () => {
  const values = startValues(form('apply'), 'photos');
  expect(requestOf(form('apply'), values)).toEqual({ task: 'apply', collection: 'photos', above: 0.9, dry_run: true });
  expect(requestOf(form('apply'), { ...values, dry_run: '' })['dry_run']).toBe(false);
});

test('features of words are not features of pictures', () => {
  const values = { ...startValues(form('features'), 'notes'), image: 'text' };
  expect(requestOf(form('features'), values)).toEqual({ task: 'features', collection: 'notes', name: 'text', text: true });
});
