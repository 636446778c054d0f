import type { RecordContext } from '../records/context.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import { timeOf } from '../records/queued-post.ts';
import { assertUnreadable } from '../lists/errors.ts';
import type { QueuedPost } from '../sources/current/posts.ts';
import { assertSourceError, SourceError } from '../sources/errors.ts';
import { normalized } from './normalized-text.ts';

// The queue, indexed for comparison with planned posts: read once per operation, and looked up by account, text and
// time, however many posts are compared.

/** Global ids of queued posts, by what they have in common. */
type PostIds = ReadonlyMap<string, readonly string[]>;

/** The indexed queue. Keys are created by `textKey` and `timeKey`. */
export interface QueueComparison {
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

/** Reads and indexes the queue; null if it could not be read as a whole. */
export async function readQueue({ loaders }: RecordContext): Promise<QueueComparison | null> {
  const posts = await unlessUnread(() => loaders.whole(loaders.queue({})));
  return posts && comparisonOf(posts);
}

/** Returns the number of queued posts, even if they are too many to read; null if it could not be read. */
export async function readQueueTotal(context: RecordContext): Promise<number | null> {
  const queue = await readQueue(context);
  if (queue !== null) return queue.postCount;
  const list = context.loaders.queue({});
  const first = await unlessUnread(() => list.readPage(1, list.memory.sizes.max, false));
  return first?.total ?? null;
}

/** Returns what is read, or null if the service or the length of its list prevents it. */
export async function unlessUnread<T>(read: () => T | Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    assertUnreadable(error);
    return null;
  }
}

const comparisons = new WeakMap<readonly QueuedPost[], QueueComparison>();

function comparisonOf(posts: readonly QueuedPost[]): QueueComparison {
  const known = comparisons.get(posts);
  if (known !== undefined) return known;
  const byText = new Map<string, string[]>();
  const byTime = new Map<string, string[]>();
  const gaps = { text: 0, time: 0, any: 0 };
  for (const post of posts) {
    const text = readOr(() => textKey(accountOf(post), plainText(post.text)));
    const time = readOr(() => keyOfTime(accountOf(post), timeOf(post)));
    add(byText, text, post);
    add(byTime, time, post);
    gaps.text += Number(text === undefined);
    gaps.time += Number(time === undefined);
    gaps.any += Number(text === undefined || time === undefined);
  }
  const comparison = {
    postCount: posts.length,
    unreadableCount: gaps.any,
    areTextsWhole: gaps.text === 0,
    areTimesWhole: gaps.time === 0,
    byText,
    byTime,
  };
  comparisons.set(posts, comparison);
  return comparison;
}

function keyOfTime(loginId: string, local: string | null): string | null {
  return local === null ? null : timeKey(loginId, local);
}

function accountOf({ account }: QueuedPost): string {
  const loginId = account?.loginId ?? null;
  if (loginId !== null) return loginId;
  throw new SourceError('malformed', 'current', 'GET /posts/queued: a post without an account');
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
