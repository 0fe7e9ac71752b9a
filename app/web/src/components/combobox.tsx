import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { isAbort } from '../api/http';

export interface Choice {
  text: string;
  detail?: string;
  /** Done in place of taking the text. */
  run?: () => void;
}

interface ComboboxProps {
  label: string;
  hideLabel?: boolean;
  value: string;
  placeholder?: string;
  changed: (value: string) => void;
  /** What could be meant; an empty list shows nothing. */
  choices: (value: string, signal: AbortSignal) => Promise<Choice[]>;
  chosen: (choice: Choice) => void;
  /** Enter where no choice is marked. */
  entered?: (value: string) => void;
  /** Arrow down where there is no list. */
  leave?: () => void;
  id?: string;
}

/** A text box with a list of what could be meant: the combobox pattern with automatic list. */
export function Combobox(props: ComboboxProps) {
  const made = useId();
  const id = props.id ?? made;
  const input = useRef<HTMLInputElement>(null);
  const [choices, setChoices] = useState<Choice[]>([]);
  const [open, setOpen] = useState(false);
  const [marked, setMarked] = useState(-1);
  const typed = useRef(false);

  useEffect(() => {
    if (!typed.current) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      props.choices(props.value, controller.signal).then(
        (found) => {
          if (controller.signal.aborted) return;
          setChoices(found);
          setMarked(-1);
          setOpen(found.length > 0 && document.activeElement === input.current);
        },
        (error: unknown) => {
          if (!isAbort(error)) setOpen(false);
        },
      );
    }, 120);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [props.value]);

  const close = () => {
    setOpen(false);
    setMarked(-1);
  };
  const choose = (choice: Choice) => {
    typed.current = false;
    close();
    props.chosen(choice);
    input.current?.focus();
  };
  const key = (event: KeyboardEvent) => {
    const last = choices.length - 1;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (last < 0 || (!open && props.leave && event.key === 'ArrowDown')) {
        if (event.key === 'ArrowDown') props.leave?.();
        return;
      }
      const down = event.key === 'ArrowDown';
      if (!open) {
        setOpen(true);
        setMarked(down ? 0 : last);
      } else {
        setMarked(down ? (marked >= last ? -1 : marked + 1) : marked < 0 ? last : marked - 1);
      }
    } else if (event.key === 'Enter') {
      const choice = open ? choices[marked] : undefined;
      event.preventDefault();
      if (choice) choose(choice);
      else {
        typed.current = false;
        close();
        props.entered?.(props.value);
      }
    } else if (event.key === 'Escape') {
      event.preventDefault();
      if (open) close();
      else if (props.value) {
        typed.current = false;
        props.changed('');
      }
    } else if (event.key === 'Tab') {
      close();
    }
  };

  return (
    <div class="combobox">
      <label for={id} class={props.hideLabel ? 'unseen' : 'field-label'}>{props.label}</label>
      <input ref={input} id={id} type="text" role="combobox" autocomplete="off" autocapitalize="none"
        spellcheck={false} dir="auto" aria-autocomplete="list" aria-expanded={open} aria-controls={`${id}-list`}
        aria-activedescendant={open && marked >= 0 ? `${id}-${marked}` : undefined}
        placeholder={props.placeholder} value={props.value} onKeyDown={key} onBlur={close}
        onInput={(event) => {
          typed.current = true;
          props.changed(event.currentTarget.value);
        }} />
      <ul id={`${id}-list`} role="listbox" aria-label={props.label} hidden={!open}>
        {choices.map((choice, index) => (
          <li key={choice.text} dir="auto" id={`${id}-${index}`} role="option" aria-selected={index === marked}
            onMouseDown={(event) => {
              event.preventDefault();
              choose(choice);
            }}>
            <span>{choice.text}</span>
            {choice.detail && <span class="quiet">{choice.detail}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
