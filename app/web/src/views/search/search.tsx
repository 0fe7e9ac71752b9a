import { useEffect, useRef, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { Brief, Facets, Hit, TagChange } from '../../api/types';
import { Gallery } from '../../components/gallery';
import { useAnswer } from '../../components/hooks';
import { Icon } from '../../components/icon';
import { SelectionBar } from '../../components/selection_bar';
import { Failure, Loading, Note, View } from '../../components/view';
import { count, listed, titleOf } from '../../format';
import { isAbort } from '../../api/http';
import { report } from '../../state/alerts';
import { askedPicture } from '../../state/asked_picture';
import { collections } from '../../state/library';
import { PagedList } from '../../state/paged_list';
import { changed, go, itemAddress, noteInAddress, replaceAddress, route, tagQuery } from '../../state/route';
import { clearSelection, isSelected, keyOf, select, selectAll, selectedCount, type Asked } from '../../state/selection';
import { changeCount } from '../../state/toast';
import { tileHeight, tileSize, TILE_SIZES, viewMode } from '../../state/looks';
import { t, tn } from '../../words/say';
import { FacetPanel } from './facets';
import { Lightbox } from './lightbox';
import { fullQuery, litWords, tokensOf, withoutHidden } from '../../state/query_text';
import { Line, Tile } from './tile';
import { Topics } from './topics';
import { WhyPanel } from './why';

interface Question extends Asked {
  /** The picture that was dropped, by its key. */
  picture?: string;
  words_only: boolean;
  order: string;
}

interface Facts {
  unknown: string[];
  milliseconds?: number;
}

type Entry = Brief & Partial<Hit>;

/** So many of what looks like a picture are chosen by "all". */
const NEAREST = 100;

/** One hit with what it is explained by. */
async function explained(asked: Question, index: number): Promise<Hit | undefined> {
  const where = { offset: index, limit: 1, explain: true };
  const answer = asked.like
    ? await api.like({ collection: asked.like_collection!, id: asked.like, ...where })
    : await api.search({ q: asked.q, collection: asked.collection, words_only: asked.words_only, order: asked.order, ...where });
  return answer.hits[0];
}

/** Whether the items of one collection are wanted as they are, which needs no search. */
const isPlain = (asked: Question) => !asked.like && !asked.picture && !asked.q && !asked.order && asked.collection.length === 1;

async function lookingLike(asked: Question, offset: number, limit: number, signal?: AbortSignal) {
  const picture = askedPicture.value;
  if (!picture || picture.key !== asked.picture) throw new Error(t('The picture is not here any more. Drop it once more.'));
  return api.likePicture(picture.address, { collection: asked.collection, offset, limit }, signal);
}

function listFor(asked: Question, told: (facts: Facts) => void): PagedList<Entry> {
  return new PagedList<Entry>(async (offset, limit, signal) => {
    if (isPlain(asked)) {
      const answer = await api.items(asked.collection[0]!, offset, limit, signal);
      told({ unknown: [] });
      return { total: answer.total, entries: answer.items };
    }
    const answer = asked.picture ? await lookingLike(asked, offset, limit, signal)
      : asked.like ? await api.like({ collection: asked.like_collection!, id: asked.like, offset, limit }, signal)
      : await api.search({ q: asked.q, collection: asked.collection, words_only: asked.words_only, order: asked.order, offset, limit }, signal);
    told({ unknown: answer.unknown ?? [], milliseconds: answer.milliseconds });
    return { total: answer.total, entries: answer.hits };
  }, report);
}

function asking(): Question {
  const { query } = route.value;
  const like = query.get('like') ?? undefined;
  const chosen = query.getAll('collection');
  const among = collections.value.filter((each) => chosen.length === 0 || chosen.includes(each.name));
  const hidden = among.reduce((sum, each) => sum + (each.hidden ?? 0), 0);
  const q = withoutHidden(fullQuery(query.get('q') ?? '', query.get('before') ?? '', query.get('after') ?? ''), hidden);
  const order = query.get('order') ?? '';
  // Without words there is nothing to rank by: pictures come first, since they are looked at.
  const first = collections.value.find((each) => each.pictures) ?? collections.value[0];
  const picture = query.get('picture') ?? undefined;
  const alone = !q && !like && !picture && !order && chosen.length === 0 && first ? [first.name] : chosen;
  return { q, like, picture, like_collection: query.get('like_collection') ?? undefined, collection: alone, words_only: query.get('words') === '1', order };
}

/** An item by its title. */
function ItemName({ collection, id }: { collection: string; id: string }) {
  const found = useAnswer((signal) => api.item(collection, id, signal), [collection, id]);
  return <a href={itemAddress(collection, id)} dir="auto">{titleOf(found.value ?? { id })}</a>;
}

/** What the results are narrowed, ordered and drawn by, in one line. */
function Tools(props: { children: preact.ComponentChildren; panel: string; mode: 'grid' | 'list'; shown: string[] }) {
  const { query } = route.value;
  const chosen = query.getAll('collection');
  const filter = (change: Record<string, string | boolean | string[]>) => replaceAddress(changed({ ...change, at: undefined }));
  const pick = (name: string) => filter({ collection: chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name] });
  const open = (name: string) => replaceAddress(changed({ panel: props.panel === name ? undefined : name }));
  return (
    <div class="tools">
      <fieldset class="chips">
        <legend class="unseen">{t('Collections')}</legend>
        {collections.value.length > 1 && collections.value.map((each) => (
          <label key={each.name} class="chip small">
            <input type="checkbox" checked={chosen.includes(each.name)} onChange={() => pick(each.name)} />
            <span class={props.shown.includes(each.name) ? 'on' : ''}>{each.name} <span class="quiet">{count(each.items)}</span></span>
          </label>
        ))}
      </fieldset>
      {props.children}
      <span class="push" />
      <label class="tool-select">
        <span class="unseen">{t('Order')}</span>
        <select value={query.get('order') ?? ''} onChange={(event) => filter({ order: event.currentTarget.value })}>
          <option value="">{query.get('q') || query.get('like') || query.get('picture') ? t('Best first') : t('As added')}</option>
          <option value="newest">{t('Newest first')}</option>
          <option value="oldest">{t('Oldest first')}</option>
        </select>
      </label>
      {props.mode === 'grid' && (
        <input type="range" class="tile-size" min={0} max={TILE_SIZES.length - 1} step={1} value={tileSize.value} aria-label={t('Size of the pictures')}
          onInput={(event) => { tileSize.value = Number(event.currentTarget.value); }} />
      )}
      <button type="button" class="round" aria-label={props.mode === 'grid' ? t('Show as a list') : t('Show as pictures')}
        onClick={() => { viewMode.value = props.mode === 'grid' ? 'list' : 'grid'; }}><Icon name={props.mode === 'grid' ? 'list' : 'grid'} /></button>
      <button type="button" class="round" aria-label={t('Filters')} title={`${t('Filters')} (f)`} aria-expanded={props.panel === 'filters'} onClick={() => open('filters')}><Icon name="filter" /></button>
    </div>
  );
}

export function SearchView() {
  const asked = asking();
  const key = JSON.stringify(asked);
  const { query } = route.value;
  const [shown, setShown] = useState<{ list: PagedList<Entry>; asked: Question } | undefined>();
  const [facts, setFacts] = useState<Facts>({ unknown: [] });
  const [error, setError] = useState<unknown>();
  const [why, setWhy] = useState<{ index: number; entry: Entry } | undefined>();
  const [round, setRound] = useState(0);
  const at = query.get('at');
  const panel = query.get('panel') ?? '';
  const full = query.get('full') === '1';

  useEffect(() => {
    let current = true;
    const list = listFor(asked, (next) => current && setFacts(next));
    setError(undefined);
    setWhy(undefined);
    clearSelection();
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
  useEffect(() => clearSelection, []);

  const list = shown?.list;
  void list?.version.value;
  const facets = useAnswer<Facets>(
    (signal) => (panel === 'filters' && !asked.like && !asked.picture ? api.facets({ q: asked.q, collection: asked.collection, words_only: asked.words_only }, signal) : undefined),
    [panel, key, changeCount.value]);

  const noting = useRef(0);
  useEffect(() => () => clearTimeout(noting.current), []);
  // Not at every key: browsers allow only so many changes of the address.
  const noteLater = (index: number) => {
    clearTimeout(noting.current);
    noting.current = window.setTimeout(() => noteInAddress('at', String(index)), 400);
  };
  const details = (index: number) => {
    const entry = list?.entry(index);
    if (!entry) return;
    clearTimeout(noting.current);
    noteInAddress('at', String(index));
    go(itemAddress(entry.collection, entry.id));
  };
  const open = (index: number) => {
    clearTimeout(noting.current);
    if (!list?.entry(index)?.image) details(index);
    else {
      noteInAddress('at', String(index));
      go(changed({ at: index, full: true }));
    }
  };
  const moreLike = (entry: Entry) => go(changed({
    q: '', before: '', after: '', at: undefined, picture: undefined, like: entry.id, like_collection: entry.collection }));
  const ranked = Boolean(shown && (shown.asked.q || shown.asked.like || shown.asked.picture) && !shown.asked.order);
  const explains = ranked && !shown?.asked.picture;
  const first = list?.entry(Math.floor(Number(at ?? 0) / 100) * 100) ?? list?.entry(0);
  const mode = viewMode.value ?? (first && !first.image ? 'list' : 'grid');
  const words = litWords(shown?.asked.q ?? '');

  const tile = (index: number, active: boolean, size: { width: number; height: number }) => {
    const entry = list?.entry(index);
    const tab = active ? 0 : -1;
    if (!entry) return <span class="tile waiting" data-focus tabIndex={tab} aria-label={t('Not read yet')} />;
    const actions = (
      <span class="tile-actions">
        {explains && (
          <button type="button" tabIndex={tab} title={t('Why this?')} aria-label={t('Why is {title} here', { title: titleOf(entry) })}
            onClick={() => setWhy({ index, entry })}><Icon name="why" /></button>
        )}
        <button type="button" tabIndex={tab} title={t('Similar')} aria-label={t('More like {title}', { title: titleOf(entry) })}
          onClick={() => moreLike(entry)}><Icon name="like" /></button>
      </span>
    );
    const shape = { entry, tab, selected: isSelected(entry), chosen: why?.index === index, actions };
    return mode === 'list' ? <Line {...shape} words={words} /> : <Tile {...shape} size={size} />;
  };
  const pressed = (name: string, index: number) => {
    const entry = list?.entry(index);
    if (!entry) return false;
    if (name === 'w' && explains) setWhy({ index, entry });
    else if (name === 'l' && selectedCount.value === 0) moreLike(entry);
    else if (name === 'o') details(index);
    else if (name === 'f') replaceAddress(changed({ panel: panel === 'filters' ? undefined : 'filters' }));
    else return false;
    return true;
  };
  const everything = () => {
    if (!shown) return;
    // What looks like a picture is asked for by the picture: the nearest of it are chosen one by one.
    if (shown.asked.picture) lookingLike(shown.asked, 0, NEAREST).then((found) => select(found.hits, true), report);
    else selectAll(shown.asked, shown.list.total);
  };
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'a' || !(event.ctrlKey || event.metaKey) || full) return;
      if (event.target instanceof HTMLInputElement || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      everything();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [shown, full]);
  /** The tiles follow the change without being asked for anew, so that nothing moves. */
  const follow = (changes: TagChange[], undone: boolean) => {
    if (undone || changes.some((each) => !each.tag)) {
      if (list) void list.refresh();
      return;
    }
    list?.update((entry) => {
      if (!isSelected(entry)) return entry;
      let { tags } = entry;
      for (const each of changes) {
        tags = tags.filter((tag) => tag.toLowerCase() !== each.tag!.toLowerCase());
        if (each.do === 'add') tags = [...tags, each.tag!];
      }
      return { ...entry, tags };
    });
  };
  const commonest = async () => {
    const answer = await api.facets({ q: shown!.asked.q, collection: shown!.asked.collection, words_only: shown!.asked.words_only });
    return answer.tags.map((each) => ({ text: each.tag, detail: count(each.items) }));
  };
  const beside = why && shown ? 'why' : panel === 'filters' ? 'filters' : '';

  return (
    <View title={t('Search')} class={`bleed ${beside ? 'with-panel' : ''}`} quiet>
      <Tools panel={panel} mode={mode} shown={shown?.asked.collection ?? []}>
        {!asked.q && !asked.like && !asked.picture && <Topics />}
        {list && (
          <p class="quiet" role="status">
            {list.total === 0 ? '' : `${tn('{n} item', '{n} items', list.total)}${ranked ? `, ${t('best first')}` : ''}`}
          </p>
        )}
      </Tools>
      {list && (
        <SelectionBar total={list.total} selectAll={everything} changed={follow} commonest={commonest}
          isAsked={(tag) => tokensOf(shown!.asked.q.toLowerCase()).includes(tagQuery(tag.toLowerCase()))} />
      )}
      <div class="panel-layout">
        <div class="results">
          {asked.picture && askedPicture.value?.key === asked.picture && (
            <p class="like-line">
              <img class="asked-picture" src={askedPicture.value.address} alt={t('The picture that was dropped')} /> {t('What looks like this')}{' '}
              <button type="button" class="small" onClick={() => replaceAddress(changed({ picture: undefined, at: undefined }))}>{t('Back to all')}</button>
            </p>
          )}
          {asked.like && (
            <p class="like-line">
              {t('Items like')} <ItemName collection={asked.like_collection ?? ''} id={asked.like} />.{' '}
              <button type="button" class="small"
                onClick={() => replaceAddress(changed({ like: '', like_collection: '', at: undefined }))}>
                {t('Back to all')}
              </button>
            </p>
          )}
          {facts.unknown.length > 0 && (
            <Note><p>{t('No collection knows {words}.', { words: listed(facts.unknown.map((each) => `“${each}”`)) })}</p></Note>
          )}
          {error !== undefined && <Failure error={error} again={() => setRound(round + 1)} />}
          {!shown && error === undefined && <Loading what={t('the items')} />}
          {list && list.total === 0 && (
            <div class="nothing" role="status"><p>{t('Nothing was found. Fewer words, or another collection, may find more.')}</p></div>
          )}
          {list && list.total > 0 && (
            <Gallery key={`${JSON.stringify(shown?.asked)}/${mode}`} label={t('Items')} list={list} mode={mode}
              height={mode === 'list' ? 96 : tileHeight()} at={at === null ? undefined : Number(at)} tile={tile} opened={open}
              pressed={pressed} activated={noteLater} />
          )}
        </div>
        {beside === 'why' && (
          <WhyPanel title={titleOf(why!.entry)} taken={why!.index} close={() => setWhy(undefined)}
            ask={() => explained(shown!.asked, why!.index)} open={() => details(why!.index)} />
        )}
        {beside === 'filters' && (
          <FacetPanel facets={facets.value} close={() => replaceAddress(changed({ panel: undefined }))} />
        )}
      </div>
      {full && list && list.total > 0 && (
        <Lightbox list={list} at={Number(at ?? 0)} details={details} tagged={(entry, tags) => list.update((each) => (keyOf(each) === keyOf(entry) ? { ...each, tags } : each))}
          close={(index) => replaceAddress(changed({ full: undefined, at: index }))} />
      )}
    </View>
  );
}
