import type { RecordContext } from '../records/context.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import { timeOf } from '../records/queued-post.ts';
import { assertUnreadable, PagingError, unlessUnread } from '../lists/errors.ts';
import { queueLimitOf } from '../sources/current/membership.ts';
import type { QueuedPost } from '../sources/current/posts.ts';
import { assertSourceError, idOf } from '../sources/errors.ts';
import { createBoundedCache } from '../bounded-cache.ts';
import { getOrInsertComputed } from '../remember.ts';
import { normalized } from '../../packages/text-length/src/text-length.ts';

// The queue, indexed for comparison with planned posts: read once per operation, and looked up by account, text and
// time, however many posts are compared.

/** Global ids of queued posts, by what they have in common. */
type PostIds = ReadonlyMap<string, readonly string[]>;

/** The indexed queue. Keys are created by `textKey` and `timeKey`. */
export interface QueueIndex {
  readonly postCount: number;
  /** Posts that cannot be read completely, and so are compared partly or not at all. */
  readonly unreadableCount: number;
  /** Whether every post could be compared by its text, and by its time. */
  readonly areTextsWhole: boolean;
  readonly areTimesWhole: boolean;
  readonly byText: PostIds;
  readonly byTime: PostIds;
}

/**
 * Returns a text without the differences that a comparison ignores: canonical equivalence and white space. Null for a
 * blank text.
 */
export function plainText(text: string | null | undefined): string | null {
  const plain = text == null ? '' : normalized(text).replaceAll(WHITE_SPACE, ' ').trim();
  return plain === '' ? null : plain;
}

/** White space that is not a single blank, as most of it is. */
const WHITE_SPACE = /[^\S ]\s*| \s+/g;

/** Returns the key of a plain text of an account; null without a text. */
export function textKey(loginId: string, plain: string | null): string | null {
  return plain === null ? null : `${loginId} ${plain}`;
}

/** Returns the key of a wall-clock time (`YYYY-MM-DDTHH:mm`) of an account. */
export function timeKey(loginId: string, local: string): string {
  return `${loginId} ${local}`;
}

/** What was read of the queue and the plan; null for what could not be read. */
export interface QueueFacts {
  /** The whole queue. */
  readonly queue: QueueIndex | null;
  /** The number of queued posts, even if they are too many to read. */
  readonly total: number | null;
  /** How many the plan allows; also null if the plan states no number. */
  readonly limit: number | null;
}

/** A reading, which is not complete if another one soon may show more. */
type Reading<T> = T & { readonly isComplete: boolean };

/** Reads and indexes the queue, and reads the plan. */
export async function readQueueAndPlan(context: RecordContext): Promise<Reading<QueueFacts>> {
  const [{ isComplete, ...queue }, plan] = await Promise.all([
    readQueue(context),
    unlessUnread(async () => {
      const { currentPlan } = await context.loaders.membership();
      return { limit: currentPlan && queueLimitOf(currentPlan) };
    }),
  ]);
  return { ...queue, limit: plan?.limit ?? null, isComplete: isComplete && plan !== null };
}

async function readQueue({ loaders }: RecordContext): Promise<Reading<Omit<QueueFacts, 'limit'>>> {
  const list = loaders.queue({});
  try {
    const queue = getOrInsertComputed(indexes, await loaders.whole(list), indexOf);
    return { queue, total: queue.postCount, isComplete: true };
  } catch (error) {
    assertUnreadable(error);
    const first = await unlessUnread(() => list.readPage(1, list.memory.sizes.max, false));
    // A queue that is too long, or changes too quickly, will be so for a while.
    const isComplete = error instanceof PagingError && first !== null;
    return { queue: null, total: first?.total ?? null, isComplete };
  }
}

const indexes = new WeakMap<readonly QueuedPost[], QueueIndex>();

function indexOf(posts: readonly QueuedPost[]): QueueIndex {
  const byText = new Map<string, string[]>();
  const byTime = new Map<string, string[]>();
  const gaps = { text: 0, time: 0, any: 0 };
  for (const post of posts) {
    const loginIdOf = () => idOf(post.account?.loginId ?? null, 'current', 'the account of a queued post');
    const text = readOr(() => textKey(loginIdOf(), plainText(post.text)));
    const time = readOr(() => keyOfTime(loginIdOf(), timeOf(post)));
    add(byText, text, post);
    add(byTime, time, post);
    gaps.text += Number(text === undefined);
    gaps.time += Number(time === undefined);
    gaps.any += Number(text === undefined || time === undefined);
  }
  return {
    postCount: posts.length,
    unreadableCount: gaps.any,
    areTextsWhole: gaps.text === 0,
    areTimesWhole: gaps.time === 0,
    byText,
    byTime,
  };
}

function keyOfTime(loginId: string, local: string | null): string | null {
  return local === null ? null : timeKey(loginId, local);
}

/** Returns undefined if the service's response does not contain the value. */
function readOr<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    assertSourceError(error);
    return undefined;
  }
}

function add(ids: Map<string, string[]>, key: string | null | undefined, post: QueuedPost): void {
  if (key == null) return;
  const postId = readOr(() => post.postId);
  const id =
    postId == null ? [] : [encodeGlobalId({ type: 'QueuedPost', surface: 'current', rawId: postId })];
  const known = ids.get(key);
  if (known) known.push(...id);
  else ids.set(key, id);
}

// Recent readings of the queue and the plan, one per caller, so that a post can be validated while somebody writes it.

/** A reading of the queue and the plan. */
export interface QueueReading extends QueueFacts {
  /** When it began, in epoch milliseconds. */
  readonly readAt: number;
}

const MAX_CALLERS = 1_000;
/** For all readings together. */
const MAX_BYTES = 32 * 1024 * 1024;
/** What a queued post takes in a reading besides its text. */
const BYTES_PER_POST = 400;

/** The readings of a process that may serve again. */
export class QueueReadings {
  readonly #kept = createBoundedCache<QueueReading>({
    maxEntries: MAX_CALLERS,
    maxSize: MAX_BYTES,
    sizeOf: bytesOf,
  });
  readonly #begun = new Set<{ readonly caller: string; isOutdated: boolean }>();
  readonly #maxAgeMs: number;
  readonly #now: () => number;

  /** @param maxAgeMs How long a reading serves; 0 reads each time. */
  constructor(maxAgeMs: number, now: () => number = Date.now) {
    this.#maxAgeMs = maxAgeMs;
    this.#now = now;
  }

  /**
   * Returns the caller's last reading if it is recent, or else reads. A reading is kept unless it failed in part, or the
   * caller wrote something while it was made.
   */
  async read(caller: string, read: () => Promise<Reading<QueueFacts>>): Promise<QueueReading> {
    const readAt = this.#now();
    const known = this.#kept.get(caller);
    if (known && known.readAt <= readAt && readAt - known.readAt < this.#maxAgeMs) return known;
    const begun = { caller, isOutdated: false };
    this.#begun.add(begun);
    try {
      const { isComplete, ...facts } = await read();
      const reading = { ...facts, readAt };
      if (isComplete && !begun.isOutdated && this.#maxAgeMs > 0) this.#kept.set(caller, reading);
      return reading;
    } finally {
      this.#begun.delete(begun);
    }
  }

  /** Drops what was read for a caller, because the caller is writing or has written something. */
  forget(caller: string): void {
    this.#kept.delete(caller);
    for (const one of this.#begun) if (one.caller === caller) one.isOutdated = true;
  }
}

function bytesOf({ queue }: QueueReading): number {
  if (queue === null) return 0;
  const texts = [...queue.byText.keys()].reduce((sum, key) => sum + 2 * key.length, 0);
  return texts + queue.postCount * BYTES_PER_POST;
}
