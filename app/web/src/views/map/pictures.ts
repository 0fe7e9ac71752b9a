import { scaleOf, toScreen, type Camera, type Size } from './window';

/** So many pixels apart pictures stand. */
const APART = 84;
/** As one comes nearer they grow up to this. */
const LARGEST = 132;

export interface Placed {
  point: number;
  left: number;
  top: number;
  side: number;
}

interface Points {
  x: number[];
  y: number[];
  kind: number[];
}

/**
 * The points that stand for their neighbourhood at each level of zoom: the first in each square of a grid that belongs
 * to the map, so that they stay as one moves, and that halves as one zooms in.
 */
export class PictureLevels {
  private levels = new Map<number, number[]>();

  constructor(private readonly points: Points, private readonly pictured: (point: number) => boolean) {}

  private at(level: number, cell: number): number[] {
    const known = this.levels.get(level);
    if (known) return known;
    const taken = new Set<string>();
    const found: number[] = [];
    for (let i = 0; i < this.points.x.length; ++i) {
      if (!this.pictured(i)) continue;
      const key = `${Math.floor(this.points.x[i]! / cell)},${Math.floor(this.points.y[i]! / cell)}`;
      if (taken.has(key)) continue;
      taken.add(key);
      found.push(i);
    }
    this.levels.set(level, found);
    return found;
  }

  /** What to show in a window, each thing once. */
  inView(camera: Camera, size: Size, hidden: Set<number>): Placed[] {
    if (size.width === 0) return [];
    const level = Math.floor(Math.log2(Math.max(0.25, camera.zoom)));
    const whole = { ...camera, zoom: 2 ** level };
    const cell = APART / scaleOf(whole, size);
    const side = Math.min(LARGEST, APART * 0.62 * (camera.zoom / 2 ** level) * Math.min(1.6, 1 + level * 0.12));
    const placed: Placed[] = [];
    for (const point of this.at(level, cell)) {
      if (hidden.has(this.points.kind[point]!)) continue;
      const [left, top] = toScreen(camera, size, this.points.x[point]!, this.points.y[point]!);
      if (left < -side || top < -side || left > size.width + side || top > size.height + side) continue;
      placed.push({ point, left, top, side });
    }
    return placed;
  }
}

/** The picture under a place, the one drawn last first. */
export function pictureUnder(placed: Placed[], left: number, top: number): number {
  for (let i = placed.length - 1; i >= 0; --i) {
    const each = placed[i]!;
    if (Math.abs(each.left - left) <= each.side / 2 && Math.abs(each.top - top) <= each.side / 2) return each.point;
  }
  return -1;
}
