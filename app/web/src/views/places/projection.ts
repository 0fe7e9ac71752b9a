/** The part of a map of the world that is shown. The world is a square of side 1, by Mercator's projection. */
export interface WorldView {
  /** The middle of the window. */
  x: number;
  y: number;
  /** Pixels from one side of the world to the other. */
  size: number;
}

const MOST = 2 ** 24;
const north = 85.0511;

export const worldX = (longitude: number) => longitude / 360 + 0.5;
export function worldY(latitude: number): number {
  const sine = Math.sin((Math.max(-north, Math.min(north, latitude)) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}
export const longitudeOf = (x: number) => (x - 0.5) * 360;
export const latitudeOf = (y: number) => (360 / Math.PI) * Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) - 90;

export interface Size {
  width: number;
  height: number;
}

/** Within the world, and not smaller than the window. */
export function kept(view: WorldView, window: Size): WorldView {
  const size = Math.max(Math.min(window.width, 2 * window.height), Math.min(MOST, view.size));
  const within = (at: number, length: number) => {
    const half = Math.min(0.5, length / size / 2);
    return Math.max(half, Math.min(1 - half, at));
  };
  return { x: within(view.x, window.width), y: within(view.y, window.height), size };
}

/** Larger or smaller about a point of the window, which stays where it is. */
export function zoomedAt(view: WorldView, by: number, at: { x: number; y: number }, window: Size): WorldView {
  const size = Math.min(MOST, view.size * by);
  const dx = at.x - window.width / 2;
  const dy = at.y - window.height / 2;
  return kept({ size, x: view.x + dx / view.size - dx / size, y: view.y + dy / view.size - dy / size }, window);
}

/** What shows all of these points, with room around them. */
export function around(latitudes: number[], longitudes: number[], window: Size): WorldView {
  if (latitudes.length === 0) return kept({ x: 0.5, y: 0.45, size: 0 }, window);
  let [left, right, top, bottom] = [1, 0, 1, 0];
  latitudes.forEach((latitude, i) => {
    const x = worldX(longitudes[i]!);
    const y = worldY(latitude);
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  });
  const size = Math.min(window.width / Math.max(right - left, 1e-4), window.height / Math.max(bottom - top, 1e-4)) * 0.8;
  return kept({ x: (left + right) / 2, y: (top + bottom) / 2, size }, window);
}

export const toWindow = (view: WorldView, window: Size, x: number, y: number) => ({
  x: (x - view.x) * view.size + window.width / 2, y: (y - view.y) * view.size + window.height / 2 });

/** A rectangle of the window as south, west, north and east. */
export function areaOf(view: WorldView, window: Size, a: { x: number; y: number }, b: { x: number; y: number }): [number, number, number, number] {
  const x = (at: number) => longitudeOf(view.x + (at - window.width / 2) / view.size);
  const y = (at: number) => latitudeOf(view.y + (at - window.height / 2) / view.size);
  const round = (value: number) => Math.round(value * 1e5) / 1e5;
  return [round(y(Math.max(a.y, b.y))), round(Math.max(-180, x(Math.min(a.x, b.x)))),
    round(y(Math.min(a.y, b.y))), round(Math.min(180, x(Math.max(a.x, b.x))))];
}
