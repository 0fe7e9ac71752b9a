import { useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { Item } from '../../api/types';
import { useAnswer } from '../../components/hooks';
import { Graticule } from '../../components/graticule';
import { Failure, Loading, View } from '../../components/view';
import { coordinates, metres, percent, time, titleOf } from '../../format';
import { isMissing } from '../../state/alerts';
import { relatingModel } from '../../state/library';
import { address } from '../../state/route';
import { ItemRelatives } from './relatives';
import { ItemSuggestions } from './suggestions';
import { ItemTags } from './tags';

function Picture({ item }: { item: Item }) {
  const [full, setFull] = useState(false);
  if (!item.image) return null;
  const title = titleOf(item);
  const source = full ? api.imageAddress(item.collection, item.id) : api.thumbnailAddress(item.collection, item.id, 512);
  return (
    <figure class="item-picture item-first">
      <img src={source} alt={title} onError={() => setFull(false)} />
      <figcaption>
        <button type="button" class="small" aria-pressed={full} onClick={() => setFull(!full)}>
          {full ? 'Show it small' : 'Show the picture itself'}
        </button>
      </figcaption>
    </figure>
  );
}

function Labels({ item }: { item: Item }) {
  if (item.labels.length + item.machine_labels.length === 0) return null;
  return (
    <section class="card">
      <h2>Labels</h2>
      <table>
        <thead><tr><th scope="col">Field</th><th scope="col">Value</th><th scope="col">By</th></tr></thead>
        <tbody>
          {item.labels.map((each) => (
            <tr key={`${each.field}=${each.value}`}><td>{each.field}</td><td>{each.value}</td><td>its source</td></tr>
          ))}
          {item.machine_labels.map((each) => (
            <tr key={`${each.field}=${each.value}/${each.model}`} class="machine-row">
              <td>{each.field}</td><td>{each.value}</td><td>{`machine: ${each.model}, ${percent(each.score)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Metadata({ value }: { value: unknown }) {
  if (value === undefined || value === null) return null;
  const simple = typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value as Record<string, unknown>) : undefined;
  if (simple?.length === 0) return null;
  return (
    <section class="card">
      <h2>Metadata</h2>
      {simple ? (
        <dl class="pairs">
          {simple.map(([name, each]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof each === 'object' ? JSON.stringify(each) : String(each)}</dd>
            </div>
          ))}
        </dl>
      ) : <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>}
    </section>
  );
}

function Decisions({ item }: { item: Item }) {
  if (item.decisions.length === 0) return null;
  const said = { accepted: 'accepted', rejected: 'rejected', withdrawn: 'taken back' };
  return (
    <section class="card">
      <h2>Decisions</h2>
      <ol class="plain">
        {item.decisions.map((each, index) => (
          <li key={index}>
            <strong>{each.tag}</strong> {said[each.verdict]}
            {each.time && <span class="quiet">{`, ${time(each.time)}`}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Where(props: { item: Item; guess?: { latitude: number; longitude: number; radius: number } | null }) {
  const { place } = props.item;
  if (place) {
    return (
      <section class="card">
        <h2>Place</h2>
        <Graticule place={place} />
        <p>{coordinates(place.latitude, place.longitude)}</p>
      </section>
    );
  }
  if (props.guess === undefined) return null;
  return (
    <section class="card">
      <h2>Place</h2>
      {props.guess ? (
        <>
          <Graticule place={props.guess} radius={props.guess.radius} />
          <p>{`Probably ${coordinates(props.guess.latitude, props.guess.longitude)}: half of such guesses are within ${metres(props.guess.radius)}.`}</p>
        </>
      ) : <p>It has no place, and where it was taken cannot be told.</p>}
    </section>
  );
}

/** Everything that is known of one item. */
export function ItemView(props: { collection: string; id: string }) {
  const { collection, id } = props;
  const answer = useAnswer((signal) => api.item(collection, id, signal), [collection, id]);
  const relating = relatingModel(collection);
  const relatives = useAnswer(
    (signal) => (!relating?.knows ? undefined
      : api.relate({ item: id, collection, limit: 8, explain: true, model: relating.name }, signal)),
    [collection, id, relating?.name]);
  const item = answer.value;
  if (!item) {
    return (
      <View title={id} name={`${collection}/${id}`}>
        {answer.error !== undefined ? <Failure error={answer.error} again={answer.again} /> : <Loading what="the item" />}
      </View>
    );
  }
  return (
    <View title={titleOf(item)} name={`${collection}/${id}`}>
      <p class="quiet">
        <a href={address('search', [], { collection: [collection] })}>{collection}</a>
        {` / ${id}`}{item.time ? `, ${time(item.time)}` : ''}.{' '}
        <a href={address('search', [], { like: id, like_collection: collection })}>More like this</a>
      </p>
      <div class="item-layout">
        <div class="item-main">
          <Picture item={item} />
          {item.text && <section class="card item-first"><h2>Text</h2><p class="item-text">{item.text}</p></section>}
          <Labels item={item} />
          <Where item={item} guess={relatives.value && !isMissing(relatives.error) ? relatives.value.guess : undefined} />
          <Metadata value={item.metadata} />
        </div>
        <div class="item-side">
          <ItemTags item={item} changed={answer.again} />
          <ItemSuggestions item={item} changed={answer.again} />
          <ItemRelatives answer={relatives} model={relating} collection={collection} />
          <Decisions item={item} />
        </div>
      </div>
    </View>
  );
}
