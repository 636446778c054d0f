import { PAGE_INFO, readEach, readList, type EachField, type Graph, type ListDocument } from './graph.ts';
import { timesOf, type PostInput } from './rows.ts';

// What the queue shows of rows whose response was lost, after the server has looked for them at the ends of the queue. A post
// that is not there as it was sent may be there otherwise, or have left it, so that absence needs a proof.

/** How far in the future a time must be for its post to count as still queued, in milliseconds. */
const MARGIN_MS = 5 * 60_000;
/** The zone that reaches every wall-clock time first: a time that is ahead there is ahead everywhere. */
const EARLIEST_ZONE = '+14:00';

interface Queued {
  readonly postId: string;
  readonly text: string | null;
  readonly scheduledAt: string | null;
  readonly scheduledAtLocal: string | null;
  readonly account: { readonly id: string } | null;
}
const QUEUE = `query ($after: String) { list: queuedPosts(first: 100, after: $after) {
  nodes { postId text scheduledAt scheduledAtLocal account { id } } ${PAGE_INFO} } }` as ListDocument<Queued>;

const APPROVAL: EachField<{ readonly requiresClientApproval: boolean | null } | null> = {
  type: 'ID!',
  select: 'account(id: $v) { requiresClientApproval }',
};

/** The ids of the posts that a row created, none if it certainly created none; or why that cannot be determined. */
export type Verdict = { readonly postIds: readonly string[] } | { readonly doubt: string };

/** The other rows of a file, as far as their posts could be taken for those of a lost row. */
interface OtherRows {
  /** Ids of posts that are known to be theirs. */
  readonly claimed: ReadonlySet<string>;
  /** Those that have, or may have, posts whose ids are unknown. */
  readonly unclaimed: readonly PostInput[];
}

/**
 * Looks for the posts of rows whose response was lost.
 *
 * @throws what the graph throws
 */
export async function lookForLost(
  graph: Graph,
  posts: readonly PostInput[],
  { claimed, unclaimed }: OtherRows,
): Promise<Verdict[]> {
  const { nodes, unreadable } = await readList(graph, QUEUE);
  const accountIds = [...new Set(posts.flatMap((post) => post.accountIds))];
  const accounts = await readEach(graph, APPROVAL, accountIds);
  const awaiting = new Set(
    accountIds.filter((_, index) => accounts[index]?.requiresClientApproval !== false),
  );
  const taken = new Set(claimed);
  return posts.map((post): Verdict => {
    const open = nodes.filter(({ postId }) => !taken.has(postId));
    const isUnclear =
      posts.some((other) => isRival(other, post)) || unclaimed.some((one) => isAlike(one, post));
    const found = isUnclear ? null : postsOf(post, open);
    for (const id of found ?? []) taken.add(id);
    if (found !== null) return { postIds: found };
    const doubt = doubtOfTiming(post);
    if (doubt !== null) return { doubt };
    if (unreadable > 0) return { doubt: 'the queue contains posts that cannot be read' };
    const similar = open.filter((one) => isSimilar(one, post)).map(({ postId }) => postId);
    if (similar.length > 0)
      return { doubt: `the queue contains posts that may belong to it: ${similar.join(', ')}` };
    return post.accountIds.some((id) => awaiting.has(id))
      ? { doubt: 'it is not in the queue, but may be awaiting a client’s approval' }
      : { postIds: [] };
  });
}

/** Finds one post for each account and time; null unless there is exactly one for each. */
function postsOf(post: PostInput, queue: readonly Queued[]): string[] | null {
  if (post.timing.placement !== undefined) return null;
  const found = post.accountIds.flatMap((id) =>
    timesOf(post).map((time) =>
      queue.filter(
        (one) =>
          one.account?.id === id &&
          timeOf(one, post) === time &&
          one.text !== null &&
          one.text !== '' &&
          textsOf(post).includes(plain(one.text)),
      ),
    ),
  );
  return found.every((ofPlace) => ofPlace.length === 1) ? found.flat().map(({ postId }) => postId) : null;
}

/** Whether another lost row is alike. Of equal ones, it does not matter which is which. */
function isRival(other: PostInput, post: PostInput): boolean {
  return JSON.stringify(other) !== JSON.stringify(post) && isAlike(other, post);
}

/** Whether the posts of two rows would look the same in the queue. */
function isAlike(other: PostInput, post: PostInput): boolean {
  return (
    shares(other.accountIds, post.accountIds) &&
    shares(timesOf(other), timesOf(post)) &&
    shares(textsOf(other), textsOf(post))
  );
}

const shares = (one: readonly string[], another: readonly string[]): boolean =>
  one.some((value) => another.includes(value));

/** Whether a queued post may be one of a row: the service may shorten its links, or show another time. */
function isSimilar(one: Queued, post: PostInput): boolean {
  if (one.account !== null && !post.accountIds.includes(one.account.id)) return false;
  const time = timeOf(one, post);
  const isThen = time === null || timesOf(post).includes(time);
  return isThen || one.text === null || textsOf(post).includes(plain(one.text));
}

/** The time of a queued post in the form of a row's times; null if it can't be read. */
function timeOf({ scheduledAt, scheduledAtLocal }: Queued, { timing }: PostInput): string | null {
  if (timing.scheduledAt === undefined) return scheduledAtLocal;
  return scheduledAt?.replace(/:00\.000Z$/, 'Z') ?? null;
}

const textsOf = ({ variants }: PostInput): string[] => variants.map(({ text }) => plain(text ?? ''));

/** Normalises a text for comparison: line breaks and surrounding whitespace are not always preserved. */
const plain = (text: string): string => text.replaceAll(/\r\n?/g, '\n').trim();

function doubtOfTiming({ timing }: PostInput): string | null {
  const { placement, scheduledAtLocal = [], scheduledAt = [] } = timing;
  if (placement === 'NOW')
    return 'it was to be published immediately, and such posts never appear in the queue';
  if (placement !== undefined)
    return 'it is not in the queue, but it has no fixed time, so it may have left the queue already';
  const instants = [...scheduledAtLocal.map((local) => `${local}${EARLIEST_ZONE}`), ...scheduledAt];
  return instants.every((instant) => Date.parse(instant) > Date.now() + MARGIN_MS)
    ? null
    : 'it is not in the queue, but its time may have passed, so it may have left the queue';
}
