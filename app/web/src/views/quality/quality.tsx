import { useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { Evaluation, Model } from '../../api/types';
import { BarChart, LineChart, Reliability, type Bar } from '../../components/chart';
import { plotsOf } from '../../components/curves';
import { useAnswer } from '../../components/hooks';
import { Failure, Loading, Note, Select, View } from '../../components/view';
import { number, percent, time, words } from '../../format';
import { models } from '../../state/library';
import { address, changed, replaceAddress, route } from '../../state/route';
import { t } from '../../words/say';
import { evaluationSentences, modelSentences } from './sentences';
import { bestOf, bestOfEach, comparisons, figures, isLessBetter, isSetting, reliabilityOf, type Comparison } from '../../components/measures';

/** What matters most of a report, in the order of telling. */
const KNOWN = /(precision|ndcg|map|miap|f1|accuracy|auc|calibration_error|agreement|success|gain)/;

const SAYS: Record<string, string> = {
  search: 'finds items by words and borrows from other collections',
  suggest: 'suggests tags with a confidence',
  detect: 'finds what shows a concept',
  relate: 'says what belongs together',
  transfer: 'carries labels between collections',
};

function heldOutBars(report: unknown): Bar[] {
  const held = (report as { held_out?: Record<string, { map?: number; low?: number; high?: number }> } | undefined)?.held_out;
  if (!held) return [];
  return ['words', 'alone', 'borrowed'].flatMap((name) => {
    const each = held[name];
    return each && typeof each.map === 'number' ? [{ name, value: each.map, low: each.low, high: each.high }] : [];
  });
}

function ModelCard({ model }: { model: Model }) {
  const all = figures(model.report);
  const bars = heldOutBars(model.report);
  const important = bars.length > 0 ? [] : all.filter(([name]) => KNOWN.test(name)).slice(0, 8);
  const others = all.filter(([name]) => !KNOWN.test(name)).slice(0, 8);
  const bins = reliabilityOf(model.report);
  return (
    <section class="card">
      <h3>{model.name}</h3>
      <p class="quiet">
        {`It ${SAYS[model.kind] ?? `is a ${model.kind} model`}`}{model.collection ? `, for ${model.collection}` : ''}
        {model.created ? `, learned ${time(model.created)}` : ''}.
      </p>
      {modelSentences(model).map((each) => <p key={each} class="says">{each}</p>)}
      <details>
        <summary>{t('Details')}</summary>
        <dl class="figures">
          {important.map(([name, measure]) => (
            <div key={name} class="important"><dt>{words(name)}</dt><dd>{number(measure.value)}</dd></div>
          ))}
          {others.map(([name, measure]) => (
            <div key={name}><dt>{words(name)}</dt><dd>{number(measure.value)}</dd></div>
          ))}
        </dl>
        {bars.length > 1 && (
          <>
            <h4>Mean average precision on tags held out</h4>
            <BarChart title="Mean average precision on tags held out" bars={bars} />
          </>
        )}
        {bins && <><h4>Said and right</h4><Reliability bins={bins} /></>}
        <pre tabIndex={0}>{JSON.stringify({ options: model.options, report: model.report }, null, 2)}</pre>
      </details>
    </section>
  );
}

function ComparisonTable({ comparison, of }: { comparison: Comparison; of: string }) {
  const measured = comparison.columns.filter((each) => !isSetting(each));
  const settings = comparison.columns.filter((each) => isSetting(each));
  const columns = [...settings, ...measured];
  const [asked, setAsked] = useState('');
  const drawn = measured.includes(asked) ? asked : measured[0];
  const bars: Bar[] = drawn === undefined ? [] : bestOfEach(comparison, drawn).map((each) => (
    { name: `${each.method}${each.settings.length > 0 ? ` (${each.settings.join(', ')})` : ''}`, ...each.measure }));
  return (
    <>
      <div class="scroll-x" tabIndex={0} role="region" aria-label={`${of}: ${words(comparison.name)}`}>
        <table>
          <thead>
            <tr><th scope="col">Method</th>{columns.map((each) => <th key={each} scope="col">{words(each)}</th>)}</tr>
          </thead>
          <tbody>
            {comparison.rows.map((row, index) => (
              <tr key={index}>
                <th scope="row">{row.method}</th>
                {columns.map((column) => {
                  const measure = row.measures.get(column);
                  const best = measure !== undefined && measure.value === bestOf(comparison, column);
                  const text = measure ? number(measure.value) : '';
                  const error = measure?.low !== undefined && measure.high !== undefined
                    ? `between ${number(measure.low)} and ${number(measure.high)}` : undefined;
                  return <td key={column} class="figure" title={error}>{best ? <strong>{text}</strong> : text}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {drawn !== undefined && comparison.rows.length > 1 && (
        <>
          <Select label="Measure to draw" value={drawn} changed={setAsked}
            options={measured.map((each) => ({ value: each, text: `${words(each)}${isLessBetter(each) ? ', less is better' : ''}` }))} />
          <BarChart title={words(drawn)} bars={bars.slice(0, 24)} less={isLessBetter(drawn)} />
        </>
      )}
    </>
  );
}

function EvaluationCard({ evaluation }: { evaluation: Evaluation }) {
  const title = `${words(evaluation.verb)}${evaluation.collection ? ` of ${evaluation.collection}` : ''}, ${evaluation.id}`;
  const found = comparisons(evaluation.result);
  const bins = reliabilityOf((evaluation.result as { methods?: unknown[] } | null)?.methods?.find((each) => reliabilityOf(each)));
  return (
    <section class="card">
      <h3>{title}</h3>
      {evaluation.created && <p class="quiet">{`Measured ${time(evaluation.created)}.`}</p>}
      {evaluationSentences(evaluation).map((each) => <p key={each} class="says">{each}</p>)}
      <details>
        <summary>{t('Details')}</summary>
        {found.map((each) => <ComparisonTable key={each.name} comparison={each} of={title} />)}
        {plotsOf(evaluation.result).map((each) => (
          <div key={each.title}><h4>{words(each.title)}</h4><LineChart plot={each} /></div>
        ))}
        {bins && <><h4>Said and right</h4><Reliability bins={bins} /></>}
        <pre tabIndex={0}>{JSON.stringify(evaluation.result, null, 2)}</pre>
      </details>
    </section>
  );
}

function Effect({ collection }: { collection: string }) {
  const answer = useAnswer(() => api.reviewEffect(collection), [collection]);
  const effect = answer.value;
  if (!effect) return null;
  return (
    <p>
      {`Decisions on suggestions for ${collection}: ${effect.decided.accepted} accepted, ${effect.decided.rejected} rejected.`}
      {typeof effect.expected === 'number' && typeof effect.right === 'number'
        ? ` ${percent(effect.expected)} were expected to be right, ${percent(effect.right)} were.` : ''}
    </p>
  );
}

/** How good everything is, as measured. */
export function QualityView() {
  const answer = useAnswer(() => api.evaluations(), []);
  const kinds = [...new Set(models.value.map((each) => each.kind))];
  const kind = route.value.query.get('kind') ?? '';
  const shown = models.value.filter((each) => kind === '' || each.kind === kind);
  const measured = (answer.value?.evaluations ?? []).filter((each) => kind === '' || each.verb === kind);
  const suggesting = kind === '' || kind === 'suggest' ? models.value.filter((each) => each.kind === 'suggest' && each.collection) : [];
  return (
    <View title="Quality">
      <fieldset class="chips">
        <legend class="unseen">Kind of model</legend>
        {['', ...kinds].map((each) => (
          <label key={each} class="chip">
            <input type="radio" name="kind" checked={kind === each} onChange={() => replaceAddress(changed({ kind: each }))} />
            <span>{each || 'all'}</span>
          </label>
        ))}
      </fieldset>
      <h2>Models</h2>
      {models.value.length === 0 && (
        <Note><p>Nothing is learned yet. <a href={address('library')}>The library</a> has what can be learned.</p></Note>
      )}
      {suggesting.map((each) => <Effect key={each.name} collection={each.collection!} />)}
      <div class="cards">{shown.map((each) => <ModelCard key={each.name} model={each} />)}</div>
      <h2>Evaluations</h2>
      {answer.loading && <Loading what="evaluations" />}
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      {answer.value && measured.length === 0 && (
        <p>Nothing was measured yet. “Measure” in <a href={address('library')}>the library</a> compares with other methods.</p>
      )}
      <div class="cards wide-cards">{measured.map((each) => <EvaluationCard key={each.id} evaluation={each} />)}</div>
    </View>
  );
}
