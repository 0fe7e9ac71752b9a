import { useCallback, useEffect, useState } from 'preact/hooks';
import * as api from '../../api/api';
import { isAbort } from '../../api/http';
import type { Brief, Detected } from '../../api/types';
import { Grid } from '../../components/grid';
import { useAnswer } from '../../components/hooks';
import { ItemCard } from '../../components/item_card';
import { Thumbnail } from '../../components/picture';
import { Failure, Legend, Loading } from '../../components/view';
import { number, percent, seconds, titleOf } from '../../format';
import { announce, report } from '../../state/alerts';
import { readOnly } from '../../state/library';
import { PagedList } from '../../state/paged_list';
import { address, changed, itemAddress, replaceAddress, route } from '../../state/route';
import { t, tn } from '../../words/say';
import { TeachApply } from './apply';

/** Nobody looks further down a ranking, and the server does not answer for it. */
const MOST = 10_000;

type Entry = Brief & Partial<Detected>;
type Mark = 'yes' | 'no' | undefined;

interface Examples {
  yes: string[];
  no: string[];
}

/** By the examples; before there are any, what the name finds, or simply the first items. */
function listFor(collection: string, model: string | undefined, concept: string, examples: Examples, known: boolean, told: (text: string) => void) {
  const taught = examples.yes.length + examples.no.length > 0;
  let byName = true;
  return new PagedList<Entry>(async (offset, limit, signal) => {
    if (taught || known) {
      const answer = await api.detect({ collection, model, concept, ...examples, offset, limit, uncertain: false }, signal);
      told(tn('{n} item ranked by {yes} yes and {no} no in {time}.', '{n} items ranked by {yes} yes and {no} no in {time}.', answer.items,
        { yes: answer.shown, no: answer.not_shown, time: seconds(answer.seconds) }));
      return { total: Math.min(answer.items, MOST), entries: answer.results };
    }
    if (byName) {
      const found = await api.search({ q: concept, collection: [collection], offset, limit }, signal).catch(
        (error: unknown) => { if (isAbort(error)) throw error; return undefined; });
      if (found && found.total > 0) {
        told(tn('{n} item found by the name. Show the first examples.', '{n} items found by the name. Show the first examples.', found.total));
        return { total: found.total, entries: found.hits };
      }
      byName = false;
    }
    const all = await api.items(collection, offset, limit, signal);
    told(t('Nothing is found by the name; these are the first items. Show the first examples.'));
    return { total: all.total, entries: all.items };
  }, report);
}

function Given(props: { collection: string; examples: Examples; remove: (id: string) => void }) {
  const all = [...props.examples.yes.map((id) => ({ id, mark: 'yes' })), ...props.examples.no.map((id) => ({ id, mark: 'no' }))];
  if (all.length === 0) return null;
  return (
    <section class="card">
      <h2>{t('Examples that are not kept yet')}</h2>
      <ul class="strip">
        {all.map(({ id, mark }) => (
          <li key={id} class={`example-${mark}`}>
            <ItemCard collection={props.collection} id={id} />
            <button type="button" class="small" onClick={() => props.remove(id)}>{mark === 'yes' ? t('Not yes') : t('Not no')}</button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Next(props: { collection: string; model?: string; concept: string; examples: Examples; mark: (id: string, mark: Mark) => void }) {
  const { collection, model, concept, examples } = props;
  const answer = useAnswer(
    (signal) => api.detect({ collection, model, concept, ...examples, limit: 10, offset: 0, uncertain: true }, signal),
    [collection, concept, JSON.stringify(examples)]);
  if (answer.error !== undefined) return <Failure error={answer.error} again={answer.again} />;
  const open = (answer.value?.results ?? []).filter((each) => !each.taught
    && !examples.yes.includes(each.id) && !examples.no.includes(each.id));
  if (open.length === 0) return null;
  return (
    <section class="card">
      <h2>{t('What to label next')}</h2>
      <p class="quiet">{t('It is least sure of these, so they teach most.')}</p>
      <ul class="strip">
        {open.map((each) => (
          <li key={each.id}>
            <a href={itemAddress(collection, each.id)} aria-label={titleOf(each)}><Thumbnail size={128} item={each} alt="" /></a>
            <span class="buttons">
              <button type="button" class="small" aria-label={t('Yes: {title}', { title: titleOf(each) })} onClick={() => props.mark(each.id, 'yes')}>{t('Yes')}</button>
              <button type="button" class="small" aria-label={t('No: {title}', { title: titleOf(each) })} onClick={() => props.mark(each.id, 'no')}>{t('No')}</button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One concept: examples in, the whole collection ranked anew after each. */
export function Lesson(props: { collection: string; model?: string; concept: string }) {
  const { collection, model, concept } = props;
  const { query } = route.value;
  const examples: Examples = { yes: query.getAll('yes'), no: query.getAll('no') };
  const key = JSON.stringify(examples);
  const taught = examples.yes.length + examples.no.length > 0;
  const concepts = useAnswer(() => api.concepts(collection, model), [collection, model]);
  const about = concepts.value?.concepts.find((each) => each.concept === concept);
  const known = about !== undefined;
  const [list, setList] = useState<PagedList<Entry>>();
  const [told, setTold] = useState('');
  const [error, setError] = useState<unknown>();
  const [round, setRound] = useState(0);

  useEffect(() => {
    if (!concepts.value) return undefined;
    let current = true;
    const next = listFor(collection, model, concept, examples, known, (text) => current && setTold(text));
    setError(undefined);
    next.start().then(
      () => current && setList(next),
      (failure: unknown) => {
        if (!current || isAbort(failure)) return;
        setError(failure);
        setList(undefined);
      },
    );
    return () => {
      current = false;
      next.stop();
    };
  }, [key, known, concepts.value === undefined, round]);
  useEffect(() => { if (told && taught) announce(told); }, [told]);

  void list?.version.value;
  const need = useCallback((first: number, last: number) => list?.need(first, last), [list]);
  const markOf = (entry: Entry): Mark =>
    examples.yes.includes(entry.id) ? 'yes' : examples.no.includes(entry.id) ? 'no' : entry.taught;
  const mark = (id: string, verdict: Mark) => {
    const without = (ids: string[]) => ids.filter((each) => each !== id);
    const again = verdict && examples[verdict].includes(id);
    const yes = without(examples.yes);
    const no = without(examples.no);
    if (!again && verdict === 'yes') yes.push(id);
    if (!again && verdict === 'no') no.push(id);
    replaceAddress(changed({ yes, no }));
  };
  const store = async (lessons: api.Lessons, said: string): Promise<boolean> => {
    try {
      await api.teach(concept, lessons);
      announce(said);
      concepts.again();
      if (lessons.forget.length === 0) replaceAddress(changed({ yes: [], no: [] }));
      else setRound(round + 1);
      return true;
    } catch (failure) {
      report(failure, () => void store(lessons, said));
      return false;
    }
  };

  const tile = (index: number, active: boolean) => {
    const entry = list?.entry(index);
    const tab = active ? 0 : -1;
    if (!entry) return <span class="tile waiting" data-focus tabIndex={tab} aria-label={t('Not read yet')} />;
    const marked = markOf(entry);
    const stored = entry.taught && !examples.yes.includes(entry.id) && !examples.no.includes(entry.id);
    const title = titleOf(entry);
    return (
      <div class={`tile teach-tile ${marked ? `marked-${marked}` : ''}`}>
        <div class="teach-picture">
          <Thumbnail item={entry} alt={title} />
          <button type="button" class="half yes" data-focus tabIndex={tab} aria-pressed={marked === 'yes'}
            aria-label={t('Yes: {title}', { title })} onClick={() => mark(entry.id, 'yes')}><span>{t('yes')}</span></button>
          <button type="button" class="half no" tabIndex={tab} aria-pressed={marked === 'no'}
            aria-label={t('No: {title}', { title })} onClick={() => mark(entry.id, 'no')}><span>{t('no')}</span></button>
        </div>
        <span class="tile-line">
          <a tabIndex={tab} href={itemAddress(collection, entry.id)}>{title}</a>
          {stored && !readOnly.value ? (
            <button type="button" class="small" tabIndex={tab} aria-label={t('Forget {title}', { title })}
              onClick={() => void store({ collection, yes: [], no: [], forget: [entry.id] }, t('{title} is forgotten.', { title }))}>{t('Forget')}</button>
          ) : entry.confidence !== undefined && entry.confidence !== null
            ? <span class="quiet">{percent(entry.confidence)}</span>
            : entry.score !== undefined && <span class="quiet">{number(entry.score, 2)}</span>}
        </span>
      </div>
    );
  };
  const pressed = (name: string, index: number) => {
    const entry = list?.entry(index);
    if (!entry || (name !== 'y' && name !== 'n')) return false;
    mark(entry.id, name === 'y' ? 'yes' : 'no');
    return true;
  };

  return (
    <>
      <p class="row middle">
        <a href={address('teach', [], { collection, model })}>{t('All concepts of {collection}', { collection })}</a>
        {!readOnly.value && (
          <button type="button" class="primary" disabled={!taught}
            onClick={() => void store({ collection, ...examples, forget: [] }, t('“{concept}” is kept.', { concept }))}>
            {t('Keep as detector')}
          </button>
        )}
        {about && <span class="quiet">{t('Kept so far: {yes} yes, {no} no.', { yes: about.shown, no: about.not_shown })}</span>}
      </p>
      <Given collection={collection} examples={examples} remove={(id) => mark(id, undefined)} />
      {(taught || known) && <Next collection={collection} model={model} concept={concept} examples={examples} mark={mark} />}
      {error !== undefined && <Failure error={error} again={() => setRound(round + 1)} />}
      {concepts.error !== undefined && <Failure error={concepts.error} again={concepts.again} />}
      {list && (taught || known) && (
        <TeachApply collection={collection} model={model} concept={concept} list={list}
          keep={() => (taught ? store({ collection, ...examples, forget: [] }, t('“{concept}” is kept.', { concept })) : Promise.resolve(true))} />
      )}
      <h2>{t('All items, ranked')}</h2>
      <Legend keys={[['y', t('it shows it (or the left half)')], ['n', t('it does not (or the right half)')], [t('arrows'), t('move')]]} />
      {!list && error === undefined && concepts.error === undefined && <Loading what={t('the items')} />}
      {list && <p class="quiet">{told}</p>}
      {list && list.total > 0 && concepts.error === undefined && (
        <Grid label={t('Items ranked for {concept}', { concept })} total={list.total} least={150} height={196}
          need={need} tile={tile} pressed={pressed} />
      )}
    </>
  );
}
