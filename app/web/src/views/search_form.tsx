import { useEffect, useState } from 'preact/hooks';
import * as api from '../api/api';
import { Combobox } from '../components/combobox';
import { useKeys } from '../components/hooks';
import { Check, Field } from '../components/view';
import { count } from '../format';
import { collections } from '../state/library';
import { changed, go, replaceAddress, route } from '../state/route';
import { completed, lastWord } from './query_text';

async function choices(text: string, signal: AbortSignal) {
  const { word } = lastWord(text);
  if (!word || word.includes(':')) return [];
  const answer = await api.complete(word, 8, signal);
  return answer.completions.map((each) => ({ text: each.tag, detail: count(each.items) }));
}

const DATE = '\\d{4}(-\\d{2}(-\\d{2})?)?';

/** The box and the filters. What they say is in the address. */
export function SearchForm() {
  const { query } = route.value;
  const asked = query.get('q') ?? '';
  const [text, setText] = useState(asked);
  useEffect(() => setText(asked), [asked]);
  useKeys((key) => {
    if (key !== '/') return false;
    document.getElementById('search-box')?.focus();
    return true;
  });

  const search = (words: string) =>
    go(changed({ q: words.trim(), at: undefined, like: '', like_collection: '' }));
  const filter = (change: Record<string, string | boolean | string[]>) =>
    replaceAddress(changed({ ...change, at: undefined }));
  const chosen = query.getAll('collection');
  const toggle = (name: string) =>
    filter({ collection: chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name] });
  const date = (name: 'before' | 'after') => (event: Event) => {
    const input = event.currentTarget as HTMLInputElement;
    if (input.reportValidity()) filter({ [name]: input.value.trim() });
  };

  return (
    <form role="search" class="search-form" onSubmit={(event) => { event.preventDefault(); search(text); }}>
      <div class="search-line">
        <Combobox id="search-box" label="Search for" hideLabel value={text} changed={setText} choices={choices}
          placeholder="river boat, #tag, &quot;a phrase&quot;, -word" entered={search}
          chosen={(choice) => setText(completed(text, choice.text))} />
        <button type="submit" class="primary">Search</button>
      </div>
      <div class="filters">
        <fieldset class="chips">
          <legend class="unseen">Collections</legend>
          {collections.value.map((each) => (
            <label key={each.name} class="chip">
              <input type="checkbox" checked={chosen.includes(each.name)} onChange={() => toggle(each.name)} />
              <span>{each.name} <span class="quiet">{count(each.items)}</span></span>
            </label>
          ))}
        </fieldset>
        <Check label="Words only" checked={query.get('words') === '1'} changed={(on) => filter({ words: on })} />
        <Field label="After">
          <input class="date" type="text" inputMode="numeric" pattern={DATE} placeholder="1904-05"
            title="A year, a month (1904-05) or a day (1904-05-31)" value={query.get('after') ?? ''}
            onChange={date('after')} />
        </Field>
        <Field label="Before">
          <input class="date" type="text" inputMode="numeric" pattern={DATE} placeholder="1950"
            title="A year, a month (1904-05) or a day (1904-05-31)" value={query.get('before') ?? ''}
            onChange={date('before')} />
        </Field>
      </div>
    </form>
  );
}
