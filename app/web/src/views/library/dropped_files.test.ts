import { expect, test } from 'vitest';
import { filesOf, withNames } from './dropped_files';

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
  const found = await filesOf(dropped(entry('Holidays', [entry('a.jpg'), entry('.DS_Store'), entry('2019', [entry('b.jpg')])])));
  expect(found.folder).toBe('Holidays');
  expect(found.files.map((each) => each.name)).toEqual(['a.jpg', 'b.jpg']);
});

test('files of the same name in two folders keep apart', () => {
  const named = withNames([{ path: ['h', '1', 'a.jpg'], file: file('a.jpg') }, { path: ['h', '2', 'a.jpg'], file: file('a.jpg') }]);
  expect(named.map((each) => each.name)).toEqual(['h_1_a.jpg', 'h_2_a.jpg']);
});
