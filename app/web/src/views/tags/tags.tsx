import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TagNode, VocabularyEdit } from '../../api/types';
import { vocabulary } from '../../api/vocabulary';
import { isTyping, useAnswer, useKeys } from '../../components/hooks';
import { Icon } from '../../components/icon';
import { TagCover } from '../../components/tag_cover';
import { TagPicker } from '../../components/tag_picker';
import { Tag } from '../../components/tag';
import { Failure, Legend, Loading, View } from '../../components/view';
import { count, listed } from '../../format';
import { readOnly } from '../../state/library';
import { address, go, noteInAddress, route, tagSearchAddress } from '../../state/route';
import { takeColours } from '../../state/tag_colours';
import { changeCount } from '../../state/toast';
import { t, tn } from '../../words/say';
import { TagHistory } from './history';
import { TagPanel } from './panel';
import { change } from './steps';
import { aboveOf, isBelow, labelOf, mayLieBelow, nested, sameTag, seen, treeOf, type Branch } from './tree';

/** So many rows are in the page; whoever wants more looks for a part of the name. */
const ROWS = 1000;
/** What the browser carries while a tag is dragged. */
const CARRIED = 'text/plain';

type Verb = 'rename' | 'merge' | 'nest';

/** The box in which a tag gets another name. */
function Rename(props: { name: string; done: (to: string) => void; close: () => void }) {
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(props.name);
  useEffect(() => {
    box.current?.focus();
    box.current?.setSelectionRange(props.name.length - labelOf(props.name).length, props.name.length);
  }, []);
  return (
    <form class="rename" onSubmit={(event) => { event.preventDefault(); props.done(text.trim()); }}>
      <label class="field">
        <span class="field-label">{t('New name')}</span>
        <input ref={box} type="text" dir="auto" autocapitalize="none" spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => { if (event.key === 'Escape') { event.stopPropagation(); props.close(); } }} onBlur={props.close} />
      </label>
      <p class="hint">{t('Enter keeps it; a slash puts it below another tag.')}</p>
    </form>
  );
}

/** All tags as a tree, to be named, merged, nested and described. */
export function TagsView() {
  const { query } = route.value;
  const answer = useAnswer((signal) => vocabulary(signal), [changeCount.value]);
  const [filter, setFilter] = useState('');
  const [order, setOrder] = useState<'name' | 'items'>('name');
  const [opened, setOpened] = useState<Set<string>>(new Set());
  const [at, setAt] = useState(query.get('tag') ?? '');
  const [marked, setMarked] = useState<string[]>([]);
  const [verb, setVerb] = useState<Verb>();
  const [over, setOver] = useState<string>();
  /** On a phone what is said of a tag is a sheet, which comes when the tag is touched. */
  const [sheet, setSheet] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const entries = answer.value ?? [];
  const roots = useMemo(() => treeOf<TagNode>(entries, order), [answer.value, order]);
  const rows = useMemo(() => seen(roots, (name) => opened.has(name.toLowerCase()), filter).slice(0, ROWS), [roots, opened, filter]);
  useEffect(() => { if (answer.value) takeColours(answer.value); }, [answer.value]);
  // The tag of the address is seen although it lies below others.
  useEffect(() => {
    const parts = at.toLowerCase().split('/').slice(0, -1);
    if (parts.length > 0) setOpened((before) => new Set([...before, ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))]));
  }, [at]);

  const standing = useRef(at);
  useEffect(() => { if (standing.current && rows.length > 0) { standing.current = ''; list.current?.querySelector('[tabindex="0"]')?.scrollIntoView({ block: 'center' }); } }, [rows]);
  const index = Math.max(0, rows.findIndex((each) => sameTag(each.name, at)));
  const current: Branch<TagNode> | undefined = rows[index];
  const chosen = marked.length > 0 ? marked : current ? [current.name] : [];

  const stand = (name: string, focus = false) => {
    setAt(name);
    noteInAddress('tag', name);
    if (focus) requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  };
  // Whoever has gone on to write is left alone.
  const back = () => requestAnimationFrame(() => { if (!isTyping(document.activeElement)) list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus(); });
  const fold = (name: string, open: boolean) => {
    const next = new Set(opened);
    if (open) next.add(name.toLowerCase());
    else next.delete(name.toLowerCase());
    setOpened(next);
  };
  // What was changed has the focus as soon as it is drawn.
  const wanted = useRef('');
  useEffect(() => {
    if (!wanted.current || !rows.some((each) => sameTag(each.name, wanted.current))) return;
    wanted.current = '';
    back();
  }, [rows]);
  const run = async (edits: VocabularyEdit[], to?: string, text?: string) => {
    setVerb(undefined);
    if (edits.length > 0) {
      setMarked([]);
      if (await change(edits, text) && to) { stand(to); wanted.current = to; }
    }
    back();
  };
  const named = (names: string[]) => listed(names.map((each) => `“${each}”`));
  const renameTo = (from: string, to: string) => {
    // A name that is there already is what it is to mean.
    const there = !sameTag(from, to) && entries.some((each) => sameTag(each.tag, to));
    return run(!to || to === from ? [] : [{ do: there ? 'merge' : 'rename', tag: from, to }], to);
  };
  const merge = (names: string[], to: string) => {
    const moving = names.filter((each) => !sameTag(each, to) && !isBelow(to, each));
    // The first becomes what is not there yet.
    const there = entries.some((each) => sameTag(each.tag, to));
    return run(moving.map((tag, i) => ({ do: there || i > 0 ? 'merge' : 'rename', tag, to })), to, t('{tags} into “{to}”.', { tags: named(moving), to }));
  };
  const nest = (names: string[], to: string) => {
    const moving = names.filter((each) => (to ? mayLieBelow(each, to) : aboveOf(each) !== ''));
    if (to) fold(to, true);
    return run(moving.map((tag) => ({ do: 'nest', tag, to })), moving[0] ? nested(moving[0], to) : undefined,
      to ? t('{tags} below “{to}”.', { tags: named(moving), to }) : t('{tags} at the top.', { tags: named(moving) }));
  };
  const remove = (names: string[]) => run(names.map((tag) => ({ do: 'delete', tag })), (rows[index + 1] ?? rows[index - 1])?.name, t('{tags} deleted.', { tags: named(names) }));
  const mark = (name: string) => setMarked(marked.some((each) => sameTag(each, name)) ? marked.filter((each) => !sameTag(each, name)) : [...marked, name]);
  const begin = (what: Verb) => { if (!readOnly.value && chosen.length > 0) setVerb(verb === what ? undefined : what); };

  useKeys((key, event) => {
    if (!list.current?.contains(document.activeElement) || !current) return false;
    const step = (to: number) => { const row = rows[Math.max(0, Math.min(rows.length - 1, to))]; if (row) stand(row.name, true); };
    if (key === 'ArrowDown') step(index + 1);
    else if (key === 'ArrowUp') step(index - 1);
    else if (key === 'Home') step(0);
    else if (key === 'End') step(rows.length - 1);
    else if (key === 'ArrowRight') { if (current.below.length > 0) { if (opened.has(current.name.toLowerCase())) step(index + 1); else fold(current.name, true); } }
    else if (key === 'ArrowLeft') { if (opened.has(current.name.toLowerCase())) fold(current.name, false); else if (aboveOf(current.name)) stand(aboveOf(current.name), true); }
    else if (key === 'Enter') go(tagSearchAddress(current.name));
    else if (key === 'Escape') setMarked([]);
    else if (readOnly.value) return false;
    else if (key === 'x' || key === ' ') mark(current.name);
    else if (key === 'F2' || key === 'r') begin('rename');
    else if (key === 'm') begin('merge');
    else if (key === 'n') begin('nest');
    else if (key === 'N') void nest(chosen, '');
    else if (key === 'Delete' && !event.shiftKey) void remove(chosen);
    else return false;
    return true;
  }, ['ArrowDown', 'ArrowUp']);

  const drop = (event: DragEvent, to: string) => {
    event.preventDefault();
    setOver(undefined);
    const name = event.dataTransfer?.getData(CARRIED);
    if (!name) return;
    const names = marked.some((each) => sameTag(each, name)) ? marked : [name];
    if (event.shiftKey && to) void merge(names, to);
    else void nest(names, to);
  };
  const offered = rows.filter((each) => !chosen.some((one) => sameTag(one, each.name) || isBelow(each.name, one))).slice(0, 200).map((each) => ({ text: each.name, detail: count(each.within) }));
  const total = entries.length;
  return (
    <View title={t('Tags')} class="bleed" quiet>
      <div class="tools">
        <label class="tag-filter"><span class="unseen">{t('Look for a tag')}</span>
          <input type="search" placeholder={t('Look for a tag')} value={filter} onInput={(event) => setFilter(event.currentTarget.value)} /></label>
        <label class="tool-select"><span class="unseen">{t('Order')}</span>
          <select value={order} onChange={(event) => setOrder(event.currentTarget.value as 'name' | 'items')}>
            <option value="name">{t('By name')}</option><option value="items">{t('Most used first')}</option>
          </select></label>
        <p class="quiet" role="status">{answer.value && tn('{n} tag', '{n} tags', total)}</p>
        <span class="push" />
        <a href={address('cleanup', [], { what: 'same' })}>{t('Tags that mean the same')}</a>
      </div>
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      {!answer.value && answer.error === undefined && <Loading what={t('the tags')} />}
      {answer.value && total === 0 && <p>{t('Nothing has a tag yet.')}</p>}
      {total > 0 && (
        <div class="tags-layout">
          <div>
            {over !== undefined && <p class={`tag-top ${over === '' ? 'over' : ''}`} onDragOver={(event) => { event.preventDefault(); setOver(''); }} onDrop={(event) => drop(event, '')}>{t('Drop here: to the top')}</p>}
            <ul ref={list} class="tag-tree" role="tree" aria-label={t('Tags')} aria-multiselectable="true">
              {rows.map((each, place) => {
                const open = filter.trim() !== '' || opened.has(each.name.toLowerCase());
                const isMarked = marked.some((one) => sameTag(one, each.name));
                return (
                  <li key={each.name.toLowerCase()} role="treeitem" aria-level={each.level} aria-expanded={each.below.length > 0 ? open : undefined} aria-selected={isMarked || place === index}
                    aria-label={`${each.label}, ${tn('{n} item', '{n} items', each.within)}`} tabIndex={place === index ? 0 : -1} style={{ '--depth': String(each.level - 1) }}
                    class={`tag-row ${place === index ? 'chosen' : ''} ${isMarked ? 'marked' : ''} ${over === each.name ? 'over' : ''}`}
                    draggable={!readOnly.value}
                    onDragStart={(event) => { event.dataTransfer?.setData(CARRIED, each.name); setOver(each.name); }}
                    onDragOver={(event) => { event.preventDefault(); setOver(each.name); }} onDragEnd={() => setOver(undefined)} onDrop={(event) => drop(event, each.name)}
                    onClick={(event) => { if (event.ctrlKey || event.metaKey) mark(each.name); stand(each.name, true); setSheet(true); }} onDblClick={() => fold(each.name, !open)}>
                    <span class={`fold ${open ? 'open' : ''}`} onClick={(event) => { event.stopPropagation(); fold(each.name, !open); }}>{each.below.length > 0 && <Icon name="right" />}</span>
                    <TagCover tag={each.name} />
                    <span class="tag-row-name"><Tag name={each.name} plain shown={each.label} /></span>
                    {each.entry?.hidden && <span class="quiet">{t('hidden')}</span>}
                    {(each.entry?.machine ?? 0) > 0 && <span class="machine-count" title={t('by a machine alone')}>{count(each.entry!.machine)}</span>}
                    <span class="quiet figure">{count(each.within)}</span>
                  </li>
                );
              })}
            </ul>
          </div>
          <div class={`tags-side ${sheet ? 'open' : ''}`}>
            <button type="button" class="round sheet-close" aria-label={t('Close')} onClick={() => setSheet(false)}><Icon name="close" /></button>
            {current && (
              <>
                {marked.length > 0 && <p><strong>{tn('{n} tag is chosen.', '{n} tags are chosen.', marked.length)}</strong> <button type="button" class="small" onClick={() => setMarked([])}>{t('Choose none')}</button></p>}
                {!readOnly.value && (
                  <div class="buttons tag-verbs">
                    <button type="button" class="small" aria-expanded={verb === 'rename'} title="F2" onClick={() => begin('rename')}>{t('Rename')}</button>
                    <button type="button" class="small" aria-expanded={verb === 'merge'} title="m" onClick={() => begin('merge')}>{t('Merge into …')}</button>
                    <button type="button" class="small" aria-expanded={verb === 'nest'} title="n" onClick={() => begin('nest')}>{t('Put below …')}</button>
                    {chosen.some((each) => aboveOf(each) !== '') && <button type="button" class="small" title="N" onClick={() => void nest(chosen, '')}>{t('To the top')}</button>}
                    <button type="button" class="small" onClick={() => void remove(chosen)}>{t('Delete')}</button>
                  </div>
                )}
                {verb === 'rename' && <Rename key={chosen[0]} name={chosen[0]!} done={(to) => void renameTo(chosen[0]!, to)} close={() => { setVerb(undefined); back(); }} />}
                {verb === 'merge' && <TagPicker label={t('The tag that it means')} offered={offered} chosen={(to) => void merge(chosen, to)} close={() => { setVerb(undefined); back(); }} />}
                {verb === 'nest' && <TagPicker label={t('The tag above it')} offered={offered} chosen={(to) => void nest(chosen, to)} close={() => { setVerb(undefined); back(); }} />}
                <TagPanel name={current.name} entry={current.entry} within={current.within} change={change} />
              </>
            )}
            <TagHistory />
            <Legend keys={[['F2', t('rename')], ['m', t('merge')], ['n', t('put below')], ['x', t('choose several')], ['Enter', t('show them')]]} />
          </div>
        </div>
      )}
    </View>
  );
}
