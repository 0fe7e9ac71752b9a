/** What can be started from the page: a form for each task of the server. */

export interface TaskField {
  name: string;
  label: string;
  kind: 'collection' | 'collections' | 'features' | 'choice' | 'text' | 'number' | 'check';
  options?: string[];
  start?: string;
  hint?: string;
  required?: boolean;
}

export interface TaskForm {
  task: string;
  title: string;
  says: string;
  fields: TaskField[];
}

export const LEARN: TaskForm[] = [
  {
    task: 'learn-search', title: 'Learn to search',
    says: 'A collection borrows from better-tagged ones which tags go together, if that helps on tags held out.',
    fields: [
      { name: 'target', label: 'Collection to search', kind: 'collection', required: true },
      { name: 'auxiliary', label: 'Collections to borrow from', kind: 'collections' },
    ],
  },
  {
    task: 'learn-suggest', title: 'Learn to suggest tags',
    says: 'It learns the tags that a collection has, and says of each suggestion how sure it is.',
    fields: [
      { name: 'collection', label: 'Collection', kind: 'collection', required: true },
      { name: 'features', label: 'Told from', kind: 'features', hint: 'nothing chosen: the text and your own vectors' },
      { name: 'prototypes', label: 'Prototypes', kind: 'text', hint: 'a number or a share such as 5%; empty: automatic' },
    ],
  },
  {
    task: 'features', title: 'Make features',
    says: 'Pictures are told from each other by how they look. Detecting and relating need this once.',
    fields: [
      { name: 'collection', label: 'Collection', kind: 'collection', required: true },
      { name: 'image', label: 'By', kind: 'choice', options: ['sift', 'rgb-sift', 'surf', 'gist', 'text', 'tags'], start: 'sift' },
      { name: 'name', label: 'Name', kind: 'text', hint: 'empty: the same as above' },
    ],
  },
  {
    task: 'learn-detect', title: 'Learn to detect',
    says: 'After that a few examples are enough to rank a whole collection by what they show.',
    fields: [
      { name: 'collection', label: 'Collection', kind: 'collection', required: true },
      { name: 'features', label: 'Told from', kind: 'features', required: true },
      { name: 'concepts_from', label: 'Concepts from a label', kind: 'text', hint: 'empty: from the tags' },
    ],
  },
  {
    task: 'learn-relate', title: 'Learn to relate',
    says: 'Items, tags, words and places come into one space, so that each finds the others, and into the map.',
    fields: [{ name: 'collections', label: 'Of these', kind: 'collections', hint: 'nothing chosen: all' }],
  },
  {
    task: 'apply', title: 'Write machine tags',
    says: 'Suggestions that are sure enough become machine tags. A human’s tag is never touched.',
    fields: [
      { name: 'collection', label: 'Collection', kind: 'collection', required: true },
      { name: 'above', label: 'Confidence of at least', kind: 'number', start: '0.9' },
      { name: 'dry_run', label: 'Only count, write nothing', kind: 'check', start: '1' },
    ],
  },
];

const measured = 'It is compared with other methods on items held out. The answer is in Quality; this can take long.';
const repetitions: TaskField = { name: 'repeat', label: 'Repetitions', kind: 'number', hint: 'empty: as many as usual' };

export const MEASURE: TaskForm[] = [
  {
    task: 'evaluate-search', title: 'Measure search', says: measured,
    fields: [{ name: 'target', label: 'Collection', kind: 'collection', required: true }, repetitions],
  },
  {
    task: 'evaluate-suggest', title: 'Measure suggestions', says: measured,
    fields: [{ name: 'collection', label: 'Collection', kind: 'collection', required: true }],
  },
  {
    task: 'evaluate-detect', title: 'Measure detection', says: measured,
    fields: [
      { name: 'collection', label: 'Collection', kind: 'collection', required: true },
      { name: 'features', label: 'Told from', kind: 'features', required: true },
      repetitions,
    ],
  },
  {
    task: 'evaluate-relate', title: 'Measure relations', says: measured,
    fields: [{ name: 'target', label: 'Collection', kind: 'collection', required: true }, repetitions],
  },
];

export type Values = Record<string, string | string[]>;

export function startValues(form: TaskForm, collection: string): Values {
  const values: Values = {};
  for (const field of form.fields) {
    if (field.kind === 'collection') values[field.name] = collection;
    else values[field.name] = field.kind === 'collections' || field.kind === 'features' ? [] : field.start ?? '';
  }
  return values;
}

/** The request as the server wants it; what is empty is left out. */
export function requestOf(form: TaskForm, values: Values): { task: string } & Record<string, unknown> {
  const request: { task: string } & Record<string, unknown> = { task: form.task };
  for (const field of form.fields) {
    const value = values[field.name];
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    if (field.kind === 'number') request[field.name] = Number(value);
    else if (field.kind === 'check') request[field.name] = value === '1';
    else request[field.name] = value;
  }
  for (const field of form.fields) if (field.kind === 'check') request[field.name] = values[field.name] === '1';
  if (form.task === 'features') {
    const by = String(request['image'] ?? 'sift');
    request['name'] ??= by;
    if (by === 'text' || by === 'tags') {
      delete request['image'];
      request[by] = true;
    }
  }
  return request;
}
