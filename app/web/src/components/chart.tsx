import type { ReliabilityBin } from '../api/types';
import { number, percent, words } from '../format';
import type { Plot } from './curves';
import { niceTicks } from './ticks';

export interface Bar {
  name: string;
  value: number;
  low?: number;
  high?: number;
}

/** Bars lying on their side, with the error as a line; the table beside it has the figures. */
export function BarChart(props: { title: string; bars: Bar[]; less?: boolean }) {
  const { bars } = props;
  const most = Math.max(...bars.map((each) => each.high ?? each.value), 0);
  const least = Math.min(...bars.map((each) => each.low ?? each.value), 0);
  if (!Number.isFinite(most) || most === least) return null;
  const ticks = niceTicks(least, most, 4);
  const from = Math.min(least, ticks[0] ?? 0);
  const to = Math.max(most, ticks[ticks.length - 1] ?? 1);
  const width = 440;
  const left = 160;
  const line = 24;
  const height = bars.length * line + 26;
  const x = (value: number) => left + ((value - from) / (to - from)) * (width - left - 52);
  const best = (props.less ? Math.min : Math.max)(...bars.map((each) => each.value));
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${height}`} role="img"
      aria-label={`${props.title}: ${bars.map((each) => `${each.name} ${number(each.value)}`).join(', ')}`}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="tick" x1={x(tick)} x2={x(tick)} y1={0} y2={height - 20} />
          <text class="axis" x={x(tick)} y={height - 6} text-anchor="middle">{number(tick, 2)}</text>
        </g>
      ))}
      {bars.map((each, index) => {
        const y = index * line + 4;
        return (
          <g key={`${each.name}${index}`}>
            <text x={left - 8} y={y + 13} text-anchor="end"><title>{each.name}</title>{each.name.length > 22 ? `${each.name.slice(0, 21)}…` : each.name}</text>
            <rect class={each.value === best ? 'bar best' : 'bar'} x={Math.min(x(0), x(each.value))} y={y}
              width={Math.abs(x(each.value) - x(0))} height={line - 8} rx={2} />
            {each.low !== undefined && each.high !== undefined && (
              <path class="error" d={`M${x(each.low)} ${y + 8}H${x(each.high)}M${x(each.low)} ${y + 4}v8M${x(each.high)} ${y + 4}v8`} />
            )}
            <text class="value" x={Math.max(x(each.value), x(each.high ?? each.value)) + 6} y={y + 13}>{number(each.value)}</text>
          </g>
        );
      })}
    </svg>
  );
}

/** How often it was right where it said so sure; on the diagonal it is honest. */
export function Reliability(props: { bins: ReliabilityBin[] }) {
  const bins = props.bins.filter((each) => each.pairs > 0);
  const most = Math.max(...bins.map((each) => each.pairs), 1);
  const size = 240;
  const edge = 48;
  const at = (share: number) => edge + share * (size - edge - 10);
  const up = (share: number) => size - edge - share * (size - edge - 10);
  return (
    <svg class="chart reliability" viewBox={`0 0 ${size} ${size}`} role="img"
      aria-label={`Said and right: ${bins.map((each) => `${percent(each.confidence)} said, ${percent(each.right)} right`).join('; ')}`}>
      {[0, 0.5, 1].map((tick) => (
        <g key={tick}>
          <line class="tick" x1={at(tick)} x2={at(tick)} y1={up(0)} y2={up(1)} />
          <line class="tick" x1={at(0)} x2={at(1)} y1={up(tick)} y2={up(tick)} />
          <text class="axis" x={at(tick)} y={size - edge + 14} text-anchor="middle">{percent(tick)}</text>
          <text class="axis" x={edge - 4} y={up(tick) + 4} text-anchor="end">{percent(tick)}</text>
        </g>
      ))}
      <line class="diagonal" x1={at(0)} y1={up(0)} x2={at(1)} y2={up(1)} />
      <polyline class="curve" points={bins.map((each) => `${at(each.confidence)},${up(each.right)}`).join(' ')} />
      {bins.map((each, index) => (
        <circle key={index} class="dot" cx={at(each.confidence)} cy={up(each.right)}
          r={2 + 4 * Math.sqrt(each.pairs / most)} />
      ))}
      <text class="axis" x={at(0.5)} y={size - 4} text-anchor="middle">confidence said</text>
      <text class="axis" transform={`translate(10 ${up(0.5)}) rotate(-90)`} text-anchor="middle">right</text>
    </svg>
  );
}

/** Lines of several methods; they differ in colour and in how they are dashed. */
export function LineChart({ plot }: { plot: Plot }) {
  const xs = plot.series.flatMap((each) => each.x);
  const ys = plot.series.flatMap((each) => each.y);
  const [least, most] = [Math.min(...xs), Math.max(...xs)];
  if (!(most > least)) return null;
  const low = Math.min(...ys);
  const span = Math.max(...ys) - low;
  // From zero, unless that would leave the lines flat.
  const ticks = niceTicks(low > 0 && span > 0.3 * low ? 0 : Math.min(low, low - 0.1 * span), Math.max(...ys, low + 1e-9), 4);
  const [from, to] = [ticks[0]!, ticks[ticks.length - 1]!];
  const across = niceTicks(least, most, 5).filter((each) => each >= least && each <= most);
  const width = 420;
  const height = 240;
  const [left, bottom] = [52, 40];
  const x = (value: number) => left + ((value - least) / (most - least)) * (width - left - 14);
  const y = (value: number) => height - bottom - ((value - from) / (to - from || 1)) * (height - bottom - 10);
  const said = plot.series.map((each) => `${each.name} from ${number(each.y[0]!)} to ${number(each.y[each.y.length - 1]!)}`);
  return (
    <figure class="lines">
      <svg class="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${words(plot.title)}: ${said.join(', ')}`}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="tick" x1={left} x2={width - 14} y1={y(tick)} y2={y(tick)} />
            <text class="axis" x={left - 6} y={y(tick) + 4} text-anchor="end">{number(tick, 2)}</text>
          </g>
        ))}
        {across.map((tick) => (
          <g key={tick}>
            <line class="tick" x1={x(tick)} x2={x(tick)} y1={y(from)} y2={y(to)} />
            <text class="axis" x={x(tick)} y={height - bottom + 15} text-anchor="middle">{number(tick, 1)}</text>
          </g>
        ))}
        {plot.series.map((each, index) => (
          <polyline key={each.name} class={`series of-${index % 8}`} points={each.x.map((at, i) => `${x(at)},${y(each.y[i]!)}`).join(' ')} />
        ))}
        <text class="axis" x={(left + width) / 2} y={height - 6} text-anchor="middle">{words(plot.across)}</text>
      </svg>
      <figcaption>
        <ul class="keys">
          {plot.series.map((each, index) => (
            <li key={each.name}>
              <svg class="key" viewBox="0 0 28 8" aria-hidden="true"><line class={`series of-${index % 8}`} x1={0} x2={28} y1={4} y2={4} /></svg>
              {each.name}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}
