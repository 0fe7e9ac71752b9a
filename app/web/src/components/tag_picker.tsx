import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isAbort } from '../api/http';
import { t } from '../words/say';
import { tagChoices } from './tag_choices';
import type { Choice } from './combobox';

interface TagPickerProps {
  label: string;
  placeholder?: string;
  /** What is offered before anything is typed; the first of it is taken by Enter. */
  offered: Choice[];
  /** Tags that are known, or only what is offered. */
  others?: boolean;
  chosen: (tag: string) => void;
  close: () => void;
}

/** A box for a tag that is there as long as it is needed: Enter takes what was typed or is marked, Escape goes away. */
export function TagPicker(props: TagPickerProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [found, setFound] = useState<Choice[]>([]);
  const [marked, setMarked] = useState(-1);
  // At once, so that what is typed next goes here.
  useLayoutEffect(() => input.current?.focus(), []);
  useEffect(() => {
    setMarked(-1);
    if (props.others === false) return undefined;
    const controller = new AbortController();
    tagChoices(text, controller.signal).then(setFound, (error: unknown) => { if (!isAbort(error)) setFound([]); });
    return () => controller.abort();
  }, [text]);
  const asked = text.trim().toLowerCase();
  const fitting = props.offered.filter((each) => each.text.toLowerCase().includes(asked));
  const choices = [...fitting, ...(asked ? found : []).filter((each) => !fitting.some((other) => other.text === each.text))].slice(0, 9);
  // Nothing typed: the first that is offered. Where only these can be meant, the first that fits.
  const meant = marked >= 0 ? choices[marked] : asked === '' || props.others === false ? choices[0] : undefined;
  const take = (choice: Choice | undefined) => {
    const tag = choice?.text ?? text.trim();
    if (tag) props.chosen(tag);
  };
  const key = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') props.close();
    else if (event.key === 'Enter' && !event.repeat) take(meant);
    else if (event.key === 'ArrowDown') setMarked(Math.min(choices.length - 1, marked + 1));
    else if (event.key === 'ArrowUp') setMarked(Math.max(-1, marked - 1));
    else return;
    event.preventDefault();
  };
  return (
    <div class="tag-picker">
      <label for={id} class="unseen">{props.label}</label>
      <input ref={input} id={id} type="text" role="combobox" autocomplete="off" autocapitalize="none" spellcheck={false}
        dir="auto" aria-autocomplete="list" aria-expanded={choices.length > 0} aria-controls={`${id}-list`}
        aria-activedescendant={meant ? `${id}-${choices.indexOf(meant)}` : undefined}
        placeholder={props.placeholder ?? props.label} value={text} onKeyDown={key}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={(event) => {
          if (!(event.relatedTarget instanceof HTMLElement && event.currentTarget.parentElement?.contains(event.relatedTarget))) props.close();
        }} />
      <ul id={`${id}-list`} role="listbox" aria-label={props.label} hidden={choices.length === 0}>
        {choices.map((choice, index) => (
          <li key={choice.text} id={`${id}-${index}`} role="option" aria-selected={choice === meant} dir="auto"
            onMouseDown={(event) => { event.preventDefault(); take(choice); }}>
            <span>{choice.text}</span>{choice.detail && <span class="quiet">{choice.detail}</span>}
          </li>
        ))}
      </ul>
      {asked !== '' && !meant && props.others !== false && <p class="hint">{t('Enter: “{tag}”', { tag: text.trim() })}</p>}
    </div>
  );
}
