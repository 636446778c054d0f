import { z } from 'zod';
import { timesOf } from './check.ts';
import type { Graph } from './graph.ts';
import type { PostInput } from './rows.ts';

// What the queue shows of rows whose response was lost, after the server has looked for them at the ends of the queue. A post
// that is not there as it was sent may be there otherwise, or have left it, so that absence needs a proof.

/** How far in the future a time must be for its post to count as still queued, in milliseconds. */
const MARGIN_MS = 5 * 60_000;
/** The zone that reaches every wall-clock time first: a time that is ahead there is ahead everywhere. */
const EARLIEST_ZONE = '+14:00';

const QUEUED = z.object({
  postId: z.string(),
  text: z.string().nullable(),
  scheduledAt: z.string().nullable(),
  scheduledAtLocal: z.string().nullable(),
  account: z.object({ id: z.string() }).nullable(),
});
type Queued = z.output<typeof QUEUED>;
const QUEUE = { name: 'queuedPosts', fields: 'postId text scheduledAt scheduledAtLocal account { id }' };

const APPROVAL = {
  data: z.object({ requiresClientApproval: z.boolean().nullable() }).nullable(),
  type: 'ID!',
  select: 'account(id: $v) { requiresClientApproval }',
};

/** The ids of the posts that a row created, none if it certainly created none; or why that cannot be determined. */
export type Verdict = { readonly postIds: readonly string[] } | { readonly doubt: string };

/**
 * Looks for the posts of rows whose response was lost.
 *
 * @param claimed Ids of posts that are known to be those of other rows.
 * @throws GraphFailure
 */
export async function lookForLost(
  graph: Graph,
  posts: readonly PostInput[],
  claimed: ReadonlySet<string>,
): Promise<Verdict[]> {
  if (posts.every(({ timing }) => timing.placement === 'NOW'))
    return posts.map(() => ({ doubt: NEVER_QUEUED }));
  const queue = await graph.readList(QUEUED, QUEUE);
  const accountIds = [...new Set(posts.flatMap((post) => post.accountIds))];
  const accounts = await graph.readEach(APPROVAL, accountIds);
  const awaiting = new Set(accountIds.filter((_, index) => accounts[index]?.requiresClientApproval === true));
  const readable = queue.filter((one) => one !== null);
  const taken = new Set(claimed);
  return posts.map((post) => {
    const open = readable.filter(({ postId }) => !taken.has(postId));
    const found = postsOf(post, open);
    if (found !== null && !posts.some((other) => isRival(other, post))) {
      for (const id of found) taken.add(id);
      return { postIds: found };
    }
    const doubt = doubtOfTiming(post) ?? (queue.includes(null) ? UNREADABLE : doubtOfSimilar(post, open));
    if (doubt !== null) return { doubt };
    return post.accountIds.some((id) => awaiting.has(id)) ? { doubt: AWAITING } : { postIds: [] };
  });
}

const NEVER_QUEUED = 'it was to be published immediately, and such posts never appear in the queue';
const UNREADABLE = 'the queue contains posts that cannot be read';
const AWAITING = 'it is not in the queue, but may be awaiting a client’s approval';

/** Finds one post for each account and time; null unless there is exactly one for each. */
function postsOf(post: PostInput, queue: readonly Queued[]): string[] | null {
  if (post.timing.placement !== undefined) return null;
  const found = post.accountIds.flatMap((id) =>
    timesOf(post).map((time) =>
      queue.filter((one) => {
        const isThere = one.account?.id === id && timeOf(one, post) === time;
        return isThere && one.text !== null && one.text !== '' && textsOf(post).includes(plain(one.text));
      }),
    ),
  );
  return found.every((ofPlace) => ofPlace.length === 1) ? found.flat().map(({ postId }) => postId) : null;
}

const shares = (one: readonly string[], another: readonly string[]): boolean =>
  one.some((value) => another.includes(value));

/** Whether the posts of another row would look the same in the queue. Of equal rows, it does not matter which is which. */
function isRival(other: PostInput, post: PostInput): boolean {
  return (
    JSON.stringify(other) !== JSON.stringify(post) &&
    shares(other.accountIds, post.accountIds) &&
    shares(timesOf(other), timesOf(post)) &&
    shares(textsOf(other), textsOf(post))
  );
}

// The service may show a post differently from how it was sent: with a shortened link, or at another time.
function doubtOfSimilar(post: PostInput, queue: readonly Queued[]): string | null {
  const similar = queue.filter((one) => {
    if (one.account !== null && !post.accountIds.includes(one.account.id)) return false;
    const time = timeOf(one, post);
    const isThen = time === null || timesOf(post).includes(time);
    return isThen || one.text === null || textsOf(post).includes(plain(one.text));
  });
  const ids = similar.map(({ postId }) => postId).join(', ');
  return similar.length === 0 ? null : `the queue contains posts that may belong to it: ${ids}`;
}

/** The time of a queued post in the form of a row's times; null if it can't be read. */
function timeOf({ scheduledAt, scheduledAtLocal }: Queued, { timing }: PostInput): string | null {
  return timing.scheduledAt === undefined
    ? scheduledAtLocal
    : (scheduledAt?.replace(/:00\.000Z$/, 'Z') ?? null);
}

const textsOf = ({ variants }: PostInput): string[] => variants.map(({ text }) => plain(text ?? ''));

function doubtOfTiming({ timing }: PostInput): string | null {
  const { placement, scheduledAtLocal = [], scheduledAt = [] } = timing;
  if (placement === 'NOW') return NEVER_QUEUED;
  if (placement !== undefined)
    return 'it is not in the queue, but it has no fixed time, so it may have left the queue already';
  const instants = [...scheduledAtLocal.map((local) => `${local}${EARLIEST_ZONE}`), ...scheduledAt];
  return instants.every((instant) => Date.parse(instant) > Date.now() + MARGIN_MS)
    ? null
    : 'it is not in the queue, but its time may have passed, so it may have left the queue';
}

/** Normalises a text for comparison: line breaks and surrounding whitespace are not always preserved. */
const plain = (text: string): string => text.replaceAll(/\r\n?/g, '\n').trim();
