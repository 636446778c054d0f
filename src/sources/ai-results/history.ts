import type { CurrentClient, Page } from '../current/client.ts';
import { hasText, listAiHistory, type AiText } from '../current/openai.ts';
import { assertSourceError, type SourceError } from '../errors.ts';
import { Schedule } from '../schedule.ts';
import { readable, wireOf } from '../view.ts';

// The history as a result feed: it is polled while somebody waits.

/** The record of a generation received from a feed, possibly without its text. */
export interface IncomingResult {
  readonly contentId: string;
  /** The service's record, without secrets. */
  readonly wire: unknown;
  readonly hasText: boolean;
  /** True if it was read with the caller's own credential; a socket may deliver results of others. */
  readonly isProven: boolean;
}

/** Maximum number of pages read per poll. */
const MAX_PAGES = 20;
/** Polls without new events become less frequent, up to this multiple of the first interval. */
const SLOWEST = 10;
/** One poll in this many reads the whole history: its order is not documented, and new records move others down. */
const THOROUGH_EVERY = 5;
const LONGEST_PAUSE_MS = 30_000;

/** Content ids that are waited for here, each with the end of the wait in epoch milliseconds. */
export type Wanted = ReadonlyMap<string, number>;

/** What to search for, and how. */
export interface HistorySearch {
  readonly client: CurrentClient;
  readonly wanted: () => Wanted;
  /** Whether another process waits for it. */
  readonly isWantedElsewhere: (contentId: string) => boolean;
  /** Takes the turn to poll among all processes. Returns 0 if it was taken, or the milliseconds to wait. */
  readonly takeTurn: () => Promise<number>;
  /** Called after a poll in which the history could be read. */
  readonly onLooked: () => void;
  /** Records per page, within the limits of the service. */
  readonly pageSize: number;
  /** Minimum milliseconds from the start of one poll to the next, and the initial interval. */
  readonly firstIntervalMs: number;
}

/** Receives what the history shows. */
export interface HistoryListener {
  readonly onResult: (result: IncomingResult) => void;
  /** Called when the service no longer accepts the credential. */
  readonly onRefusal: (error: SourceError) => void;
  /** Called with ids whose wait was over when the poll started and that the poll did not find. */
  readonly onOverdue: (contentIds: readonly string[]) => void;
}

/** Polls the AI history while something is wanted: at most one poll at a time, and one per interval. */
export class HistoryFeed {
  readonly #search: HistorySearch;
  readonly #listener: HistoryListener;
  readonly #schedule: Schedule;
  #isClosed = false;
  /** The ids that the last poll searched for. */
  #searched: ReadonlySet<string> = new Set();
  #polls = 0;

  constructor(search: HistorySearch, listener: HistoryListener) {
    this.#search = search;
    this.#listener = listener;
    this.#schedule = new Schedule(search.firstIntervalMs, SLOWEST, () => this.#look());
  }

  /** Polls soon and more often again, after news about a generation or a new wait. */
  lookSoon(): void {
    this.#schedule.quicken();
    this.#schedule.soon();
  }

  /** Waits as after a poll of its own, because another process has polled for all that is wanted here. */
  postpone(): void {
    this.#schedule.in(this.#nextIn());
  }

  close(): void {
    this.#isClosed = true;
    this.#schedule.stop();
  }

  /** Returns the milliseconds until the next poll; null if nothing is wanted. */
  #nextIn(): number | null {
    return this.#search.wanted().size === 0 ? null : this.#untilEnd(this.#schedule.next(false));
  }

  /** Shortens a pause to the end of the next wait. */
  #untilEnd(pauseMs: number): number {
    const now = Date.now();
    return Math.min(pauseMs, ...[...this.#search.wanted().values()].map((endsAt) => endsAt - now));
  }

  async #look(): Promise<number | null> {
    if (this.#search.wanted().size === 0) return null;
    const waitMs = await this.#search.takeTurn();
    if (waitMs > 0) {
      this.#schedule.pauseFor(waitMs);
      return waitMs;
    }
    if (!this.#isClosed) await this.#poll();
    return this.#nextIn();
  }

  async #poll(): Promise<void> {
    const now = Date.now();
    this.#schedule.pauseFor(this.#search.firstIntervalMs);
    const wanted = this.#search.wanted();
    const found = new Set<string>();
    // Ids added during the poll were not searched for, and ids that arrived otherwise in the meantime are not missing.
    const missing = (): string[] => {
      const stillWanted = this.#search.wanted();
      return [...wanted.keys()].filter((id) => !found.has(id) && stillWanted.has(id));
    };
    const overdue = (id: string): boolean => (wanted.get(id) ?? Infinity) <= now;
    const isDue = this.#polls++ % THOROUGH_EVERY === 0;
    const isThorough = isDue || [...wanted.keys()].some((id) => !this.#searched.has(id) || overdue(id));
    const failure = await this.#read(isThorough, wanted, found, missing);
    if (this.#isClosed) return;
    if (failure === null) this.#search.onLooked();
    this.#listener.onOverdue(missing().filter(overdue));
    const pauseMs = Math.min(failure?.details.retryAfterMs ?? 0, LONGEST_PAUSE_MS);
    this.#schedule.pauseFor(this.#untilEnd(pauseMs));
  }

  /** Reads the history until nothing is missing. Returns the error that ended it early, or null. */
  async #read(
    isThorough: boolean,
    wanted: Wanted,
    found: Set<string>,
    missing: () => string[],
  ): Promise<SourceError | null> {
    const { onResult, onRefusal } = this.#listener;
    try {
      for await (const rows of pagesOf(this.#search, isThorough)) {
        const results = rows.map(incoming).filter((result) => result !== null);
        const ofUse = results.filter(
          ({ contentId }) => wanted.has(contentId) || this.#search.isWantedElsewhere(contentId),
        );
        for (const { contentId } of ofUse.filter((result) => result.hasText)) found.add(contentId);
        ofUse.forEach(onResult);
        if (missing().length === 0) break;
      }
      this.#searched = new Set(wanted.keys());
      return null;
    } catch (error) {
      assertSourceError(error);
      if (error.kind === 'unauthenticated') onRefusal(error);
      return error;
    }
  }
}

function incoming(record: AiText): IncomingResult | null {
  const contentId = readable(() => record.contentId);
  if (contentId === null) return null;
  return { contentId, wire: wireOf(record), hasText: hasText(record), isProven: true };
}

async function* pagesOf(
  { client, pageSize }: HistorySearch,
  isThorough: boolean,
): AsyncGenerator<readonly AiText[]> {
  const first = await listAiHistory(client, { page: 1, size: pageSize });
  yield first.rows;
  for (const page of otherPages(first, isThorough)) {
    const { rows } = await listAiHistory(client, { page, size: first.size });
    yield rows;
  }
}

// New records are at the newer end of the list, if the first page reveals which end that is.
function otherPages(first: Page<AiText>, isThorough: boolean): number[] {
  const count = Math.ceil(first.total / first.size);
  if (count <= 1) return [];
  const newest = newestEnd(first.rows);
  if (!isThorough) return newest === 'first' ? [] : [count];
  // The texts of a page may all be of one minute; then both ends are read in turn.
  const pages = Array.from({ length: Math.min(count, MAX_PAGES) - 1 }, (_, index) => [
    ...(newest === 'first' ? [] : [count - index]),
    ...(newest === 'last' ? [] : [index + 2]),
  ]);
  return [...new Set(pages.flat())].slice(0, MAX_PAGES - 1);
}

function newestEnd(rows: readonly AiText[]): 'first' | 'last' | null {
  const times = rows.map(timeOf).filter((time) => time !== null);
  const [first, last] = [times.at(0), times.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  return first > last ? 'first' : 'last';
}

function timeOf(record: AiText): string | null {
  const exact = readable(() => record.createdAt);
  return exact?.toISOString() ?? readable(() => record.createdAtLocal);
}
