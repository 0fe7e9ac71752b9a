import { expect, test } from 'vitest';
import { plotsOf } from './curves';

test('precision at recall becomes a line for each method', () => {
  const found = plotsOf({ methods: [{ method: 'a', curve: [1, 0.5, 0.25] }, { method: 'b', curve: [0.9, 0.4, 0.2] }] });
  expect(found).toEqual([{ title: 'precision by recall', across: 'recall',
    series: [{ name: 'a', x: [0, 0.5, 1], y: [1, 0.5, 0.25] }, { name: 'b', x: [0, 0.5, 1], y: [0.9, 0.4, 0.2] }] }]);
});

test('of a method tried several times the best line is drawn, the highest first', () => {
  const methods = [['a', 0.1], ['b', 0.4], ['b', 0.5], ['c', 0.3]].map(([method, at]) => ({ method, precision: [at, at] }));
  expect(plotsOf({ methods })[0]!.series.map((each) => [each.name, each.y[0]])).toEqual([['b', 0.5], ['c', 0.3], ['a', 0.1]]);
});

test('a method tried at several settings becomes a line over the setting, in its order', () => {
  const [plot, ...others] = plotsOf({ methods: [
    { method: 'ours', labelled: 100, miap: { value: 0.5, low: 0.4, high: 0.6 } },
    { method: 'ours', labelled: 10, miap: { value: 0.3, low: 0.2, high: 0.4 } },
    { method: 'svm', labelled: 10, miap: { value: 0.2, low: 0.1, high: 0.3 } },
  ] });
  expect(others).toEqual([]);
  expect(plot).toEqual({ title: 'miap by labelled', across: 'labelled', series: [{ name: 'ours', x: [10, 100], y: [0.3, 0.5] }] });
});

test('two settings are drawn one at a time', () => {
  const methods = [10, 20].flatMap((labelled) => [1, 2].map((dim) => ({ method: 'm', labelled, dim, map: labelled * dim })));
  const found = plotsOf({ methods });
  expect(found.map((each) => each.across)).toEqual(['labelled', 'dim']);
  expect(found[0]!.series.map((each) => each.name)).toEqual(['m (1)', 'm (2)']);
});

test('what goes with the iterations is drawn over them', () => {
  expect(plotsOf({ methods: [], objective: [3, 2, 1.5] })).toEqual([
    { title: 'objective', across: 'iteration', series: [{ name: 'commonplace', x: [1, 2, 3], y: [3, 2, 1.5] }] }]);
});

test('what has no lines gives none', () => {
  expect(plotsOf(null)).toEqual([]);
  expect(plotsOf([1])).toEqual([]);
  expect(plotsOf({ methods: [{ method: 'a', map: 0.3, curve: ['x'] }], objective: [1] })).toEqual([]);
});
