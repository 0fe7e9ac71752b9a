/** Numbers, times and names as people read them. */

const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });

export function count(value: number): string {
  return whole.format(value);
}

/** "1 item", "3 items". */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function percent(share: number, digits = 0): string {
  return `${(100 * share).toFixed(digits)}\u00a0%`;
}

export function number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value)) return count(value);
  const size = Math.abs(value);
  if (size >= 1000) return count(value);
  if (size !== 0 && size < 10 ** -digits) return value.toExponential(1);
  return value.toFixed(size >= 10 ? Math.min(digits, 1) : digits);
}

export function seconds(value: number): string {
  if (value < 1) return `${Math.max(1, Math.round(1000 * value))} ms`;
  if (value < 60) return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
  const minutes = Math.floor(value / 60);
  return minutes < 60 ? `${minutes} min ${Math.round(value % 60)} s` : `${(value / 3600).toFixed(1)} h`;
}

export function time(text: string | undefined): string {
  if (!text) return '';
  if (!/T\d/.test(text)) return text;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  return value < 1e6 ? `${Math.round(value / 1000)} kB` : `${number(value / 1e6, 1)} MB`;
}

export function metres(value: number): string {
  return value >= 1000 ? `${number(value / 1000, value >= 10000 ? 0 : 1)} km` : `${Math.round(value)} m`;
}

export function coordinates(latitude: number, longitude: number): string {
  const north = `${Math.abs(latitude).toFixed(4)}° ${latitude < 0 ? 'S' : 'N'}`;
  return `${north}, ${Math.abs(longitude).toFixed(4)}° ${longitude < 0 ? 'W' : 'E'}`;
}

/** "a", "a and b", "a, b and c". */
export function listed(names: string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
}

/** What something is called: its title, the beginning of its text, the name of its file, or its id. */
export function titleOf(item: { title?: string; snippet?: string; text?: string; id: string }): string {
  if (item.title) return item.title;
  const text = (item.snippet ?? item.text ?? '').trim();
  if (text) return text.length > 90 ? `${text.slice(0, 90).replace(/\s+\S*$/, '')} …` : text;
  if (/^https?:/.test(item.id)) return item.id.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '');
  return item.id.split('/').pop() || item.id;
}

/** The host of an address, for a short link. */
export function hostOf(url: string): string {
  return /^mailto:/.test(url) ? url.slice(7) : /^https?:\/\/(?:www\.)?([^/?#]+)/.exec(url)?.[1] ?? url;
}

/** "map_of_missing" and "precision@1" as words. */
export function words(name: string): string {
  return name.replace(/_at_/g, '@').replace(/_/g, ' ');
}
