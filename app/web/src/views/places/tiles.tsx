/** Map tiles of a file that lies in the library, drawn by MapLibre under the pictures. Fetched only where there is one. */
import { addProtocol, Map as MapLibre, setWorkerUrl, type LayerSpecification, type StyleSpecification } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { PMTiles, Protocol, TileType } from 'pmtiles';
import { useEffect, useRef } from 'preact/hooks';
import * as api from '../../api/api';
import { report } from '../../state/alerts';
import { theme } from '../../state/theme';
import { latitudeOf, longitudeOf, type WorldView } from './projection';
import { layersFor } from './tile_style';

let protocol: Protocol | undefined;

/** How the tiles are drawn: pictures as they are, shapes by the names of their layers in the colours of the page. */
async function styleOf(element: HTMLElement): Promise<StyleSpecification> {
  if (!protocol) {
    protocol = new Protocol();
    addProtocol('pmtiles', protocol.tile);
    setWorkerUrl(workerUrl);
  }
  const archive = new PMTiles(new URL(api.basemapAddress(), location.href).href);
  protocol.add(archive);
  const header = await archive.getHeader();
  const colour = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
  const colours = { sea: colour('--map-sea'), land: colour('--map-land'), line: colour('--map-line'), ink: colour('--ink') };
  const url = `pmtiles://${archive.source.getKey()}`;
  const background: LayerSpecification = { id: 'background', type: 'background', paint: { 'background-color': colours.sea } };
  if (header.tileType !== TileType.Mvt) {
    return { version: 8, sources: { tiles: { type: 'raster', url, tileSize: 256 } }, layers: [background, { id: 'tiles', type: 'raster', source: 'tiles' }] };
  }
  const { vector_layers: found = [] } = (await archive.getMetadata()) as { vector_layers?: { id: string }[] };
  return { version: 8, sources: { tiles: { type: 'vector', url } }, layers: [background, ...layersFor(found.map((each) => each.id), colours)] };
}

/** It is moved by the map above it, and takes no hand itself. */
export function Tiles({ view }: { view: WorldView }) {
  const place = useRef<HTMLDivElement>(null);
  const map = useRef<MapLibre>();
  const latest = useRef(view);
  latest.current = view;
  const follow = () => {
    const now = latest.current;
    map.current?.jumpTo({ center: [longitudeOf(now.x), latitudeOf(now.y)], zoom: Math.log2(now.size / 512) });
  };
  useEffect(() => {
    let gone = false;
    styleOf(place.current!).then((style) => {
      if (gone) return;
      map.current = new MapLibre({ container: place.current!, style, interactive: false, attributionControl: false, maxZoom: 20, fadeDuration: 0 });
      map.current.on('idle', () => { if (place.current) place.current.dataset['drawn'] = '1'; });
      follow();
    }).catch(report);
    return () => { gone = true; map.current?.remove(); map.current = undefined; };
  }, [theme.value]);
  useEffect(follow, [view]);
  return <div ref={place} class="places-tiles" aria-hidden="true" />;
}
