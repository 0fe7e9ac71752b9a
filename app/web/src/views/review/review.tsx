import { useEffect, useRef, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { ReviewEntry } from '../../api/types';
import { useAnswer, useKeys, useShown } from '../../components/hooks';
import { ModelSelect } from '../../components/model_select';
import { NoModel } from '../../components/no_model';
import { prefetch, Thumbnail } from '../../components/picture';
import { Confidence } from '../../components/progress';
import { Failure, Legend, Loading, Note, Select, View } from '../../components/view';
import { count, counted, titleOf } from '../../format';
import { announce } from '../../state/alerts';
import { decide, unsent, whenSent } from '../../state/decisions';
import { chosenModel, collectionsWith, hasModel, readOnly } from '../../state/library';
import { address, changed, itemAddress, replaceAddress, route } from '../../state/route';
import { ReviewEffectPanel } from './effect';
import { ReviewGrid } from './grid';
import { t } from '../../words/say';
import { answered, EMPTY, extended, offsetOf, tally, undone, type Queue } from './queue';

const BATCH = 20;

function Question(props: { collection: string; entry: ReviewEntry; shown: boolean }) {
  const { entry, collection } = props;
  return (
    <div class={`question ${props.shown ? 'shown' : ''}`}>
      <div class="question-picture">
        {entry.image ? <Thumbnail size={512} item={{ ...entry, collection }} />
          : <p class="item-text">{entry.snippet || titleOf(entry)}</p>}
      </div>
      <h2 aria-live="polite" class="question-text">Does this deserve <em>{entry.tag}</em>?</h2>
      <p>
        <a href={itemAddress(collection, entry.id)}>{titleOf(entry)}</a>
        {entry.tags.length > 0 ? `, which has ${entry.tags.slice(0, 8).join(', ')}` : ', which has no tags yet'}.
      </p>
      <Confidence share={entry.confidence} label="The machine's confidence" />
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
      <h2>One tag at a time</h2>
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      <ul class="tag-list">
        <li>
          <a href={changed({ tag: undefined })} aria-current={props.chosen === '' ? 'true' : undefined}>All tags</a>
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
    announce(`${current.tag}: ${verdict ?? 'skipped'}.`);
    setQueue(answered(queue, verdict));
  };
  const undo = () => {
    const { queue: before, step } = undone(queue);
    if (!step) return;
    if (step.verdict) decide({ collection, item: step.entry.id, tag: step.entry.tag, verdict: 'withdrawn' });
    announce(`${step.entry.tag}: taken back.`);
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
      <View title="Review">
        <Note>
          <p>There is no model yet that suggests tags. <a href={address('library')}>Learn one</a> for a collection
            that has some tags; then this view asks about its suggestions one by one.</p>
        </Note>
      </View>
    );
  }
  if (!learned) {
    return (
      <View title="Review">
        <Select label="Collection" value={collection} options={[collection, ...names]}
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
  return (
    <View title="Review">
      <Modes many={false} />
      <div class="row">
        <Select label="Collection" value={collection} options={names.includes(collection) ? names : [collection, ...names]}
          changed={(value) => replaceAddress(address('review', [], { collection: value, order }))} />
        <Select label="Order" value={order} changed={(value) => replaceAddress(changed({ order: value }))}
          options={[
            { value: 'confident', text: 'The surest first' },
            { value: 'uncertain', text: 'What teaches most first' },
            { value: 'tag', text: 'By tag' },
          ]} />
        <ModelSelect kind="suggest" collection={collection} />
      </div>
      <div class="review-layout">
        <section class="card review-main" aria-label="The question">
          {error !== undefined && <Failure error={error} again={() => (queue.ahead.length ? fetchMore(queue) : setRound(round + 1))} />}
          {current ? <Question collection={collection} entry={current} shown={shown} />
            : state === 'end' && error === undefined ? (
              <p>There is nothing left to ask{tag ? ` about ${tag}` : ''}.{' '}
                {sums.skipped > 0 && <button type="button" onClick={() => setRound(round + 1)}>Ask the skipped ones again</button>}
              </p>
            ) : error === undefined && <Loading what="the questions" />}
          <div class="buttons answers">
            {!readOnly.value && (
              <>
                <button type="button" class="primary" disabled={!current} onClick={() => answer('accepted')}>Yes</button>
                <button type="button" disabled={!current} onClick={() => answer('rejected')}>No</button>
              </>
            )}
            <button type="button" disabled={!current} onClick={() => answer(undefined)}>Skip</button>
            <button type="button" disabled={queue.past.length === 0} onClick={undo}>Undo</button>
          </div>
          <Legend keys={[['y', 'yes (also a)'], ['n', 'no (also r)'], ['s', 'skip'], ['u', 'undo']]} />
          <p class="quiet" role="status">
            {`Now: ${counted(sums.accepted, 'yes', 'yes')}, ${count(sums.rejected)} no, ${count(sums.skipped)} skipped; ${counted(queue.left, 'question')} left.`}
            {waiting > 0 ? ` ${counted(waiting, 'decision')} on the way.` : ''}
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
