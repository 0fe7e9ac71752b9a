/** What the server answers. Written by write_types from the structs of the answers: change those. */

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  values: Record<string, string>;
}

export interface Selected {
  items?: {
    collection: string;
    id: string;
  }[];
  search?: {
    q?: string;
    collection?: string[];
    words_only?: boolean;
    like?: string;
    like_collection?: string;
  };
  except?: {
    collection: string;
    id: string;
  }[];
}

export interface TagChange {
  do: 'add' | 'remove' | 'accept' | 'reject';
  tag?: string;
}

export interface Decision {
  item: string;
  tag: string;
  verdict: Verdict;
}

export interface DetectQuestion {
  concept: string;
  collection?: string;
  model?: string;
  yes?: string[];
  no?: string[];
  forget?: string[];
  limit?: number;
  offset?: number;
  uncertain?: boolean;
}

export interface VocabularyEdit {
  do: 'rename' | 'merge' | 'nest' | 'delete' | 'split' | 'describe' | 'keep';
  tag: string;
  to?: string;
  items?: {
    collection: string;
    id: string;
  }[];
  description?: string;
  colour?: string;
  manual?: boolean;
  hidden?: boolean;
}

export interface VocabularyChange {
  change: number;
  do: 'rename' | 'merge' | 'nest' | 'delete' | 'split' | 'describe' | 'keep';
  tag: string;
  to: string;
  items: number;
  who: string;
  time: string;
  undone: string | null;
  before?: {
    description: string;
    colour: string;
    manual: boolean;
    hidden: boolean;
  };
  after?: {
    description: string;
    colour: string;
    manual: boolean;
    hidden: boolean;
  };
}

export interface MachineRun {
  run: number;
  time: string;
  command: string;
  collection: string;
  model: string;
  version: string;
  field: string;
  settings: unknown;
  reason: string;
  replaces: boolean;
  wrote: number;
  items: number;
  shown: number;
  undone: string | null;
}

export interface UpkeepStep {
  collection: string;
  step: 'files' | 'thumbnails' | 'features' | 'search' | 'suggestions' | 'concepts' | 'relations' | 'tags';
  state: 'done' | 'due' | 'waiting' | 'away';
  why: string;
  anew: boolean;
  items: number;
  seconds_left: number;
  said: string;
  time: string;
}

export interface UpkeepStatus {
  up_to_date: boolean;
  seconds_left: number;
  steps: UpkeepStep[];
  kept: boolean;
  working: boolean;
  stage: string;
  done: number;
  total: number;
  unit: string;
  problem: string;
}

export interface Duplicate {
  collection: string;
  id: string;
  title?: string;
  best: boolean;
  is?: 'same file' | 'copy' | 'smaller' | 'larger' | 'crop' | 'edited' | 'same text' | 'similar text' | 'same address' | 'by way of another';
  likeness?: number;
  width?: number;
  height?: number;
  format?: string;
  bytes: number;
  tags: string[];
  time?: string;
  url?: string;
}

export interface DuplicateGroup {
  by: 'pictures' | 'texts' | 'links';
  differs: string[];
  items: Duplicate[];
}

export interface Duplicates {
  job: number;
  total: number;
  groups: DuplicateGroup[];
  compared: {
    pictures: number;
    texts: number;
    links: number;
  };
  candidates: number;
  skipped: {
    collection: string;
    id: string;
    reason: string;
  }[];
  seconds: number;
}

export interface Health {
  status: string; // ok
  version: string; // of the program
}

export interface LibraryInfo {
  name: string; // of the library
  version: string; // of the program
  read_only: boolean; // nothing can be changed
  import: boolean; // files of the server can be added
  upload: boolean; // files can be sent
  collections: number; // how many
  items: number; // in all of them
  models: number; // how many
  basemap: string; // the file of map tiles that lies in it, if there is one
}

export interface Collection {
  name: string; // of the collection
  items: number; // that it has
  format: string; // that it was added from
  features: string[]; // that are stored
  changed: string; // when it was last added
  source: string; // the file or folder that it was last added from
  pictures?: boolean; // it has some
  places?: boolean; // it has some
  label_fields?: string[]; // the fields of its labels
  hidden?: number; // how many of its items are hidden
}

export interface CollectionLinks {
  from: string; // a collection
  to: string; // another
  links: number; // between their items
}

export interface Collections {
  collections: Collection[]; // by name
  links: CollectionLinks[]; // between them
}

export interface TagCount {
  tag: string; // its name
  items: number; // that have it
}

export interface Tags {
  collection: string; // of the tags
  total: number; // tags that begin so
  tags: TagCount[]; // most used first
}

export interface TagNode {
  tag: string; // its whole name
  items: number; // that people gave it
  below: number; // the same with all levels under it, each item once
  machine: number; // that a machine gave it
  description: string; // what it is for
  colour: string; // #rrggbb, if one was chosen
  manual: boolean; // machines never give it
  hidden: boolean; // it is not shown among others
  also: string[]; // names that mean it now
}

export interface Vocabulary {
  total: number; // tags that are meant
  tags: TagNode[]; // in the order of the tree
}

export interface MergeCandidate {
  tag: string; // the one of fewer items
  into: string; // the one that it would mean
  why: 'writing' | 'plural' | 'level' | 'spelling' | 'use'; // why they may be one
  score: number; // how sure, 0 to 1
  items: number; // that have the first
  into_items: number; // that have the second
  together: number; // that have both
}

export interface MergeCandidates {
  candidates: MergeCandidate[]; // surest first
}

export interface Completions {
  completions: TagCount[]; // most used first
}

export interface Model {
  name: string; // of the model
  kind: string; // search, suggest, detect, relate, transfer or bridge-choice
  created: string; // when
  options: Record<string, unknown>; // that it was learned with
  report: Record<string, unknown>; // what learning took and achieved
  collection: string; // that it is of, where it is of one
}

export interface Models {
  models: Model[]; // by name
}

export interface Evaluation {
  id: number; // of the evaluation
  verb: string; // search, suggest, detect, relate or transfer
  collection: string; // that it is of
  created: string; // when
  result: unknown; // what evaluate prints
}

export interface Evaluations {
  evaluations: Evaluation[]; // newest first
}

export interface Brief {
  collection: string; // that it is of
  id: string; // its name there
  title: string; // for people
  image: boolean; // it has a picture that can be shown
  tags: string[]; // that people gave it
  ratio?: number; // width by height of its picture
  time?: string; // of it
  url?: string; // an address that may be opened
  snippet?: string; // a few lines of its text, about what was asked for
}

export interface Items {
  collection: string; // of the items
  total: number; // items of the collection
  items: Brief[]; // in their order
}

export interface Place {
  latitude: number; // degrees north
  longitude: number; // degrees east
}

export type Verdict = 'accepted' | 'rejected' | 'withdrawn';

export interface ItemTag {
  name: string; // levels separated by /
  count: number; // how often it was given
  by: 'source' | 'user' | 'machine'; // who gave it
  model?: string; // that gave it
  score?: number; // how sure the model was
}

export interface Item {
  collection: string; // that it is of
  id: string; // its name there
  title: string; // for people
  text?: string; // all of it
  time?: string; // as precise as known
  image: boolean; // it has a picture
  tags: ItemTag[]; // of people and machines
  labels: {
    field: string; // such as group
    value: string; // the class
  }[]; // of people
  machine_labels: {
    field: string; // such as group
    value: string; // the class
    model: string; // that says so
    score: number; // how sure it is
  }[]; // of machines
  place?: Place; // where it is of
  decisions: {
    tag: string; // as written
    verdict: Verdict; // what was decided
    time: string; // when
  }[]; // ever made, oldest first
  metadata?: unknown; // whatever else its source said
}

export interface Why {
  words: {
    word: string; // a word that was asked for
    in_tags: boolean; // it is among the tags
    in_text: boolean; // it is in the text
  }[]; // of the item itself
  associations: {
    from: string; // a tag of the item
    asked: string; // what was asked for and it speaks for
    weight: number; // how much
    collection: string; // where most items have both
    together: number; // how many do there
  }[]; // tags that speak for what was asked
  neighbours: {
    collection: string; // of the item it borrows from
    id: string; // that item
    weight: number; // how much
    asked: string[]; // what was asked for and that item has
  }[]; // items like it that have what was asked
  topics: {
    topic: string; // its name
    collections: string[]; // that share it
    terms: string[]; // its foremost
    weight: number; // how much
  }[]; // that it shares with what was asked
  meanings?: {
    by: 'texts' | 'pictures' | 'pair'; // what means it
    fit: number; // how well, above 0, at most 1
    weight: number; // how much
  }[]; // ways in which it means what was asked, without a word in common
  seen?: string[]; // classes that an encoder sees in its picture
}

export interface Hit {
  collection: string; // that it is of
  id: string; // its name there
  title: string; // for people
  image: boolean; // it has a picture that can be shown
  tags: string[]; // that people gave it
  ratio?: number; // width by height of its picture
  time?: string; // of it
  url?: string; // an address that may be opened
  snippet?: string; // a few lines of its text, about what was asked for
  score: number; // what it is ranked by
  own: number; // the part that its own words have
  borrowed: number; // the part that was borrowed
  meant?: number; // what its text or picture adds by meaning what was asked
  why?: Why; // why it is there
}

export interface SearchAnswer {
  query: string; // what was asked for
  milliseconds: number; // that it took
  total: number; // items that were found
  unknown: string[]; // words that are nowhere
  hits: Hit[]; // best first, those of the page
}

export interface Topic {
  topic: string; // its name
  collections: string[]; // that have it
  share: number; // of the items it is of
  terms: string[]; // that stand for it, foremost first
  weights: number[]; // of the terms, 0 to 1
  examples: {
    collection: string; // of the item
    id: string; // its name there
  }[]; // items that show it most
}

export interface Topics {
  models: {
    model: string; // its name
    topics: Topic[]; // shared ones first
  }[]; // of searching
}

export interface Suggestion {
  tag: string; // that fits
  confidence: number; // the share of such suggestions that are right
  implied?: boolean; // it has the confidence of a tag below it
  reasons?: {
    words: {
      word: string; // of the item
      weight: number; // by how much the confidence falls without it
    }[]; // that carry most
    items: {
      id: string; // an item that has the tag
      likeness: number; // how like it is, the cosine
    }[]; // the most like it that have the tag
    from_tags: number; // the part of the score that each tag has of its own
    from_neighbours: number; // the part of items like it
    from_category: number; // the part of the kind of item
    from_name?: number; // the part of how well the tag's name fits
  }; // why
}

export interface Suggestions {
  model: string; // that was asked
  familiarity: number; // how much the model has seen that is like it, 0 to 1
  suggestions: Suggestion[]; // surest first
  unseen?: string; // why features could not be made of it
}

export interface ReviewEntry {
  collection: string; // that it is of
  id: string; // its name there
  title: string; // for people
  image: boolean; // it has a picture that can be shown
  tags: string[]; // that people gave it
  ratio?: number; // width by height of its picture
  time?: string; // of it
  url?: string; // an address that may be opened
  snippet?: string; // a few lines of its text, about what was asked for
  tag: string; // in question
  confidence: number; // that it fits
}

export interface ReviewAnswer {
  model: string; // that asks
  collection: string; // of the items
  left: number; // questions that are open
  entries: ReviewEntry[]; // those of the page
}

export interface ReviewTags {
  model: string; // that asks
  tags: {
    tag: string; // in question
    left: number; // open questions of it
  }[]; // most questions first
}

export type Fault = 'wrong' | 'missing';

export interface AuditEntry {
  collection: string; // that it is of
  id: string; // its name there
  title: string; // for people
  image: boolean; // it has a picture that can be shown
  tags: string[]; // that people gave it
  ratio?: number; // width by height of its picture
  time?: string; // of it
  url?: string; // an address that may be opened
  snippet?: string; // a few lines of its text, about what was asked for
  tag: string; // in question
  kind: Fault; // whether it is probably wrong or missing
  doubt: number; // how much it looks like a fault, 0 to 1
  confidence: number; // that the item has the tag, by what other items teach
  usual: number; // the same, mean over the items that have it
  reason: string; // in words
}

export interface AuditAnswer {
  collection: string; // that was looked through
  audited: string; // when; empty: not yet, the job 'audit' does it
  items: number; // that were judged
  given: number; // tags that they have
  left: number; // questions that are open
  entries: AuditEntry[]; // those of the page, the most probable faults first
}

export interface LoggedDecision {
  library: string; // where it was made, by its identity
  number: number; // of the decision there
  collection: string; // of the item
  item: string; // that it is about
  tag: string; // as written
  verdict: Verdict; // what was decided
  who: string; // decided it
  time: string; // when
}

export interface DecisionLog {
  total: number; // decisions in the log
  decisions: LoggedDecision[]; // in the order in which they came here
}

export interface DecisionConflict {
  collection: string; // of the item
  item: string; // that it is about
  tag: string; // that it is about
  in_force: Verdict; // by the rule
  said: {
    who: string; // says so
    verdict: Verdict; // what
    time: string; // when
  }[]; // the last word of each person, the newest first
}

export interface DecisionConflicts {
  conflicts: DecisionConflict[]; // what persons say differently
}

export interface MergedDecisions {
  read: number; // decisions in the log
  new: number; // that were not known
  known: number; // that were here already
  conflicts: DecisionConflict[]; // what persons say differently now
}

export interface ReliabilityBin {
  pairs: number; // in it
  confidence: number; // on average
  right: number; // the share that is
}

export interface ReviewEffect {
  model: string; // that asked
  decided: {
    accepted: number; // questions answered by yes
    rejected: number; // questions answered by no
  }; // since the server was started
  expected: number | null; // share that was expected to be right
  right: number | null; // share that was
  by_tag: {
    tag: string; // in question
    accepted: number; // questions answered by yes
    rejected: number; // questions answered by no
  }[]; // the same, tag by tag
  held_out: {
    items: number; // held out
    newest: boolean; // they were the newest, not drawn
    strange_items: number; // items none of whose tags could be suggested
    'precision@1': number; // share of first suggestions that are right
    'precision@1_interval': number[]; // of it, 95 %
    'precision@3': number; // of the first three
    'precision@5': number; // of the first five
    'ndcg@5': number; // normalised discounted gain of the first five
    f1: number; // of what is shown
    shown: {
      suggestions: number; // that are shown
      confidence: number; // on average
      right: number; // the share that is
      interval: number[]; // of that share, 95 %
    }; // what reaches the threshold
    shown_rare: {
      suggestions: number; // that are shown
      confidence: number; // on average
      right: number; // the share that is
      interval: number[]; // of that share, 95 %
    }; // of it, tags that are not popular
    calibration_error: number; // how far confidence is off, on average
    reliability: ReliabilityBin[]; // by confidence
    'older_precision@1'?: number; // the first for items drawn from among the older ones
    'precision@1_in_time'?: number[]; // the first in parts of time that follow each other
  } | null; // how good the model was on items held out; null: not tried
}

export interface Concept {
  concept: string; // its name
  shown: number; // examples that show it
  not_shown: number; // examples that do not
  tagged: number; // items of the tag or label that it was learned from
}

export interface Concepts {
  collection: string; // of the items
  concepts: Concept[]; // that can be detected
}

export interface Detected {
  collection: string; // that it is of
  id: string; // its name there
  title: string; // for people
  image: boolean; // it has a picture that can be shown
  tags: string[]; // that people gave it
  ratio?: number; // width by height of its picture
  time?: string; // of it
  url?: string; // an address that may be opened
  snippet?: string; // a few lines of its text, about what was asked for
  score: number; // the higher the more sure
  confidence?: number; // the chance that it shows the concept
  taught?: 'yes' | 'no'; // it was shown as an example
}

export interface DetectAnswer {
  concept: string; // what was looked for
  collection: string; // of the items
  shown: number; // examples that show it
  not_shown: number; // examples that do not
  learned: boolean; // it was learned from tags or labels too
  items: number; // that were ranked
  seconds: number; // that it took
  results: Detected[]; // best first, those of the page
}

export interface TaggedAnswer {
  concept: string; // its name
  tagged: number; // items that have its tag now
  before: number; // items that had it before
}

export interface TaughtAnswer {
  concept: string; // its name
  stored: number; // examples
}

export interface RelatedThing {
  name: string; // an item, a tag, a label, or a place
  score: number; // what it is ranked by
  times: number; // as likely as chance would have it
  known?: boolean; // the item has it already
  reasons?: Record<string, number>; // what each kind of evidence adds
  examples?: string[]; // items that have it and are nearest to what was asked
}

export interface RelatedKind {
  kind: string; // such as photos/tags
  collection?: string; // that they are of
  items?: boolean; // they are items of it
  things: RelatedThing[]; // best first
}

export interface RelateAnswer {
  evidence: string[]; // the kinds that say something of what was asked
  kinds: RelatedKind[]; // what belongs to it
  seconds: number; // that it took
  place?: Place; // where it was taken
  nearest?: number; // metres to the nearest place that is known, where none is near
  guess?: {
    latitude: number; // degrees north
    longitude: number; // degrees east
    radius: number; // metres: half of such guesses were nearer
  } | null; // where it may have been taken; null: nothing tells
}

export interface ItemPlace {
  id: string; // of the item
  known: boolean; // it has a place of its own
  guess: {
    latitude: number; // degrees north
    longitude: number; // degrees east
    radius: number; // metres: half of such guesses were nearer
  } | null; // where it may be from; null: it cannot be told
  from: {
    id: string; // of an item of nearly the same time
    minutes: number; // later, or, below 0, earlier
    latitude: number; // degrees north
    longitude: number; // degrees east
  }[]; // items of nearly the same time, whose places are known
  why: string; // in words
}

export interface SamePair {
  kind: string; // such as photos/tags
  first: string; // a tag
  second: string; // another that may mean the same
  alike: number; // how much, the cosine
  first_items: number; // that have the first
  second_items: number; // that have the second
  together: number; // items that have both
}

export interface SamePairs {
  pairs: SamePair[]; // most alike first
}

export interface Group {
  things: number; // of all kinds
  kinds: {
    kind: string; // such as photos/tags
    things: number; // of it in the group
    nearest: string[]; // to the centre
  }[]; // that have things in it
}

export interface Groups {
  groups: Group[]; // the largest first
}

export interface MapAnswer {
  model: string; // that was asked
  kinds: {
    kind: string; // such as photos/tags
    collection: string; // that they are of
    items: boolean; // they are items of it
    things: number; // that there are
    drawn: number; // of them
  }[]; // of things
  points: {
    kind: number[]; // place among the kinds
    x: number[]; // 0 to 1
    y: number[]; // 0 to 1
    group: number[]; // place among the groups; -1: none
    name: string[]; // of the thing
  }; // what is drawn
  groups: {
    name: string; // of its best known things
    x: number; // its centre, 0 to 1
    y: number; // its centre, 0 to 1
    things: number; // in it
  }[]; // of things that lie together
}

export interface Facets {
  total: number; // items that were found
  collections: {
    name: string; // of the collection
    items: number; // of it
  }[]; // that they are of
  tags: TagCount[]; // most used first
  years: {
    year: string; // four digits
    items: number; // of it
  }[]; // that they are of
  kinds: {
    picture: number; // items with a picture
    text: number; // items without
    link: number; // items with an address
  }; // of them
  untagged: number; // items without a tag
  automatic: number; // items with a tag of a machine
  placed: number; // items with a place
  timeline: {
    step: 'day' | 'month' | 'year'; // of the counts
    counts: {
      from: string; // when the step begins
      items: number; // in it
    }[]; // oldest first
  }; // of them
}

export interface Places {
  total: number; // items that were found
  collections: {
    name: string; // of the collection
    pictures: boolean; // it has some
  }[]; // that they are of
  points: {
    collection: number[]; // place among the collections
    id: string[]; // of the item
    latitude: number[]; // degrees north
    longitude: number[]; // degrees east
  }; // those with a place
}

export interface Selection {
  collections: {
    name: string; // of the collection
    ids: string[]; // of its items
  }[]; // with the items that are selected
}

export interface ChangeAnswer {
  stored: number; // how many decisions were stored
  first: number; // number of them
  last: number; // number of them
  items?: number; // that were selected
}

export type JobState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';

export interface Job {
  id: number; // of the job
  task: string; // such as learn-suggest
  about: string; // the collection
  state: JobState; // how far it is
  stage: string; // what it is at
  done: number; // of the stage
  total: number; // of the stage; 0: not known
  unit: string; // of the two
  seconds: number; // since it began
  result: unknown; // what the command printed; null until it is done
  error: string; // what it said when it failed
}

export interface Jobs {
  jobs: Job[]; // newest first
}

export interface Upload {
  upload: string; // its name, for the job that adds it
  bytes: number; // that were sent
}

export interface UploadedFile {
  name: string; // that it was sent under
  bytes: number; // that it has
}

export interface UploadFiles {
  upload: string; // its id
  files: UploadedFile[]; // that are here, by name
}

export interface AnnifProject {
  project_id: string; // the name of the model
  name: string; // of the model
  language: string; // of the texts it was learned from
  backend: {
    backend_id: string; // always commonplace
  }; // what it is
  is_trained: boolean; // always
  modification_time: string; // when it was learned
}

export interface AnnifProjects {
  projects: AnnifProject[]; // by name
}

export interface AnnifResults {
  results: {
    uri: string; // of the tag
    label: string; // the tag
    notation: string | null; // always null
    score: number; // the confidence
  }[]; // surest first
}

export interface AnnifDocument {
  document_id: string | null; // as it was given
  results: {
    uri: string; // of the tag
    label: string; // the tag
    notation: string | null; // always null
    score: number; // the confidence
  }[]; // surest first
}

export interface Distances {
  collections: {
    name: string; // of the collection
    items: number; // that it has
    complexity: number; // the share of its features that are rare
  }[]; // that have items
  pairs: {
    first: string; // a collection
    second: string; // another
    distance: number; // 0: alike, 2: as unlike as can be
    shared: number; // of the features of the smaller, the share that both have
  }[]; // of them
}

export interface Bridge {
  name: string; // of the collection
  success: number; // the chance that it helps
  gain: number; // in accuracy that is forecast
  gain_error: number; // of the forecast
  complexity: number; // the share of its features that are rare
  distance_to_source: number; // 0: alike, 2: as unlike as can be
  distance_to_target: number; // 0: alike, 2: as unlike as can be
  shared_with_source: number; // the share of features that both have
  shared_with_target: number; // the share of features that both have
  only_way?: boolean; // source and target share nothing without it
}

export interface BridgeRanking {
  source: {
    name: string; // of the collection
    complexity: number; // the share of its features that are rare
  }; // the collection that has labels
  target: {
    name: string; // of the collection
    complexity: number; // the share of its features that are rare
  }; // the collection that gets them
  distance: number; // between the two
  bridges: Bridge[]; // that there are, best first
  chain: string[] | null; // what a path would go through; null: there is none
  forecast_learned_from: string; // for people
  forecast_quality: {
    trials: number; // that it was learned from
    successes: number; // among them
    balanced_accuracy: number; // of telling them
    accuracy_on_new_targets: number; // of telling them, for targets that were held out
    auc_on_new_targets: number; // successes ranked above failures
    gain_error: number; // root mean square
    gain_correlation: number; // of forecast and actual gains
  }; // how good forecasts are
}

export interface TransferResult {
  model: string; // its name
  field: string; // the field of the labels
  sources: string[]; // that have labels
  through: string[]; // in between
  target: string; // that gets labels
  refused: boolean; // it would harm, or there is no way
  reason?: string; // for a refusal
  forecast?: Bridge; // of what is in between
  forecast_learned_from?: string; // for people
  stages: {
    iterations: number; // of the factorisation
    converged: boolean; // it did
    objective: number; // at its end
    refinements: number; // rounds of them
    told_by: string; // what the start was told by
    expected: number; // share of the start that is expected to be right
    guessing: number; // what naming the commonest class may reach
    answer: string; // the step that the answer is of
    collapsed: boolean; // a later step was undone
    grouped: boolean; // it was factorised and refined
    right_before_grouping: number; // in a simulated transfer
    right_after_grouping: number; // in a simulated transfer
    right_after_self_training: number; // in a simulated transfer
    renamed: boolean; // the labels were
    shared_features: number; // share of its features that the one before it has too
    agreement: number; // share of items that are of the class that the start said
  }[]; // one a collection of the path
  labels: Record<string, number>; // how many items get each, of those that are sure enough
  known: number; // items of the target that had a label before
  same_items?: number; // that are the same as a labelled item elsewhere, and take its label
  sure: number; // predictions that are sure enough to be written
  written: number; // these, unless it was a try
  mean_probability: number; // of the predictions
  seconds: number; // that it took
  predictions?: {
    item: string; // without a label of its own
    label: string; // the likeliest
    probability: number; // of it
  }[]; // of the items without a label
}
