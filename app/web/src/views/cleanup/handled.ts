import { signal } from '@preact/signals';
import type { DuplicateGroup, Duplicates } from '../../api/types';

const KEY = 'commonplace.duplicates-handled';

interface Handled {
  /** Of the search that found them: another search begins anew. */
  job: number;
  groups: string[];
}

function kept(): Handled {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '') as Handled;
  } catch {
    return { job: 0, groups: [] };
  }
}

/** Groups that were decided on, in this browser. */
export const handled = signal<Handled>(kept());

export const groupKey = (group: DuplicateGroup) => group.items.map((each) => `${each.collection}/${each.id}`).join('\n');

export const isHandled = (job: number, group: DuplicateGroup) => handled.value.job === job && handled.value.groups.includes(groupKey(group));

export function setHandled(job: number, group: DuplicateGroup, on: boolean): void {
  const before = handled.value.job === job ? handled.value.groups : [];
  const others = before.filter((each) => each !== groupKey(group));
  handled.value = { job, groups: on ? [...others, groupKey(group)] : others };
  localStorage.setItem(KEY, JSON.stringify(handled.value));
}

/** How many groups are left to be decided on. */
export const openGroups = (found: Duplicates): number =>
  found.total - found.groups.filter((each) => isHandled(found.job, each)).length;
