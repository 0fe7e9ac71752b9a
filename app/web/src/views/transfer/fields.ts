import type { Collection } from '../../api/types';

type Labelled = Pick<Collection, 'name' | 'label_fields'>;

/** The label that is carried: the one asked for if every source has it, or else the first that they have. */
export function labelField(all: Labelled[], sources: string[], asked: string | null): string {
  const fields = [...new Set(all.flatMap((each) => each.label_fields ?? []))];
  const wanted = asked !== null && fields.includes(asked) ? [asked, ...fields] : fields;
  return wanted.find((field) => sources.every((name) => hasField(all, name, field))) ?? wanted[0] ?? '';
}

export function hasField(all: Labelled[], name: string, field: string): boolean {
  return all.find((each) => each.name === name)?.label_fields?.includes(field) ?? false;
}
