import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { MapAnswer } from '../../api/types';
import { fitting } from './labels';
import { collections } from '../../state/library';
import { t } from '../../words/say';
import { painterFor, release, type Painter } from './draw';
import { kindOf } from './kinds';
import { PictureLevels, pictureUnder } from './pictures';
import { inside, nearest, panned, START, toMap, toScreen, zoomed, type Camera, type Size } from './window';

interface Props {
  map: MapAnswer;
  camera: Camera;
  hidden: Set<number>;
  marked?: Set<number>;
  lasso: boolean;
  moved: (camera: Camera) => void;
  opened: (point: number) => void;
  selected: (points: number[]) => void;
}

/** The drawing, and what hands and keys do with it. */
export function MapCanvas(props: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<Painter>();
  const pointers = useRef(new Map<number, [number, number]>());
  const travelled = useRef(0);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const [hover, setHover] = useState(-1);
  const [loop, setLoop] = useState<[number, number][]>([]);
  const { map, camera } = props;
  const latest = useRef(props);
  latest.current = props;

  useLayoutEffect(() => {
    const element = frame.current!;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    painter.current = painterFor(canvas.current!, map.points);
    return () => painter.current?.free();
  }, [map]);
  // A canvas whose context is lost stays blank, so that is for the end alone.
  useEffect(() => {
    const element = canvas.current!;
    return () => release(element);
  }, []);

  useEffect(() => {
    if (size.width === 0) return undefined;
    const request = requestAnimationFrame(() => {
      const ratio = Math.min(2, devicePixelRatio || 1);
      const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
      const element = canvas.current!;
      if (element.width !== width || element.height !== height) {
        element.width = width;
        element.height = height;
      }
      painter.current?.draw({ camera, size, hidden: props.hidden, marked: props.marked });
    });
    return () => cancelAnimationFrame(request);
  }, [map, camera, size, props.hidden, props.marked]);

  // Listened to by hand, because a wheel must not scroll the page as well.
  useEffect(() => {
    const element = frame.current!;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const now = latest.current;
      const within = { width: box.width, height: box.height };
      now.moved(zoomed(now.camera, within, Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top));
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, []);

  const at = (event: PointerEvent): [number, number] => {
    const box = frame.current!.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const levels = useMemo(() => {
    const pictured = map.kinds.map((each) => each.items && (collections.value.find((known) => known.name === each.collection)?.pictures ?? false));
    return new PictureLevels(map.points, (point) => pictured[map.points.kind[point]!] ?? false);
  }, [map, size.width, size.height]);
  const pictures = levels.inView(camera, size, props.hidden);
  const find = ([left, top]: [number, number], reach: number) => {
    const picture = pictureUnder(pictures, left, top);
    return picture >= 0 ? picture : nearest(map.points, props.hidden, camera, size, left, top, reach);
  };

  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    frame.current!.setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, at(event));
    travelled.current = 0;
    setLoop(pointers.current.size === 1 && (props.lasso || event.shiftKey) ? [at(event)] : []);
  };
  const move = (event: PointerEvent) => {
    const here = at(event);
    const before = pointers.current.get(event.pointerId);
    if (!before) {
      if (event.pointerType === 'mouse') setHover(find(here, 10));
      return;
    }
    const [right, downwards] = [here[0] - before[0], here[1] - before[1]];
    travelled.current += Math.abs(right) + Math.abs(downwards);
    const others = [...pointers.current].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    pointers.current.set(event.pointerId, here);
    const other = others[0];
    if (other) {
      const length = (place: [number, number]) => Math.max(1, Math.hypot(place[0] - other[0], place[1] - other[1]));
      props.moved(zoomed(camera, size, length(here) / length(before), (here[0] + other[0]) / 2, (here[1] + other[1]) / 2));
    } else if (loop.length > 0) {
      setLoop([...loop, here]);
    } else if (travelled.current > 3) {
      props.moved(panned(camera, size, right, downwards));
    }
  };
  const up = (event: PointerEvent) => {
    if (!pointers.current.delete(event.pointerId)) return;
    if (loop.length > 2) {
      const polygon = loop.map(([left, top]) => toMap(camera, size, left, top));
      const found: number[] = [];
      for (let i = 0; i < map.points.x.length; ++i) {
        if (!props.hidden.has(map.points.kind[i]!) && inside(polygon, map.points.x[i]!, map.points.y[i]!)) found.push(i);
      }
      props.selected(found);
    } else if (travelled.current <= 4 && pointers.current.size === 0 && event.type === 'pointerup') {
      const point = find(at(event), event.pointerType === 'mouse' ? 10 : 22);
      if (point >= 0) props.opened(point);
    }
    setLoop([]);
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const far = 60;
    const step: Record<string, () => Camera> = {
      '+': () => zoomed(camera, size, 1.4, size.width / 2, size.height / 2),
      '=': () => zoomed(camera, size, 1.4, size.width / 2, size.height / 2),
      '-': () => zoomed(camera, size, 1 / 1.4, size.width / 2, size.height / 2),
      '0': () => START,
      ArrowLeft: () => panned(camera, size, far, 0),
      ArrowRight: () => panned(camera, size, -far, 0),
      ArrowUp: () => panned(camera, size, 0, far),
      ArrowDown: () => panned(camera, size, 0, -far),
    };
    const next = step[event.key];
    if (!next) return;
    event.preventDefault();
    props.moved(next());
  };

  const hovered = hover >= 0 && !props.hidden.has(map.points.kind[hover]!) ? hover : -1;
  // From afar the groups have names; as one comes nearer, the tags that lie there.
  const near = camera.zoom >= 3;
  const named = map.groups.map((group) => ({ x: group.x, y: group.y, text: near ? group.name.split(', ')[0]! : group.name, weight: 1e6 + group.things }));
  if (near) {
    for (let i = 0; i < map.points.x.length; ++i) {
      const kind = map.kinds[map.points.kind[i]!]!;
      if (!props.hidden.has(map.points.kind[i]!) && kindOf(kind.kind).of === 'tags') named.push({ x: map.points.x[i]!, y: map.points.y[i]!, text: map.points.name[i]!, weight: -i });
    }
  }
  const inView = named.map((each) => {
    const [left, top] = toScreen(camera, size, each.x, each.y);
    return { left, top, text: each.text, weight: each.weight };
  }).filter(({ left, top }) => left > 0 && top > 0 && left < size.width && top < size.height);
  const labels = fitting(inView).map((index) => inView[index]!);
  const tip = hovered >= 0 ? toScreen(camera, size, map.points.x[hovered]!, map.points.y[hovered]!) : undefined;
  return (
    <div ref={frame} class={`map-frame ${props.lasso ? 'lasso' : ''}`} tabIndex={0} role="application"
      aria-label={t('Map. Plus and minus zoom, arrows move, 0 shows all. The list of groups has the same things.')}
      onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={up}
      onPointerLeave={() => setHover(-1)} onKeyDown={key}>
      <canvas ref={canvas} aria-hidden="true" />
      {pictures.map((each) => {
        const kind = map.kinds[map.points.kind[each.point]!]!;
        const state = !props.marked ? '' : props.marked.has(each.point) ? 'glows' : 'faint';
        return (
          <img key={each.point} class={`map-picture ${state}`} alt="" draggable={false} loading="lazy" decoding="async"
            src={api.thumbnailAddress(kind.collection, map.points.name[each.point]!, each.side > 64 ? 256 : 128)}
            style={{ width: `${each.side}px`, height: `${each.side}px`, transform: `translate(${each.left - each.side / 2}px, ${each.top - each.side / 2}px)` }} />
        );
      })}
      {labels.map((label) => (
        <span key={`${label.text}/${label.weight}`} dir="auto" class="map-label" aria-hidden="true"
          style={{ left: `${label.left}px`, top: `${label.top}px` }}>{label.text}</span>
      ))}
      {tip && (
        <span class="map-tip" style={{ left: `${Math.min(tip[0], size.width - 120)}px`, top: `${tip[1]}px` }}>
          {map.points.name[hovered]!.replace(/^.*\/(?=.)/, '')}
        </span>
      )}
      {loop.length > 1 && (
        <svg class="map-loop" aria-hidden="true"><polygon points={loop.map((each) => each.join(',')).join(' ')} /></svg>
      )}
    </div>
  );
}
