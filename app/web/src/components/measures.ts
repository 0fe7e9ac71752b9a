/** Finds in any report what can be compared: an array of methods, and the measures that all share. */
import type { ReliabilityBin } from '../api/types';

export interface Measure {
  value: number;
  low?: number;
  high?: number;
}

export interface Comparison {
  name: string;
  rows: { method: string; measures: Map<string, Measure> }[];
  columns: string[];
}

type Plain = Record<string, unknown>;

const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Smaller is better for these. */
const LESS = /error|loss|seconds|median|metres|deviation|memory|bytes|coverage/;
/** Settings of a method rather than what it reached. */
const SETTING = /^(labelled|unlabelled|prototypes|shared|learned_from|clusters|removed|labelled_\w+|dim|items)$/;

export const isLessBetter = (name: string) => LESS.test(name);
export const isSetting = (name: string) => SETTING.test(name);

export function measureOf(value: unknown): Measure | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return { value };
  if (isPlain(value) && typeof value['value'] === 'number') {
    const measure: Measure = { value: value['value'] };
    if (typeof value['low'] === 'number') measure.low = value['low'];
    if (typeof value['high'] === 'number') measure.high = value['high'];
    return measure;
  }
  return undefined;
}

function intervalOf(value: unknown): [number, number] | undefined {
  if (Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'number') return [value[0], value[1]];
  if (isPlain(value) && typeof value['low'] === 'number' && typeof value['high'] === 'number') return [value['low'], value['high']];
  return undefined;
}

function comparisonOf(name: string, entries: Plain[]): Comparison {
  const columns: string[] = [];
  const rows = entries.map((entry) => {
    const measures = new Map<string, Measure>();
    for (const [key, value] of Object.entries(entry)) {
      if (key === 'method' || key === 'low' || key === 'high') continue;
      const measure = measureOf(value);
      if (!measure) continue;
      const interval = intervalOf(entry[`${key}_interval`]);
      if (interval) [measure.low, measure.high] = interval;
      measures.set(key, measure);
      if (!columns.includes(key)) columns.push(key);
    }
    return { method: String(entry['method']), measures };
  });
  return { name, rows, columns };
}

export function comparisons(result: unknown, name = 'methods'): Comparison[] {
  if (Array.isArray(result)) {
    const entries = result.filter((each): each is Plain => isPlain(each) && typeof each['method'] === 'string');
    return entries.length > 0 ? [comparisonOf(name, entries)] : [];
  }
  if (!isPlain(result)) return [];
  return Object.entries(result).flatMap(([key, value]) => comparisons(value, key));
}

/** The best value of a column, or undefined where there is nothing to compare. */
export function bestOf(comparison: Comparison, column: string): number | undefined {
  if (isSetting(column) || comparison.rows.length < 2) return undefined;
  const values = comparison.rows.flatMap((row) => row.measures.get(column)?.value ?? []);
  if (values.length < 2) return undefined;
  return isLessBetter(column) ? Math.min(...values) : Math.max(...values);
}

export interface Tried {
  method: string;
  /** What it was set to, where it was tried more than once. */
  settings: number[];
  measure: Measure;
}

/** The best that each method reached in a column, the best method first. */
export function bestOfEach(comparison: Comparison, column: string): Tried[] {
  const less = isLessBetter(column);
  const settings = comparison.columns.filter(isSetting);
  const best = new Map<string, Tried>();
  for (const row of comparison.rows) {
    const measure = row.measures.get(column);
    const before = best.get(row.method);
    if (!measure || (before && (less ? measure.value >= before.measure.value : measure.value <= before.measure.value))) continue;
    const several = comparison.rows.filter((other) => other.method === row.method).length > 1;
    best.set(row.method, { method: row.method, measure,
      settings: several ? settings.flatMap((each) => row.measures.get(each)?.value ?? []) : [] });
  }
  return [...best.values()].sort((a, b) => (less ? 1 : -1) * (a.measure.value - b.measure.value));
}

/** The numbers of a report, with those one level down; lists are left out. */
export function figures(report: unknown, prefix = ''): [string, Measure][] {
  if (!isPlain(report)) return [];
  return Object.entries(report).flatMap(([key, value]): [string, Measure][] => {
    const measure = measureOf(value);
    if (key === 'low' || key === 'high') return [];
    const name = prefix ? `${prefix}, ${key}` : key;
    if (measure) return [[name, measure]];
    return isPlain(value) && !['weights', 'fit', 'mixture'].includes(key) ? figures(value, name) : [];
  });
}

/** A reliability diagram's bins, wherever a report has them. */
export function reliabilityOf(report: unknown): ReliabilityBin[] | undefined {
  if (!isPlain(report)) return undefined;
  const own = report['reliability'];
  if (Array.isArray(own) && own.length > 0 && own.every((each) => isPlain(each) && typeof each['confidence'] === 'number')) {
    return own.map((each: Plain) => ({
      confidence: Number(each['confidence']), right: Number(each['right']), pairs: Number(each['pairs'] ?? 1),
    }));
  }
  for (const value of Object.values(report)) {
    const found = reliabilityOf(value);
    if (found) return found;
  }
  return undefined;
}
