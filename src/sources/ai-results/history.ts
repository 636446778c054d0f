import type { CurrentClient, Page } from '../current/client.ts';
import { hasText, listAiHistory, type AiHistoryRecord } from '../current/openai.ts';
import { assertSourceError } from '../errors.ts';
import { readable, wireOf } from '../view.ts';
import type { FeedListener, IncomingResult, ResultFeed } from './feed.ts';

// The history as a result feed: it is polled while somebody waits.

/** Maximum number of pages read per poll. */
const MAX_PAGES = 20;
/** Polls without new events become less frequent, up to this multiple of the first interval. */
const SLOWEST = 10;
const GROWTH = 1.5;
/** One poll in this many reads the whole history: its order is not documented, and new records move others down. */
const THOROUGH_EVERY = 5;
const LONGEST_PAUSE_MS = 30_000;
/** Minimum time between requests for the turn to poll, in milliseconds. */
const LEAST_ASKING_MS = 250;

/** Content ids that are waited for, each with the end of the wait in epoch milliseconds. */
export type Wanted = ReadonlyMap<string, number>;

/** What to search for, and how. */
export interface HistorySearch {
  readonly client: CurrentClient;
  readonly wanted: () => Wanted;
  /** Requests the turn to poll: returns all ids wanted here and elsewhere, or null while another process polls. */
  readonly ask: () => Promise<Wanted | null>;
  /** Gives up the turn while nothing is waited for. */
  readonly rest: () => void;
  /** Records per page, within the limits of the service. */
  readonly pageSize: number;
  /** Minimum milliseconds from the start of one poll to the next, and the initial interval. */
  readonly firstIntervalMs: number;
}

/** Polls the history. */
export interface HistoryFeed extends ResultFeed {
  /** Polls soon and more often again, after news about a generation or a new wait. */
  lookSoon(): void;
}

/** Listens to the history, and is also told which ids a poll did not find after their wait had ended. */
export interface HistoryListener extends FeedListener {
  /** Called with ids whose wait was over when the poll started and that the poll did not find. */
  readonly onOverdue: (contentIds: readonly string[]) => void;
}

/** Polls the AI history while something is wanted: at most one poll at a time, and one per interval. */
export function openHistoryFeed(search: HistorySearch, listener: HistoryListener): HistoryFeed {
  const looker = createLooker(search, listener);
  const { firstIntervalMs } = search;
  let interval = firstIntervalMs;
  const past: Past = {
    startedAt: -Infinity,
    askedAt: -Infinity,
    quietUntil: -Infinity,
    lookedFor: new Map(),
  };
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isAskedFor = false;
  let isClosed = false;

  const schedule = (delayMs: number): void => {
    clearTimeout(timer);
    const wanted = search.wanted();
    if (isClosed || isLooking) return;
    if (wanted.size === 0) return search.rest();
    timer = setTimeout(() => void look(), waitBefore(delayMs, wanted, { ...past, firstIntervalMs }));
    timer.unref();
  };
  const look = async (): Promise<void> => {
    const own = search.wanted();
    if (own.size === 0) return search.rest();
    isLooking = true;
    isAskedFor = false;
    past.askedAt = Date.now();
    const wanted = await search.ask();
    past.lookedFor = wanted ?? new Map();
    if (wanted !== null && !isClosed) {
      const now = Date.now();
      past.startedAt = now;
      const { missing, pauseMs } = await looker({ wanted, own, now });
      past.quietUntil = pauseMs === 0 ? -Infinity : Date.now() + pauseMs;
      if (!isClosed) listener.onOverdue(missing.filter((id) => (wanted.get(id) ?? Infinity) <= now));
    }
    isLooking = false;
    schedule(isAskedFor ? 0 : interval);
    interval = Math.min(firstIntervalMs * SLOWEST, interval * GROWTH);
  };
  return {
    lookSoon() {
      interval = firstIntervalMs;
      isAskedFor = true;
      schedule(0);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      search.rest();
    },
  };
}

/** The previous polls, with times in epoch milliseconds. */
interface Past {
  startedAt: number;
  askedAt: number;
  /** The service must not be called before this time. */
  quietUntil: number;
  /** The ids wanted by the last poll, including those of other processes. */
  lookedFor: Wanted;
}

// Returns the wanted delay, shortened to the end of the next wait but not below the minimum interval.
function waitBefore(
  delayMs: number,
  wanted: Wanted,
  { startedAt, askedAt, quietUntil, lookedFor, firstIntervalMs }: Past & { readonly firstIntervalMs: number },
): number {
  const now = Date.now();
  const soonest = Math.max(startedAt + firstIntervalMs, askedAt + Math.min(firstIntervalMs, LEAST_ASKING_MS));
  // If the clock has been set back, times that are near appear to be far ahead.
  const soonestIn = Math.min(soonest - now, firstIntervalMs);
  const wishedIn = Math.max(delayMs, Math.min(quietUntil - now, LONGEST_PAUSE_MS));
  // An id that others wait for counts until a poll started after its wait ended.
  const others = [...lookedFor.values()].filter((endsAt) => endsAt > startedAt);
  const endsIn = [...wanted.values(), ...others].map((endsAt) => endsAt - now);
  return Math.max(0, soonestIn, Math.min(wishedIn, ...endsIn));
}

/** One poll. */
interface Look {
  /** All wanted ids, and those of them that this process waits for. */
  readonly wanted: Wanted;
  readonly own: Wanted;
  readonly now: number;
}

// Polls once. Returns the ids still missing, and the pause that the service requests, in milliseconds.
function createLooker(search: HistorySearch, { onResult, onRefusal }: FeedListener) {
  let seen: ReadonlySet<string> = new Set();
  let looks = 0;
  return async ({ wanted, own, now }: Look): Promise<{ missing: string[]; pauseMs: number }> => {
    const isThorough =
      looks++ % THOROUGH_EVERY === 0 || [...wanted].some(([id, endsAt]) => !seen.has(id) || endsAt <= now);
    const found = new Set<string>();
    // Ids added during the poll were not searched for, and ids that arrived otherwise in the meantime are not missing.
    const missing = (): string[] => {
      const stillWanted = search.wanted();
      return [...wanted.keys()].filter((id) => !found.has(id) && (stillWanted.has(id) || !own.has(id)));
    };
    let pauseMs = 0;
    try {
      for await (const rows of pagesOf(search, isThorough)) {
        const results = rows.map(incoming).filter((result) => result !== null);
        const ofUse = results.filter(({ contentId }) => wanted.has(contentId));
        ofUse.filter((result) => result.hasText).forEach(({ contentId }) => found.add(contentId));
        ofUse.forEach(onResult);
        if (missing().length === 0) break;
      }
      seen = new Set(wanted.keys());
    } catch (error) {
      assertSourceError(error);
      if (error.kind === 'unauthenticated') onRefusal?.(error);
      pauseMs = Math.min(error.details.retryAfterMs ?? 0, LONGEST_PAUSE_MS);
    }
    return { missing: missing(), pauseMs };
  };
}

function incoming(record: AiHistoryRecord): IncomingResult | null {
  const contentId = readable(() => record.contentId);
  return contentId === null
    ? null
    : { contentId, wire: wireOf(record), hasText: hasText(record), isProven: true };
}

async function* pagesOf(
  { client, pageSize }: HistorySearch,
  isThorough: boolean,
): AsyncGenerator<readonly AiHistoryRecord[]> {
  const first = await listAiHistory(client, { page: 1, size: pageSize });
  yield first.rows;
  for (const page of otherPages(first, isThorough)) {
    const { rows } = await listAiHistory(client, { page, size: first.size });
    yield rows;
  }
}

// New records are at the newer end of the list, if the first page reveals which end that is.
function otherPages(first: Page<AiHistoryRecord>, isThorough: boolean): number[] {
  const count = Math.ceil(first.total / first.size);
  if (count <= 1) return [];
  const newest = newestEnd(first.rows);
  if (!isThorough) return newest === 'first' ? [] : [count];
  const others = Array.from({ length: count - 1 }, (_, index) => index + 2);
  return (newest === 'first' ? others : others.toReversed()).slice(0, MAX_PAGES - 1);
}

function newestEnd(rows: readonly AiHistoryRecord[]): 'first' | 'last' | null {
  const times = rows.map(timeOf).filter((time) => time !== null);
  const [first, last] = [times.at(0), times.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  return first > last ? 'first' : 'last';
}

function timeOf(record: AiHistoryRecord): string | null {
  const exact = readable(() => record.createdAt);
  return exact?.toISOString() ?? readable(() => record.createdAtLocal);
}
