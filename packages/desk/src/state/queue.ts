import { computed, signal, type ReadonlySignal } from '@preact/signals';
import {
  QueueChanged,
  QueuedPosts,
  subscribe,
  walk,
  type Client,
  type QueueChangedSubscription,
  type SubscribeOptions,
} from '../../../client/src/index.ts';
import type { DeskHomeQuery } from '../documents.ts';
import { present } from '../lib/present.ts';

type FirstPosts = NonNullable<DeskHomeQuery['queuedPosts']>;
type QueueEvent = NonNullable<QueueChangedSubscription['queueChanged']>;

/** A post in the queue. */
export type Post = NonNullable<FirstPosts['nodes'][number]>;

/** How long a post that has left is still shown. */
const FADE_MS = 6_000;
const PAGE = 100;

const all = signal<ReadonlyMap<string, Post>>(new Map());
const count = signal(0);
const gone = signal<ReadonlyMap<string, Post>>(new Map());
let loaded: Promise<void> = Promise.resolve();

/** The posts in the queue, in the service's order, without those that have left. */
export const posts = computed(() => [...all.value.values()]);
/** The number of posts in the queue, also of those that are not loaded yet. */
export const queueTotal: ReadonlySignal<typeof count.value> = count;
/** Posts that left the queue a moment ago; why is not known. */
export const leaving = computed(() => [...gone.value.values()]);

/**
 * Shows the posts of the first query, and reads the rest of a long queue. Those that were shown and are missing now have
 * left.
 */
export async function showQueue(client: Client, first: FirstPosts): Promise<void> {
  const known = new Map(present(first.nodes).map((post) => [post.id, post]));
  count.value = first.totalCount;
  const { hasNextPage, endCursor: after } = first.pageInfo;
  if (hasNextPage && all.value.size < known.size) all.value = known;
  loaded = hasNextPage ? readFrom(client, after, known) : Promise.resolve(showAll(known));
  await loaded;
}

async function readFrom(
  client: Client,
  after: string | null,
  known: ReadonlyMap<string, Post> = new Map(),
): Promise<void> {
  const next = new Map(known);
  const list = walk(client, QueuedPosts, { first: PAGE, after }, (result) => result.queuedPosts, {
    onDrift: () => undefined,
    onError: () => undefined,
  });
  for await (const post of list) {
    next.set(post.id, post);
    if (next.size % PAGE === 0 && next.size > all.value.size) all.value = new Map(next);
  }
  showAll(next);
}

function showAll(next: ReadonlyMap<string, Post>): void {
  leave([...all.value.keys()].filter((id) => !next.has(id)));
  all.value = next;
}

/** Follows the queue until the signal ends it. */
export async function followQueue(client: Client, options: SubscribeOptions): Promise<void> {
  for await (const { queueChanged: event } of subscribe(client, QueueChanged, {}, options)) {
    await loaded.catch(() => undefined);
    if (event) await apply(client, event);
  }
}

async function apply(client: Client, event: QueueEvent): Promise<void> {
  count.value = event.totalCount;
  const { queuedPost: post, kind } = event;
  if (post && kind === 'LEFT') leave([post.id]);
  if (post && kind !== 'LEFT') all.value = new Map(all.value).set(post.id, post);
  if (event.queuedPostIds && !event.isFollowedByChanges) await catchUp(client, event.queuedPostIds);
}

// The ids may be older than what is shown, so the list itself tells what has left.
async function catchUp(client: Client, ids: readonly string[]): Promise<void> {
  if (ids.length === all.value.size && ids.every((id) => all.value.has(id))) return;
  await readFrom(client, null);
  count.value = all.value.size;
}

function leave(ids: readonly string[]): void {
  const left = ids.flatMap((id) => all.value.get(id) ?? []);
  if (left.length === 0) return;
  all.value = new Map([...all.value].filter(([id]) => !ids.includes(id)));
  gone.value = new Map([...gone.value, ...left.map((post) => [post.id, post] as const)]);
  setTimeout(() => {
    gone.value = new Map([...gone.value].filter(([id]) => !ids.includes(id)));
  }, FADE_MS);
}
