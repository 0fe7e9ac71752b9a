import { signal } from '@preact/signals';

export const PAGE = 100;

export interface Page<Entry> {
  total: number;
  entries: Entry[];
}

export type FetchPage<Entry> = (offset: number, limit: number, signal: AbortSignal) => Promise<Page<Entry>>;

/** The pages that hold the entries `first` .. `last`. */
export function pagesOf(first: number, last: number, total: number): number[] {
  const result: number[] = [];
  const end = Math.min(last, total - 1);
  for (let page = Math.floor(Math.max(first, 0) / PAGE); page * PAGE <= end; ++page) result.push(page);
  return result;
}

/** A long list of which only the pages that come into view are fetched. */
export class PagedList<Entry> {
  /** Counts what arrived; reading it makes a view follow. */
  readonly version = signal(0);
  total = 0;
  private pages = new Map<number, Entry[]>();
  private asked = new Map<number, AbortController>();
  private wanted = new Set<number>([0]);

  constructor(
    private readonly fetchPage: FetchPage<Entry>,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Fetches the page at `index`, so that the total is known. */
  async start(index = 0): Promise<void> {
    const page = Math.floor(index / PAGE);
    await this.fetch(page);
    if (page > 0 && this.total > 0 && page * PAGE >= this.total) await this.fetch(0);
  }

  entry(index: number): Entry | undefined {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Asks for what is in view and gives up what no longer is. */
  need(first: number, last: number): void {
    const wanted = new Set(pagesOf(first, last, this.total));
    this.wanted = wanted;
    for (const [page, controller] of this.asked) {
      if (!wanted.has(page)) {
        controller.abort();
        this.asked.delete(page);
      }
    }
    for (const page of wanted) {
      if (!this.pages.has(page) && !this.asked.has(page)) this.fetch(page).catch(this.failed);
    }
  }

  /** The entries `first` .. `last`, fetched where they are not here yet. */
  async range(first: number, last: number): Promise<Entry[]> {
    await Promise.all(pagesOf(first, last, this.total).filter((page) => !this.pages.has(page)).map((page) => this.fetch(page)));
    const result: Entry[] = [];
    for (let index = first; index <= Math.min(last, this.total - 1); ++index) {
      const entry = this.entry(index);
      if (entry !== undefined) result.push(entry);
    }
    return result;
  }

  /** All entries that are here, and what `change` makes of them. */
  update(change: (entry: Entry) => Entry): void {
    for (const page of this.pages.values()) page.forEach((entry, index) => { page[index] = change(entry); });
    this.version.value += 1;
  }

  /** Reads what is in view anew; what is not is read when it comes into view. */
  async refresh(): Promise<void> {
    for (const page of [...this.pages.keys()]) if (!this.wanted.has(page)) this.pages.delete(page);
    await Promise.all([...this.wanted].map((page) => this.fetch(page))).catch(this.failed);
  }

  isHere(page: number): boolean {
    return this.pages.has(page);
  }

  replace(index: number, entry: Entry): void {
    const page = this.pages.get(Math.floor(index / PAGE));
    if (!page) return;
    page[index % PAGE] = entry;
    this.version.value += 1;
  }

  stop(): void {
    for (const controller of this.asked.values()) controller.abort();
    this.asked.clear();
  }

  private async fetch(page: number): Promise<void> {
    const controller = new AbortController();
    this.asked.set(page, controller);
    try {
      const answer = await this.fetchPage(page * PAGE, PAGE, controller.signal);
      this.total = answer.total;
      this.pages.set(page, answer.entries);
      this.version.value += 1;
    } finally {
      if (this.asked.get(page) === controller) this.asked.delete(page);
    }
  }
}
