import { expect, test } from 'vitest';
import { areaOf, around, kept, latitudeOf, toWindow, worldX, worldY, zoomedAt } from './projection';

const window = { width: 800, height: 600 };

test('the projection leads back', () => {
  for (const latitude of [-60, 0, 48.85]) expect(latitudeOf(worldY(latitude))).toBeCloseTo(latitude, 6);
  expect(worldX(0)).toBe(0.5);
});

test('what is under the pointer stays there', () => {
  const view = kept({ x: 0.52, y: 0.34, size: 20000 }, window);
  const at = { x: 200, y: 500 };
  const next = zoomedAt(view, 2, at, window);
  expect(next.size).toBe(40000);
  const point = { x: view.x + (at.x - 400) / view.size, y: view.y + (at.y - 300) / view.size };
  const again = toWindow(next, window, point.x, point.y);
  expect(again.x).toBeCloseTo(at.x, 6);
  expect(again.y).toBeCloseTo(at.y, 6);
});

test('all points are in the window that is around them, and in its area', () => {
  const latitudes = [40.7, 52.5, -33.9];
  const longitudes = [-74, 13.4, 151.2];
  const view = around(latitudes, longitudes, window);
  const [south, west, north, east] = areaOf(view, window, { x: 0, y: 0 }, { x: 800, y: 600 });
  latitudes.forEach((latitude, i) => {
    expect(latitude > south && latitude < north && longitudes[i]! > west && longitudes[i]! < east).toBe(true);
  });
});
