import { useEffect, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { Item } from '../../api/types';
import { useAnswer } from '../../components/hooks';
import { Graticule } from '../../components/graticule';
import { Icon } from '../../components/icon';
import { Lit } from '../../components/lit';
import { Failure, Loading, View } from '../../components/view';
import { coordinates, hostOf, metres, percent, time, titleOf } from '../../format';
import { isMissing } from '../../state/alerts';
import { relatingModel } from '../../state/library';
import { litNow } from '../../state/lit';
import { address } from '../../state/route';
import { t } from '../../words/say';
import { ItemRelatives } from './relatives';
import { ItemSuggestions } from './suggestions';
import { ItemTags } from './tags';

/** The picture as large as there is room, the thumbnail until it is there. */
function Picture({ item }: { item: Item }) {
  const key = `${item.collection}/${item.id}`;
  const [ready, setReady] = useState('');
  useEffect(() => {
    if (!item.image) return undefined;
    const whole = new Image();
    let current = true;
    whole.onload = () => current && setReady(key);
    whole.src = api.imageAddress(item.collection, item.id);
    return () => { current = false; };
  }, [key]);
  if (!item.image) return null;
  const whole = api.imageAddress(item.collection, item.id);
  return (
    <figure class="item-picture item-first">
      <a href={whole} target="_blank" rel="noopener noreferrer" aria-label={t('The picture itself, in a new tab')}>
        <img src={ready === key ? whole : api.thumbnailAddress(item.collection, item.id, 512)} alt={titleOf(item)} />
      </a>
    </figure>
  );
}

function Labels({ item }: { item: Item }) {
  if (item.labels.length + item.machine_labels.length === 0) return null;
  return (
    <table>
      <thead><tr><th scope="col">{t('Field')}</th><th scope="col">{t('Value')}</th><th scope="col">{t('By')}</th></tr></thead>
      <tbody>
        {item.labels.map((each) => (
          <tr key={`${each.field}=${each.value}`}><td>{each.field}</td><td>{each.value}</td><td>{t('its source')}</td></tr>
        ))}
        {item.machine_labels.map((each) => (
          <tr key={`${each.field}=${each.value}/${each.model}`} class="machine-row">
            <td>{each.field}</td><td>{each.value}</td><td>{t('a machine, {share}', { share: percent(each.score) })}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Metadata({ value }: { value: unknown }) {
  if (value === undefined || value === null) return null;
  const simple = typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value as Record<string, unknown>) : undefined;
  if (simple?.length === 0) return null;
  return simple ? (
    <dl class="pairs">
      {simple.map(([name, each]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{typeof each === 'object' ? JSON.stringify(each) : String(each)}</dd>
        </div>
      ))}
    </dl>
  ) : <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>;
}

function Decisions({ item }: { item: Item }) {
  if (item.decisions.length === 0) return null;
  const said = { accepted: t('accepted'), rejected: t('rejected'), withdrawn: t('taken back') };
  return (
    <>
      <h3>{t('Decisions')}</h3>
      <ol class="plain">
        {item.decisions.map((each, index) => (
          <li key={index}>
            <strong dir="auto">{each.tag}</strong> {said[each.verdict]}
            {each.time && <span class="quiet">{`, ${time(each.time)}`}</span>}
          </li>
        ))}
      </ol>
    </>
  );
}

function Where(props: { item: Item; guess?: { latitude: number; longitude: number; radius: number } | null }) {
  const { place } = props.item;
  const { guess } = props;
  if (!place && guess === undefined) return null;
  return (
    <section class="card">
      <h2>{t('Place')}</h2>
      {place ? (
        <>
          <Graticule place={place} />
          <p>
            {coordinates(place.latitude, place.longitude)}{' '}
            <a href={address('search', [], { q: `area:${[place.latitude - 0.02, place.longitude - 0.03, place.latitude + 0.02, place.longitude + 0.03].map((each) => each.toFixed(4)).join(',')}` })}>{t('What else is from here')}</a>
          </p>
        </>
      ) : guess ? (
        <>
          <Graticule place={guess} radius={guess.radius} />
          <p>{t('Probably {place}: half of such guesses are within {far}.', { place: coordinates(guess.latitude, guess.longitude), far: metres(guess.radius) })}</p>
        </>
      ) : <p>{t('Location unknown')}</p>}
    </section>
  );
}

const addressOf = (item: Item): string | undefined => {
  const found = (item.metadata as { url?: unknown } | null | undefined)?.url ?? (/^https?:/.test(item.id) ? item.id : undefined);
  return typeof found === 'string' && /^https?:/.test(found) ? found : undefined;
};

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
  useEffect(() => () => { litNow.value = []; }, [collection, id]);
  if (!item) {
    return (
      <View title={titleOf({ id })} name={`${collection}/${id}`}>
        {answer.error !== undefined ? <Failure error={answer.error} again={answer.again} /> : <Loading what={t('the item')} />}
      </View>
    );
  }
  const url = addressOf(item);
  return (
    <View title={titleOf(item)} name={`${collection}/${id}`} class={item.image ? 'wide item-view' : 'item-view'}>
      <p class="quiet">
        <a href={address('search', [], { collection: [collection] })} dir="auto">{collection}</a>
        {item.time ? ` · ${time(item.time)}` : ''}
        {url && <>{' · '}<a href={url} target="_blank" rel="noopener noreferrer">{hostOf(url)} <Icon name="open" /><span class="unseen">{t('opens in a new tab')}</span></a></>}
        {' · '}<a href={address('search', [], { like: id, like_collection: collection })}>{t('Similar')}</a>
      </p>
      <div class="item-layout">
        <div class="item-main">
          <Picture item={item} />
          {item.text && <section class="item-words item-first" aria-label={t('Text')}><p class="item-text" dir="auto"><Lit text={item.text} words={litNow.value} /></p></section>}
          <ItemRelatives answer={relatives} model={relating} collection={collection} />
        </div>
        <div class="item-side">
          <ItemTags item={item} changed={answer.again} />
          <ItemSuggestions item={item} changed={answer.again} />
          <Where item={item} guess={relatives.value && !isMissing(relatives.error) ? relatives.value.guess : undefined} />
          <details class="card">
            <summary><h2 class="in-line">{t('Details')}</h2></summary>
            <Labels item={item} />
            <dl class="pairs"><div><dt>{t('Name')}</dt><dd dir="auto">{id}</dd></div></dl>
            <Metadata value={item.metadata} />
            <Decisions item={item} />
          </details>
        </div>
      </div>
    </View>
  );
}
