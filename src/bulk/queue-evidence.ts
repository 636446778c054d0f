import { scheduledAtLocal } from '../records/queued-post.ts';
import type { NewPost, QueuedPost } from '../sources/current/posts.ts';
import { readable } from '../sources/view.ts';

// What the queue shows of posts whose response was lost. A row requests one post on each of its accounts at each of its
// times; each such slot may be filled by a post that was not there before and belongs to no other row.

/** A row whose response was lost. */
export interface LostRow {
  readonly row: number;
  readonly post: NewPost;
}

/** A post of the queue that no row is known to have created; fields that can't be read are null. */
export interface UnclaimedPost {
  readonly postId: string;
  readonly loginId: string | null;
  readonly time: string | null;
  readonly text: string | null;
}

/** What the queue shows of a row: all of its posts, none of them, or something inconclusive. */
export type Evidence =
  | { readonly kind: 'found'; readonly postIds: readonly string[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'in part'; readonly postIds: readonly string[]; readonly slots: number }
  | { readonly kind: 'ambiguous'; readonly postIds: readonly string[] };

/** Returns the posts of a queue whose ids are not among the known ones. */
export function unclaimedPosts(rows: readonly QueuedPost[], known: ReadonlySet<string>): UnclaimedPost[] {
  return rows.flatMap((view) => {
    const postId = readable(() => view.postId);
    // A post without an id may be any post.
    if (postId !== null && known.has(postId)) return [];
    return [
      {
        postId: postId ?? '(without an id)',
        loginId: readable(() => view.account?.loginId ?? null),
        time: readable(() => scheduledAtLocal({ view })),
        text: readable(() => view.text),
      },
    ];
  });
}

interface Slot {
  readonly row: number;
  readonly loginId: string;
  /** Null for a post without a time of its own. */
  readonly time: string | null;
  readonly texts: ReadonlySet<string>;
  /** Equal for slots that the same posts can fill. */
  readonly shape: string;
  /** Equal for slots of equal posts. */
  readonly content: string;
}

type Filling = { readonly postId: string } | 'missing' | { readonly among: readonly string[] };

/** Returns the evidence for rows, by row number. Equal rows share the posts found: no post fills two slots. */
export function evidenceFor(
  rows: readonly LostRow[],
  posts: readonly UnclaimedPost[],
): ReadonlyMap<number, Evidence> {
  const slots = rows.flatMap(slotsOf);
  const fillings = new Map<Slot, Filling>();
  const shapesOf = (post: UnclaimedPost): Set<string> =>
    new Set(slots.filter((slot) => fills(post, slot)).map(({ shape }) => shape));
  const contested = new Set(posts.filter((post) => shapesOf(post).size > 1));
  for (const alike of groupedBy(slots, ({ shape }) => shape)) {
    const [slot] = alike;
    const found = slot === undefined ? [] : posts.filter((post) => fills(post, slot));
    fill(alike, found, { isContested: found.some((post) => contested.has(post)), fillings });
  }
  return new Map(
    rows.map(({ row }) => [
      row,
      evidenceOf(
        slots.filter((slot) => slot.row === row),
        fillings,
      ),
    ]),
  );
}

function slotsOf({ row, post }: LostRow): Slot[] {
  const texts = new Set(post.items.flatMap(({ text }) => (text == null || text === '' ? [] : [plain(text)])));
  const times = post.scheduleDateTimes?.map((time) => time.replace(' ', 'T')) ?? [null];
  return post.loginIds.flatMap((id) =>
    times.map((time) => {
      const loginId = String(id);
      const shape = JSON.stringify([loginId, time, [...texts].toSorted()]);
      return { row, loginId, time, texts, shape, content: JSON.stringify([post.items, shape]) };
    }),
  );
}

function fills({ loginId, time, text }: UnclaimedPost, slot: Slot): boolean {
  const isThen = slot.time === null || time === slot.time;
  return loginId === slot.loginId && isThen && text !== null && slot.texts.has(plain(text));
}

/** Normalises a text for comparison: line breaks and surrounding whitespace are not always preserved. */
function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').trim();
}

interface FillOptions {
  /** Whether a post could equally belong to another row. */
  readonly isContested: boolean;
  readonly fillings: Map<Slot, Filling>;
}

// It makes no difference which of two equal rows created the only post found. For different rows that look alike in the
// queue, it can't be determined; nor if there are more posts than rows, since one is somebody else's.
function fill(
  slots: readonly Slot[],
  found: readonly UnclaimedPost[],
  { isContested, fillings }: FillOptions,
): void {
  const areEqual = new Set(slots.map(({ content }) => content)).size === 1;
  const isOpen =
    isContested ||
    found.length > slots.length ||
    (found.length > 0 && found.length < slots.length && !areEqual);
  for (const [index, slot] of slots.entries()) {
    const post = found[index];
    if (isOpen) fillings.set(slot, { among: found.map(({ postId }) => postId) });
    else fillings.set(slot, post === undefined ? 'missing' : { postId: post.postId });
  }
}

function evidenceOf(slots: readonly Slot[], fillings: ReadonlyMap<Slot, Filling>): Evidence {
  const told = slots.map((slot) => fillings.get(slot) ?? 'missing');
  const open = told.flatMap((filling) =>
    typeof filling === 'object' && 'among' in filling ? filling.among : [],
  );
  if (told.some((filling) => typeof filling === 'object' && 'among' in filling))
    return { kind: 'ambiguous', postIds: [...new Set(open)] };
  const postIds = told.flatMap((filling) =>
    filling === 'missing' || 'among' in filling ? [] : [filling.postId],
  );
  if (postIds.length === 0) return { kind: 'missing' };
  return postIds.length === slots.length
    ? { kind: 'found', postIds }
    : { kind: 'in part', postIds, slots: slots.length };
}

function groupedBy<T>(values: readonly T[], keyOf: (value: T) => string): Iterable<T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups.values();
}
