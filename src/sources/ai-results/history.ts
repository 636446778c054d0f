import type { CurrentClient, Page } from '../current/client.ts';
import { hasText, listAiHistory, type AiHistoryRecord } from '../current/openai.ts';
import { SourceError } from '../errors.ts';
import { readable, wireOf } from '../view.ts';
import type { FeedListener, IncomingResult, ResultFeed } from './feed.ts';

// The history as a way by which results come: it is looked through again and again while somebody waits.

/** Most pages that one look reads. */
const MAX_PAGES = 20;
/** Looks with nothing new in between become rarer, up to so many times the first interval. */
const SLOWEST = 10;
const GROWTH = 1.5;
/** One look in so many reads all of the history: its order is not documented, and new records push others down. */
const THOROUGH_EVERY = 5;
const LONGEST_PAUSE_MS = 30_000;
/** Least time between two questions whether to look, in milliseconds. */
const LEAST_ASKING_MS = 250;

/** Content ids that are waited for, each with the time, in epoch milliseconds, at which the waiting ends. */
export type Wanted = ReadonlyMap<string, number>;

/** What is looked for, and how. */
export interface HistorySearch {
  readonly client: CurrentClient;
  readonly wanted: () => Wanted;
  /** Asks for the turn to look: gives all that is to be looked for, also for others; null while another looks for it. */
  readonly ask: () => Promise<Wanted | null>;
  /** Gives the turn away, while nothing is waited for. */
  readonly rest: () => void;
  /** Records to a page, as far as the service allows. */
  readonly pageSize: number;
  /** Milliseconds from the beginning of one look to the next, at first; never less. */
  readonly firstIntervalMs: number;
}

/** Listens to the history. */
export interface HistoryFeed extends ResultFeed {
  /** Looks soon, and often again: something was said of a generation, or a new one is waited for. */
  lookSoon(): void;
}

/** Who listens to the history: also told what a look did not find that nobody need wait for any longer. */
export interface HistoryListener extends FeedListener {
  /** These were looked for, the waiting for them was over when the look began, and they have not come. */
  readonly onOverdue: (contentIds: readonly string[]) => void;
}

/** Looks through the AI history while something is wanted: at most one look at a time, and one in an interval. */
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
      past.quietUntil = Date.now() + pauseMs;
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

/** What was done so far; the times in epoch milliseconds. */
interface Past {
  startedAt: number;
  askedAt: number;
  /** Until then the service is to be left alone. */
  quietUntil: number;
  /** What the last look was for, here and elsewhere. */
  lookedFor: Wanted;
}

// As long as wished and not longer than until the waiting for something ends; but not sooner than is allowed.
function waitBefore(
  delayMs: number,
  wanted: Wanted,
  { startedAt, askedAt, quietUntil, lookedFor, firstIntervalMs }: Past & { readonly firstIntervalMs: number },
): number {
  const now = Date.now();
  const soonest = Math.max(startedAt + firstIntervalMs, askedAt + Math.min(firstIntervalMs, LEAST_ASKING_MS));
  const wished = Math.max(now + delayMs, quietUntil);
  // What others wait for counts until it was looked for after its end.
  const others = [...lookedFor.values()].filter((endsAt) => endsAt > startedAt);
  return Math.max(0, soonest - now, Math.min(wished, ...wanted.values(), ...others) - now);
}

/** One look. */
interface Look {
  /** All that is looked for, and that part of it which is waited for here. */
  readonly wanted: Wanted;
  readonly own: Wanted;
  readonly now: number;
}

// Looks once; gives what is still missing, and the milliseconds that the service asks to be left alone for.
function createLooker(search: HistorySearch, { onResult, onRefusal }: FeedListener) {
  let seen: ReadonlySet<string> = new Set();
  let looks = 0;
  return async ({ wanted, own, now }: Look): Promise<{ missing: string[]; pauseMs: number }> => {
    const isThorough =
      looks++ % THOROUGH_EVERY === 0 || [...wanted].some(([id, endsAt]) => !seen.has(id) || endsAt <= now);
    const found = new Set<string>();
    // Who came during the look was not looked for, and what came by another way meanwhile is not missing.
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
      if (!(error instanceof SourceError)) throw error;
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

// New records are at the end of the list that is the newer one, as far as the first page lets that be known.
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
