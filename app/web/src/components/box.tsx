import { useEffect, useRef, useState } from 'preact/hooks';
import * as api from '../api/api';
import { count } from '../format';
import { report } from '../state/alerts';
import { keepPicture, onlyPicture } from '../state/asked_picture';
import { address, changed, go, replaceAddress, route } from '../state/route';
import { switchTheme } from '../state/theme';
import { chooseLanguage, LANGUAGES, language, t } from '../words/say';
import { completed, isWhole, lastWord, withToken } from '../state/query_text';
import { Combobox, type Choice } from './combobox';
import { useKeys } from './hooks';
import { Icon } from './icon';

const asks = (token: string) => () => go(address('search', [], { q: withToken(route.value.view === 'search' ? route.value.query.get('q') ?? '' : '', token) }));
const opens = (view: string) => () => go(address(view));

/** What can be done from the box, beside searching. */
function commands(): { text: string; run: () => void }[] {
  return [
    { text: t('Go home'), run: opens('home') },
    { text: t('Go to Review'), run: opens('review') },
    { text: t('Clean up'), run: opens('cleanup') },
    { text: t('Go to Tags'), run: opens('tags') },
    { text: t('Find duplicates'), run: () => go(address('cleanup', [], { what: 'duplicates' })) },
    { text: t('Add a folder'), run: opens('library') },
    { text: t('Go to Teach'), run: opens('teach') },
    { text: t('Go to Map'), run: opens('map') },
    { text: t('Go to Places'), run: opens('places') },
    { text: t('Go to Transfer'), run: opens('transfer') },
    { text: t('Go to Quality'), run: opens('quality') },
    { text: t('Go to Library'), run: opens('library') },
    { text: t('Untagged items'), run: asks('is:untagged') },
    { text: t('Automatically tagged items'), run: asks('is:automatic') },
    { text: t('Pictures only'), run: asks('is:picture') },
    { text: t('Texts only'), run: asks('is:text') },
    { text: t('Links only'), run: asks('is:link') },
    { text: t('Items with a place'), run: asks('is:placed') },
    { text: t('Hidden items'), run: asks('#hidden') },
    { text: t('Newest first'), run: () => go(changed({ order: 'newest', at: undefined })) },
    { text: t('Oldest first'), run: () => go(changed({ order: 'oldest', at: undefined })) },
    { text: t('Light or dark colours'), run: switchTheme },
    ...Object.entries(LANGUAGES).filter(([name]) => name !== language.value)
      .map(([name, text]) => ({ text: `${t('Language')}: ${text}`, run: () => chooseLanguage(name) })),
  ];
}

const begins = (text: string, start: string) => text.toLowerCase().split(/\s+/).some((word) => word.startsWith(start));

async function choices(text: string, signal: AbortSignal): Promise<Choice[]> {
  const { word, sign } = lastWord(text);
  const asked = text.trim().toLowerCase();
  const found: Choice[] = [];
  if (/^\d{4}$/.test(word) && !sign) found.push({ text: `in:${word}`, detail: t('year') });
  if (word && !word.includes(':')) {
    const answer = await api.complete(word, 7, signal);
    found.push(...answer.completions.map((each) => ({ text: each.tag, detail: count(each.items) })));
  }
  if (asked.length > 1) {
    found.push(...commands().filter((each) => begins(each.text, asked) || each.text.toLowerCase().startsWith(asked))
      .slice(0, 4).map((each) => ({ ...each, detail: t('command') })));
  }
  return found;
}

/** The one box: words, tags, years, places and commands; results come as one types. */
export function Box() {
  const { view, query } = route.value;
  const asked = view === 'search' || view === 'places' || view === 'map' ? query.get('q') ?? '' : '';
  const [text, setText] = useState(asked);
  const [over, setOver] = useState(false);
  const typed = useRef(false);
  const before = useRef('');
  useEffect(() => { if (!typed.current || asked.trim() !== text.trim()) setText(asked); typed.current = false; }, [asked, view]);
  const focus = () => {
    const box = document.getElementById('search-box') as HTMLInputElement | null;
    box?.focus();
    box?.select();
    return true;
  };
  useKeys((key) => (key === '/' ? focus() : false));
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      focus();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  // What is only half written is not asked for.
  useEffect(() => {
    if (!typed.current || view !== 'search' || text.trim() === asked || !isWhole(text)) return undefined;
    const timer = setTimeout(() => replaceAddress(changed({ q: text.trim(), at: undefined, like: '', like_collection: '', picture: undefined })), 250);
    return () => clearTimeout(timer);
  }, [text]);

  const search = (words: string) => {
    typed.current = false;
    if (view === 'places' || view === 'map') go(changed({ q: words.trim() }));
    else if (view === 'search') go(changed({ q: words.trim(), at: undefined, like: '', like_collection: '', picture: undefined, full: undefined }));
    else go(address('search', [], { q: words.trim() }));
  };
  const chosen = (choice: Choice) => {
    if (choice.run) {
      // The words of a command are no search: what was asked before them is asked again.
      typed.current = false;
      setText(before.current);
      if (view === 'search' && asked !== before.current) replaceAddress(changed({ q: before.current }));
      choice.run();
    } else setText(choice.text.startsWith('in:') ? withToken(text.replace(/\s*\S+$/, ''), choice.text) : completed(text, choice.text));
  };
  const look = (file: File) => void keepPicture(file).then((picture) => go(address('search', [], { picture })), report);
  /** A picture that is dropped or pasted here is looked for; whatever else is dropped is added to the library. */
  const given = (event: Event, data: DataTransfer | null) => {
    const file = onlyPicture(data);
    setOver(false);
    if (!file) return;
    event.preventDefault();
    look(file);
  };
  return (
    <form role="search" class={`box ${over ? 'over' : ''}`} onFocusIn={() => { before.current = asked; }}
      onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)} onDrop={(event) => given(event, event.dataTransfer)}
      onPaste={(event) => given(event, event.clipboardData)}
      onSubmit={(event) => { event.preventDefault(); search(text); }}>
      <Combobox id="search-box" label={t('Search for')} hideLabel value={text} choices={choices} entered={search} chosen={chosen}
        changed={(value) => { typed.current = true; setText(value); }} leave={() => document.querySelector<HTMLElement>('[data-index] [data-focus][tabindex="0"]')?.focus()}
        placeholder={t('Search: words, #tag, 2019, a picture, or what to do')} />
      <label class="round box-picture" title={t('Look for a picture')}>
        <Icon name="picture" /><span class="unseen">{t('Look for a picture')}</span>
        <input type="file" class="unseen" accept="image/*" onChange={(event) => { const file = event.currentTarget.files?.[0]; event.currentTarget.value = ''; if (file) look(file); }} />
      </label>
      <button type="submit" class="round" aria-label={t('Search')} title="/"><Icon name="search" /></button>
    </form>
  );
}
