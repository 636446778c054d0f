import { scheduledAtLocal } from '../records/queued-post.ts';
import type { NewPost, QueuedPost } from '../sources/current/posts.ts';
import { readable } from '../sources/view.ts';

// What the queue shows of posts whose answer was lost. A row asks for one post on each of its accounts at each of its
// times; each such slot may be filled by a post that was not there before and is of no other row.

/** A row whose answer was lost. */
export interface LostRow {
  readonly row: number;
  readonly post: NewPost;
}

/** A post of the queue that no row is known to have made; what can't be read is null. */
export interface UnclaimedPost {
  readonly postId: string;
  readonly loginId: string | null;
  readonly time: string | null;
  readonly text: string | null;
}

/** What the queue shows of a row: all of its posts, none of them, or something that leaves it open. */
export type Evidence =
  | { readonly kind: 'found'; readonly postIds: readonly string[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'in part'; readonly postIds: readonly string[]; readonly slots: number }
  | { readonly kind: 'ambiguous'; readonly postIds: readonly string[] };

/** The posts of a queue that are not among those that are known, by their ids. */
export function unclaimedPosts(rows: readonly QueuedPost[], known: ReadonlySet<string>): UnclaimedPost[] {
  return rows.flatMap((view) => {
    const postId = readable(() => view.postId);
    // One without an id may be any.
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
  /** The same for slots that the same posts fill. */
  readonly shape: string;
  /** The same for slots of equal posts. */
  readonly content: string;
}

type Filling = { readonly postId: string } | 'missing' | { readonly among: readonly string[] };

/** What a queue shows of rows, by their numbers. Equal rows share the posts that are there: none fills two slots. */
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

/** A text as it is compared: line breaks and what stands around it are not always kept. */
function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').trim();
}

interface FillOptions {
  /** True where a post could as well be another row's. */
  readonly isContested: boolean;
  readonly fillings: Map<Slot, Filling>;
}

// Which of two equal rows made the only post that is there makes no difference. Of different rows that look alike in the
// queue, it can't be told; nor where there are more posts than rows, one of them somebody else's.
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
