import type { RecordContext } from '../records/context.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import { timeOf } from '../records/queued-post.ts';
import { PagingError } from '../lists/errors.ts';
import type { QueuedPost } from '../sources/current/posts.ts';
import { SourceError } from '../sources/errors.ts';

// What waits in the queue, to be compared with posts that are to be made: read once for an operation, and looked up by
// account, text and time, however many posts are compared.

/** Ids of queued posts, in the graph, by what they have in common. */
type PostIds = ReadonlyMap<string, readonly string[]>;

/** The queue as it is compared. Keys are made by `textKey` and `timeKey`. */
export interface QueueComparison {
  readonly postCount: number;
  /** Posts of which something can't be read, so that they are compared in part or not at all. */
  readonly unreadableCount: number;
  /** Whether every post could be compared by its text, and by its time. */
  readonly areTextsWhole: boolean;
  readonly areTimesWhole: boolean;
  readonly byText: PostIds;
  readonly byTime: PostIds;
}

/** The key of a text of an account; differences in white space do not count. Null for a blank text. */
export function textKey(loginId: string, text: string | null | undefined): string | null {
  const plain = text?.normalize('NFC').replaceAll(/\s+/g, ' ').trim() ?? '';
  return plain === '' ? null : `${loginId} ${plain}`;
}

/** The key of a wall-clock time (`YYYY-MM-DDTHH:mm`) of an account. */
export function timeKey(loginId: string, local: string): string {
  return `${loginId} ${local}`;
}

/** The queue, compared; null where it could not be read as a whole. */
export async function readQueue({ loaders }: RecordContext): Promise<QueueComparison | null> {
  const posts = await unlessUnread(() => loaders.whole(loaders.queue({})));
  return posts && comparisonOf(posts);
}

/** How many posts wait in the queue, also where they are too many to be read; null where that could not be read. */
export async function readQueueTotal(context: RecordContext): Promise<number | null> {
  const queue = await readQueue(context);
  if (queue !== null) return queue.postCount;
  const list = context.loaders.queue({});
  const first = await unlessUnread(() => list.readPage(1, list.memory.sizes.max, false));
  return first?.total ?? null;
}

/** What is read, or null where the service or the length of its list prevents it. */
export async function unlessUnread<T>(read: () => T | Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SourceError || error instanceof PagingError) return null;
    throw error;
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
    const text = readOr(() => textKey(accountOf(post), post.text));
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

/** Undefined where the service's answer does not give it. */
function readOr<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
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
