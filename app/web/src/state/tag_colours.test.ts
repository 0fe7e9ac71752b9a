import { expect, test } from 'vitest';
import { chooseHue, hueOf } from './tag_colours';

test('all below a root have its colour, in any letters', () => {
  expect(hueOf('animals/dog')).toBe(hueOf('Animals'));
  expect(hueOf('animals')).toBe(hueOf('animals'));
  expect(new Set(['owl', 'river', 'tree', 'harbour', 'street'].map(hueOf)).size).toBeGreaterThan(3);
});

test('a colour that was chosen is that of all below', () => {
  chooseHue('birds/owl', 42);
  expect(hueOf('birds')).toBe(42);
  expect(hueOf('birds/owl/tawny')).toBe(42);
});
