import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../words/say';

/** A panel beside the view, below it on a phone. Escape closes it and gives the focus back. */
export function Panel(props: { title: string; close: () => void; children: ComponentChildren; taken?: unknown; backTo?: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef<Element | null>(null);
  const backTo = useRef(props.backTo);
  backTo.current = props.backTo;
  useEffect(() => {
    before.current = document.activeElement;
    return () => {
      // What opened the panel may have been drawn anew since.
      const back = before.current?.isConnected ? before.current : backTo.current && document.querySelector(backTo.current);
      if (back instanceof HTMLElement) back.focus({ preventScroll: true });
    };
  }, []);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [props.taken]);
  return (
    <aside class="panel" aria-label={props.title}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          props.close();
        }
      }}>
      <div class="panel-head">
        <h2 ref={heading} tabIndex={-1}>{props.title}</h2>
        <button type="button" onClick={props.close} aria-label={t('Close: {title}', { title: props.title })}>{t('Close')}</button>
      </div>
      {props.children}
    </aside>
  );
}
