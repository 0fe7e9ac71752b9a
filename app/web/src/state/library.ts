import { computed, signal } from '@preact/signals';
import * as api from '../api/api';
import type { Collection, CollectionLinks, LibraryInfo, Model } from '../api/types';
import { messageOf } from './alerts';

export const library = signal<LibraryInfo | undefined>(undefined);
export const collections = signal<Collection[]>([]);
export const links = signal<CollectionLinks[]>([]);
export const models = signal<Model[]>([]);
/** Why the library could not be read. */
export const loadingError = signal('');

export const readOnly = computed(() => library.value?.read_only ?? false);
export const isEmpty = computed(() => library.value !== undefined && collections.value.length === 0);

export async function loadLibrary(): Promise<void> {
  try {
    const [about, all, learned] = await Promise.all([api.library(), api.collections(), api.models()]);
    collections.value = all.collections;
    links.value = all.links ?? [];
    models.value = learned.models;
    library.value = about;
    loadingError.value = '';
  } catch (error) {
    loadingError.value = messageOf(error);
  }
}

export function modelsOf(kind: string): Model[] {
  return models.value.filter((each) => each.kind === kind);
}

/** The model to name in a request: none where there is but one, which the server finds itself. */
export function chosenModel(kind: string, collection: string | undefined, asked: string | null): string | undefined {
  const own = modelsOf(kind).filter((each) => collection === undefined || each.collection === collection);
  if (own.length < 2) return undefined;
  return own.find((each) => each.name === asked)?.name ?? own[0]!.name;
}

/** Whether a model answers for a collection. The only one that suggests does so for every collection. */
export function hasModel(kind: string, collection: string): boolean {
  const all = modelsOf(kind);
  return all.some((each) => each.collection === collection) || (kind === 'suggest' && all.length === 1);
}

/** The relate model that knows a collection, or else the first, which says that it does not. */
export function relatingModel(collection: string): { name: string; knows: boolean } | undefined {
  const all = modelsOf('relate').map((each) => ({ name: each.name, knows: relates(each, collection) }));
  return all.find((each) => each.knows) ?? all[0];
}

/** Whether a relate model was learned from a collection. */
export function relates(model: Model, collection: string): boolean {
  const kinds = model.report?.['kinds'];
  if (!Array.isArray(kinds)) return true;
  return kinds.some((each: { kind?: unknown }) => typeof each?.kind === 'string' && /^[^/:]*/.exec(each.kind)![0] === collection);
}

/** The collections that a kind of model was learned for. */
export function collectionsWith(kind: string): string[] {
  const names = modelsOf(kind).map((each) => each.collection ?? '').filter((name) => name !== '');
  return [...new Set(names)];
}
