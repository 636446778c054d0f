import { findText } from '../find-text.ts';
import { InMemoryList } from '../lists/in-memory-list.ts';
import type { PagedList } from '../lists/reading.ts';
import { getOrInsertComputed } from '../remember.ts';
import type { QueuedPost, QueueParams } from '../sources/current/posts.ts';
import { idOf } from '../sources/errors.ts';
import { readable } from '../sources/view.ts';
import type { RecordContext } from './context.ts';
import { networkOf, type SocialNetworkName } from './network.ts';
import { scheduledAtLocal, timeOf } from './queued-post.ts';

// Queue filters that the service does not support: by account, network, text and time; and an order, which it does not
// support at all. The whole queue is read once for all of them.

/** The filter and order of queued posts; omitted fields change nothing. */
export interface QueueNarrowing {
  /** Login ids of the posts' accounts. */
  readonly loginIds?: readonly string[];
  readonly networks?: readonly SocialNetworkName[];
  /** Substring of the title or text, ignoring case. */
  readonly text?: string;
  /** Earliest wall-clock time, `YYYY-MM-DDTHH:mm`, inclusive. */
  readonly from?: string;
  /** Latest wall-clock time, exclusive. */
  readonly until?: string;
  /** Direction of the wall-clock time; posts without a readable one come last. */
  readonly byTime?: 'ASC' | 'DESC';
}

/**
 * Filters and sorts the posts of the queue; without an order, they keep the service's. The service itself searches
 * titles. A field used by the filter that cannot be read fails the whole list with its error, so that no post is
 * silently omitted.
 */
export function narrowedQueue(
  params: QueueParams,
  narrowing: QueueNarrowing,
  { loaders }: RecordContext,
): PagedList<QueuedPost> {
  const { loginIds, ...others } = narrowing;
  const accounts = loginIds && new Set(loginIds);
  const args = { ...params, ...others, ...(accounts && { loginIds: [...accounts].toSorted() }) };
  return new InMemoryList('narrowed queue', args, {
    surface: 'current',
    keyOf: ({ postId }) => postId,
    rows: async () => {
      const all = await loaders.whole(loaders.queue(params));
      const wanted = { ...others, part: others.text?.toLowerCase() };
      const found = postsOf(all, accounts).filter((post) => isWanted(post, wanted));
      return others.byTime === undefined ? found : sortedByTime(found, others.byTime);
    },
  });
}

type Posts = readonly QueuedPost[];

const indexes = new WeakMap<Posts, ReadonlyMap<string, Posts>>();

/** Indexes posts by the login ids of their accounts. Throws a SourceError `malformed` if a post has no account. */
export function postsByAccount(posts: Posts): ReadonlyMap<string, Posts> {
  return getOrInsertComputed(indexes, posts, indexOf);
}

function indexOf(posts: Posts): ReadonlyMap<string, Posts> {
  const index = new Map<string, QueuedPost[]>();
  for (const post of posts) {
    const loginId = idOf(post.account?.loginId ?? null, 'current', 'the account of a queued post');
    getOrInsertComputed(index, loginId, () => []).push(post);
  }
  return index;
}

function postsOf(all: Posts, accounts: ReadonlySet<string> | undefined): Posts {
  if (accounts === undefined) return all;
  const index = postsByAccount(all);
  const [only, another] = accounts;
  if (only !== undefined && another === undefined) return index.get(only) ?? [];
  const wanted = new Set([...accounts].flatMap((loginId) => index.get(loginId) ?? []));
  return all.filter((post) => wanted.has(post));
}

interface Wanted extends QueueNarrowing {
  /** The text in lower case. */
  readonly part: string | undefined;
}

function isWanted(post: QueuedPost, { networks, part, from, until }: Wanted): boolean {
  if (networks && !networks.includes(networkOf(post.account?.platformCode ?? null))) return false;
  if (part !== undefined && !holdsText(post, part)) return false;
  return (from === undefined && until === undefined) || isWithin(timeOf(post), from, until);
}

function holdsText(post: QueuedPost, part: string): boolean {
  const title = post.title?.toLowerCase() ?? '';
  return findText(title, part) >= 0 || findText(lowerCaseText(post), part) >= 0;
}

/** Texts in lower case, shared by all filters of an operation. */
const lowerCaseTexts = new WeakMap<QueuedPost, string>();

function lowerCaseText(post: QueuedPost): string {
  return getOrInsertComputed(lowerCaseTexts, post, ({ text }) => text?.toLowerCase() ?? '');
}

// Times in the same format sort like their texts.
function isWithin(time: string | null, from = '', until = '~'): boolean {
  return time !== null && time >= from && time < until;
}

// Posts of one time keep the order of the queue, in both directions.
function sortedByTime(posts: Posts, direction: 'ASC' | 'DESC'): Posts {
  const times = new Map(posts.map((part) => [part, readable(() => scheduledAtLocal({ part }))]));
  const last = direction === 'ASC' ? '~' : '';
  const sign = direction === 'ASC' ? 1 : -1;
  return posts.toSorted((one, other) => {
    const [time, otherTime] = [times.get(one) ?? last, times.get(other) ?? last];
    return time === otherTime ? 0 : sign * (time < otherTime ? -1 : 1);
  });
}
