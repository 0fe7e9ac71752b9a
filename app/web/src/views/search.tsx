import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import * as api from '../api/api';
import type { Brief, Hit } from '../api/types';
import { Grid } from '../components/grid';
import { Thumbnail } from '../components/picture';
import { Failure, Legend, Loading, Note, View } from '../components/view';
import { counted, listed, seconds, titleOf } from '../format';
import { isAbort } from '../api/http';
import { report } from '../state/alerts';
import { collections } from '../state/library';
import { PagedList } from '../state/paged_list';
import { changed, go, itemAddress, noteInAddress, replaceAddress, route } from '../state/route';
import { fullQuery } from './query_text';
import { SearchForm } from './search_form';
import { Topics } from './search_topics';
import { WhyPanel } from './search_why';

interface Asked {
  q: string;
  collection: string[];
  wordsOnly: boolean;
  likeCollection: string;
  like: string;
}

interface Facts {
  unknown: string[];
  milliseconds?: number;
}

type Entry = Brief & Partial<Hit>;

/** One hit with what it is explained by. */
async function explained(asked: Asked, index: number): Promise<Hit | undefined> {
  const where = { offset: index, limit: 1, explain: true };
  const answer = asked.like
    ? await api.like({ collection: asked.likeCollection, id: asked.like, ...where })
    : await api.search({ q: asked.q, collection: asked.collection, words_only: asked.wordsOnly, ...where });
  return answer.hits[0];
}

function listFor(asked: Asked, told: (facts: Facts) => void): PagedList<Entry> {
  return new PagedList<Entry>(async (offset, limit, signal) => {
    if (!asked.like && !asked.q) {
      const answer = await api.items(asked.collection[0] ?? '', offset, limit, signal);
      told({ unknown: [] });
      return { total: answer.total, entries: answer.items };
    }
    const answer = asked.like
      ? await api.like({ collection: asked.likeCollection, id: asked.like, offset, limit }, signal)
      : await api.search(
          { q: asked.q, collection: asked.collection, words_only: asked.wordsOnly, offset, limit }, signal);
    told({ unknown: answer.unknown ?? [], milliseconds: answer.milliseconds });
    return { total: answer.total, entries: answer.hits };
  }, report);
}

function asking(): Asked {
  const { query } = route.value;
  const q = fullQuery(query.get('q') ?? '', query.get('before') ?? '', query.get('after') ?? '');
  const like = query.get('like') ?? '';
  let chosen = query.getAll('collection');
  // Without words there is nothing to rank by: the items of one collection are shown in their order.
  if (!q && !like && chosen.length !== 1) chosen = [chosen[0] ?? collections.value[0]?.name ?? ''];
  return {
    q, like, collection: chosen, likeCollection: query.get('like_collection') ?? '',
    wordsOnly: query.get('words') === '1',
  };
}

export function SearchView() {
  const asked = asking();
  const key = JSON.stringify(asked);
  const [shown, setShown] = useState<{ list: PagedList<Entry>; asked: Asked } | undefined>();
  const [facts, setFacts] = useState<Facts>({ unknown: [] });
  const [error, setError] = useState<unknown>();
  const [why, setWhy] = useState<{ index: number; entry: Entry } | undefined>();
  const [round, setRound] = useState(0);
  const at = route.value.query.get('at');

  useEffect(() => {
    let current = true;
    const list = listFor(asked, (next) => current && setFacts(next));
    setError(undefined);
    setWhy(undefined);
    list.start(Number(at ?? 0)).then(
      () => current && setShown({ list, asked }),
      (failure: unknown) => {
        if (!current || isAbort(failure)) return;
        // What was found before is no answer to this.
        setShown(undefined);
        setFacts({ unknown: [] });
        setError(failure);
      },
    );
    return () => {
      current = false;
      list.stop();
    };
  }, [key, round]);

  const list = shown?.list;
  void list?.version.value;
  const need = useCallback((first: number, last: number) => list?.need(first, last), [list]);
  const open = (index: number) => {
    const entry = list?.entry(index);
    if (!entry) return;
    noteInAddress('at', String(index));
    go(itemAddress(entry.collection, entry.id));
  };
  const moreLike = (entry: Entry) => go(changed({
    q: '', before: '', after: '', at: undefined, like: entry.id, like_collection: entry.collection }));
  const noting = useRef(0);
  useEffect(() => () => clearTimeout(noting.current), []);
  // Not at every key: browsers allow only so many changes of the address.
  const noteLater = (index: number) => {
    clearTimeout(noting.current);
    noting.current = window.setTimeout(() => noteInAddress('at', String(index)), 400);
  };
  const ranked = Boolean(shown && (shown.asked.q || shown.asked.like));

  const tile = (index: number, active: boolean) => {
    const entry = list?.entry(index);
    const tab = active ? 0 : -1;
    if (!entry) return <span class="tile waiting" data-focus tabIndex={tab} aria-label="Not read yet" />;
    return (
      <div class={why?.index === index ? 'tile chosen' : 'tile'}>
        <a class="tile-link" data-focus tabIndex={tab} href={itemAddress(entry.collection, entry.id)}
          onClick={() => noteInAddress('at', String(index))}>
          <Thumbnail item={entry} alt="" />
          {entry.image && <span class="tile-title">{titleOf(entry)}</span>}
        </a>
        <span class="tile-actions">
          {ranked && (
            <button type="button" tabIndex={tab} title="Why is this here"
              aria-label={`Why is ${titleOf(entry)} here`} onClick={() => setWhy({ index, entry })}>Why</button>
          )}
          <button type="button" tabIndex={tab} title="More like this"
            aria-label={`More like ${titleOf(entry)}`} onClick={() => moreLike(entry)}>Like</button>
        </span>
      </div>
    );
  };
  const pressed = (name: string, index: number) => {
    const entry = list?.entry(index);
    if (!entry) return false;
    if (name === 'w' && ranked) setWhy({ index, entry });
    else if (name === 'l') moreLike(entry);
    else return false;
    return true;
  };

  return (
    <View title="Search" class={why ? 'with-panel' : ''}>
      <SearchForm />
      {!asked.q && !asked.like && <Topics />}
      <div class="panel-layout">
        <div>
          {asked.like && (
            <p class="like-line">
              Items like <a href={itemAddress(asked.likeCollection, asked.like)}>{asked.like}</a>.{' '}
              <button type="button" class="small"
                onClick={() => replaceAddress(changed({ like: '', like_collection: '', at: undefined }))}>
                Back to all
              </button>
            </p>
          )}
          {facts.unknown.length > 0 && (
            <Note><p>{`No collection knows ${listed(facts.unknown.map((each) => `“${each}”`))}.`}</p></Note>
          )}
          {error !== undefined && <Failure error={error} again={() => setRound(round + 1)} />}
          {!shown && error === undefined && <Loading what="the items" />}
          {list && (
            <p class="quiet" role="status">
              {list.total === 0
                ? 'Nothing was found. Fewer words, or another collection, may find more.'
                : `${counted(list.total, 'item')}${ranked ? ', the best first' : ` of ${shown?.asked.collection[0]} in their order`}${
                    facts.milliseconds !== undefined ? `, in ${seconds(facts.milliseconds / 1000)}` : ''}.`}
            </p>
          )}
          {list && list.total > 0 && (
            <>
              <Legend keys={[['arrows', 'move'], ['Enter', 'open'], ['w', 'why'], ['l', 'more like this'], ['/', 'search']]} />
              <Grid key={JSON.stringify(shown?.asked)} label="Items" total={list.total} least={150} height={208}
                at={at === null ? undefined : Number(at)} need={need} tile={tile} pressed={pressed}
                activated={noteLater} />
            </>
          )}
        </div>
        {why && shown && (
          <WhyPanel title={titleOf(why.entry)} taken={why.index} close={() => setWhy(undefined)}
            ask={() => explained(shown.asked, why.index)} open={() => open(why.index)} />
        )}
      </div>
    </View>
  );
}
