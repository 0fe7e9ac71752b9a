import type { Bridge, BridgeRanking } from '../../api/types';
import { listed, number, percent } from '../../format';

const COLUMNS: [keyof Bridge, string, (value: number) => string][] = [
  ['gain', 'Predicted gain', (value) => `${(100 * value).toFixed(1)} points`],
  ['gain_error', 'Error of it', (value) => `± ${(100 * value).toFixed(1)}`],
  ['success', 'Helps with', percent],
  ['distance_to_source', 'Distance to the source', number],
  ['distance_to_target', 'Distance to the target', number],
  ['shared_with_source', 'Shared with the source', percent],
  ['shared_with_target', 'Shared with the target', percent],
  ['complexity', 'Complexity', number],
];

/** The collections that could lie in between, best first. */
export function Bridges(props: { ranking: BridgeRanking; way: string; choose: (way: string) => void }) {
  const { ranking, way } = props;
  const columns = COLUMNS.filter(([name]) => ranking.bridges.some((each) => typeof each[name] === 'number'));
  const chain = ranking.chain ?? [];
  return (
    <section class="card">
      <h2>Bridges</h2>
      <p>
        {`From ${ranking.source.name} to ${ranking.target.name}`}
        {ranking.distance !== undefined ? ` the distance is ${number(ranking.distance)} of at most 2.` : '.'}
        {chain.length > 0 ? ` The shortest chain goes through ${listed(chain)}.` : ' No chain is shorter than the direct way.'}
      </p>
      {ranking.bridges.length === 0 ? <p>There is no collection in between.</p> : (
        <div class="scroll-x" tabIndex={0} role="region" aria-label="Bridges">
          <table>
            <thead>
              <tr>
                <th scope="col">Through</th>
                {columns.map(([name, text]) => <th key={name} scope="col">{text}</th>)}
                <th scope="col">Choose</th>
              </tr>
            </thead>
            <tbody>
              {ranking.bridges.map((each, index) => {
                const value = `through:${each.name}`;
                const leads = index === 0 && (((each.success ?? 0) > 0.5 && (each.gain ?? 0) > (each.gain_error ?? 0)) || each.only_way);
                return (
                  <tr key={each.name} class={leads ? 'leads' : ''}>
                    <th scope="row">
                      {each.name}
                      {each.only_way ? <span class="badge">the only way</span> : leads ? <span class="badge">leads</span> : null}
                    </th>
                    {columns.map(([name, , text]) => {
                      const cell = each[name];
                      return <td key={name} class="figure">{typeof cell === 'number' ? text(cell) : ''}</td>;
                    })}
                    <td>
                      <button type="button" class="small" aria-pressed={way === value} aria-label={`${way === value ? 'Chosen' : 'Choose'}: go through ${each.name}`}
                        onClick={() => props.choose(value)}>{way === value ? 'Chosen' : 'Choose'}</button>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      <div class="buttons">
        <button type="button" class="small" aria-pressed={way === 'direct'} onClick={() => props.choose('direct')}>Go directly</button>
        {chain.length > 0 && (
          <button type="button" class="small" aria-pressed={way === `through:${chain.join('\n')}`}
            onClick={() => props.choose(`through:${chain.join('\n')}`)}>{`Take the chain through ${listed(chain)}`}</button>
        )}
      </div>
      {ranking.forecast_quality && (
        <details>
          <summary>How good these forecasts are</summary>
          <p>{`Learned from ${String(ranking.forecast_learned_from ?? 'what is built in')}.`}</p>
          <dl class="pairs">
            {Object.entries(ranking.forecast_quality).map(([name, value]) => (
              <div key={name}><dt>{name.replace(/_/g, ' ')}</dt><dd>{typeof value === 'number' ? number(value) : String(value)}</dd></div>
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}
