/**
 * The page's sentences. What is written in the code is English and the key of the catalogue; `{name}` stands for a
 * value. A sentence that depends on a number is a pair: for one, and for any other number.
 */
import { signal } from '@preact/signals';

export type Catalogue = Record<string, string | [one: string, many: string]>;
export type Values = Record<string, string | number>;

export const LANGUAGES: Record<string, string> = { en: 'English', de: 'Deutsch' };
const KEY = 'commonplace.language';

export const language = signal('en');
let catalogue: Catalogue = {};
let numbers = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });

function filled(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === 'number' ? numbers.format(value) : value;
  });
}

/** The sentence in the language of the page. */
export function t(text: string, values: Values = {}): string {
  void language.value; // whoever says it is drawn anew in another language
  const found = catalogue[text];
  return filled(typeof found === 'string' ? found : found?.[1] ?? text, values);
}

/** The same where the words depend on `n`. */
export function tn(one: string, many: string, n: number, values: Values = {}): string {
  void language.value;
  const found = catalogue[many];
  const text = Array.isArray(found) ? found[n === 1 ? 0 : 1] : found ?? (n === 1 ? one : many);
  return filled(text, { n, ...values });
}

/** English until somebody chooses: views that speak English alone would stand beside others. */
function wanted(): string {
  const stored = localStorage.getItem(KEY);
  return stored && stored in LANGUAGES ? stored : 'en';
}

export async function startLanguage(name = wanted()): Promise<void> {
  catalogue = name === 'de' ? (await import('./de')).catalogue : {};
  numbers = new Intl.NumberFormat(name === 'en' ? 'en-GB' : name, { maximumFractionDigits: 0 });
  document.documentElement.lang = name;
  language.value = name;
}

export function chooseLanguage(name: string): void {
  localStorage.setItem(KEY, name);
  void startLanguage(name);
}
