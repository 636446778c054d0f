import { scheduledAtLocal } from '../records/queued-post.ts';
import { listQueuedPosts, type NewPost, type QueuedPost } from '../sources/current/posts.ts';
import { readable } from '../sources/view.ts';
import type { WriteContext } from './context.ts';
import { isNewer, searchEnds } from './find-created.ts';
import type { Attempt } from './keyed-write.ts';

/** The kind under which posts are claimed. */
const KIND = 'createPost';

/**
 * Returns the ids of the posts that a call of unknown outcome created: for each account, and for each time if times
 * were given, the only queued post with the same text created since. Null if not all of them are found, or if another
 * write may have created one.
 */
export async function findCreatedPosts(
  context: WriteContext,
  attempt: Attempt,
  post: NewPost,
): Promise<string[] | null> {
  const { claims, sources } = context.writes;
  const texts = textsOf(post);
  // Immediately published posts are never in the queue, and posts without a text cannot be told apart.
  if (post.share === 'now' || texts.size === 0 || context.serviceTimeZone === null) return null;
  const found = new Map<string, string[]>(placesOf(post).map((place) => [place, []]));
  const take = (view: QueuedPost): void => {
    const postId = readable(() => view.postId);
    const place = readable(() => placeOf(view, post));
    if (postId === null || place === null) return;
    const isSame = texts.has(readable(() => view.text) ?? '');
    const isNew = isNewer(
      attempt,
      readable(() => view.createdLabel),
      context,
    );
    if (isSame && isNew && claims.isFree(nameOfPost(postId), attempt)) found.get(place)?.push(postId);
  };
  await searchEnds((request) => listQueuedPosts(sources.current(), request), take);
  for (const other of claims.others(KIND, attempt)) if (isAlike(post, other as NewPost)) return null;
  const postIds: string[] = [];
  for (const [postId, another] of found.values()) {
    if (postId === undefined || another !== undefined) return null;
    postIds.push(postId);
  }
  claims.note(postIds.map(nameOfPost), attempt);
  return postIds;
}

/** Returns the name under which a post is claimed. */
export const nameOfPost = (postId: string): string => `post ${postId}`;

function textsOf({ items }: NewPost): ReadonlySet<string> {
  return new Set(items.flatMap(({ text }) => (text == null || text === '' ? [] : [text])));
}

// The queue does not distinguish two posts with the same text on the same account.
function isAlike(one: NewPost, other: NewPost): boolean {
  const texts = textsOf(one);
  const accounts = new Set(one.loginIds);
  return (
    other.loginIds.some((loginId) => accounts.has(loginId)) &&
    [...textsOf(other)].some((text) => texts.has(text))
  );
}

// Returns where each post is expected: an account, and one of its times if times were given.
function placesOf({ loginIds, scheduleDateTimes }: NewPost): string[] {
  const times = scheduleDateTimes?.map((time) => time.replace(' ', 'T')) ?? [''];
  return loginIds.flatMap((loginId) => times.map((time) => `${loginId} ${time}`));
}

function placeOf(view: QueuedPost, { scheduleDateTimes }: NewPost): string | null {
  const loginId = view.account?.loginId ?? null;
  if (loginId === null) return null;
  const time = scheduleDateTimes ? scheduledAtLocal({ view }) : '';
  return time === null ? null : `${loginId} ${time}`;
}
