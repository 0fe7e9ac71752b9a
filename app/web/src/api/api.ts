import { t } from '../words/say';
import {
  authorization, Problem, problemOf, request, withQuery, withToken, type QueryValue,
} from './http';
import type {
  ChangeAnswer, Collections, Completions, Concepts, Decision, DetectAnswer, DetectQuestion, Evaluations,
  Facets, Groups, Health, Item, Items, Job, Jobs, LibraryInfo, MapAnswer, Models, Places, RelateAnswer,
  ReviewAnswer, ReviewEffect, ReviewTags, SamePairs, SearchAnswer, Selected, Selection, Suggestions,
  TagChange, TaggedAnswer, Tags, TaughtAnswer, Topics, Upload, UploadFiles, UpkeepStatus, Duplicates,
} from './types';

const part = encodeURIComponent;
const collectionPath = (collection: string) => `/v1/collections/${part(collection)}`;
const itemPath = (collection: string, id: string) =>
  `${collectionPath(collection)}/items/${part(id)}`;

function get<Answer>(path: string, query: Record<string, QueryValue> = {}, signal?: AbortSignal) {
  return request<Answer>(withQuery(path, query), { signal });
}

export const health = () => get<Health>('/health');

export const status = () => get<UpkeepStatus>('/v1/status');

export const library = () => get<LibraryInfo>('/v1/library');

export const collections = () =>
  get<Collections>('/v1/collections');

export const items = (collection: string, offset: number, limit: number, signal?: AbortSignal) =>
  get<Items>(
    `${collectionPath(collection)}/items`, { offset, limit }, signal);

export const tags = (collection: string, prefix: string, limit: number) =>
  get<Tags>(`${collectionPath(collection)}/tags`, { prefix, limit });

export const complete = (q: string, limit = 10, signal?: AbortSignal) =>
  get<Completions>('/v1/complete', { q, limit }, signal);

export const item = (collection: string, id: string, signal?: AbortSignal) =>
  get<Item>(itemPath(collection, id), {}, signal);

export const thumbnailAddress = (collection: string, id: string, size: 64 | 128 | 256 | 512) =>
  withToken(`${itemPath(collection, id)}/thumbnail?size=${size}`);

export const imageAddress = (collection: string, id: string) =>
  withToken(`${itemPath(collection, id)}/image`);

export const basemapAddress = () => withToken('/v1/basemap');

export const suggestions = (collection: string, id: string, limit: number, model: string | undefined, signal?: AbortSignal) =>
  get<Suggestions>(`${itemPath(collection, id)}/suggestions`, { limit, model }, signal);

export const decide = (collection: string, decisions: Decision[]) =>
  request<ChangeAnswer>(`${collectionPath(collection)}/decisions`, {
    method: 'POST', body: { decisions } });

/** The names of what is selected, which stay the same whatever changes. */
export const selection = (selected: Selected) =>
  request<Selection>('/v1/selection', { method: 'POST', body: selected });

export const change = (selected: Selected, changes: TagChange[]) =>
  request<ChangeAnswer>('/v1/changes', { method: 'POST', body: { ...selected, changes } });

export const undo = ({ first, last }: ChangeAnswer) =>
  request<ChangeAnswer>('/v1/changes/undo', { method: 'POST', body: { first, last } });

/** The items as a file. */
export const exported = (selected: Selected, format: 'jsonl' | 'csv' | 'bookmarks') =>
  request<Blob>('/v1/export', { method: 'POST', body: { ...selected, format }, blob: true });

export interface FacetQuestion {
  /** At most so many tags. */
  tags?: number;
  q: string;
  collection: string[];
  words_only?: boolean;
}

export const facets = (question: FacetQuestion, signal?: AbortSignal) =>
  get<Facets>('/v1/facets', { ...question }, signal);

export const places = (question: FacetQuestion, signal?: AbortSignal) =>
  get<Places>('/v1/places', { ...question }, signal);

export interface SearchQuestion {
  q: string;
  collection: string[];
  offset: number;
  limit: number;
  explain?: boolean;
  words_only?: boolean;
  order?: string;
}

export const search = (question: SearchQuestion, signal?: AbortSignal) =>
  get<SearchAnswer>('/v1/search', { ...question }, signal);

export interface LikeQuestion {
  collection: string;
  id: string;
  offset: number;
  limit: number;
  explain?: boolean;
}

export const like = (question: LikeQuestion, signal?: AbortSignal) =>
  get<SearchAnswer>('/v1/like', { ...question }, signal);

/** What looks like a picture that is in no collection, given as a data address. */
export async function likePicture(address: string, question: { collection: string[]; offset: number; limit: number }, signal?: AbortSignal) {
  const bytes = Uint8Array.from(atob(address.slice(address.indexOf(',') + 1)), (each) => each.charCodeAt(0));
  return request<SearchAnswer>(withQuery('/v1/like-picture', { ...question }), { method: 'POST', bytes, signal });
}

export const topics = (model: string | undefined, limit: number, signal?: AbortSignal) =>
  get<Topics>(
    '/v1/topics', { model, limit, terms: 8, examples: 4 }, signal);

export interface ReviewQuestion {
  collection: string;
  model?: string;
  order: string;
  tag?: string;
  offset: number;
  limit: number;
}

export const review = (question: ReviewQuestion) =>
  get<ReviewAnswer>('/v1/review', { ...question });

export const reviewTags = (collection: string, model?: string) =>
  get<ReviewTags>('/v1/review/tags', { collection, model });

export const reviewEffect = (collection: string, model?: string) =>
  get<ReviewEffect>('/v1/review/effect', { collection, model });

export const concepts = (collection: string, model?: string) =>
  get<Concepts>('/v1/concepts', { collection, model });

export const detect = (question: DetectQuestion, signal?: AbortSignal) =>
  request<DetectAnswer>('/v1/detect', { method: 'POST', body: question, signal });

export const concept = (name: string, collection: string, limit: number, uncertain: boolean) =>
  get<DetectAnswer>(`/v1/concepts/${part(name)}`, { collection, limit, uncertain });

export interface Lessons {
  collection: string;
  yes: string[];
  no: string[];
  forget: string[];
}

/** The first items of a concept's ranking get it as a tag; none of them if `items` is 0. */
export const tagConcept = (concept: string, collection: string, model: string | undefined, items: number) =>
  (items > 0
    ? request<TaggedAnswer>(`/v1/concepts/${part(concept)}/tags`, { method: 'POST', body: { collection, model, items } })
    : request<TaggedAnswer>(withQuery(`/v1/concepts/${part(concept)}/tags`, { collection }), { method: 'DELETE' }));

export const teach = (concept: string, lessons: Lessons) =>
  request<TaughtAnswer>(`/v1/concepts/${part(concept)}/lessons`, {
    method: 'POST', body: lessons });

export const relate = (
  question: { item?: string; collection?: string; tag?: string; limit?: number; explain?: boolean; model?: string },
  signal?: AbortSignal,
) => get<RelateAnswer>('/v1/relate', { ...question }, signal);

export const sameTags = (limit = 20, model?: string) =>
  get<SamePairs>('/v1/same-tags', { limit, model });

export const map = (most: number, groups: number, model?: string) =>
  get<MapAnswer>('/v1/map', { most, groups, model });

export const groups = (k: number, limit: number, model?: string) =>
  get<Groups>('/v1/groups', { k, limit, model });

export type JobRequest = { task: string } & Record<string, unknown>;

export const startJob = (body: JobRequest) =>
  request<Job>('/v1/jobs', { method: 'POST', body });

export const jobs = () => get<Jobs>('/v1/jobs');
export const job = (id: number) => get<Job>(`/v1/jobs/${id}`);
export const cancelJob = (id: number) => request<Job>(`/v1/jobs/${id}`, { method: 'DELETE' });
export const jobEventsAddress = (id: number) => withToken(`/v1/jobs/${id}/events`);

export const models = () => get<Models>('/v1/models');
export const evaluations = () => get<Evaluations>('/v1/evaluations');

/** By XMLHttpRequest, because fetch does not tell how much was sent. `to` is an upload that it joins. */
export function upload(file: File, name: string, to: string, sent: (bytes: number) => void, signal: AbortSignal): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    const stop = () => sending.abort();
    signal.addEventListener('abort', stop);
    sending.onabort = () => reject(new DOMException('stopped', 'AbortError'));
    sending.onloadend = () => signal.removeEventListener('abort', stop);
    sending.open('POST', withQuery('/v1/uploads', { name, to }));
    for (const [name, value] of Object.entries(authorization())) {
      sending.setRequestHeader(name, value);
    }
    sending.setRequestHeader('Content-Type', 'application/octet-stream');
    sending.upload.onprogress = (event) => {
      sent(event.loaded);
    };
    sending.onload = () => {
      if (sending.status < 300) resolve(JSON.parse(sending.responseText) as Upload);
      else void problemOf(sending.status, sending.responseText).then(reject);
    };
    // The browser does not say which end failed, so the file is tried once more.
    sending.onerror = () => file.slice(0, 1).arrayBuffer().then(
      () => reject(new Problem(0, 'No answer', '', 'unreachable')),
      () => reject(new Error(t('{name} cannot be read. If it is a folder, drop it anew; if it is a file, it may have been moved or changed.', { name }))),
    );
    sending.send(file);
  });
}

/** What has arrived of an upload. */
export const uploaded = (upload: string) => get<UploadFiles>(`/v1/uploads/${part(upload)}`);

/** What the newest search for duplicates found. */
export const duplicates = (offset: number, limit: number, signal?: AbortSignal) =>
  get<Duplicates>('/v1/duplicates', { offset, limit }, signal);
