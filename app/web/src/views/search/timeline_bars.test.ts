import { expect, test } from 'vitest';
import { bars } from './timeline_bars';

test('gaps are bars of nothing', () => {
  expect(bars([{ from: '2019-11', items: 2 }, { from: '2020-02', items: 3 }])).toEqual({
    bars: [{ from: '2019-11', items: 2 }, { from: '2019-12', items: 0 }, { from: '2020-01', items: 0 }, { from: '2020-02', items: 3 }],
    ends: ['2019-12', '2020-01', '2020-02', '2020-03'],
  });
  expect(bars([{ from: '2020-02-28', items: 1 }, { from: '2020-03-01', items: 1 }]).ends).toEqual(['2020-02-29', '2020-03-01', '2020-03-02']);
});

test('many are joined, and nothing is lost', () => {
  const joined = bars([{ from: '1800', items: 4 }, { from: '2019', items: 5 }], 50);
  expect(joined.bars.length).toBeLessThanOrEqual(50);
  expect(joined.bars.reduce((sum, each) => sum + each.items, 0)).toBe(9);
  expect(joined.ends[joined.ends.length - 1]).toBe('2020');
});
