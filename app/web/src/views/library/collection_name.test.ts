import { expect, test } from 'vitest';
import { nameFrom } from './collection_name';

test('a collection is named after its file', () => {
  expect(nameFrom('films.csv.gz')).toBe('films');
  expect(nameFrom('/home/me/My Pictures/')).toBe('my-pictures');
  expect(nameFrom('bookmarks.html')).toBe('bookmarks');
});
