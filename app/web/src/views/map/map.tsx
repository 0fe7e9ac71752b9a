import { useEffect, useRef, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { MapAnswer } from '../../api/types';
import { useAnswer } from '../../components/hooks';
import { ModelSelect } from '../../components/model_select';
import { Failure, Legend, Loading, Note, Select, View } from '../../components/view';
import { count, counted } from '../../format';
import { announce, isMissing, messageOf } from '../../state/alerts';
import { chosenModel, modelsOf } from '../../state/library';
import { address, changed, go, itemAddress, noteInAddress, replaceAddress, route, tagSearchAddress } from '../../state/route';
import { kindOf } from './kinds';
import { GroupsByKind } from './groups';
import { SameTags } from './same_tags';
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
          {`Show more of ${count(props.points.length)}`}
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
      <h2>Groups</h2>
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

function Drawn({ map }: { map: MapAnswer }) {
  const { query } = route.value;
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
  const select = (points: number[]) => {
    setSelection(new Set(points));
    setLasso(false);
    announce(`${counted(points.length, 'thing')} selected.`);
  };
  return (
    <div class="map-layout">
      <div>
        <div class="row middle map-tools">
          <button type="button" onClick={() => zoom(1.4)} aria-label="Zoom in">+</button>
          <button type="button" onClick={() => zoom(1 / 1.4)} aria-label="Zoom out">−</button>
          <button type="button" onClick={() => setCamera(START)}>Show all</button>
          <button type="button" aria-pressed={lasso} onClick={() => setLasso(!lasso)}>Lasso</button>
          <fieldset class="chips">
            <legend class="unseen">Kinds</legend>
            {map.kinds.map((each, index) => (
              <label key={each.kind} class="chip">
                <input type="checkbox" checked={!hidden.has(index)} onChange={() => toggle(each.kind)} />
                <span><span class="swatch" style={{ background: colourOf(index) }} />{kindOf(each.kind).text}{' '}
                  <span class="quiet">{each.drawn < each.things ? `${count(each.drawn)} of ${count(each.things)}` : count(each.things)}</span>
                </span>
              </label>
            ))}
          </fieldset>
        </div>
        <MapCanvas map={map} camera={camera} hidden={hidden} marked={selection} lasso={lasso} moved={setCamera}
          selected={select}
          opened={(point) => {
            const link = linkOf(map, point);
            if (link) go(link);
            else select([point]);
          }} />
        <Legend keys={[['+ −', 'zoom'], ['0', 'all'], ['arrows', 'move'], ['shift and drag', 'lasso']]} />
      </div>
      <div>
        {selection && (
          <section class="card">
            <h2>{`${counted(selection.size, 'thing')} selected`}</h2>
            <button type="button" class="small" onClick={() => setSelection(undefined)}>Select nothing</button>
            <Things key={selection.size} map={map} points={[...selection]} />
          </section>
        )}
        <Groups map={map} hidden={hidden} show={(index) => {
          const group = map.groups[index];
          if (group) setCamera({ x: group.x, y: group.y, zoom: Math.max(camera.zoom, 3) });
        }} />
        <GroupsByKind model={map.model} />
        <SameTags model={map.model} />
      </div>
    </div>
  );
}

/** All that belongs together, drawn in the plane. */
export function MapView() {
  const most = route.value.query.get('most') ?? '5000';
  const learned = modelsOf('relate').length > 0;
  const model = chosenModel('relate', undefined, route.value.query.get('model'));
  const answer = useAnswer(() => (learned ? api.map(Number(most), 12, model) : undefined), [most, learned, model]);
  return (
    <View title="Map" class="wide">
      {!learned && (
        <Note><p>There is no model yet that says what belongs together. <a href={address('library')}>Learn to
          relate</a>; then photographs, tags, texts and places are drawn here, near to what they belong with.</p></Note>
      )}
      {learned && answer.loading && !answer.value && <Loading what="the map" />}
      {answer.error !== undefined && (isMissing(answer.error)
        ? <Note><p>{messageOf(answer.error)}</p></Note> : <Failure error={answer.error} again={answer.again} />)}
      {answer.value && <Drawn key={`${answer.value.model}/${answer.value.points.x.length}`} map={answer.value} />}
      {learned && (
        <div class="row">
          <Select label="Things to draw" value={most} options={['1000', '5000', '20000'].map((value) => ({ value, text: `at most ${count(Number(value))}` }))}
            changed={(value) => replaceAddress(changed({ most: value }))} />
          <ModelSelect kind="relate" />
        </div>
      )}
    </View>
  );
}
