import { expect, test } from 'vitest';
import { bundled, foundOf } from './dropped_files';

const file = (name: string) => new File(['x'], name);

/** A folder or file as a browser hands it over. */
function entry(name: string, below?: unknown[]) {
  if (!below) return { name, isDirectory: false, file: (done: (each: File) => void) => done(file(name)) };
  return {
    name, isDirectory: true,
    createReader: () => {
      let rest = below;
      return { readEntries: (done: (some: unknown[]) => void) => { const some = rest.slice(0, 1); rest = rest.slice(1); done(some); } };
    },
  };
}

const dropped = (...entries: unknown[]) =>
  ({ items: entries.map((each) => ({ webkitGetAsEntry: () => each })), files: [] }) as unknown as DataTransfer;

test('a folder gives the files in it and below it, without hidden ones', async () => {
  const found = await foundOf(dropped(entry('Holidays', [entry('a.jpg'), entry('.DS_Store'), entry('2019', [entry('a.jpg')])])));
  const { bundles, left } = bundled(found);
  expect(left).toEqual([]);
  expect(bundles).toHaveLength(1);
  expect(bundles[0]!.from).toBe('Holidays');
  expect(bundles[0]!.files.map((each) => each.name)).toEqual(['a.jpg', '2019/a.jpg']);
});

test('tables are a collection each, and what nothing can be made of is told', () => {
  const found = [['t', 'films.csv'], ['t', 'x.exe'], ['t', 'a.png'], ['marks.html']].map((path) => ({ path, file: file(path[path.length - 1]!) }));
  const { bundles, left } = bundled(found);
  expect(bundles.map((each) => [each.from, each.pictures, each.files.length])).toEqual([['t', true, 1], ['films.csv', false, 1], ['marks.html', false, 1]]);
  expect(left).toEqual(['t/x.exe']);
});

test('sidecars alone are no pictures', () => {
  expect(bundled([{ path: ['a.xmp'], file: file('a.xmp') }])).toEqual({ bundles: [], left: ['a.xmp'] });
});
