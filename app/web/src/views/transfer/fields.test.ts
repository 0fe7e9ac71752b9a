import { expect, test } from 'vitest';
import { labelField } from './fields';

const all = [
  { name: 'drawings', items: 3, label_fields: ['folder'] },
  { name: 'emoji', items: 3, label_fields: ['group', 'subgroup'] },
  { name: 'letters', items: 3, label_fields: [] },
];

test('the label is one that the sources have', () => {
  expect(labelField(all, [], null)).toBe('folder');
  expect(labelField(all, ['emoji'], null)).toBe('group');
  expect(labelField(all, ['emoji'], 'subgroup')).toBe('subgroup');
  expect(labelField(all, ['emoji'], 'folder')).toBe('group');
  expect(labelField(all, ['emoji'], 'none')).toBe('group');
});

test('where no source has labels, or all have others, it is the one asked for', () => {
  expect(labelField(all, ['letters'], 'group')).toBe('group');
  expect(labelField(all, ['emoji', 'drawings'], 'group')).toBe('group');
  expect(labelField([], [], null)).toBe('');
});
