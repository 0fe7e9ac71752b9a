import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isAbort } from '../api/http';

export interface Answer<Value> {
  value: Value | undefined;
  error: unknown;
  loading: boolean;
  again: () => void;
}

/** Asks whenever `keys` change; what was asked before is given up, what was shown stays meanwhile. */
export function useAnswer<Value>(
  ask: (signal: AbortSignal) => Promise<Value> | undefined,
  keys: unknown[],
): Answer<Value> {
  const [state, setState] = useState<{ value?: Value; error?: unknown; loading: boolean }>({ loading: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const asked = ask(controller.signal);
    if (!asked) {
      setState({ loading: false });
      return undefined;
    }
    setState((before) => ({ ...before, error: undefined, loading: true }));
    asked.then(
      (value) => {
        if (!controller.signal.aborted) setState({ value, loading: false });
      },
      (error: unknown) => {
        if (!controller.signal.aborted && !isAbort(error)) setState({ error, loading: false });
      },
    );
    return () => controller.abort();
  }, [...keys, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  return { value: state.value, error: state.error, loading: state.loading, again };
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) {
    return !['checkbox', 'radio', 'button', 'submit', 'file', 'range'].includes(target.type);
  }
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

/** Keys of the whole view. They are left alone while somebody types or a dialog is open. */
export function useKeys(handle: (key: string, event: KeyboardEvent) => boolean | void): void {
  const latest = useRef(handle);
  latest.current = handle;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
      if (latest.current(event.key, event)) event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

/** The value as it was a while ago, for what is asked while somebody types. */
export function useDelayed<Value>(value: Value, milliseconds: number): Value {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return delayed;
}
