import { scheduledAtLocal } from '../records/queued-post.ts';
import { listQueuedPosts, type NewPost, type QueuedPost } from '../sources/current/posts.ts';
import { readable } from '../sources/view.ts';
import type { WriteContext } from './context.ts';
import { isNewer, searchEnds } from './find-created.ts';
import type { Attempt } from './keyed-write.ts';

/** The kind of a post among the writes that are looked for. */
const KIND = 'createPost';

/**
 * The ids of the posts that a call of unknown outcome made: for each account, and each time where times were given, the
 * only one that waits in the queue, says the same and was made since. Null where not all of them are found, or where
 * another write may have made one.
 */
export async function findCreatedPosts(
  context: WriteContext,
  attempt: Attempt,
  post: NewPost,
): Promise<string[] | null> {
  const { claims, sources } = context.writes;
  const texts = textsOf(post);
  // A post at once is never in the queue, and one without a text can't be told from another.
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

/** The name of a post among the records that writes are told to have made. */
export const nameOfPost = (postId: string): string => `post ${postId}`;

function textsOf({ items }: NewPost): ReadonlySet<string> {
  return new Set(items.flatMap(({ text }) => (text == null || text === '' ? [] : [text])));
}

// Two that say the same on the same account can't be told apart by what the queue shows.
function isAlike(one: NewPost, other: NewPost): boolean {
  const texts = textsOf(one);
  const accounts = new Set(one.loginIds);
  return (
    other.loginIds.some((loginId) => accounts.has(loginId)) &&
    [...textsOf(other)].some((text) => texts.has(text))
  );
}

// Where each post is to be found: an account, and a time of it where times were given.
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
