import { expect, test } from 'vitest';
import { chooseHue, colourOfHue, hueOf, hueOfColour, takeColours } from './tag_colours';

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

test('the library keeps a hue as a colour, and gives it back', () => {
  for (const hue of [0, 42, 120, 201, 300, 359]) expect(Math.abs(hueOfColour(colourOfHue(hue))! - hue)).toBeLessThanOrEqual(1);
  expect(hueOfColour('')).toBe(undefined);
  expect(hueOfColour('#777777')).toBe(undefined);
  takeColours([{ tag: 'birds', colour: '#ff0000' }, { tag: 'birds/owl', colour: '#00ff00' }, { tag: 'sea', colour: '' }]);
  expect(hueOf('birds/owl')).toBe(0);
});
