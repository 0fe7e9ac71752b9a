import type { RefObject } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isAbort } from '../api/http';
import { undoLast } from '../state/toast';

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

/**
 * Keys of the whole view. They are left alone while somebody types or a dialog is open. A key that is held counts
 * once, but for those of `moving`.
 */
export function useKeys(handle: (key: string, event: KeyboardEvent) => boolean | void, moving: string[] = []): void {
  const latest = useRef(handle);
  latest.current = handle;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
      if (event.repeat && !moving.includes(event.key)) return;
      if (latest.current(event.key, event)) event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

/** Keeps a key that is held from pressing a button again and again. */
export function startHeldKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.repeat && event.key === 'Enter' && event.target instanceof HTMLButtonElement) event.preventDefault();
  }, { capture: true });
}

/** Nobody reads a question faster; some keyboards repeat a held key without saying that it is held. */
const GLANCE = 150;

/** Whether what `question` names has been in view for a moment, so that an answer can be meant for it. */
export function useShown(question: string): boolean {
  const [shown, setShown] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setShown(question), GLANCE);
    return () => clearTimeout(timer);
  }, [question]);
  return shown === question;
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

/** Ctrl+Z takes back what was done last, wherever one is; in a box it takes back what was typed. */
export function startUndo(): void {
  addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey || isTyping(event.target)) return;
    if (undoLast()) event.preventDefault();
  });
}

/** Looks again, once a frame, when the window is scrolled or something changes its size. */
export function useWhenMoved(outer: RefObject<HTMLElement>, look: () => void): void {
  useEffect(() => {
    let frame = 0;
    const later = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    };
    addEventListener('scroll', later, { passive: true });
    const observer = new ResizeObserver(later);
    if (outer.current) observer.observe(outer.current);
    observer.observe(document.body);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', later);
      observer.disconnect();
    };
  }, [outer, look]);
}
