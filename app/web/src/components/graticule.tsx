import { coordinates } from '../format';
import type { Place } from '../api/types';

const DEGREE = 111_320;

/** Degrees from the middle to the edge: enough for the circle, and a round step for the lines. */
export function extentOf(radius: number | undefined): { half: number; step: number } {
  const wanted = radius ? (1.4 * radius) / DEGREE : 2;
  const steps = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];
  const step = steps.find((each) => each * 2.5 >= wanted) ?? 30;
  return { half: Math.min(90, Math.max(wanted, step * 1.5)), step };
}

function lines(middle: number, half: number, step: number): number[] {
  const result: number[] = [];
  for (let at = Math.ceil((middle - half) / step); at * step <= middle + half; ++at) result.push(at * step);
  return result;
}

const degrees = (value: number, step: number) => `${value.toFixed(step < 0.01 ? 3 : step < 0.1 ? 2 : step < 1 ? 1 : 0)}°`;

/** A place among the lines of latitude and longitude; there is no other map without a network. */
export function Graticule(props: { place: Place; radius?: number }) {
  const { latitude, longitude } = props.place;
  const { half, step } = extentOf(props.radius);
  const size = 200;
  const narrow = Math.max(0.2, Math.cos((latitude * Math.PI) / 180));
  const x = (at: number) => size / 2 + ((at - longitude) * narrow * size) / (2 * half);
  const y = (at: number) => size / 2 - ((at - latitude) * size) / (2 * half);
  const circle = props.radius ? ((props.radius / DEGREE) * size) / (2 * half) : 0;
  return (
    <svg class="graticule" viewBox={`0 0 ${size} ${size}`} role="img"
      aria-label={`Lines of latitude and longitude around ${coordinates(latitude, longitude)}`}>
      {lines(longitude, half / narrow, step).map((at) => (
        <g key={`x${at}`}>
          <line x1={x(at)} y1={0} x2={x(at)} y2={size} />
          <text x={x(at) + 2} y={size - 4}>{degrees(at, step)}</text>
        </g>
      ))}
      {lines(latitude, half, step).map((at) => (
        <g key={`y${at}`}>
          <line x1={0} y1={y(at)} x2={size} y2={y(at)} />
          <text x={2} y={y(at) - 3}>{degrees(at, step)}</text>
        </g>
      ))}
      {circle > 0 && <circle class="guess" cx={size / 2} cy={size / 2} r={circle} />}
      <circle class="point" cx={size / 2} cy={size / 2} r={5} />
    </svg>
  );
}
