import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { MapAnswer } from '../../api/types';
import { useAnswer } from '../../components/hooks';
import { ModelSelect } from '../../components/model_select';
import { Failure, Legend, Loading, Note, Select, View } from '../../components/view';
import { count } from '../../format';
import { NoModel } from '../../components/no_model';
import { announce } from '../../state/alerts';
import { clearSelection, keyOf, select } from '../../state/selection';
import { t, tn } from '../../words/say';
import { chosenModel, collections, modelsOf, relates } from '../../state/library';
import { changed, go, itemAddress, noteInAddress, replaceAddress, route, tagSearchAddress } from '../../state/route';
import { kindOf } from './kinds';
import { GroupsByKind } from './groups';
import { briefOf, MapSelection } from './selected';
import { MapCanvas } from './canvas';
import { colourOf } from './draw';
import { START, zoomed, type Camera } from './window';

/** Where a thing of the map leads, if anywhere. */
function linkOf(map: MapAnswer, point: number): string | undefined {
  const kind = map.kinds[map.points.kind[point]!];
  const name = map.points.name[point];
  if (!kind || name === undefined) return undefined;
  if (kind.items) return itemAddress(kind.collection, name);
  return kindOf(kind.kind).of === 'tags' ? tagSearchAddress(name) : undefined;
}

function Things(props: { map: MapAnswer; points: number[]; most?: number }) {
  const [most, setMost] = useState(props.most ?? 100);
  return (
    <>
      <ul class="things">
        {props.points.slice(0, most).map((point) => {
          const link = linkOf(props.map, point);
          const name = props.map.points.name[point];
          return (
            <li key={point}>
              <span class="swatch" style={{ background: colourOf(props.map.points.kind[point]!) }} />
              {link ? <a href={link}>{name}</a> : name}
            </li>
          );
        })}
      </ul>
      {props.points.length > most && (
        <button type="button" class="small" onClick={() => setMost(most + 200)}>
          {tn('Show more of {n}', 'Show more of {n}', props.points.length)}
        </button>
      )}
    </>
  );
}

function Groups(props: { map: MapAnswer; hidden: Set<number>; show: (group: number) => void }) {
  const { map } = props;
  const [open, setOpen] = useState(-1);
  const members = (group: number) => {
    const result: number[] = [];
    for (let i = 0; i < map.points.x.length; ++i) {
      if (map.points.group[i] === group && !props.hidden.has(map.points.kind[i]!)) result.push(i);
    }
    return result;
  };
  return (
    <section class="card">
      <h2>{t('Groups')}</h2>
      <ul class="groups">
        {map.groups.map((group, index) => (
          <li key={index}>
            <button type="button" class="link" aria-expanded={open === index}
              onClick={() => { setOpen(open === index ? -1 : index); if (open !== index) props.show(index); }}>
              {group.name} <span class="quiet">{count(group.things)}</span>
            </button>
            {open === index && <Things map={map} points={members(index)} most={30} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function cameraOf(text: string | null): Camera {
  const [x, y, zoom] = (text ?? '').split(',').map(Number);
  return [x, y, zoom].every((each) => each !== undefined && Number.isFinite(each)) && text
    ? { x: x!, y: y!, zoom: zoom! } : START;
}

function Drawn(props: { map: MapAnswer; children: ComponentChildren }) {
  const { map } = props;
  const { query } = route.value;
  const q = query.get('q') ?? '';
  const found = useAnswer((signal) => (q ? api.search({ q, collection: [], offset: 0, limit: 1000 }, signal) : undefined), [q]);
  const glow = useMemo(() => {
    if (!q || !found.value) return undefined;
    const keys = new Set(found.value.hits.map((each) => `${each.collection}/${each.id}`));
    const glowing = new Set<number>();
    map.points.name.forEach((name, point) => {
      const kind = map.kinds[map.points.kind[point]!]!;
      if (kind.items && keys.has(`${kind.collection}/${name}`)) glowing.add(point);
    });
    return glowing;
  }, [q, found.value, map]);
  useEffect(() => clearSelection, []);
  const [camera, setCamera] = useState(() => cameraOf(query.get('at')));
  const [selection, setSelection] = useState<Set<number> | undefined>();
  const [lasso, setLasso] = useState(false);
  const hiddenNames = query.getAll('hide');
  const hiddenKey = hiddenNames.join('\n');
  const hiddenSet = useRef<{ key: string; set: Set<number> }>({ key: '', set: new Set() });
  if (hiddenSet.current.key !== hiddenKey) {
    const set = new Set<number>();
    map.kinds.forEach((each, index) => { if (hiddenNames.includes(each.kind)) set.add(index); });
    hiddenSet.current = { key: hiddenKey, set };
  }
  const hidden = hiddenSet.current.set;

  useEffect(() => {
    const timer = setTimeout(() => {
      if (camera !== START || query.get('at')) {
        noteInAddress('at', [camera.x.toFixed(4), camera.y.toFixed(4), camera.zoom.toFixed(2)].join(','));
      }
    }, 300);
    return () => clearTimeout(timer);
  }, [camera]);

  const zoom = (factor: number) => setCamera(zoomed(camera, { width: 2, height: 2 }, factor, 1, 1));
  const toggle = (kind: string) => replaceAddress(changed({
    hide: hiddenNames.includes(kind) ? hiddenNames.filter((each) => each !== kind) : [...hiddenNames, kind],
    at: [camera.x.toFixed(4), camera.y.toFixed(4), camera.zoom.toFixed(2)].join(',') }));
  const choose = (points: number[]) => {
    clearSelection();
    setSelection(new Set(points));
    setLasso(false);
    select([...new Map(points.map((point) => briefOf(map, point)).filter((each) => each !== undefined).map((each) => [keyOf(each), each])).values()], true);
    announce(tn('{n} thing selected', '{n} things selected', points.length));
  };
  const shownPoints = selection ?? glow;
  return (
    <div class="map-layout">
      <div class="map-hero">
        <MapCanvas map={map} camera={camera} hidden={hidden} marked={shownPoints} lasso={lasso} moved={setCamera}
          selected={choose}
          opened={(point) => {
            const link = linkOf(map, point);
            if (link) go(link);
            else choose([point]);
          }} />
        <div class="map-tools">
          <span class="buttons">
            <button type="button" onClick={() => zoom(1.4)} aria-label={t('Zoom in')}>+</button>
            <button type="button" onClick={() => zoom(1 / 1.4)} aria-label={t('Zoom out')}>−</button>
            <button type="button" onClick={() => setCamera(START)}>{t('Show all')}</button>
            <button type="button" aria-pressed={lasso} title={t('Or hold Shift and drag')} onClick={() => setLasso(!lasso)}>{t('Lasso')}</button>
          </span>
          <fieldset class="chips">
            <legend class="unseen">{t('Kinds')}</legend>
            {map.kinds.map((each, index) => (
              <label key={each.kind} class="chip small">
                <input type="checkbox" checked={!hidden.has(index)} onChange={() => toggle(each.kind)} />
                <span><span class="swatch" style={{ background: colourOf(index) }} />{kindOf(each.kind).text}{' '}
                  <span class="quiet">{each.drawn < each.things ? t('{n} of {all}', { n: each.drawn, all: each.things }) : count(each.things)}</span>
                </span>
              </label>
            ))}
          </fieldset>
          {glow && <p class="quiet" role="status">{tn('{n} thing glows', '{n} things glow', glow.size)}</p>}
        </div>
      </div>
      <div class="map-side">
        {selection ? <MapSelection map={map} points={[...selection]} close={() => { setSelection(undefined); clearSelection(); }} /> : (
          <>
            <Groups map={map} hidden={hidden} show={(index) => {
              const group = map.groups[index];
              if (group) setCamera({ x: group.x, y: group.y, zoom: Math.max(camera.zoom, 3) });
            }} />
            <GroupsByKind model={map.model} />
          </>
        )}
        {props.children}
      </div>
    </div>
  );
}

/** All that belongs together, drawn in the plane. */
export function MapView() {
  const most = route.value.query.get('most') ?? '5000';
  const learned = modelsOf('relate').length > 0;
  // The model of pictures, where there are several: a map is looked at.
  const pictured = modelsOf('relate').find((each) => collections.value.some((known) => known.pictures && relates(each, known.name)));
  const model = chosenModel('relate', undefined, route.value.query.get('model') ?? pictured?.name ?? null);
  const answer = useAnswer(() => (learned ? api.map(Number(most), 12, model) : undefined), [most, learned, model]);
  const settings = (
    <details class="advanced">
      <summary>{t('Advanced')}</summary>
      <Select label={t('Things to draw')} value={most} options={['1000', '5000', '20000'].map((value) => ({ value, text: t('at most {n}', { n: Number(value) }) }))}
        changed={(value) => replaceAddress(changed({ most: value }))} />
      <ModelSelect kind="relate" />
      <Legend keys={[['+ −', t('zoom')], ['0', t('all')], [t('arrows'), t('move')], [t('shift and drag'), t('lasso')]]} />
    </details>
  );
  return (
    <View title={t('Map')} class="bleed" quiet>
      {!learned && <Note><NoModel kind="relate" collection={collections.value[0]?.name ?? ''} /></Note>}
      {learned && answer.loading && !answer.value && <Loading what={t('the map')} />}
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      {answer.value && <Drawn key={`${answer.value.model}/${answer.value.points.x.length}`} map={answer.value}>{settings}</Drawn>}
    </View>
  );
}
