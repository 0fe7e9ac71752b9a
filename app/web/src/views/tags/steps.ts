import type { VocabularyChange, VocabularyEdit } from '../../api/types';
import { changeVocabulary, restoreChange, undoChange } from '../../api/vocabulary';
import { report } from '../../state/alerts';
import { changeCount, show } from '../../state/toast';
import { t, tn } from '../../words/say';

/** What was done to a tag, as a sentence. */
export function said(step: VocabularyChange): string {
  const { tag, to } = step;
  switch (step.do) {
    case 'rename': return t('“{tag}” is called “{to}”.', { tag, to });
    case 'merge': return t('“{tag}” means “{to}”.', { tag, to });
    case 'nest': return to ? t('“{tag}” lies below “{to}”.', { tag, to }) : t('“{tag}” lies at the top.', { tag });
    case 'delete': return t('“{tag}” is deleted.', { tag });
    case 'split': return t('Some of “{tag}” are “{to}”.', { tag, to });
    case 'keep': return t('“{tag}” and “{to}” are not the same.', { tag, to });
    default: return t('“{tag}” is described otherwise.', { tag });
  }
}

/** Does all changes or none, and offers to take them back. */
export async function change(edits: VocabularyEdit[], text?: string): Promise<boolean> {
  try {
    const steps = await changeVocabulary(edits);
    changeCount.value += 1;
    if (steps.length > 0) {
      show(text ?? (steps.length === 1 ? said(steps[0]!) : tn('{n} tag changed.', '{n} tags changed.', steps.length)), () => void takeBack(steps));
    }
    return true;
  } catch (error) {
    report(error);
    return false;
  }
}

/** The last first, as they lie on each other. */
export async function takeBack(steps: VocabularyChange[]): Promise<void> {
  try {
    for (const each of [...steps].reverse()) await undoChange(each.change);
    show(tn('Taken back: {n} change.', 'Taken back: {n} changes.', steps.length));
  } catch (error) {
    report(error);
  }
  changeCount.value += 1;
}

export async function doAgain(step: VocabularyChange): Promise<void> {
  try {
    await restoreChange(step.change);
    show(said(step), () => void takeBack([step]));
  } catch (error) {
    report(error);
  }
  changeCount.value += 1;
}
