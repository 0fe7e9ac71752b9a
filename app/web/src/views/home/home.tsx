import { useEffect, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { Brief } from '../../api/types';
import { Icon } from '../../components/icon';
import { Thumbnail } from '../../components/picture';
import { ReadyLine } from '../../components/ready';
import { View } from '../../components/view';
import { count, titleOf } from '../../format';
import { collections, collectionsWith, library, modelsOf, readOnly } from '../../state/library';
import { address } from '../../state/route';
import { changeCount } from '../../state/toast';
import { t, tn } from '../../words/say';
import { AddForm } from '../library/add';
import { chores, type Chore } from './chores';

/** Of a collection: so many of its pictures as make a cover. */
const COVER = 4;

function useLater<Value>(ask: (signal: AbortSignal) => Promise<Value>, keys: unknown[]): Value | undefined {
  const [value, setValue] = useState<Value>();
  useEffect(() => {
    const controller = new AbortController();
    // What cannot be told is left out: this view counts what there is to do, and says nothing of troubles.
    ask(controller.signal).then((found) => { if (!controller.signal.aborted) setValue(() => found); }, () => undefined);
    return () => controller.abort();
  }, keys);
  return value;
}

function Cover(props: { name: string; items: number; pictures: boolean }) {
  const { name } = props;
  const found = useLater((signal) => api.items(name, 0, COVER, signal), [name]);
  const shown: Brief[] = found?.items ?? [];
  return (
    <li>
      <a class="cover" href={address('search', [], { collection: [name] })}>
        <span class={`cover-pictures covers-${props.pictures ? Math.min(COVER, Math.max(1, shown.length)) : 1}`} aria-hidden="true">
          {props.pictures ? shown.map((each) => <Thumbnail key={each.id} item={each} size={256} alt="" />)
            : <span class="cover-lines">{shown.slice(0, 4).map((each) => <span key={each.id} dir="auto">{titleOf(each)}</span>)}</span>}
        </span>
        <span class="cover-name" dir="auto">{name}</span>
        <span class="quiet">{tn('{n} item', '{n} items', props.items)}</span>
      </a>
    </li>
  );
}

function ChoreCard({ chore }: { chore: Chore }) {
  const n = useLater(chore.count, [chore.key, changeCount.value]);
  if (n === undefined || n === 0) return null;
  return (
    <li>
      <a class={`chore chore-${chore.key}`} href={chore.to}>
        <Icon name={chore.icon} />
        {n >= 0 && <strong class="chore-count">{count(n)}</strong>}
        <span>{n < 0 ? chore.begin : chore.title}</span>
      </a>
    </li>
  );
}

/** What the collections are about: each topic as pictures under its words. */
function Topics() {
  const learned = modelsOf('search').length > 0;
  const found = useLater((signal) => (learned ? api.topics(undefined, 8, signal) : Promise.resolve(undefined)), [learned]);
  const topics = (found?.models ?? []).flatMap((each) => each.topics).slice(0, 8);
  if (topics.length === 0) return null;
  const pictured = (name: string) => collections.value.find((each) => each.name === name)?.pictures ?? false;
  return (
    <section aria-labelledby="home-topics">
      <h2 id="home-topics">{t('Topics')}</h2>
      <ul class="covers">
        {topics.map((each) => {
          const words = each.terms.slice(0, 3).join(' · ');
          const examples = each.examples.filter((one) => pictured(one.collection)).slice(0, COVER);
          return (
            <li key={each.topic}>
              <a class="cover" href={address('search', [], { q: each.terms.slice(0, 2).join(' ') })}>
                {examples.length > 0 && (
                  <span class={`cover-pictures covers-${examples.length}`} aria-hidden="true">
                    {examples.map((one) => <Thumbnail key={one.id} item={{ ...one, image: true }} size={256} alt="" />)}
                  </span>
                )}
                <span class="cover-name" dir="auto">{words}</span>
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** What somebody sees who comes back: what there is, and what there is to do. */
export function HomeView() {
  const all = [...collections.value].sort((a, b) => Number(b.pictures ?? false) - Number(a.pictures ?? false));
  const work = chores(collectionsWith('suggest'));
  return (
    <View title={library.value?.name ?? t('Home')} name="home" class="home">
      <p class="home-count">{tn('{n} item in {many}', '{n} items in {many}', library.value?.items ?? 0,
        { many: tn('{n} collection', '{n} collections', all.length) })}</p>
      {!readOnly.value && (
        <section aria-labelledby="home-chores">
          <h2 id="home-chores">{t('To do')}</h2>
          <ul class="chores">{work.map((each) => <ChoreCard key={each.key} chore={each} />)}</ul>
        </section>
      )}
      <ReadyLine />
      <section aria-labelledby="home-collections">
        <h2 id="home-collections">{t('Collections')}</h2>
        <ul class="covers">{all.map((each) => <Cover key={each.name} name={each.name} items={each.items} pictures={each.pictures ?? false} />)}</ul>
      </section>
      <Topics />
      {!readOnly.value && <AddForm />}
    </View>
  );
}
