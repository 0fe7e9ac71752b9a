import type { TransferResult } from '../../api/types';
import { BarChart } from '../../components/chart';
import { count, counted, listed, percent, seconds } from '../../format';
import { sentence } from '../../words/problems';
import { readOnly } from '../../state/library';
import { itemAddress } from '../../state/route';

export function TransferOutcome(props: { outcome: TransferResult; dry: boolean; busy: boolean; nevertheless: () => void }) {
  const { outcome, dry } = props;
  const labels = Object.entries(outcome.labels ?? {});
  const through = outcome.through ?? [];
  const way = through.length > 0 ? `through ${listed(through)}` : 'directly';
  return (
    <section class="card">
      <h2>{dry ? 'What would be written' : 'What was written'}</h2>
      {outcome.refused ? (
        <div class="note warning">
          <p>{`Nothing was written. ${sentence(outcome.reason ?? 'harm is predicted')}`}</p>
          {(dry || !readOnly.value) && (
            <button type="button" disabled={props.busy} onClick={props.nevertheless}>Do it nevertheless</button>
          )}
        </div>
      ) : (
        <p>
          {`${outcome.field ?? 'Labels'} from ${listed(outcome.sources ?? [])} to ${outcome.target ?? ''}, ${way}. `}
          {outcome.known ? `${counted(outcome.known, 'item')} had one already. ` : ''}
          {dry ? 'Nothing was written. ' : `${counted(outcome.written ?? 0, 'label')} written. `}
          {outcome.mean_probability !== undefined ? `The mean probability is ${percent(outcome.mean_probability)}. ` : ''}
          {outcome.seconds !== undefined ? `It took ${seconds(outcome.seconds)}.` : ''}
        </p>
      )}
      {!outcome.refused && outcome.reason && <p>{sentence(outcome.reason)}</p>}
      {labels.length > 0 && (
        <>
          <h3>Items of each label</h3>
          <BarChart title="Items of each label" bars={labels.map(([name, value]) => ({ name, value }))} />
        </>
      )}
      {outcome.predictions && outcome.predictions.length > 0 && (
        <>
          <h3>The first predictions</h3>
          <div class="scroll-x" tabIndex={0} role="region" aria-label="Predictions">
            <table>
              <thead><tr><th scope="col">Item</th><th scope="col">Label</th><th scope="col">Probability</th></tr></thead>
              <tbody>
                {outcome.predictions.slice(0, 50).map((each) => (
                  <tr key={each.item}>
                    <td><a href={itemAddress(outcome.target ?? '', each.item)}>{each.item}</a></td>
                    <td>{each.label}</td><td class="figure">{percent(each.probability)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {outcome.stages && outcome.stages.length > 0 && (
        <details>
          <summary>How it got there</summary>
          <ol>
            {outcome.stages.map((each, index) => (
              <li key={index}>
                {`${counted(each.iterations, 'iteration')}, ${each.converged ? 'converged' : 'not converged'}`}
                {each.agreement !== undefined ? `, agreement ${percent(each.agreement)}` : ''}.
              </li>
            ))}
          </ol>
        </details>
      )}
      {outcome.predictions && outcome.predictions.length > 50 && <p class="quiet">{`${count(outcome.predictions.length)} in all.`}</p>}
    </section>
  );
}
