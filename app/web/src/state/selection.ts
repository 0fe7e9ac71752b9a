import { computed, signal } from '@preact/signals';
import * as api from '../api/api';
import type { Brief, Selected } from '../api/types';

/** How the results were asked for, so that the server can find all of them again. */
export interface Asked {
  q: string;
  collection: string[];
  words_only?: boolean;
  like?: string;
  like_collection?: string;
}

export const keyOf = (item: { collection: string; id: string }) => `${item.collection}\u0000${item.id}`;

interface State {
  /** All results but `items`, or `items` alone. */
  all: boolean;
  items: Map<string, Brief>;
  total: number;
  asked?: Asked;
  /** All results by name, once they were needed: a change may make the search find others. */
  named?: { collection: string; id: string }[];
}

const NOTHING: State = { all: false, items: new Map(), total: 0 };
const state = signal<State>(NOTHING);

export const selectedCount = computed(() =>
  (state.value.all ? state.value.total - state.value.items.size : state.value.items.size));
export const allSelected = computed(() => state.value.all && state.value.items.size === 0);

export const isSelected = (item: { collection: string; id: string }) =>
  state.value.items.has(keyOf(item)) !== state.value.all;

/** The items themselves where they were picked one by one; what was picked as a whole is not here. */
export const pickedItems = computed(() => (state.value.all ? [] : [...state.value.items.values()]));

export function clearSelection(): void {
  if (state.value !== NOTHING) state.value = NOTHING;
}

export function select(items: Brief[], on: boolean): void {
  const next = new Map(state.value.items);
  for (const each of items) {
    if (on !== state.value.all) next.set(keyOf(each), each);
    else next.delete(keyOf(each));
  }
  state.value = next.size === 0 && !state.value.all ? NOTHING : { ...state.value, items: next };
}

export const toggle = (item: Brief) => select([item], !isSelected(item));

export function selectAll(asked: Asked, total: number): void {
  state.value = { all: true, items: new Map(), total, asked };
}

/** What is selected, as the server is told. */
export async function selectedItems(): Promise<Selected> {
  const now = state.value;
  if (!now.all) return { items: [...now.items.values()].map(({ collection, id }) => ({ collection, id })) };
  let { named } = now;
  if (!named) {
    const answer = await api.selection({ search: { ...now.asked! } });
    named = answer.collections.flatMap(({ name, ids }) => ids.map((id) => ({ collection: name, id })));
    if (state.value.asked === now.asked && state.value.all) state.value = { ...state.value, named };
  }
  return { items: named.filter((each) => !now.items.has(keyOf(each))) };
}
