import { signal } from '@preact/signals';
import * as api from '../api/api';
import type { UpkeepStatus, UpkeepStep } from '../api/types';
import { t } from '../words/say';
import { loadLibrary } from './library';

/** How far the library is brought up to date; undefined until it is known. */
export const upkeep = signal<UpkeepStatus | undefined>(undefined);

const BUSY = 1500;
const IDLE = 20_000;

let timer = 0;
let asking = false;

async function ask(): Promise<void> {
  clearTimeout(timer);
  if (asking) return;
  asking = true;
  const before = upkeep.value;
  try {
    const now = await api.status();
    upkeep.value = now;
    // What was learned meanwhile can be used at once, without a reload.
    const done = (status: UpkeepStatus | undefined) => status?.steps.filter((each) => each.state === 'done').length ?? 0;
    if (before && done(now) !== done(before)) void loadLibrary();
  } catch {
    // The page says elsewhere that the server does not answer.
  }
  asking = false;
  const due = upkeep.value?.kept && !upkeep.value.up_to_date;
  timer = window.setTimeout(() => void ask(), (upkeep.value?.working || due) && !document.hidden ? BUSY : IDLE);
}

/** Looks now, and from then on by itself. */
export const watchUpkeep = (): void => void ask();

/** The steps in words of what one has from them. */
export function stepTitle(step: UpkeepStep['step']): string {
  switch (step) {
    case 'files': return t('Read the files');
    case 'thumbnails': return t('Make small pictures');
    case 'features': return t('Look at the pictures');
    case 'search': return t('Prepare the search');
    case 'suggestions': return t('Learn to suggest tags');
    case 'concepts': return t('Get ready to be taught');
    case 'tags': return t('Tag by itself');
    case 'relations': return t('Find what belongs together');
  }
}

/** What can be done once a step is done. */
export function stepGives(step: UpkeepStep['step']): string {
  switch (step) {
    case 'files': return t('everything can be browsed');
    case 'thumbnails': return t('pictures show at once');
    case 'features': return t('similar pictures are found');
    case 'search': return t('searching finds what is meant');
    case 'suggestions': return t('tags are suggested');
    case 'concepts': return t('a few examples teach anything');
    case 'tags': return t('surest tags are given');
    case 'relations': return t('the map is drawn');
  }
}

export function upkeepWork(status: UpkeepStatus): { title: string; share?: number } {
  const step = status.steps.find((each) => each.state === 'due');
  const title = step ? `${stepTitle(step.step)}: ${step.collection}` : status.stage;
  return { title, share: status.total > 0 ? status.done / status.total : undefined };
}
