import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { ReviewEntry } from '../../api/types';
import { useAnswer, useKeys, useShown } from '../../components/hooks';
import { Lit } from '../../components/lit';
import { ModelSelect } from '../../components/model_select';
import { NoModel } from '../../components/no_model';
import { prefetch, Thumbnail } from '../../components/picture';
import { Confidence } from '../../components/progress';
import { Reasons } from '../../components/reasons';
import { useSwipe } from '../../components/swipe';
import { Tag } from '../../components/tag';
import { Failure, Legend, Loading, Note, Select, View } from '../../components/view';
import { count, titleOf } from '../../format';
import { announce } from '../../state/alerts';
import { decide, unsent, whenSent } from '../../state/decisions';
import { chosenModel, collectionsWith, hasModel, models, readOnly } from '../../state/library';
import { address, changed, itemAddress, replaceAddress, route } from '../../state/route';
import { ReviewEffectPanel } from './effect';
import { ReviewGrid } from './grid';
import { t, tn } from '../../words/say';
import { answered, EMPTY, extended, offsetOf, tally, undone, type Queue } from './queue';

const BATCH = 20;

const ORDERS: [string, () => string][] = [
  ['confident', () => t('The surest first')], ['uncertain', () => t('What teaches most first')], ['tag', () => t('By tag')],
];

/** What is asked, with what it comes from. On a phone it is swept to the right for yes and to the left for no. */
function Question(props: { collection: string; model?: string; entry: ReviewEntry; shown: boolean; swept: (way: -1 | 1) => void; children: ComponentChildren }) {
  const { entry, collection, model } = props;
  const place = useRef<HTMLDivElement>(null);
  useSwipe(place, props.swept);
  const told = useAnswer((signal) => api.suggestions(collection, entry.id, 40, model, signal), [collection, entry.id, model]);
  const suggestion = told.loading ? undefined : told.value?.suggestions.find((each) => each.tag === entry.tag);
  const source = models.value.find((each) => each.name === told.value?.model)?.collection ?? collection;
  const words = (suggestion?.reasons?.words ?? []).map((each) => each.word.toLowerCase());
  const text = entry.snippet || titleOf(entry);
  return (
    <div ref={place} class={`question ${props.shown ? 'shown' : ''}`}>
      <div class="question-picture">
        {entry.image ? <Thumbnail size={512} item={{ ...entry, collection }} />
          : <p class="item-text" dir="auto"><Lit text={text} words={words} /></p>}
      </div>
      <div class="question-words">
        <h2 aria-live="polite" class="question-text">{t('Is this')} <em dir="auto">{entry.tag}</em>?</h2>
        <p>
          <a href={itemAddress(collection, entry.id)} dir="auto">{titleOf(entry)}</a>{' '}
          <span class="tags">{entry.tags.length > 0 ? entry.tags.slice(0, 8).map((each) => <Tag key={each} name={each} />) : <span class="quiet">{t('no tags yet')}</span>}</span>
        </p>
        <Confidence share={entry.confidence} label={t('How sure')} />
        {props.children}
        {suggestion && <Reasons collection={source} suggestion={suggestion} />}
      </div>
    </div>
  );
}

/** The tag with most questions, where none was chosen. */
function ManyAtOnce(props: { collection: string; model?: string; tag: string; order: string }) {
  const { collection, model } = props;
  const [round, setRound] = useState(0);
  const tags = useAnswer(() => api.reviewTags(collection, model), [collection, model, round]);
  const tag = props.tag || tags.value?.tags[0]?.tag;
  return (
    <>
      {tags.error !== undefined && <Failure error={tags.error} again={tags.again} />}
      {tags.value && (
        <nav class="tag-strip" aria-label={t('Suggested tags')}>
          {tags.value.tags.slice(0, 40).map((each) => (
            <a key={each.tag} dir="auto" href={changed({ tag: each.tag })} aria-current={each.tag === tag ? 'true' : undefined}>
              {each.tag} <span class="quiet">{count(each.left)}</span>
            </a>
          ))}
        </nav>
      )}
      {tag ? <ReviewGrid key={tag} collection={collection} model={model} tag={tag} order={props.order === 'tag' ? 'confident' : props.order} answered={() => setRound((before) => before + 1)} />
        : tags.value && <p>{t('There is nothing left to ask.')}</p>}
    </>
  );
}

/** One question at a time, or many of one tag. */
function Modes({ many }: { many: boolean }) {
  return (
    <nav class="modes" aria-label={t('How to review')}>
      <a href={changed({ many: undefined })} aria-current={many ? undefined : 'true'}>{t('One by one')}</a>
      <a href={changed({ many: true })} aria-current={many ? 'true' : undefined}>{t('Many at once')}</a>
    </nav>
  );
}

function Tags(props: { collection: string; model?: string; chosen: string; round: number }) {
  const answer = useAnswer(
    () => api.reviewTags(props.collection, props.model), [props.collection, props.model, props.round]);
  return (
    <section class="card">
      <h2>{t('One tag at a time')}</h2>
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      <ul class="tag-list">
        <li>
          <a href={changed({ tag: undefined })} aria-current={props.chosen === '' ? 'true' : undefined}>{t('All tags')}</a>
        </li>
        {answer.value?.tags.slice(0, 200).map((each) => (
          <li key={each.tag}>
            <a href={changed({ tag: each.tag })} aria-current={props.chosen === each.tag ? 'true' : undefined}>
              {each.tag} <span class="quiet">{count(each.left)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One question after the other; the next is there before the last is stored. */
export function ReviewView() {
  const { query } = route.value;
  const names = collectionsWith('suggest');
  const collection = query.get('collection') ?? names[0] ?? '';
  const order = query.get('order') ?? 'confident';
  const tag = query.get('tag') ?? '';
  const model = chosenModel('suggest', collection, query.get('model'));
  const learned = hasModel('suggest', collection);
  const [queue, setQueue] = useState<Queue>(EMPTY);
  const [state, setState] = useState<'loading' | 'ready' | 'end'>('loading');
  const [error, setError] = useState<unknown>();
  const [round, setRound] = useState(0);
  const asking = useRef(false);
  const current = queue.ahead[0];
  const shown = useShown(`${queue.past.length}/${current?.id ?? ''}/${current?.tag ?? ''}`);

  const key = `${collection}/${order}/${tag}/${model ?? ''}`;
  const latestKey = useRef(key);
  latestKey.current = key;
  const latestQueue = useRef(queue);
  latestQueue.current = queue;
  // Learning changes the order, so what lies beyond the skipped ones may have moved before them:
  // `whole` asks from the beginning when nothing new came from the end.
  const fetchMore = (from: Queue, whole = false) => {
    if (!collection || !learned || asking.current) return;
    asking.current = true;
    const beyond = offsetOf(from);
    const where = whole ? { offset: 0, limit: Math.min(500, beyond + BATCH) } : { offset: beyond, limit: BATCH };
    api.review({ collection, model, order, tag: tag || undefined, ...where }).then(
      (answer) => {
        asking.current = false;
        if (latestKey.current !== key) return;
        setError(undefined);
        const next = extended(latestQueue.current, answer.entries, answer.left);
        for (const each of next.ahead.slice(0, 4)) if (each.image) prefetch(collection, each.id, 512);
        setQueue(next);
        if (next.ahead.length > 0) setState('ready');
        else if (!whole && answer.left > 0 && next.past.length > 0) fetchMore(next, true);
        else setState('end');
      },
      (failure: unknown) => {
        asking.current = false;
        if (latestKey.current === key) setError(failure);
      },
    );
  };

  useEffect(() => {
    asking.current = false;
    setQueue(EMPTY);
    setState('loading');
    setError(undefined);
    latestQueue.current = EMPTY;
    fetchMore(EMPTY);
  }, [key, round]);

  useEffect(() => {
    if (state === 'ready' && queue.ahead.length <= 6) {
      if (queue.ahead.length > 0) fetchMore(queue);
      else void whenSent().then(() => fetchMore(latestQueue.current));
    }
    for (const each of queue.ahead.slice(1, 4)) if (each.image) prefetch(collection, each.id, 512);
  }, [queue.past.length]);

  const answer = (verdict: 'accepted' | 'rejected' | undefined) => {
    if (!current || !shown || (verdict && readOnly.value)) return;
    if (verdict) decide({ collection, item: current.id, tag: current.tag, verdict });
    announce(`${current.tag}: ${verdict === 'accepted' ? t('Yes') : verdict ? t('No') : t('Skip')}`);
    setQueue(answered(queue, verdict));
  };
  const undo = () => {
    const { queue: before, step } = undone(queue);
    if (!step) return;
    if (step.verdict) decide({ collection, item: step.entry.id, tag: step.entry.tag, verdict: 'withdrawn' });
    announce(`${step.entry.tag}: ${t('taken back')}`);
    setQueue(before);
  };
  const many = query.get('many') === '1';
  useKeys((pressed) => {
    if (many) return false;
    if (pressed === 'y' || pressed === 'a') answer('accepted');
    else if (pressed === 'n' || pressed === 'r') answer('rejected');
    else if (pressed === 's') answer(undefined);
    else if (pressed === 'u' && shown) undo();
    else return false;
    return true;
  });

  if (names.length === 0 && !query.get('collection')) {
    return (
      <View title={t('Review')}>
        <Note>
          <p>{t('Nothing suggests tags yet. Give a few items tags; what is suggested then is asked about here.')} <a href={address('library')}>{t('What is ready')}</a></p>
        </Note>
      </View>
    );
  }
  if (!learned) {
    return (
      <View title={t('Review')}>
        <Select label={t('Collection')} value={collection} options={[collection, ...names]}
          changed={(value) => replaceAddress(address('review', [], { collection: value, order }))} />
        <Note><NoModel kind="suggest" collection={collection} /></Note>
      </View>
    );
  }
  if (query.get('many') === '1') {
    return (
      <View title={t('Review')} name="review/many" class="bleed" quiet>
        <div class="tools">
          <Modes many />
          {names.length > 1 && (
            <label class="tool-select">
              <span class="unseen">{t('Collection')}</span>
              <select value={collection} onChange={(event) => replaceAddress(address('review', [], { collection: event.currentTarget.value, many: true }))}>
                {(names.includes(collection) ? names : [collection, ...names]).map((each) => <option key={each} value={each}>{each}</option>)}
              </select>
            </label>
          )}
          <ModelSelect kind="suggest" collection={collection} />
        </div>
        <ManyAtOnce collection={collection} model={model} tag={tag} order={order} />
      </View>
    );
  }
  const sums = tally(queue);
  const waiting = unsent.value.length;
  const buttons = (
    <>
      <div class="buttons answers">
        {!readOnly.value && (
          <>
            <button type="button" class="primary" disabled={!current} onClick={() => answer('accepted')}>{t('Yes')}</button>
            <button type="button" disabled={!current} onClick={() => answer('rejected')}>{t('No')}</button>
          </>
        )}
        <button type="button" disabled={!current} onClick={() => answer(undefined)}>{t('Skip')}</button>
        <button type="button" disabled={queue.past.length === 0} onClick={undo}>{t('Undo')}</button>
      </div>
      <Legend keys={[['y', t('yes (also a)')], ['n', t('no (also r)')], ['s', t('skip')], ['u', t('undo')]]} />
    </>
  );
  return (
    <View title={t('Review')} quiet>
      <div class="tools">
        <Modes many={false} />
        <label class="tool-select">
          <span class="unseen">{t('Collection')}</span>
          <select value={collection} onChange={(event) => replaceAddress(address('review', [], { collection: event.currentTarget.value, order }))}>
            {(names.includes(collection) ? names : [collection, ...names]).map((each) => <option key={each} value={each} selected={each === collection}>{each}</option>)}
          </select>
        </label>
        <label class="tool-select">
          <span class="unseen">{t('Order')}</span>
          <select value={order} onChange={(event) => replaceAddress(changed({ order: event.currentTarget.value }))}>
            {ORDERS.map(([value, text]) => <option key={value} value={value} selected={value === order}>{text()}</option>)}
          </select>
        </label>
        <ModelSelect kind="suggest" collection={collection} />
      </div>
      <div class="review-layout">
        <section class="card review-main" aria-label={t('The question')}>
          {error !== undefined && <Failure error={error} again={() => (queue.ahead.length ? fetchMore(queue) : setRound(round + 1))} />}
          {current ? <Question collection={collection} model={model} entry={current} shown={shown} swept={(way) => answer(way > 0 ? 'accepted' : 'rejected')}>{buttons}</Question>
            : state === 'end' && error === undefined ? (
              <p>{tag ? t('There is nothing left to ask about {tag}.', { tag }) : t('There is nothing left to ask.')}{' '}
                {sums.skipped > 0 && <button type="button" onClick={() => setRound(round + 1)}>{t('Ask the skipped ones again')}</button>}
              </p>
            ) : error === undefined && <Loading what={t('the questions')} />}
          {!current && buttons}
          <p class="quiet" role="status">
            {tn('Now: {yes} yes, {no} no, {skipped} skipped; {n} question left.', 'Now: {yes} yes, {no} no, {skipped} skipped; {n} questions left.',
              queue.left, { yes: sums.accepted, no: sums.rejected, skipped: sums.skipped })}
            {waiting > 0 ? ` ${tn('{n} decision on the way.', '{n} decisions on the way.', waiting)}` : ''}
          </p>
        </section>
        <div class="review-side">
          <ReviewEffectPanel collection={collection} model={model} />
          <Tags collection={collection} model={model} chosen={tag} round={round} />
        </div>
      </div>
    </View>
  );
}
