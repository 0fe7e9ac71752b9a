import { useEffect, useRef, useState } from 'preact/hooks';
import { Check, Field, Select } from '../../components/view';
import { start } from '../../state/job_list';
import { collections } from '../../state/library';
import { route } from '../../state/route';
import { LEARN, MEASURE, requestOf, startValues, type TaskField, type TaskForm, type Values } from './tasks';

function Several(props: { label: string; options: string[]; chosen: string[]; changed: (chosen: string[]) => void; hint?: string }) {
  const toggle = (name: string) => props.changed(
    props.chosen.includes(name) ? props.chosen.filter((each) => each !== name) : [...props.chosen, name]);
  return (
    <fieldset class="chips">
      <legend class="field-label">{props.label}</legend>
      {props.options.length === 0 && <span class="quiet">There are none.</span>}
      {props.options.map((each) => (
        <label key={each} class="chip">
          <input type="checkbox" checked={props.chosen.includes(each)} onChange={() => toggle(each)} /><span>{each}</span>
        </label>
      ))}
      {props.hint && <span class="hint">{props.hint}</span>}
    </fieldset>
  );
}

function Input(props: { field: TaskField; values: Values; set: (value: string | string[]) => void }) {
  const { field, values, set } = props;
  const value = values[field.name] ?? '';
  const names = collections.value.map((each) => each.name);
  const chosenCollection = String(values['collection'] ?? values['target'] ?? '');
  switch (field.kind) {
    case 'collection':
      return <Select label={field.label} value={String(value)} options={names} changed={set} hint={field.hint} />;
    case 'choice':
      return <Select label={field.label} value={String(value)} options={field.options ?? []} changed={set} hint={field.hint} />;
    case 'check':
      return <Check label={field.label} checked={value === '1'} changed={(on) => set(on ? '1' : '')} />;
    case 'collections':
      return <Several label={field.label} hint={field.hint} chosen={value as string[]} changed={set}
        options={names.filter((each) => each !== values['target'])} />;
    case 'features': {
      const own = collections.value.find((each) => each.name === chosenCollection)?.features ?? [];
      return <Several label={field.label} options={own} chosen={value as string[]} changed={set} hint={field.hint} />;
    }
    default:
      return (
        <Field label={field.label} hint={field.hint}>
          <input type={field.kind === 'number' ? 'number' : 'text'} step="any" value={String(value)}
            onInput={(event) => set(event.currentTarget.value)} />
        </Field>
      );
  }
}

function Form({ form }: { form: TaskForm }) {
  const { query } = route.value;
  // Other views lead here with what they miss.
  const wanted = query.get('learn') === form.task;
  const [values, setValues] = useState<Values>(() => startValues(
    form, (wanted ? query.get('collection') : undefined) ?? collections.value[0]?.name ?? ''));
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!wanted || !box.current) return;
    box.current.open = true;
    box.current.querySelector('summary')?.focus();
  }, [wanted]);
  const missing = form.fields.some((each) => each.required && (values[each.name] ?? '').length === 0);
  const set = (field: TaskField) => (value: string | string[]) => {
    const next = { ...values, [field.name]: value };
    // Features belong to a collection, so another one starts with none chosen.
    if (field.kind === 'collection') for (const each of form.fields) if (each.kind === 'features') next[each.name] = [];
    setValues(next);
  };
  return (
    <details class="card task" ref={box}>
      <summary><h3>{form.title}</h3></summary>
      <p class="quiet">{form.says}</p>
      <form onSubmit={(event) => { event.preventDefault(); void start(requestOf(form, values)); }}>
        {form.fields.map((field) => <Input key={field.name} field={field} values={values} set={set(field)} />)}
        <button type="submit" class="primary" disabled={missing}>Start</button>
      </form>
    </details>
  );
}

export function LearnForms() {
  return (
    <>
      <h2>Learn</h2>
      <div class="cards">{LEARN.map((each) => <Form key={each.task} form={each} />)}</div>
      <h2>Measure</h2>
      <div class="cards">{MEASURE.map((each) => <Form key={each.task} form={each} />)}</div>
    </>
  );
}
