import { signal } from '@preact/signals';
import * as api from '../api/api';
import { isAbort, Problem } from '../api/http';
import type { NamedFile } from '../views/library/dropped_files';
import { report } from './alerts';
import { start } from './job_list';
import { watchUpkeep } from './upkeep';
import { missingOf } from './upload_rest';

/** Files on their way into a collection. */
export interface Sending {
  number: number;
  collection: string;
  format: string;
  files: NamedFile[];
  bytes: number;
  /** So many bytes have arrived. */
  sent: number;
  /** So many files have arrived. */
  done: number;
  state: 'sending' | 'paused' | 'waiting';
  /** What the server calls it. */
  upload: string;
  /** When the present run began, and with how many bytes, for the time that is left. */
  began: number;
  from: number;
}

export const sendings = signal<Sending[]>([]);

/** What the last visit did not get to the end of: dropped once more, it goes on from there. */
export interface Interrupted {
  collection: string;
  upload: string;
  files: number;
}

const KEY = 'commonplace.uploads';
/** So often it is tried whether the server is back. */
const AGAIN = 3000;

let last = 0;
const stops = new Map<number, AbortController>();

function kept(): Interrupted[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as Interrupted[];
  } catch {
    return [];
  }
}

export const interrupted = signal<Interrupted[]>(kept());

function keep(list: Interrupted[]): void {
  interrupted.value = list;
  localStorage.setItem(KEY, JSON.stringify(list));
}

const forget = (upload: string) => keep(interrupted.value.filter((each) => each.upload !== upload));

/** One that is not being sent here at this moment. */
export const resumable = () => interrupted.value.filter((each) => !sendings.value.some((now) => now.upload === each.upload));

function put(sending: Sending): void {
  sendings.value = sendings.value.map((each) => (each.number === sending.number ? sending : each));
}

const find = (number: number) => sendings.value.find((each) => each.number === number);

async function run(number: number): Promise<void> {
  const stop = new AbortController();
  stops.set(number, stop);
  const first = find(number);
  if (!first) return;
  put({ ...first, state: 'sending', began: performance.now(), from: first.sent });
  try {
    // The server knows best what has arrived.
    let left = first.files;
    let { upload } = first;
    if (upload) {
      try {
        left = missingOf(first.files, (await api.uploaded(upload)).files);
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 404) throw error;
        forget(upload);
        upload = '';
      }
    }
    const total = (files: NamedFile[]) => files.reduce((sum, each) => sum + each.file.size, 0);
    let before = first.bytes - total(left);
    let done = first.files.length - left.length;
    put({ ...find(number)!, sent: before, done, upload, from: before });
    for (const each of left) {
      const taken = await api.upload(each.file, each.name, upload, (bytes) => {
        const now = find(number);
        if (now) put({ ...now, sent: before + Math.min(bytes, each.file.size) });
      }, stop.signal);
      if (!upload) keep([...interrupted.value, { collection: first.collection, upload: taken.upload, files: first.files.length }]);
      upload = taken.upload;
      before += each.file.size;
      done += 1;
      const now = find(number);
      if (!now) return;
      put({ ...now, upload, sent: before, done });
    }
    sendings.value = sendings.value.filter((each) => each.number !== number);
    forget(upload);
    await start({ task: 'add', collection: first.collection, upload, ...(first.format ? { format: first.format } : {}) });
    watchUpkeep();
  } catch (error) {
    const now = find(number);
    if (!now || isAbort(error)) return;
    if (error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500)) {
      // It goes on by itself when the server is back.
      put({ ...now, state: 'waiting' });
      setTimeout(() => { if (find(number)?.state === 'waiting') void run(number); }, AGAIN);
      return;
    }
    put({ ...now, state: 'paused' });
    report(error, () => resume(number));
  }
}

/** Sends files and has them added; what an earlier visit sent of the same collection is not sent again. */
export function sendFiles(collection: string, files: NamedFile[], format = ''): void {
  const before = resumable().find((each) => each.collection === collection);
  const number = ++last;
  sendings.value = [...sendings.value, {
    number, collection, format, files, bytes: files.reduce((sum, each) => sum + each.file.size, 0), sent: 0, done: 0,
    state: 'sending', upload: before?.upload ?? '', began: 0, from: 0,
  }];
  void run(number);
}

export function pause(number: number): void {
  const now = find(number);
  if (!now) return;
  put({ ...now, state: 'paused' });
  stops.get(number)?.abort();
}

export function resume(number: number): void {
  if (find(number)?.state === 'paused') void run(number);
}

/** Gives it up; what has arrived is removed by the server within the hour. */
export function giveUp(number: number): void {
  const now = find(number);
  sendings.value = sendings.value.filter((each) => each.number !== number);
  stops.get(number)?.abort();
  if (now?.upload) forget(now.upload);
}

export const dismissInterrupted = forget;

export function startUploads(): void {
  addEventListener('beforeunload', (event) => { if (sendings.value.length > 0) event.preventDefault(); });
}
