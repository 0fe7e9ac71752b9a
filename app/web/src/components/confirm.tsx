import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../words/say';

interface Question {
  text: string;
  action: string;
  answer: (yes: boolean) => void;
}

const question = signal<Question | undefined>(undefined);

/** Asks before something that is not easily taken back. */
export function confirm(text: string, action: string): Promise<boolean> {
  return new Promise((resolve) => {
    question.value = { text, action, answer: resolve };
  });
}

export function ConfirmDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const asked = question.value;
  useEffect(() => {
    if (asked && !dialog.current?.open) dialog.current?.showModal();
  }, [asked]);
  if (!asked) return null;
  const answer = (yes: boolean) => {
    dialog.current?.close();
    question.value = undefined;
    asked.answer(yes);
  };
  return (
    <dialog ref={dialog} aria-labelledby="confirm-text" onCancel={() => answer(false)}>
      <p id="confirm-text">{asked.text}</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => answer(true)}>{asked.action}</button>
        <button type="button" onClick={() => answer(false)}>{t('Leave it')}</button>
      </div>
    </dialog>
  );
}
