/** Places for a few collections such that near ones are near: springs between all pairs. */

export interface Spring {
  first: number;
  second: number;
  /** How far apart they should be, 0 .. 1. */
  length: number;
}

export interface Placed {
  x: number;
  y: number;
}

/** The same answer each time: it starts from a circle and has no chance in it. */
export function layout(nodes: number, springs: Spring[], steps = 300): Placed[] {
  const places = Array.from({ length: nodes }, (_, i) => ({
    x: 0.5 + 0.4 * Math.cos((2 * Math.PI * i) / Math.max(1, nodes) + 0.4),
    y: 0.5 + 0.4 * Math.sin((2 * Math.PI * i) / Math.max(1, nodes) + 0.4),
  }));
  for (let step = 0; step < steps; ++step) {
    const pace = 0.2 * (1 - step / steps);
    for (const spring of springs) pull(places[spring.first]!, places[spring.second]!, spring.length, pace);
    for (let i = 0; i < nodes; ++i) {
      for (let j = i + 1; j < nodes; ++j) {
        const a = places[i]!;
        const b = places[j]!;
        if (Math.hypot(a.x - b.x, a.y - b.y) < 0.22) pull(a, b, 0.22, 0.3);
      }
    }
  }
  return fitted(places);
}

function pull(a: Placed, b: Placed, length: number, pace: number): void {
  const dx = b.x - a.x || 1e-3;
  const dy = b.y - a.y || 1e-3;
  const far = Math.hypot(dx, dy);
  const move = (pace * (far - length)) / far / 2;
  a.x += dx * move;
  a.y += dy * move;
  b.x -= dx * move;
  b.y -= dy * move;
}

/** Within 0 .. 1 both ways, without changing what is how far from what. */
function fitted(places: Placed[]): Placed[] {
  if (places.length === 0) return places;
  const xs = places.map((each) => each.x);
  const ys = places.map((each) => each.y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const wide = Math.max(right - left, bottom - top, 1e-6);
  return places.map((each) => ({
    x: 0.5 + (each.x - (left + right) / 2) / wide,
    y: 0.5 + (each.y - (top + bottom) / 2) / wide,
  }));
}
