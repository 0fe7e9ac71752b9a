/** Finds in an evaluation what is better drawn as lines than as bars. */
import { comparisons, isSetting, type Comparison } from './measures';

export interface Series {
  name: string;
  x: number[];
  y: number[];
}

export interface Plot {
  title: string;
  across: string;
  series: Series[];
}

type Plain = Record<string, unknown>;

const MOST = 8;

function numbers(value: unknown): number[] | undefined {
  return Array.isArray(value) && value.length > 1 && value.every((each) => typeof each === 'number' && Number.isFinite(each))
    ? (value as number[]) : undefined;
}

const upTo = (length: number, first: number, step: number) => Array.from({ length }, (_, index) => first + step * index);

const sum = (values: number[]) => values.reduce((before, each) => before + each, 0);

/**
 * The lists that methods have under `key`, the same positions meaning the same: a line a method, the best of those
 * it was tried with; the highest come first.
 */
function listed(entries: Plain[], key: string, title: string, across: string, x: (length: number) => number[]): Plot[] {
  const best = new Map<string, Series>();
  for (const entry of entries) {
    const y = numbers(entry[key]);
    const name = String(entry['method']);
    if (y && sum(y) > sum(best.get(name)?.y ?? [-Infinity])) best.set(name, { name, x: x(y.length), y });
  }
  const series = [...best.values()].sort((a, b) => sum(b.y) / b.y.length - sum(a.y) / a.y.length);
  return series.length > 0 ? [{ title, across, series: series.slice(0, MOST) }] : [];
}

/** How the first measure goes with a setting that a method was tried at. */
function swept(comparison: Comparison): Plot[] {
  const measure = comparison.columns.find((each) => !isSetting(each));
  if (measure === undefined) return [];
  return comparison.columns.filter((each) => isSetting(each)).flatMap((setting): Plot[] => {
    const others = comparison.columns.filter((each) => isSetting(each) && each !== setting);
    const series = new Map<string, [number, number][]>();
    for (const row of comparison.rows) {
      const at = row.measures.get(setting)?.value;
      const reached = row.measures.get(measure)?.value;
      if (at === undefined || reached === undefined) continue;
      const rest = others.map((each) => row.measures.get(each)?.value).filter((each) => each !== undefined);
      const key = JSON.stringify([row.method, ...rest]);
      series.set(key, [...(series.get(key) ?? []), [at, reached]]);
    }
    const lines = [...series].filter(([, points]) => new Set(points.map(([at]) => at)).size > 1).map(([key, points]) => {
      const [method, ...rest] = JSON.parse(key) as [string, ...number[]];
      const sorted = [...points].sort((a, b) => a[0] - b[0]);
      const same = [...series.keys()].filter((each) => (JSON.parse(each) as [string])[0] === method).length > 1;
      return { name: same && rest.length > 0 ? `${method} (${rest.join(', ')})` : method,
        x: sorted.map(([at]) => at), y: sorted.map(([, reached]) => reached) };
    });
    return lines.length > 0 ? [{ title: `${measure} by ${setting}`, across: setting, series: lines.slice(0, MOST) }] : [];
  });
}

export function plotsOf(result: unknown): Plot[] {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return [];
  const all = result as Plain;
  const methods = (Array.isArray(all['methods']) ? all['methods'] as unknown[] : []).filter(
    (each): each is Plain => typeof each === 'object' && each !== null && typeof (each as Plain)['method'] === 'string');
  const iterated = (key: string, title: string): Plot[] => {
    const y = numbers(all[key]);
    return y ? [{ title, across: 'iteration', series: [{ name: 'commonplace', x: upTo(y.length, 1, 1), y }] }] : [];
  };
  return [
    ...listed(methods, 'curve', 'precision by recall', 'recall', (length) => upTo(length, 0, 1 / (length - 1))),
    ...listed(methods, 'precision', 'precision of the first', 'suggestions looked at', (length) => upTo(length, 1, 1)),
    ...comparisons(result).flatMap(swept),
    ...iterated('objective', 'objective'),
    ...iterated('accuracy_by_iteration', 'accuracy of the factors'),
  ];
}
