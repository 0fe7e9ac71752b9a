/** What the server answers; docs/http.md has the contract. */

export interface LibraryInfo {
  name: string;
  version: string;
  read_only: boolean;
  import: boolean;
  upload: boolean;
  collections: number;
  items: number;
  models: number;
}

export interface Collection {
  name: string;
  items: number;
  format?: string;
  changed?: string;
  source?: string;
  features?: string[];
  pictures?: boolean;
  /** How many of its items are hidden. */
  hidden?: number;
  places?: boolean;
  label_fields?: string[];
}

export interface CollectionLinks {
  from: string;
  to: string;
  links: number;
}

export interface Brief {
  collection: string;
  id: string;
  title?: string;
  image: boolean;
  tags: string[];
  /** Width by height of the picture. */
  ratio?: number;
  time?: string;
  /** An address that may be opened. */
  url?: string;
  /** A few lines of the text, about what was asked for. */
  snippet?: string;
}

/** Items by name, or all that a search finds but some. */
export interface Selected {
  items?: { collection: string; id: string }[];
  search?: { q?: string; collection?: string[]; words_only?: boolean; like?: string; like_collection?: string };
  except?: { collection: string; id: string }[];
}

export interface TagChange {
  do: 'add' | 'remove' | 'accept' | 'reject';
  tag?: string;
}

/** What was stored at once, by its first and last number. */
export interface ChangeAnswer {
  stored: number;
  first: number;
  last: number;
  items?: number;
}

export interface Facets {
  total: number;
  collections: { name: string; items: number }[];
  tags: { tag: string; items: number }[];
  years: { year: string; items: number }[];
  kinds: { picture: number; text: number; link: number };
  untagged: number;
  automatic: number;
  placed: number;
  timeline: { step: 'day' | 'month' | 'year'; counts: { from: string; items: number }[] };
}

export interface Places {
  total: number;
  collections: { name: string; pictures: boolean }[];
  points: { collection: number[]; id: string[]; latitude: number[]; longitude: number[] };
}

export interface TagCount {
  tag: string;
  items: number;
}

export interface ItemTag {
  name: string;
  count?: number;
  by: 'source' | 'user' | 'machine';
  model?: string;
  score?: number;
}

export interface Place {
  latitude: number;
  longitude: number;
}

export type Verdict = 'accepted' | 'rejected' | 'withdrawn';

export interface Item {
  collection: string;
  id: string;
  title?: string;
  text?: string;
  time?: string;
  image: boolean;
  tags: ItemTag[];
  labels: { field: string; value: string }[];
  machine_labels: { field: string; value: string; model: string; score: number }[];
  place?: Place;
  decisions: { tag: string; verdict: Verdict; time?: string }[];
  metadata?: unknown;
}

export interface Suggestion {
  tag: string;
  confidence: number;
  implied?: boolean;
  reasons?: {
    words?: { word: string; weight: number }[];
    items?: { id: string; likeness: number }[];
    from_tags?: number;
    from_neighbours?: number;
    from_category?: number;
  };
}

export interface Suggestions {
  model: string;
  familiarity?: number;
  suggestions: Suggestion[];
}

export interface Decision {
  item: string;
  tag: string;
  verdict: Verdict;
}

export interface Why {
  words?: { word: string; in_tags?: number | boolean; in_text?: number | boolean }[];
  meanings?: { by: 'texts' | 'pictures' | 'pair'; fit: number; weight: number }[];
  seen?: string[];
  associations?: {
    from: string;
    asked: string;
    weight: number;
    collection: string;
    together?: number;
  }[];
  neighbours?: { collection: string; id: string; weight: number; asked?: string[] }[];
  topics?: { topic: string; collections?: string[]; terms?: string[]; weight: number }[];
}

export interface Hit extends Brief {
  score: number;
  own?: number;
  borrowed?: number;
  meant?: number;
  why?: Why;
}

export interface SearchAnswer {
  query: string;
  milliseconds: number;
  total: number;
  unknown?: string[];
  hits: Hit[];
}

/** What a part of a search model is about: the words that stand for it, and items that show it. */
export interface Topic {
  topic: string;
  collections: string[];
  share: number;
  terms: string[];
  weights: number[];
  examples: { collection: string; id: string }[];
}

export interface ReviewEntry {
  id: string;
  title?: string;
  snippet?: string;
  image: boolean;
  ratio?: number;
  tags: string[];
  tag: string;
  confidence: number;
}

export interface ReviewAnswer {
  model: string;
  collection: string;
  left: number;
  entries: ReviewEntry[];
}

export interface ReliabilityBin {
  confidence: number;
  right: number;
  count?: number;
  pairs?: number;
}

export interface ReviewEffect {
  model: string;
  decided: { accepted: number; rejected: number };
  expected?: number | null;
  right?: number | null;
  by_tag?: { tag: string; accepted: number; rejected: number }[];
  held_out?: {
    items?: number;
    precision_at_1?: number;
    precision_at_3?: number;
    precision_at_5?: number;
    f1?: number;
    calibration_error?: number;
    reliability?: ReliabilityBin[];
  } | null;
}

export interface Concept {
  concept: string;
  shown: number;
  not_shown: number;
  tagged?: number | boolean;
}

export interface Detected extends Brief {
  score: number;
  confidence?: number;
  taught?: 'yes' | 'no';
}

export interface DetectAnswer {
  concept: string;
  collection: string;
  shown: number;
  not_shown: number;
  learned?: number | boolean;
  items: number;
  seconds: number;
  results: Detected[];
}

export interface DetectQuestion {
  collection: string;
  model?: string;
  concept: string;
  yes: string[];
  no: string[];
  limit: number;
  offset: number;
  uncertain: boolean;
}

export interface RelatedThing {
  name: string;
  score: number;
  times: number;
  known?: boolean;
  reasons?: Record<string, number>;
  examples?: string[];
}

export interface RelateAnswer {
  evidence?: string[];
  kinds: { kind: string; things: RelatedThing[] }[];
  seconds?: number;
  place?: Place | null;
  guess?: (Place & { radius: number }) | null;
}

export interface MapAnswer {
  model: string;
  kinds: { kind: string; collection: string; items: boolean; things: number; drawn: number }[];
  points: { kind: number[]; x: number[]; y: number[]; group: number[]; name: string[] };
  groups: { name: string; x: number; y: number; things: number }[];
}

export interface Group {
  things: number;
  kinds: { kind: string; things: number; nearest: string[] }[];
}

export interface SamePair {
  kind: string;
  first: string;
  second: string;
  alike: number;
  first_items: number;
  second_items: number;
  together: number;
}

export interface Distances {
  collections: { name: string; items: number; complexity: number }[];
  pairs: { first: string; second: string; distance: number; shared: number }[];
}

export interface Bridge {
  name: string;
  success?: number;
  gain?: number;
  gain_error?: number;
  complexity?: number;
  distance_to_source?: number;
  distance_to_target?: number;
  shared_with_source?: number;
  shared_with_target?: number;
  only_way?: boolean;
}

export interface BridgeRanking {
  source: { name: string; complexity?: number };
  target: { name: string; complexity?: number };
  distance?: number;
  bridges: Bridge[];
  chain?: string[] | null;
  forecast_learned_from?: unknown;
  forecast_quality?: Record<string, number>;
}

export interface TransferResult {
  model?: string;
  field?: string;
  sources?: string[];
  through?: string[];
  target?: string;
  refused?: boolean;
  reason?: string;
  forecast?: Bridge;
  stages?: { iterations: number; converged: boolean; objective: number; agreement?: number }[];
  labels?: Record<string, number>;
  known?: number;
  sure?: number;
  written?: number;
  mean_probability?: number;
  seconds?: number;
  predictions?: { item: string; label: string; probability: number }[];
}

export type JobState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';

export interface Job {
  id: number;
  task: string;
  about?: string;
  state: JobState;
  stage?: string;
  done?: number;
  total?: number;
  unit?: string;
  seconds?: number;
  result?: unknown;
  error?: string;
}

export interface Model {
  name: string;
  kind: string;
  created?: string;
  collection?: string;
  options?: Record<string, unknown>;
  report?: Record<string, unknown>;
}

export interface Evaluation {
  id: number | string;
  verb: string;
  collection?: string;
  created?: string;
  result: unknown;
}
