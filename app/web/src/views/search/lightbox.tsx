import { useEffect, useRef, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { Brief } from '../../api/types';
import { useAnswer } from '../../components/hooks';
import { Icon } from '../../components/icon';
import { prefetch } from '../../components/picture';
import { Tag } from '../../components/tag';
import { ToastLine } from '../../components/toast';
import { TagPicker } from '../../components/tag_picker';
import { percent, time, titleOf } from '../../format';
import { announce, report } from '../../state/alerts';
import { chosenModel, hasModel, readOnly } from '../../state/library';
import type { PagedList } from '../../state/paged_list';
import { noteTag, recentTags } from '../../state/recent_tags';
import { noteInAddress } from '../../state/route';
import { showChange, undoLast } from '../../state/toast';
import { t } from '../../words/say';
import { fitted, panned, START, zoomed, type Zoom } from './zoom';

interface Props {
  list: PagedList<Brief>;
  at: number;
  close: (index: number) => void;
  details: (index: number) => void;
  /** What the item's tags are now. */
  tagged: (entry: Brief, tags: string[]) => void;
}

/** The picture itself; until it is there, its thumbnail. */
function Picture(props: { entry: Brief; zoom: Zoom; zoomTo: (zoom: Zoom) => void }) {
  const { entry, zoom } = props;
  const key = `${entry.collection}/${entry.id}`;
  const [ready, setReady] = useState('');
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const whole = new Image();
    let current = true;
    whole.onload = () => current && setReady(key);
    whole.src = api.imageAddress(entry.collection, entry.id);
    return () => { current = false; };
  }, [key]);
  const size = () => ({ width: frame.current!.clientWidth, height: frame.current!.clientHeight });
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const box = frame.current!.getBoundingClientRect();
    props.zoomTo(zoomed(zoom, event.deltaY < 0 ? 1.2 : 1 / 1.2, { x: event.clientX - box.left - box.width / 2, y: event.clientY - box.top - box.height / 2 }, size()));
  };
  const press = (event: PointerEvent) => {
    if (zoom.scale <= 1) return;
    const start = { x: event.clientX, y: event.clientY };
    frame.current!.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent) => props.zoomTo(panned(zoom, moved.clientX - start.x, moved.clientY - start.y, size()));
    const end = () => {
      frame.current?.removeEventListener('pointermove', move);
      frame.current?.removeEventListener('pointerup', end);
    };
    frame.current!.addEventListener('pointermove', move);
    frame.current!.addEventListener('pointerup', end);
  };
  return (
    <div ref={frame} class={`lightbox-frame ${zoom.scale > 1 ? 'zoomed' : ''}`} onWheel={wheel} onPointerDown={press}
      onDblClick={() => props.zoomTo(zoom.scale > 1 ? START : zoomed(START, 2.5, { x: 0, y: 0 }, size()))}>
      <img key={key} draggable={false} alt={titleOf(entry)} style={{ transform: fitted(zoom) }}
        src={ready === key ? api.imageAddress(entry.collection, entry.id) : api.thumbnailAddress(entry.collection, entry.id, 512)} />
    </div>
  );
}

/** One picture after the other, as large as the window, with tags at hand. */
export function Lightbox(props: Props) {
  const { list } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [at, setAt] = useState(Math.max(0, Math.min(props.at, list.total - 1)));
  const [picking, setPicking] = useState(false);
  const [zoom, setZoom] = useState<Zoom>(START);
  const entry = list.entry(at);
  void list.version.value;
  const learned = entry !== undefined && hasModel('suggest', entry.collection);
  const answer = useAnswer(
    (signal) => (entry && learned ? api.suggestions(entry.collection, entry.id, 9, chosenModel('suggest', entry.collection, null), signal) : undefined),
    [entry?.collection, entry?.id, learned]);
  const has = new Set((entry?.tags ?? []).map((each) => each.toLowerCase()));
  const offered = answer.loading ? [] : (answer.value?.suggestions ?? []).filter((each) => !has.has(each.tag.toLowerCase())).slice(0, 9);

  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal();
    dialog.current?.focus();
  }, []);
  useEffect(() => {
    list.need(at - 3, at + 3);
    for (const each of [list.entry(at + 1), list.entry(at - 1)]) if (each?.image) prefetch(each.collection, each.id, 512);
  }, [at, list]);
  const latest = useRef(at);
  latest.current = at;
  const close = () => {
    dialog.current?.close();
    props.close(latest.current);
  };
  const goTo = (index: number) => {
    const next = Math.max(0, Math.min(list.total - 1, index));
    if (next === at) return;
    setZoom(START);
    setAt(next);
    noteInAddress('at', String(next));
  };
  const change = (tag: string, verb: 'add' | 'remove') => {
    if (!entry || readOnly.value) return;
    setPicking(false);
    dialog.current?.focus();
    const before = entry.tags;
    const without = before.filter((each) => each.toLowerCase() !== tag.toLowerCase());
    props.tagged(entry, verb === 'add' ? [...without, tag] : without);
    if (verb === 'add') noteTag(tag);
    api.change({ items: [{ collection: entry.collection, id: entry.id }] }, [{ do: verb, tag }]).then(
      (stored) => showChange(verb === 'add' ? t('“{tag}” added.', { tag }) : t('“{tag}” removed.', { tag }), stored, () => props.tagged(entry, before)),
      (error: unknown) => { props.tagged(entry, before); report(error); });
  };
  const key = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.altKey) return;
    if ((event.ctrlKey || event.metaKey)) {
      return;
    }
    const number = /^[1-9]$/.test(event.key) ? offered[Number(event.key) - 1] : undefined;
    const size = { width: innerWidth, height: innerHeight };
    if (event.key === 'ArrowRight' || event.key === 'j') goTo(at + 1);
    else if (event.key === 'ArrowLeft' || event.key === 'k') goTo(at - 1);
    else if (event.key === 'Home') goTo(0);
    else if (event.key === 'End') goTo(list.total - 1);
    else if (event.repeat) return;
    else if (event.key === 't' && !readOnly.value) setPicking(true);
    else if (event.key === '.' && recentTags.value[0]) change(recentTags.value[0], 'add');
    else if (number) change(number.tag, 'add');
    else if (event.key === 'u') undoLast();
    else if (event.key === 'i') { dialog.current?.close(); props.details(at); }
    else if (event.key === '+' || event.key === '=') setZoom(zoomed(zoom, 1.5, { x: 0, y: 0 }, size));
    else if (event.key === '-') setZoom(zoomed(zoom, 1 / 1.5, { x: 0, y: 0 }, size));
    else if (event.key === '0') setZoom(START);
    else return;
    event.preventDefault();
  };
  useEffect(() => { if (entry) announce(titleOf(entry)); }, [entry?.id]);
  return (
    <dialog ref={dialog} class="lightbox" aria-label={entry ? titleOf(entry) : t('Picture')} tabIndex={-1} onKeyDown={key}
      onCancel={(event) => { event.preventDefault(); if (zoom.scale > 1) setZoom(START); else close(); }}>
      <div class="lightbox-stage">
        {entry?.image ? <Picture entry={entry} zoom={zoom} zoomTo={setZoom} />
          : <p class="lightbox-text" dir="auto">{entry ? entry.snippet ?? titleOf(entry) : t('Not read yet')}</p>}
        <button type="button" class="round lightbox-prev" disabled={at === 0} aria-label={t('Previous')} onClick={() => goTo(at - 1)}><Icon name="left" /></button>
        <button type="button" class="round lightbox-next" disabled={at >= list.total - 1} aria-label={t('Next')} onClick={() => goTo(at + 1)}><Icon name="right" /></button>
        <button type="button" class="round lightbox-close" aria-label={t('Close')} title="Esc" onClick={close}><Icon name="close" /></button>
      </div>
      <ToastLine />
      {entry && (
        <aside class="lightbox-side" aria-label={t('Tags of this picture')}>
          <h2 dir="auto">{titleOf(entry)}</h2>
          <p class="quiet">{[`${at + 1} / ${list.total}`, entry.collection, time(entry.time)].filter((each) => each).join(' · ')}</p>
          <ul class="tags" aria-label={t('Tags')}>
            {entry.tags.map((each) => (
              <li key={each}>
                <Tag name={each} plain />
                {!readOnly.value && <button type="button" class="remove" aria-label={t('Remove {tag}', { tag: each })} onClick={() => change(each, 'remove')}>×</button>}
              </li>
            ))}
          </ul>
          {!readOnly.value && (picking
            ? <TagPicker label={t('Tag to add')} offered={recentTags.value.filter((each) => !has.has(each.toLowerCase())).map((text) => ({ text }))}
                chosen={(tag) => change(tag, 'add')} close={() => { setPicking(false); dialog.current?.focus(); }} />
            : (
              <div class="buttons">
                <button type="button" title="t" onClick={() => setPicking(true)}>{t('Add tag')} <kbd>t</kbd></button>
                {recentTags.value[0] && !has.has(recentTags.value[0].toLowerCase()) && (
                  <button type="button" onClick={() => change(recentTags.value[0]!, 'add')}>{recentTags.value[0]} <kbd>.</kbd></button>
                )}
              </div>
            ))}
          {offered.length > 0 && (
            <section>
              <h3>{t('Suggested')}</h3>
              <ol class="lightbox-suggestions">
                {offered.map((each, index) => (
                  <li key={each.tag}>
                    <button type="button" class="suggested" disabled={readOnly.value} onClick={() => change(each.tag, 'add')}>
                      <kbd>{index + 1}</kbd> <span dir="auto">{each.tag}</span> <span class="quiet">{percent(each.confidence)}</span>
                    </button>
                  </li>
                ))}
              </ol>
            </section>
          )}
          <p class="push-down">
            <button type="button" class="link" onClick={() => { dialog.current?.close(); props.details(at); }}>{t('Everything about it')} <kbd>i</kbd></button>
          </p>
        </aside>
      )}
    </dialog>
  );
}
