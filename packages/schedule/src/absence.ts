import { z } from 'zod';
import { timesOf } from './check.ts';
import type { Graph } from './graph.ts';
import type { PostInput } from './rows.ts';

// Whether a row whose response was lost was certainly not created, so that it can be sent again. The server has looked for
// it by then, and did not find it; but a post that is not in the queue as it was sent may be there otherwise, or have left it.

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

/**
 * Explains for each post why it may have been created; null for one that certainly was not.
 *
 * @param claimed Ids of posts that are known to be those of other rows.
 * @throws GraphFailure
 */
export async function doubtsAbout(
  graph: Graph,
  posts: readonly PostInput[],
  claimed: ReadonlySet<string>,
): Promise<(string | null)[]> {
  const early = posts.map(doubtOfTiming);
  if (early.every((doubt) => doubt !== null)) return early;
  const queue = await graph.readList(QUEUED, QUEUE);
  const accountIds = [...new Set(posts.flatMap((post) => post.accountIds))];
  const accounts = await graph.readEach(APPROVAL, accountIds);
  const awaiting = new Set(
    accountIds.filter((_, index) => accounts[index]?.requiresClientApproval !== false),
  );
  return posts.map((post, index) => {
    if (early[index]) return early[index];
    if (queue.includes(null)) return 'the queue contains posts that cannot be read';
    const similar = queue.filter((one) => one !== null && !claimed.has(one.postId) && mayBe(one, post));
    if (similar.length > 0)
      return `the queue contains posts that may belong to it: ${similar.map((one) => one?.postId).join(', ')}`;
    return post.accountIds.some((id) => awaiting.has(id))
      ? 'it is not in the queue, but may be awaiting a client’s approval'
      : null;
  });
}

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

// The service may show a post differently from how it was sent: with a shortened link, or at another time.
function mayBe({ account, text, scheduledAt, scheduledAtLocal }: Queued, post: PostInput): boolean {
  if (account !== null && !post.accountIds.includes(account.id)) return false;
  const times = timesOf(post);
  const isLocal = post.timing.scheduledAtLocal !== undefined;
  const time = isLocal ? scheduledAtLocal : (scheduledAt?.replace(/:00\.000Z$/, 'Z') ?? null);
  const texts = post.variants.map((variant) => plain(variant.text ?? ''));
  return time === null || times.includes(time) || text === null || texts.includes(plain(text));
}

/** Normalises a text for comparison: line breaks and surrounding whitespace are not always preserved. */
const plain = (text: string): string => text.replaceAll(/\r\n?/g, '\n').trim();
