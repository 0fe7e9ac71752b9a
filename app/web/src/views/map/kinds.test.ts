import { expect, test } from 'vitest';
import { kindOf } from './kinds';

test('kinds are told by their names', () => {
  expect(kindOf('photos')).toEqual({ collection: 'photos', of: 'items', text: 'Items of photos' });
  expect(kindOf('photos:sift').of).toBe('items');
  expect(kindOf('photos:sift').collection).toBe('photos');
  expect(kindOf('photos/tags').of).toBe('tags');
  expect(kindOf('photos/places').of).toBe('places');
  expect(kindOf('notes/text').of).toBe('items');
  expect(kindOf('photos/label:kind').text).toBe('kind of photos');
});
