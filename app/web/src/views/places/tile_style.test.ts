import { expect, test } from 'vitest';
import { layersFor } from './tile_style';

const colours = { sea: '#aaf', land: '#efe', line: '#999', ink: '#000' };

test('land lies below water, and borders above both, whatever the schema', () => {
  const order = (names: string[]) => layersFor(names, colours).map((each) => each.id);
  expect(order(['boundaries', 'water', 'earth', 'roads'])).toEqual(['earth-fill', 'water-fill', 'water-line', 'roads-line', 'boundaries-line']);
  expect(order(['transportation', 'boundary', 'landcover'])).toEqual(['landcover-fill', 'transportation-line', 'boundary-line']);
  expect(order(['pois', 'places'])).toEqual([]);
});
