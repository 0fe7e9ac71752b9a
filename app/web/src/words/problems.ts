/** What went wrong, in the page's own sentences: the server sends a code with values. */
import { Problem } from '../api/http';
import { address } from '../state/route';
import { t } from './say';

export interface Saying {
  text: string;
  /** What helps, and where it is. */
  help?: { text: string; to: string };
  /** What a programmer wants to know; shown when somebody asks. */
  detail?: string;
}

const toLibrary = () => ({ text: t('See what is ready'), to: address('library') });

const MISSING: Record<string, () => string> = {
  suggest: () => t('No tags can be suggested here yet: that needs some items with tags to learn from.'),
  detect: () => t('Nothing can be taught here yet: the pictures have to be looked at first.'),
  relate: () => t('What belongs together is not known yet.'),
  search: () => t('The topics are not known yet.'),
};

const SAYINGS: Record<string, (values: Record<string, string>) => Saying> = {
  unreachable: () => ({ text: t('The server does not answer. Is it still running?') }),
  'no-collection': ({ collection = '' }) => ({ text: t('There is no collection “{collection}” any more.', { collection }), help: toLibrary() }),
  'no-item': () => ({ text: t('This item is not there any more.'), help: { text: t('Search for it'), to: address('search') } }),
  'no-picture': () => ({ text: t('Its picture cannot be shown: the file is elsewhere, or no picture.') }),
  'broken-picture': () => ({ text: t('Its picture is broken.') }),
  'no-model': ({ kind = '' }) => ({ text: (MISSING[kind] ?? MISSING['suggest']!)(), help: toLibrary() }),
  'no-concept': ({ concept = '' }) => ({ text: t('“{concept}” was not taught yet.', { concept }), help: { text: t('Teach it'), to: address('teach', [], { concept }) } }),
  'no-upload': () => ({ text: t('What was sent has been removed meanwhile. Send it again.') }),
  query: () => ({ text: t('This search has a mistake in it.') }),
  'read-only': () => ({ text: t('This library can be looked at here, and not changed.') }),
  'no-import': () => ({ text: t('Folders of the server cannot be added from here.') }),
  'not-below': ({ path = '' }) => ({ text: t('“{path}” is not there, or not in a folder that may be added.', { path }) }),
  'many-jobs': () => ({ text: t('Too much is waiting already. Try again when something is done.') }),
  'token-wrong': () => ({ text: t('This token is wrong.') }),
  'too-many-requests': () => ({ text: t('The server is busy. Try again in a moment.') }),
  'service-unavailable': () => ({ text: t('The server is busy. Try again in a moment.') }),
  'internal-server-error': () => ({ text: t('The server made a mistake. Its log says more.') }),
  'content-too-large': () => ({ text: t('This is too large to be sent.') }),
  'not-found': () => ({ text: t('This is not there.') }),
  forbidden: () => ({ text: t('This is not allowed here.') }),
  conflict: () => ({ text: t('Something else has changed it meanwhile.') }),
};

export function sentence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed) return t('Something went wrong.');
  const first = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}

/** What the server found wrong with what was asked is told in details; what the page says itself stands as it is. */
export function sayingOf(error: unknown): Saying {
  if (!(error instanceof Problem)) return { text: sentence(error instanceof Error ? error.message : String(error)) };
  const known = SAYINGS[error.code]?.(error.values) ?? { text: t('This did not work.') };
  const detail = error.values['why'] ?? error.message;
  return { ...known, detail: error.status > 0 && detail ? sentence(detail) : undefined };
}

/** Work that failed, and what it said at the end. */
export function sayingOfJob(title: string, error: string | undefined): Saying {
  return { text: t('{what} did not work.', { what: title }), detail: error ? sentence(error) : undefined };
}
