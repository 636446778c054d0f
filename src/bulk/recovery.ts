import { PagingError } from '../lists/errors.ts';
import { readStill } from '../lists/scan.ts';
import { instantOf } from '../service-time.ts';
import type { NewPost, QueuedPost } from '../sources/current/posts.ts';
import { readable } from '../sources/view.ts';
import type { WriteContext } from '../writes/context.ts';
import {
  evidenceFor,
  unclaimedPosts,
  type Evidence,
  type LostRow,
  type UnclaimedPost,
} from './queue-evidence.ts';

// Looks for rows whose response was lost. A row that is found is done. One that is not may be sent again only if its
// absence proves that it was not created.

/** A row whose response was lost, and when it was sent. */
export interface UnresolvedRow extends LostRow {
  /** Epoch milliseconds. */
  readonly sentAt: number;
}

/** What to do about a row whose response was lost. */
export type Verdict =
  | { readonly kind: 'found'; readonly postIds: readonly string[] }
  /** It was not created, and can be sent again. */
  | { readonly kind: 'absent' }
  /** It may still be in flight: look again after this many milliseconds. */
  | { readonly kind: 'too early'; readonly leftMs: number }
  | { readonly kind: 'unknown'; readonly reason: string };

/** The inputs of a search. */
export interface Look {
  readonly context: WriteContext;
  /** Ids of the posts queued before the first attempt; null if unknown. */
  readonly queueBefore: readonly string[] | null;
  /** Ids of the posts that other rows are known to have created. */
  readonly claimed: Iterable<string>;
  /** How long after its start an attempt may still be in flight, in milliseconds. */
  readonly settleMs: number;
}

/**
 * How long after its start an attempt may still be in flight, in milliseconds: longer than two connection attempts plus
 * the deadline of the call (25 s).
 */
export const SETTLE_MS = 60_000;
/** How far in the future a time must be for its post to count as still queued, in milliseconds. */
export const MARGIN_MS = 5 * 60_000;

/**
 * Reads a consistent snapshot of the queue; null if it is too long for that, or kept changing.
 *
 * @throws SourceError if it can't be read
 */
export async function readQueue({ loaders }: Pick<WriteContext, 'loaders'>): Promise<QueuedPost[] | null> {
  try {
    return await readStill(loaders.queue({}), () => false);
  } catch (error) {
    if (error instanceof PagingError) return null;
    throw error;
  }
}

/** Searches the queue once for all rows whose response was lost. Throws a SourceError if it can't be read. */
export async function lookFor(
  rows: readonly UnresolvedRow[],
  look: Look,
): Promise<ReadonlyMap<number, Verdict>> {
  const { queueBefore, claimed } = look;
  if (rows.length === 0) return new Map();
  const queue = queueBefore === null ? null : await readQueue(look.context);
  if (queueBefore === null || queue === null) {
    const reason = 'the queue could not be read in full, either before the first row was sent or now';
    return new Map(rows.map(({ row }) => [row, { kind: 'unknown', reason }]));
  }
  const posts = unclaimedPosts(queue, new Set([...queueBefore, ...claimed]));
  const evidence = evidenceFor(rows, posts);
  const taken = new Set([...evidence.values()].flatMap((one) => (one.kind === 'found' ? one.postIds : [])));
  const left = posts.filter(({ postId }) => !taken.has(postId));
  const verdicts = rows.map(
    async (row) => [row.row, await verdictOn(row, evidence.get(row.row), left, look)] as const,
  );
  return new Map(await Promise.all(verdicts));
}

async function verdictOn(
  { post, sentAt }: UnresolvedRow,
  evidence: Evidence | undefined,
  left: readonly UnclaimedPost[],
  look: Look,
): Promise<Verdict> {
  if (evidence?.kind === 'found') return evidence;
  const now = look.context.writes.now();
  if (evidence?.kind === 'in part') {
    const reason = `the queue contains ${evidence.postIds.length} of its ${evidence.slots} posts (${evidence.postIds.join(', ')})`;
    return { kind: 'unknown', reason };
  }
  if (evidence?.kind === 'ambiguous') {
    const reason = `the queue contains posts that may belong to this row or to others: ${evidence.postIds.join(', ')}`;
    return { kind: 'unknown', reason };
  }
  const doubt =
    doubtOfTiming(post, look.context, now) ??
    doubtOfOthers(post, left) ??
    (await doubtOfApproval(post, look));
  if (doubt !== null) return { kind: 'unknown', reason: doubt };
  const leftMs = sentAt + look.settleMs - now;
  return leftMs > 0 ? { kind: 'too early', leftMs } : { kind: 'absent' };
}

/** Explains why a post may have been in the queue and left it; null if it can't have. */
function doubtOfTiming(
  { share, scheduleDateTimes }: NewPost,
  { serviceTimeZone }: WriteContext,
  now: number,
): string | null {
  if (share === 'now') return 'it was to be published immediately, and such posts never appear in the queue';
  if (share !== 'schedule')
    return 'it is not in the queue, but it has no fixed time, so it may have left the queue already';
  const isAhead = (scheduleDateTimes ?? []).every((time) =>
    isSurelyAhead(time.replace(' ', 'T'), serviceTimeZone, now),
  );
  return isAhead
    ? null
    : 'it is not in the queue, but its time may have passed, so it may have left the queue';
}

/** The zone that reaches every wall-clock time first: a time that is ahead there is ahead everywhere. */
const EARLIEST_ZONE = '+14:00';

function isSurelyAhead(local: string, timeZone: string | null, now: number): boolean {
  const instant = instantOf(local, timeZone ?? EARLIEST_ZONE);
  return instant !== null && instant.getTime() > now + MARGIN_MS;
}

// The service may show a post differently from how it was sent: with a shortened link, or at another time.
function doubtOfOthers({ loginIds }: NewPost, left: readonly UnclaimedPost[]): string | null {
  const accounts = new Set(loginIds.map(String));
  const others = left.filter(({ loginId }) => loginId === null || accounts.has(loginId));
  if (others.length === 0) return null;
  const ids = others.map(({ postId }) => postId).join(', ');
  return `it is not in the queue as sent, but its accounts have new posts that are not from this file and may include it: ${ids}`;
}

async function doubtOfApproval(
  { loginIds }: NewPost,
  { context: { loaders } }: Look,
): Promise<string | null> {
  const details = await Promise.all(loginIds.map((id) => loaders.accountDetail.load(String(id))));
  const waits = details.some((detail) => readable(() => detail.requiresClientApproval) === true);
  return waits ? 'it is not in the queue, but may be awaiting a client’s approval' : null;
}
