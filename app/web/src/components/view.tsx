import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { library } from '../state/library';
import { sayingOf, type Saying } from '../words/problems';
import { t } from '../words/say';

let firstView = true;

/** A view with its one heading, which gets the focus when somebody comes here. */
export function View(props: { title: string; name?: string; children: ComponentChildren; class?: string; /** The heading is there for screen readers alone. */ quiet?: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { title, name = props.title } = props;
  useEffect(() => {
    document.title = `${title} – ${library.value?.name ?? 'Commonplace'}`;
  }, [title, library.value?.name]);
  useEffect(() => {
    if (!firstView) {
      scrollTo(0, 0);
      heading.current?.focus({ preventScroll: true });
    }
    firstView = false;
  }, [name]);
  return (
    <div class={`view ${props.class ?? ''}`}>
      <h1 ref={heading} tabIndex={-1} class={props.quiet ? 'unseen' : undefined}>{title}</h1>
      {props.children}
    </div>
  );
}

export function Loading(props: { what: string }) {
  return <p class="quiet loading" role="status">{t('Reading {what} …', { what: props.what })}</p>;
}

/** What went wrong, what helps, and for who wants to know more, why. */
export function Said({ saying }: { saying: Saying }) {
  return (
    <>
      <p dir="auto">{saying.text}{saying.help && <>{' '}<a href={saying.help.to}>{saying.help.text}</a></>}</p>
      {saying.detail && <details class="said-more"><summary>{t('Details')}</summary><p dir="auto">{saying.detail}</p></details>}
    </>
  );
}

/** What went wrong in a part of the page, with a way to try again. */
export function Failure(props: { error: unknown; again?: () => void }) {
  return (
    <div class="note warning" role="alert">
      <Said saying={sayingOf(props.error)} />
      {props.again && <button type="button" onClick={props.again}>{t('Try again')}</button>}
    </div>
  );
}

export function Note(props: { children: ComponentChildren }) {
  return <div class="note">{props.children}</div>;
}

export function Field(props: { label: string; children: ComponentChildren; hint?: string }) {
  return (
    <label class="field">
      <span class="field-label">{props.label}</span>
      {props.children}
      {props.hint && <span class="hint">{props.hint}</span>}
    </label>
  );
}

export function Select(props: {
  label: string;
  value: string;
  options: (string | { value: string; text: string })[];
  changed: (value: string) => void;
  hint?: string;
}) {
  return (
    <Field label={props.label} hint={props.hint}>
      <select value={props.value} onChange={(event) => props.changed(event.currentTarget.value)}>
        {props.options.map((each) => {
          const option = typeof each === 'string' ? { value: each, text: each } : each;
          return (
            <option key={option.value} value={option.value} selected={option.value === props.value}>
              {option.text}
            </option>
          );
        })}
      </select>
    </Field>
  );
}

export function Check(props: { label: string; checked: boolean; changed: (on: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={props.checked}
        onChange={(event) => props.changed(event.currentTarget.checked)} />
      <span>{props.label}</span>
    </label>
  );
}

export function Legend(props: { keys: [string, string][] }) {
  return (
    <dl class="legend" aria-label={t('Keys')}>
      {props.keys.map(([key, what]) => (
        <div key={key}><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>
      ))}
    </dl>
  );
}
