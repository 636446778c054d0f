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

/** Polls the history. */
export interface HistoryFeed extends ResultFeed {
  /** Polls soon and more often again, after news about a generation or a new wait. */
  lookSoon(): void;
  /** Waits as after a poll of its own, because another process has polled for all that is wanted here. */
  postpone(): void;
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
  const past: Past = { startedAt: -Infinity, deniedUntil: -Infinity, quietUntil: -Infinity };
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isAskedFor = false;
  let isClosed = false;

  const schedule = (delayMs: number): void => {
    clearTimeout(timer);
    const wanted = search.wanted();
    if (isClosed || isLooking || wanted.size === 0) return;
    timer = setTimeout(() => void look(), waitBefore(delayMs, wanted, { ...past, firstIntervalMs }));
    timer.unref();
  };
  const slowDown = (): void => void (interval = Math.min(firstIntervalMs * SLOWEST, interval * GROWTH));
  const look = async (): Promise<void> => {
    if (search.wanted().size === 0) return;
    isLooking = true;
    isAskedFor = false;
    const waitMs = await search.takeTurn();
    const now = Date.now();
    past.deniedUntil = now + waitMs;
    if (waitMs === 0 && !isClosed) await lookNow(now);
    isLooking = false;
    if (waitMs > 0) return schedule(waitMs);
    schedule(isAskedFor ? 0 : interval);
    slowDown();
  };
  const lookNow = async (now: number): Promise<void> => {
    const wanted = search.wanted();
    past.startedAt = now;
    const { missing, pauseMs, isRead } = await looker(wanted, now);
    past.quietUntil = pauseMs === 0 ? -Infinity : Date.now() + pauseMs;
    if (isClosed) return;
    if (isRead) search.onLooked();
    listener.onOverdue(missing.filter((id) => (wanted.get(id) ?? Infinity) <= now));
  };
  return {
    lookSoon() {
      interval = firstIntervalMs;
      isAskedFor = true;
      schedule(0);
    },
    postpone() {
      if (isLooking) return;
      isAskedFor = false;
      schedule(interval);
      slowDown();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** The previous polls, with times in epoch milliseconds. */
interface Past {
  startedAt: number;
  /** Another process has the turn until then. */
  deniedUntil: number;
  /** The service must not be called before this time. */
  quietUntil: number;
}

// Returns the wanted delay, shortened to the end of the next wait but not below the minimum interval.
function waitBefore(
  delayMs: number,
  wanted: Wanted,
  { startedAt, deniedUntil, quietUntil, firstIntervalMs }: Past & { readonly firstIntervalMs: number },
): number {
  const now = Date.now();
  // If the clock has been set back, times that are near appear to be far ahead.
  const soonestIn = Math.min(Math.max(startedAt + firstIntervalMs, deniedUntil) - now, firstIntervalMs);
  const wishedIn = Math.max(delayMs, Math.min(quietUntil - now, LONGEST_PAUSE_MS));
  const endsIn = [...wanted.values()].map((endsAt) => endsAt - now);
  return Math.max(0, soonestIn, Math.min(wishedIn, ...endsIn));
}

// Polls once. Returns the ids still missing, the pause that the service requests, and whether the history was read.
function createLooker(search: HistorySearch, { onResult, onRefusal }: FeedListener) {
  let seen: ReadonlySet<string> = new Set();
  let looks = 0;
  return async (
    wanted: Wanted,
    now: number,
  ): Promise<{ missing: string[]; pauseMs: number; isRead: boolean }> => {
    const isThorough =
      looks++ % THOROUGH_EVERY === 0 || [...wanted].some(([id, endsAt]) => !seen.has(id) || endsAt <= now);
    const found = new Set<string>();
    // Ids added during the poll were not searched for, and ids that arrived otherwise in the meantime are not missing.
    const missing = (): string[] => {
      const stillWanted = search.wanted();
      return [...wanted.keys()].filter((id) => !found.has(id) && stillWanted.has(id));
    };
    const isOfUse = ({ contentId }: IncomingResult): boolean =>
      wanted.has(contentId) || search.isWantedElsewhere(contentId);
    let pauseMs = 0;
    let isRead = false;
    try {
      for await (const rows of pagesOf(search, isThorough)) {
        const results = rows.map(incoming).filter((result) => result !== null);
        const ofUse = results.filter(isOfUse);
        ofUse.filter((result) => result.hasText).forEach(({ contentId }) => found.add(contentId));
        ofUse.forEach(onResult);
        if (missing().length === 0) break;
      }
      seen = new Set(wanted.keys());
      isRead = true;
    } catch (error) {
      assertSourceError(error);
      if (error.kind === 'unauthenticated') onRefusal?.(error);
      pauseMs = Math.min(error.details.retryAfterMs ?? 0, LONGEST_PAUSE_MS);
    }
    return { missing: missing(), pauseMs, isRead };
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
