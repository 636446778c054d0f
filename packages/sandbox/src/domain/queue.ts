import type { Account, Owner, Post, PostContent } from '../data/model.ts';
import { nextSlot } from '../wire/dates.ts';

/** When a post is published; times are epoch milliseconds. */
export type Timing =
  | { readonly kind: 'queue' }
  | { readonly kind: 'now' }
  | { readonly kind: 'next' }
  | { readonly kind: 'at'; readonly times: readonly number[] };

/** A request for posts: one for each account, at each time. */
export interface PostOrder {
  readonly accounts: readonly Account[];
  readonly timing: Timing;
  readonly contentFor: (account: Account) => PostContent;
  readonly via: string;
  readonly clientReview: boolean;
}

/** The inputs for creating posts. */
export interface QueueTools {
  readonly now: number;
  readonly utcOffsetMinutes: number;
  readonly makeId: () => string;
}

/** The result of an order; `refused` are the accounts whose posts exceeded the plan's limit. */
export interface PostOutcome {
  readonly created: readonly Post[];
  readonly refused: readonly Account[];
}

/** Moves the posts that are due from the queue to the published ones. */
export function settleQueue(owner: Owner, now: number): void {
  const due = owner.queue.filter((post) => post.dueAt <= now);
  if (due.length === 0) return;
  owner.published.push(...due.map((post) => ({ ...post, publishedAt: post.dueAt })));
  owner.queue = owner.queue.slice(due.length);
}

/** Publishes posts of the queue ahead of their time. */
export function publishEarly(owner: Owner, posts: readonly Post[], now: number): void {
  owner.queue = owner.queue.filter((post) => !posts.includes(post));
  owner.published.push(...posts.map((post) => ({ ...post, publishedAt: now })));
}

/** Publishes or queues the posts of an order, up to the plan's queue limit. */
export function placePosts(owner: Owner, order: PostOrder, tools: QueueTools): PostOutcome {
  const created: Post[] = [];
  const refused: Account[] = [];
  const wanted = order.accounts.flatMap((account) =>
    dueTimes(order.timing).map((time) => ({ account, time })),
  );
  const firstRank = lowestRank(owner) - wanted.length;
  for (const [index, { account, time }] of wanted.entries()) {
    const dueAt = time ?? dueAtFor(order.timing, owner, account, tools);
    const immediate = dueAt <= tools.now;
    if (!immediate && owner.queue.length >= owner.queueLimit) {
      refused.push(account);
      continue;
    }
    const rank = order.timing.kind === 'next' ? firstRank + index : highestRank(owner) + 1;
    const post = makePost(order, account, { dueAt, rank, tools });
    created.push(post);
    if (immediate) owner.published.push({ ...post, publishedAt: tools.now });
    else enqueue(owner, post);
  }
  return { created, refused };
}

function dueTimes(timing: Timing): readonly (number | undefined)[] {
  return timing.kind === 'at' ? timing.times : [undefined];
}

function dueAtFor(timing: Timing, owner: Owner, account: Account, tools: QueueTools): number {
  if (timing.kind === 'now') return tools.now;
  const [first] = owner.queue;
  if (timing.kind === 'queue' || !first) return freeSlot(owner, account, tools);
  // Shared next: due with the first post, and before it by its smaller rank. A post whose time was chosen may be years
  // ahead, so an earlier slot takes precedence.
  if (!first.hasChosenTime) return first.dueAt;
  return Math.min(first.dueAt, nextSlot(account.slots, tools.now, tools.utcOffsetMinutes));
}

/**
 * Finds the next free slot of an account's posting schedule: after the posts that the schedule placed, and not taken by
 * another post of the account. Posts whose time was chosen do not move the end of the queue.
 */
function freeSlot(owner: Owner, account: Account, { now, utcOffsetMinutes }: QueueTools): number {
  const placed = owner.queue.filter((post) => !post.hasChosenTime);
  const taken = new Set(owner.queue.filter((post) => post.account === account).map(({ dueAt }) => dueAt));
  let slot = nextSlot(account.slots, placed.at(-1)?.dueAt ?? now, utcOffsetMinutes);
  while (taken.has(slot)) slot = nextSlot(account.slots, slot, utcOffsetMinutes);
  return slot;
}

function makePost(
  order: PostOrder,
  account: Account,
  { dueAt, rank, tools }: { readonly dueAt: number; readonly rank: number; readonly tools: QueueTools },
): Post {
  return {
    postId: tools.makeId(),
    account,
    content: order.contentFor(account),
    createdAt: tools.now,
    dueAt,
    rank,
    hasChosenTime: order.timing.kind === 'at',
    via: order.via,
    errorMsg: '',
    spamData: null,
    clientReview: order.clientReview,
  };
}

function enqueue(owner: Owner, post: Post): void {
  owner.queue = [...owner.queue, post].toSorted((a, b) => a.dueAt - b.dueAt || a.rank - b.rank);
}

function lowestRank(owner: Owner): number {
  return owner.queue.reduce((lowest, post) => Math.min(lowest, post.rank), 0);
}

function highestRank(owner: Owner): number {
  return owner.queue.reduce((highest, post) => Math.max(highest, post.rank), 0);
}
