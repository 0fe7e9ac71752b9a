import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import Supercluster from 'supercluster';
import { feature } from 'topojson-client';
import world from 'world-atlas/countries-50m.json';
import type { GeometryCollection, Topology } from 'topojson-specification';
import * as api from '../../api/api';
import type { Places } from '../../api/types';
import { isTyping } from '../../components/hooks';
import { metres, titleOf } from '../../format';
import { address, go, itemAddress } from '../../state/route';
import { report } from '../../state/alerts';
import { library } from '../../state/library';
import { theme } from '../../state/theme';
import { t, tn } from '../../words/say';
import { withToken } from '../../state/query_text';
import { thickness, type PlaceGuess } from './guesses';
import { areaOf, around, kept, toWindow, worldX, worldY, zoomedAt, type Size, type WorldView } from './projection';

/** The side of the square that outlines are kept in; the canvas enlarges them. */
const BASE = 4096;

interface Shape {
  path: Path2D;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A piece of land; what lies across the line of dates goes on beyond the edge of the map. */
function shapeOf(rings: number[][][], shift: number): Shape {
  const shape = { path: new Path2D(), left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const ring of rings) {
    let turns = shift;
    ring.forEach(([longitude, latitude], i) => {
      const step = i > 0 ? longitude! - ring[i - 1]![0]! : 0;
      if (Math.abs(step) > 180) turns -= Math.sign(step);
      const x = (worldX(longitude!) + turns) * BASE;
      const y = worldY(latitude!) * BASE;
      if (i === 0) shape.path.moveTo(x, y);
      else shape.path.lineTo(x, y);
      shape.left = Math.min(shape.left, x);
      shape.right = Math.max(shape.right, x);
      shape.top = Math.min(shape.top, y);
      shape.bottom = Math.max(shape.bottom, y);
    });
    shape.path.closePath();
  }
  return shape;
}

function shapesOf(rings: number[][][]): Shape[] {
  const shape = shapeOf(rings, 0);
  if (shape.left >= 0 && shape.right <= BASE) return [shape];
  return [shape, shapeOf(rings, shape.left < 0 ? 1 : -1)];
}

let made: Shape[] | undefined;
/** The pieces of land, each for itself, so that only those in view are drawn. */
function shapes(): Shape[] {
  if (made) return made;
  const topology = world as unknown as Topology<{ countries: GeometryCollection }>;
  made = feature(topology, topology.objects.countries).features.flatMap(({ geometry }) =>
    (geometry.type === 'MultiPolygon' ? geometry.coordinates.flatMap(shapesOf) : geometry.type === 'Polygon' ? shapesOf(geometry.coordinates) : []));
  return made;
}

interface Point {
  index: number;
}

/** Metres around the world, along the equator. */
const AROUND = 40_075_017;

/** A guess as a cloud: the thicker, the likelier. */
function drawCloud(context: CanvasRenderingContext2D, view: WorldView, window: Size, guess: PlaceGuess, colour: string): void {
  const at = toWindow(view, window, worldX(guess.longitude), worldY(guess.latitude));
  const radius = Math.max(6, (guess.radius / (AROUND * Math.max(0.05, Math.cos((guess.latitude * Math.PI) / 180)))) * view.size);
  const reach = 2.2 * radius;
  const cloud = context.createRadialGradient(at.x, at.y, 0, at.x, at.y, reach);
  for (let step = 0; step <= 8; ++step) {
    const part = step === 8 ? 0 : Math.round(115 * thickness((step / 8) * 2.2));
    cloud.addColorStop(step / 8, `${colour.trim()}${part.toString(16).padStart(2, '0')}`);
  }
  context.fillStyle = cloud;
  context.beginPath();
  context.arc(at.x, at.y, reach, 0, 2 * Math.PI);
  context.fill();
}

/** A map without a network: outlines of the world, and the items on it as pictures, joined where they are near. */
export function PlacesMap(props: { places: Places; guesses: PlaceGuess[]; q: string; collection: string[] }) {
  const { points, collections } = props.places;
  const { guesses } = props;
  const all = (): [number[], number[]] => [[...points.latitude, ...guesses.map((each) => each.latitude)], [...points.longitude, ...guesses.map((each) => each.longitude)]];
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const [view, setView] = useState<WorldView>();
  const [drawing, setDrawing] = useState(false);
  const [tiles, setTiles] = useState<typeof import('./tiles') | undefined>();
  useEffect(() => { if (library.value?.basemap) import('./tiles').then(setTiles, report); }, [library.value?.basemap]);
  const [area, setArea] = useState<{ a: { x: number; y: number }; b: { x: number; y: number } }>();

  useLayoutEffect(() => {
    const look = () => setSize({ width: frame.current!.clientWidth, height: frame.current!.clientHeight });
    look();
    const observer = new ResizeObserver(look);
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (size.width > 0) setView(around(...all(), size));
  }, [props.places, guesses, size.width > 0]);

  const index = useMemo(() => new Supercluster<Point>({ radius: 70, maxZoom: 17, extent: 512 }).load(points.id.map((_, i) => ({
    type: 'Feature', properties: { index: i }, geometry: { type: 'Point', coordinates: [points.longitude[i]!, points.latitude[i]!] } }))), [props.places]);

  useEffect(() => {
    // Outlines are quick to draw by the processor and slow by a graphics card.
    const context = canvas.current?.getContext('2d', { willReadFrequently: true });
    if (!context || !view || size.width === 0) return;
    const ratio = Math.min(2, devicePixelRatio);
    canvas.current!.width = size.width * ratio;
    canvas.current!.height = size.height * ratio;
    const style = getComputedStyle(frame.current!);
    const scale = (view.size / BASE) * ratio;
    context.fillStyle = style.getPropertyValue('--map-sea');
    context.fillRect(0, 0, canvas.current!.width, canvas.current!.height);
    context.setTransform(scale, 0, 0, scale, (size.width / 2 - view.x * view.size) * ratio, (size.height / 2 - view.y * view.size) * ratio);
    context.fillStyle = style.getPropertyValue('--map-land');
    context.strokeStyle = style.getPropertyValue('--map-line');
    context.lineWidth = ratio / scale;
    const [left, top] = [(view.x - size.width / 2 / view.size) * BASE, (view.y - size.height / 2 / view.size) * BASE];
    const [right, bottom] = [left + (size.width / view.size) * BASE, top + (size.height / view.size) * BASE];
    for (const each of shapes()) {
      if (each.left > right || each.right < left || each.top > bottom || each.bottom < top) continue;
      context.fill(each.path);
      context.stroke(each.path);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const each of guesses) drawCloud(context, view, size, each, style.getPropertyValue('--accent'));
  }, [view, size, theme.value, guesses]);

  const clusters = useMemo(() => {
    if (!view || size.width === 0) return [];
    const [south, west, north, east] = areaOf(view, size, { x: -40, y: -40 }, { x: size.width + 40, y: size.height + 40 });
    return index.getClusters([west, south, east, north], Math.max(0, Math.min(17, Math.floor(Math.log2(view.size / 512)))));
  }, [view, size, index]);

  const zoom = (by: number, at = { x: size.width / 2, y: size.height / 2 }) => view && setView(zoomedAt(view, by, at, size));
  const search = (a: { x: number; y: number }, b: { x: number; y: number }) => {
    const box = areaOf(view!, size, a, b);
    go(address('search', [], { q: withToken(props.q, `area:${box.join(',')}`), collection: props.collection }));
  };
  const here = (event: { clientX: number; clientY: number }) => {
    const box = frame.current!.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const press = (event: PointerEvent) => {
    if (!view || event.button !== 0 || (event.target as HTMLElement).closest('a, button')) return;
    const start = here(event);
    const from = view;
    const rectangle = drawing || event.shiftKey;
    frame.current!.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent) => {
      const at = here(moved);
      if (rectangle) setArea({ a: start, b: at });
      else setView(kept({ ...from, x: from.x - (at.x - start.x) / from.size, y: from.y - (at.y - start.y) / from.size }, size));
    };
    const end = (ended: PointerEvent) => {
      frame.current?.removeEventListener('pointermove', move);
      frame.current?.removeEventListener('pointerup', end);
      setArea(undefined);
      const at = here(ended);
      if (rectangle && Math.abs(at.x - start.x) > 6 && Math.abs(at.y - start.y) > 6) search(start, at);
    };
    frame.current!.addEventListener('pointermove', move);
    frame.current!.addEventListener('pointerup', end);
  };
  const key = (event: KeyboardEvent) => {
    if (!view || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const step = 80 / view.size;
    const moves: Record<string, [number, number]> = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    const by = moves[event.key];
    if (by) setView(kept({ ...view, x: view.x + by[0], y: view.y + by[1] }, size));
    else if (event.key === '+' || event.key === '=') zoom(1.6);
    else if (event.key === '-') zoom(1 / 1.6);
    else if (event.key === '0') setView(around(...all(), size));
    else return;
    event.preventDefault();
  };
  const picture = (at: number) => {
    const of = collections[points.collection[at]!]!;
    return of.pictures ? <img src={api.thumbnailAddress(of.name, points.id[at]!, 128)} alt="" draggable={false} loading="lazy" /> : <span class="map-dot" />;
  };
  return (
    <div ref={frame} class={`places-frame ${drawing ? 'lasso' : ''}`} tabIndex={0} role="application" aria-label={t('Map of the world: arrows move it, + and - zoom')}
      onPointerDown={press} onKeyDown={key} onWheel={(event) => { event.preventDefault(); zoom(event.deltaY < 0 ? 1.25 : 1 / 1.25, here(event)); }}>
      <canvas ref={canvas} aria-hidden="true" />
      {tiles && view && <tiles.Tiles view={view} />}
      {view && clusters.map((each) => {
        const [longitude, latitude] = each.geometry.coordinates as [number, number];
        const at = toWindow(view, size, worldX(longitude), worldY(latitude));
        const style = { transform: `translate(${at.x}px, ${at.y}px) translate(-50%, -50%)` };
        if ('cluster' in each.properties && each.properties.cluster) {
          const { cluster_id: id, point_count: many } = each.properties;
          const first = index.getLeaves(id, 1)[0]!.properties.index;
          return (
            <button key={`c${id}`} type="button" class="map-pin" style={style} aria-label={tn('{n} item here: zoom in', '{n} items here: zoom in', many)}
              onClick={() => setView(kept({ x: worldX(longitude), y: worldY(latitude), size: 512 * 2 ** (index.getClusterExpansionZoom(id) + 0.3) }, size))}>
              {picture(first)}<span class="map-count">{many}</span>
            </button>
          );
        }
        const { index: point } = each.properties as Point;
        const of = collections[points.collection[point]!]!;
        return <a key={`p${point}`} class="map-pin one" style={style} href={itemAddress(of.name, points.id[point]!)} aria-label={points.id[point]}>{picture(point)}</a>;
      })}
      {view && guesses.map((each) => {
        const at = toWindow(view, size, worldX(each.longitude), worldY(each.latitude));
        return (
          <a key={`g${each.item.collection}/${each.item.id}`} class="map-pin one guessed" style={{ transform: `translate(${at.x}px, ${at.y}px) translate(-50%, -50%)` }}
            href={itemAddress(each.item.collection, each.item.id)} aria-label={t('{title}, guessed within {distance}', { title: titleOf(each.item), distance: metres(each.radius) })}
            title={t('Guessed: probably within {distance}', { distance: metres(each.radius) })}>
            {each.item.image ? <img src={api.thumbnailAddress(each.item.collection, each.item.id, 64)} alt="" draggable={false} loading="lazy" /> : <span class="map-dot" />}
          </a>
        );
      })}
      {area && <div class="band" style={{ left: `${Math.min(area.a.x, area.b.x)}px`, top: `${Math.min(area.a.y, area.b.y)}px`, width: `${Math.abs(area.a.x - area.b.x)}px`, height: `${Math.abs(area.a.y - area.b.y)}px` }} />}
      <div class="places-tools">
        <button type="button" aria-label={t('Zoom in')} onClick={() => zoom(1.6)}>+</button>
        <button type="button" aria-label={t('Zoom out')} onClick={() => zoom(1 / 1.6)}>−</button>
        <button type="button" aria-pressed={drawing} title={t('Or hold Shift and drag')} onClick={() => setDrawing(!drawing)}>{t('Draw an area')}</button>
        <button type="button" onClick={() => search({ x: 0, y: 0 }, { x: size.width, y: size.height })}>{t('Search this area')}</button>
      </div>
    </div>
  );
}
