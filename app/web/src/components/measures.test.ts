import { expect, test } from 'vitest';
import { bestOf, bestOfEach, comparisons, figures, reliabilityOf } from './measures';

const suggest = {
  train_items: 900,
  methods: [
    { method: 'commonplace', 'precision@1': 0.7, 'precision@1_interval': [0.65, 0.75], precision: [0.7, 0.6], seconds: 2 },
    { method: 'svm', 'precision@1': 0.6, seconds: 1 },
  ],
};

test('methods become rows, numbers columns, intervals errors', () => {
  const [found] = comparisons(suggest);
  expect(found!.columns).toEqual(['precision@1', 'seconds']);
  expect(found!.rows[0]!.measures.get('precision@1')).toEqual({ value: 0.7, low: 0.65, high: 0.75 });
  expect(bestOf(found!, 'precision@1')).toBe(0.7);
  expect(bestOf(found!, 'seconds')).toBe(1);
});

test('of each method the best is drawn, the best method first', () => {
  const [found] = comparisons({ methods: [
    { method: 'a', shared: 4, map: 0.2, error: 0.3 }, { method: 'a', shared: 8, map: 0.3, error: 0.5 }, { method: 'b', map: 0.4, error: 0.4 },
  ] });
  expect(bestOfEach(found!, 'map').map((each) => [each.method, each.settings, each.measure.value])).toEqual([['b', [], 0.4], ['a', [8], 0.3]]);
  expect(bestOfEach(found!, 'error').map((each) => [each.method, each.settings, each.measure.value])).toEqual([['a', [4], 0.3], ['b', [], 0.4]]);
});

test('values with their bounds are read, also in several lists', () => {
  const found = comparisons({
    methods: [{ method: 'a', map: { value: 0.3, low: 0.2, high: 0.4 } }],
    places: [{ method: 'b', median_metres: 900, low: 1, high: 2 }],
  });
  expect(found.map((each) => each.name)).toEqual(['methods', 'places']);
  expect(found[0]!.rows[0]!.measures.get('map')).toEqual({ value: 0.3, low: 0.2, high: 0.4 });
});

test('what is no comparison gives none', () => {
  expect(comparisons(null)).toEqual([]);
  expect(comparisons({ items: 3, list: [1, 2] })).toEqual([]);
});

test('figures of a report come with where they stand', () => {
  const report = { items: 5, held_out: { words: { map: 0.1 } }, tried: [{ map: 0 }] };
  expect(figures(report).map(([name]) => name)).toEqual(['items', 'held_out, words, map']);
});

test('the bins of a reliability diagram are found', () => {
  expect(reliabilityOf({ held_out: { reliability: [{ pairs: 4, confidence: 0.1, right: 0.2 }] } }))
    .toEqual([{ confidence: 0.1, right: 0.2, pairs: 4 }]);
  expect(reliabilityOf({})).toBeUndefined();
});
