/** Where the map is looked at: the middle, and how much of the window the unit square takes. */
export interface Camera {
  x: number;
  y: number;
  zoom: number;
}

export const START: Camera = { x: 0.5, y: 0.5, zoom: 1 };

export interface Size {
  width: number;
  height: number;
}

export function scaleOf(camera: Camera, size: Size): number {
  return camera.zoom * Math.min(size.width, size.height) * 0.94;
}

export function toScreen(camera: Camera, size: Size, x: number, y: number): [number, number] {
  const scale = scaleOf(camera, size);
  return [size.width / 2 + (x - camera.x) * scale, size.height / 2 + (y - camera.y) * scale];
}

export function toMap(camera: Camera, size: Size, left: number, top: number): [number, number] {
  const scale = scaleOf(camera, size);
  return [camera.x + (left - size.width / 2) / scale, camera.y + (top - size.height / 2) / scale];
}

/** Zooms so that what is under (left, top) stays there. */
export function zoomed(camera: Camera, size: Size, factor: number, left: number, top: number): Camera {
  const zoom = Math.max(0.5, Math.min(200, camera.zoom * factor));
  const [x, y] = toMap(camera, size, left, top);
  const scale = scaleOf({ ...camera, zoom }, size);
  return { x: x - (left - size.width / 2) / scale, y: y - (top - size.height / 2) / scale, zoom };
}

export function panned(camera: Camera, size: Size, right: number, down: number): Camera {
  const scale = scaleOf(camera, size);
  const within = (value: number) => Math.max(-0.5, Math.min(1.5, value));
  return { ...camera, x: within(camera.x - right / scale), y: within(camera.y - down / scale) };
}

/** Whether a point lies in a polygon, by the crossings of a ray. */
export function inside(polygon: [number, number][], x: number, y: number): boolean {
  let odd = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i]!;
    const [xj, yj] = polygon[j]!;
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) odd = !odd;
  }
  return odd;
}

/** The nearest visible point within `reach` pixels, or -1. */
export function nearest(
  points: { x: number[]; y: number[]; kind: number[] }, hidden: Set<number>,
  camera: Camera, size: Size, left: number, top: number, reach: number,
): number {
  const [x, y] = toMap(camera, size, left, top);
  const limit = reach / scaleOf(camera, size);
  let best = limit * limit;
  let found = -1;
  for (let i = 0; i < points.x.length; ++i) {
    if (hidden.has(points.kind[i]!)) continue;
    const dx = points.x[i]! - x;
    const dy = points.y[i]! - y;
    const far = dx * dx + dy * dy;
    if (far <= best) {
      best = far;
      found = i;
    }
  }
  return found;
}
