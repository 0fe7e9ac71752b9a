import type { ReliabilityBin } from '../api/types';
import { number, percent } from '../format';
import { niceTicks } from './ticks';

export interface Bar {
  name: string;
  value: number;
  low?: number;
  high?: number;
}

/** Bars lying on their side, with the error as a line; the table beside it has the figures. */
export function BarChart(props: { title: string; bars: Bar[] }) {
  const { bars } = props;
  const most = Math.max(...bars.map((each) => each.high ?? each.value), 0);
  const least = Math.min(...bars.map((each) => each.low ?? each.value), 0);
  if (!Number.isFinite(most) || most === least) return null;
  const ticks = niceTicks(least, most, 4);
  const from = Math.min(least, ticks[0] ?? 0);
  const to = Math.max(most, ticks[ticks.length - 1] ?? 1);
  const width = 420;
  const left = 130;
  const line = 24;
  const height = bars.length * line + 26;
  const x = (value: number) => left + ((value - from) / (to - from)) * (width - left - 52);
  const best = Math.max(...bars.map((each) => each.value));
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
            <text x={left - 8} y={y + 13} text-anchor="end">{each.name.length > 20 ? `${each.name.slice(0, 19)}…` : each.name}</text>
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
  const bins = props.bins.filter((each) => (each.count ?? each.pairs ?? 1) > 0);
  const most = Math.max(...bins.map((each) => each.count ?? each.pairs ?? 1), 1);
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
          r={2 + 4 * Math.sqrt((each.count ?? each.pairs ?? 1) / most)} />
      ))}
      <text class="axis" x={at(0.5)} y={size - 4} text-anchor="middle">confidence said</text>
      <text class="axis" transform={`translate(10 ${up(0.5)}) rotate(-90)`} text-anchor="middle">right</text>
    </svg>
  );
}
