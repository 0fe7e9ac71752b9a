import { expect, test } from 'vitest';
import { spread } from './vocabulary';

const known = ['animals', 'animals/dog', 'animals/dog/poodle', 'animalsong', 'boat'];

test('what lies below a tag goes along, the deepest first', () => {
  expect(spread([{ tag: 'Animals', to: 'pets' }], known)).toEqual([
    { tag: 'animals/dog/poodle', to: 'pets/dog/poodle' }, { tag: 'animals/dog', to: 'pets/dog' }, { tag: 'animals', to: 'pets' }]);
  expect(spread([{ tag: 'animals/dog' }], known).map((each) => [each.tag, each.to])).toEqual([['animals/dog/poodle', undefined], ['animals/dog', undefined]]);
});

test('a tag that is called so already is left alone', () => {
  expect(spread([{ tag: 'boat', to: 'Boat' }], known)).toEqual([]);
});
