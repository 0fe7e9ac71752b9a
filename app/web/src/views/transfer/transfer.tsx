import { useEffect, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { BridgeRanking, Distances, Job, TransferResult } from '../../api/types';
import { ConfirmButton } from '../../components/confirm_button';
import { JobProgress } from '../../components/progress';
import { Field, Note, Select, View } from '../../components/view';
import { listed } from '../../format';
import { report } from '../../state/alerts';
import { finish } from '../../state/jobs';
import { collections, readOnly } from '../../state/library';
import { changed, noteInAddress, replaceAddress, route } from '../../state/route';
import { Bridges } from './bridges';
import { CollectionDistances } from './distances';
import { hasField, labelField } from './fields';
import { TransferOutcome } from './outcome';

/** Which way the labels go: by the program's choice, directly, by a searched chain, or through one. */
function wayFields(way: string): Record<string, unknown> {
  if (way === 'direct') return { direct: true };
  if (way === 'chain') return { chain: 'auto' };
  return way.startsWith('through:') ? { through: way.slice(8).split('\n') } : {};
}

export function TransferView() {
  const { query } = route.value;
  const all = collections.value;
  const target = query.get('target') ?? '';
  const sources = query.getAll('source');
  const fields = [...new Set(all.flatMap((each) => each.label_fields ?? []))];
  const field = labelField(all, sources, query.get('field'));
  const way = query.get('way') ?? 'best';
  const above = query.get('above') ?? '';
  const [job, setJob] = useState<Job>();
  const [distances, setDistances] = useState<Distances>();
  const [ranking, setRanking] = useState<BridgeRanking>();
  const [outcome, setOutcome] = useState<{ result: TransferResult; dry: boolean }>();
  const unlabelled = sources.filter((name) => !hasField(all, name, field));
  const ready = sources.length > 0 && unlabelled.length === 0 && target !== '' && !sources.includes(target);
  const key = `${sources.join('\n')}/${target}/${field}`;
  useEffect(() => {
    setRanking(undefined);
    setOutcome(undefined);
  }, [key]);

  const set = (parameters: Record<string, string | string[]>) => replaceAddress(changed({ answer: '', ...parameters }));
  const toggleSource = (name: string) =>
    set({ source: sources.includes(name) ? sources.filter((each) => each !== name) : [...sources, name] });

  const run = async (start: Job): Promise<unknown> => {
    const end = await finish(start, setJob);
    // A refusal counts as a failure of the command, but it has its result and says why.
    const refused = (end.result as { refused?: boolean } | null | undefined)?.refused === true;
    return end.state === 'done' || refused ? end.result : undefined;
  };
  const measure = async () => {
    setDistances(undefined);
    try {
      const result = await run(await api.startJob({ task: 'distances' }));
      if (result) setDistances(result as Distances);
    } catch (error) {
      report(error, () => void measure());
    }
  };
  const rank = async () => {
    setRanking(undefined);
    try {
      const result = await run(await api.startJob({ task: 'bridges', source: sources, target, label_field: field }));
      if (result) setRanking(result as BridgeRanking);
    } catch (error) {
      report(error, () => void rank());
    }
  };
  const transfer = async (dry: boolean, force: boolean) => {
    setOutcome(undefined);
    try {
      const start = await api.startJob({
        task: 'transfer', source: sources, target, label_field: field, ...wayFields(way),
        ...(above ? { above: Number(above) } : {}), dry_run: dry, force,
      });
      // The answer can be come back to: the server keeps it under the number of the job.
      noteInAddress('answer', `${dry ? 'try' : 'run'}-${start.id}`);
      const result = await run(start);
      if (result) setOutcome({ result: result as TransferResult, dry });
    } catch (error) {
      report(error, () => void transfer(dry, force));
    }
  };
  useEffect(() => {
    const [, kind, id] = /^(try|run)-(\d+)$/.exec(query.get('answer') ?? '') ?? [];
    if (!id) return;
    // A server that was started anew has forgotten it.
    api.job(Number(id)).then(run).then(
      (result) => result && setOutcome({ result: result as TransferResult, dry: kind === 'try' }), () => undefined);
  }, []);
  const busy = job !== undefined && (job.state === 'running' || job.state === 'waiting');

  if (all.length < 2 || fields.length === 0) {
    return (
      <View title="Transfer">
        <Note><p>Labels are carried from one collection to another. For that the library needs two collections, and one
          of them labels: fields of items such as a kind or a sentiment.</p></Note>
      </View>
    );
  }
  const labelled = all.filter((each) => (each.label_fields ?? []).length > 0);
  return (
    <View title="Transfer">
      <p class="quiet">A collection is labelled from one that has labels, directly or through others in between.</p>
      <div class="transfer-layout">
        <section class="card">
          <h2>From where to where</h2>
          <Select label="Label field" value={field} options={fields} changed={(value) => set({ field: value, source: [] })} />
          <fieldset class="chips">
            <legend class="field-label">Sources, which have the labels</legend>
            {labelled.map((each) => (
              <label key={each.name} class="chip">
                <input type="checkbox" checked={sources.includes(each.name)} onChange={() => toggleSource(each.name)} />
                <span>{each.name}</span>
              </label>
            ))}
          </fieldset>
          <Select label="Target, which gets them" value={target} changed={(value) => set({ target: value })}
            options={[{ value: '', text: 'choose one' }, ...all.filter((each) => !sources.includes(each.name)).map((each) => each.name)]} />
          <div class="buttons">
            <button type="button" disabled={!ready || busy} onClick={() => void rank()}>Rank bridges</button>
            <button type="button" disabled={busy} onClick={() => void measure()}>Measure distances</button>
          </div>
        </section>
        {distances && <CollectionDistances distances={distances} target={target} />}
      </div>
      {job && (
        <div role="status">
          <JobProgress job={job} cancel={(each) => void api.cancelJob(each.id).then(setJob, report)} />
        </div>
      )}
      {ranking && <Bridges ranking={ranking} way={way} choose={(value) => set({ way: value })} />}
      <section class="card">
        <h2>Carry the labels</h2>
        <div class="row">
          <Select label="Which way" value={way} changed={(value) => set({ way: value })}
            options={[
              { value: 'best', text: 'What is predicted to be best' },
              { value: 'direct', text: 'Directly' },
              { value: 'chain', text: 'An automatic chain' },
              ...all.filter((each) => each.name !== target && !sources.includes(each.name))
                .map((each) => ({ value: `through:${each.name}`, text: `Through ${each.name}` })),
              ...(way.includes('\n') ? [{ value: way, text: `Through ${listed(way.slice(8).split('\n'))}` }] : []),
            ]} />
          <Field label="Write only above" hint="a probability, 0 to 1">
            <input type="number" min={0} max={1} step={0.05} value={above}
              onChange={(event) => set({ above: event.currentTarget.value })} />
          </Field>
        </div>
        <div class="buttons">
          <button type="button" class="primary" disabled={!ready || busy} onClick={() => void transfer(true, false)}>
            Try (write nothing)
          </button>
          {!readOnly.value && (
            <ConfirmButton disabled={!ready || busy} text={`Write machine labels to ${target}? What people said is not touched.`}
              action="Run" run={() => void transfer(false, false)} />
          )}
        </div>
        {!ready && (
          <p class="quiet">
            {unlabelled.length > 0 ? `There is no ${field} in ${listed(unlabelled)}: choose another source or label field.`
              : 'Choose a source and a target first.'}
          </p>
        )}
      </section>
      {outcome && (
        <TransferOutcome outcome={outcome.result} dry={outcome.dry} busy={busy}
          nevertheless={() => void transfer(outcome.dry, true)} />
      )}
    </View>
  );
}
