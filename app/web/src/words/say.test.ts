import { expect, test } from 'vitest';
import { catalogue } from './de';
import { t, tn } from './say';

const sources = import.meta.glob<string>('../**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true });

/** Every sentence that the code hands to the catalogue. */
function sentences(): Set<string> {
  const found = new Set<string>();
  for (const [file, text] of Object.entries(sources)) {
    if (/^\.\/(de|say)\.ts|\.test\./.test(file)) continue;
    for (const match of text.matchAll(/\btn\(\s*'[^']*',\s*'([^']*)'/g)) found.add(match[1]!);
    for (const match of text.matchAll(/\bt\('([^']*)'/g)) found.add(match[1]!);
  }
  return found;
}

test('German has every sentence, with the same values, and none that nobody says', () => {
  const said = sentences();
  expect(said.size).toBeGreaterThan(50);
  expect([...said].filter((each) => !(each in catalogue))).toEqual([]);
  expect(Object.keys(catalogue).filter((each) => !said.has(each))).toEqual([]);
  const values = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
  for (const [text, translated] of Object.entries(catalogue)) {
    for (const each of [translated].flat()) expect(values(each), text).toEqual(values(text));
  }
});

test('values and numbers are put in', () => {
  expect(t('“{tag}” added.', { tag: 'owl' })).toBe('“owl” added.');
  expect(tn('{n} item', '{n} items', 1)).toBe('1 item');
  expect(tn('{n} item', '{n} items', 12000)).toBe('12,000 items');
});
