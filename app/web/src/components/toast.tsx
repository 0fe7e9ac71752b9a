import { useEffect, useRef } from 'preact/hooks';
import { hideToast, toast, undoLast } from '../state/toast';
import { t } from '../words/say';

const SHOWN = 12_000;

/** Says what was done, with the way back. It stays while the pointer or the focus is on it. */
export function ToastLine() {
  const shown = toast.value;
  const held = useRef(false);
  useEffect(() => {
    if (!shown) return undefined;
    const timer = setInterval(() => { if (!held.current) hideToast(shown.number); }, SHOWN);
    return () => clearInterval(timer);
  }, [shown?.number]);
  if (!shown) return null;
  return (
    <div class="toast" onMouseEnter={() => { held.current = true; }} onMouseLeave={() => { held.current = false; }}
      onFocusIn={() => { held.current = true; }} onFocusOut={() => { held.current = false; }}>
      <span dir="auto">{shown.text}</span>
      {shown.undo && <button type="button" title="Ctrl+Z" onClick={() => undoLast()}>{t('Undo')}</button>}
      <button type="button" aria-label={t('Close this message')} onClick={() => hideToast(shown.number)}>×</button>
    </div>
  );
}
