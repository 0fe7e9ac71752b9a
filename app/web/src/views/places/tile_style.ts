import type { LayerSpecification } from 'maplibre-gl';

interface Colours {
  sea: string;
  land: string;
  line: string;
  ink: string;
}

/** What the layers of the usual schemas (OpenMapTiles, Protomaps, Shortbread) show, by parts of their names. */
const KINDS: [RegExp, (colours: Colours) => { fill?: string; line?: string; width?: number; opacity?: number }][] = [
  [/^(earth|land|landcover|countries|ocean_land)/, ({ land }) => ({ fill: land })],
  [/landuse|park|sites|natural/, ({ line }) => ({ fill: line, opacity: 0.25 })],
  [/water|ocean|river|sea$/, ({ sea, line }) => ({ fill: sea, line, width: 0.5 })],
  [/building/, ({ line }) => ({ fill: line, opacity: 0.6 })],
  [/road|street|transport|highway|transit|rail|ferr/, ({ ink }) => ({ line: ink, width: 1, opacity: 0.35 })],
  [/bound|admin/, ({ ink }) => ({ line: ink, width: 1, opacity: 0.5 })],
];

/** Shapes and lines of the layers that are known, land first and borders last; names are not drawn. */
export function layersFor(names: string[], colours: Colours): LayerSpecification[] {
  return KINDS.flatMap(([pattern, paint]) => names.filter((each) => pattern.test(each)).flatMap((name): LayerSpecification[] => {
    const { fill, line, width = 1, opacity = 1 } = paint(colours);
    const from = { source: 'tiles', 'source-layer': name };
    return [
      ...(fill ? [{ id: `${name}-fill`, type: 'fill' as const, ...from, filter: ['==', '$type', 'Polygon'] as ['==', '$type', 'Polygon'], paint: { 'fill-color': fill, 'fill-opacity': opacity } }] : []),
      ...(line ? [{ id: `${name}-line`, type: 'line' as const, ...from, paint: { 'line-color': line, 'line-width': width, 'line-opacity': opacity } }] : []),
    ];
  }));
}
