/** How far a picture is enlarged, and moved from the middle in pixels. */
export interface Zoom {
  scale: number;
  x: number;
  y: number;
}

export const START: Zoom = { scale: 1, x: 0, y: 0 };
const MOST = 8;

interface Size {
  width: number;
  height: number;
}

/** As far as some of it stays in view. */
function kept(zoom: Zoom, size: Size): Zoom {
  const reach = (length: number) => ((zoom.scale - 1) * length) / 2;
  const within = (value: number, most: number) => Math.max(-most, Math.min(most, value));
  return { scale: zoom.scale, x: within(zoom.x, reach(size.width)), y: within(zoom.y, reach(size.height)) };
}

/** Larger or smaller about a point, which is given from the middle and stays where it is. */
export function zoomed(zoom: Zoom, by: number, about: { x: number; y: number }, size: Size): Zoom {
  const scale = Math.max(1, Math.min(MOST, zoom.scale * by));
  const share = scale / zoom.scale;
  return kept({ scale, x: about.x - (about.x - zoom.x) * share, y: about.y - (about.y - zoom.y) * share }, size);
}

export function panned(zoom: Zoom, x: number, y: number, size: Size): Zoom {
  return kept({ scale: zoom.scale, x: zoom.x + x, y: zoom.y + y }, size);
}

export const fitted = (zoom: Zoom) => `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})`;
