import { readStill } from '../lists/scan.ts';
import type { PagedList } from '../lists/reading.ts';
import { queuedPostOf, scheduledAtLocal, type QueuedPostRecord } from '../records/queued-post.ts';
import { queuedPost, type QueuedPost } from '../sources/current/posts.ts';
import { readable, wireOf } from '../sources/view.ts';
import { differingFields, factsOf, withoutQuery } from './facts.ts';
import { hasSameKeys, type Item, type Observation } from './observation.ts';
import type { WatchedList } from './observer.ts';

// The watched queue. Its ends reveal most changes, because posts leave at the front and are added at the end.

const EDGE_PAGE_SIZE = 100;

type Post = Pick<QueuedPostRecord, 'part'>;

const plain = (...names: readonly (keyof QueuedPost)[]) =>
  Object.fromEntries(names.map((name) => [name, ({ part }: Post): unknown => part[name]]));

/** The compared fields of a post, by their names in the schema. */
export const WATCHED_POST_FIELDS: Readonly<Record<string, (post: Post) => unknown>> = {
  ...plain('title', 'text', 'longText', 'linkUrl'),
  videoUrl: ({ part }) => withoutQuery(part.videoUrl),
  documentUrl: ({ part }) => withoutQuery(part.documentUrl),
  imageUrls: ({ part }) => part.imageUrls?.map(withoutQuery),
  ...plain('statusCode', 'contentCode', 'instagramPostTypeCode', 'place', 'facebookAudience'),
  mentions: ({ part }) => part.mentions && new Map(part.mentions.map(({ key, value }) => [key, value])),
  ...plain('comment', 'isUrlShorteningEnabled', 'tagIds', 'failureText'),
  scheduledAtLocal,
  ...plain('scheduledLabel', 'isLocked', 'isPaused', 'isAccountPaused', 'needsReconnect'),
  ...plain('needsInstagramCommentReconnect', 'isFacebookAppInstalled', 'isDeleted', 'isSpam'),
  ...plain('publishesDirectly'),
};

/** The queue of the current surface. */
export const watchedQueue: WatchedList<QueuedPostRecord> = {
  name: 'queue',
  async read({ loaders, before, isThorough }) {
    const list = loaders.queue({});
    if (before !== null && !isThorough && (await areEndsAsBefore(list, before))) return null;
    const isKnown = (rows: readonly QueuedPost[]): boolean =>
      before !== null && hasSameKeys(rows.map(keyOf), before);
    const rows = await readStill(list, isKnown);
    const items = rows.map(itemOf);
    const unreadable = rows
      .filter((_row, index) => items[index] === null)
      .map((part) => factsOf(WATCHED_POST_FIELDS, { part }));
    return { items: items.filter((item) => item !== null), unreadable };
  },
  pack: ({ record }) => wireOf(record.part),
  unpack: (packed, onDrift) =>
    itemOf(queuedPost(packed, { surface: 'current', endpoint: 'GET /posts/queued', onDrift })),
};

const keyOf = (view: QueuedPost): string | null => readable(() => view.postId);

function itemOf(view: QueuedPost): Item<QueuedPostRecord> | null {
  const key = keyOf(view);
  if (key === null) return null;
  const record = queuedPostOf(view);
  const accountId = readable(() => view.account?.loginId ?? null);
  return { key, record, facts: factsOf(WATCHED_POST_FIELDS, record), accountId };
}

// Two calls for a queue of several pages: its first page, which states its length, and its last one.
async function areEndsAsBefore(
  list: PagedList<QueuedPost>,
  { items }: Observation<QueuedPostRecord>,
): Promise<boolean> {
  const known = [...items.values()];
  const size = Math.min(EDGE_PAGE_SIZE, list.memory.sizes.max);
  const first = await list.readPage(1, size, false);
  if (first.total !== known.length || !isAsBefore(first.rows, known.slice(0, first.rows.length)))
    return false;
  if (first.rows.length >= first.total) return true;
  const lastPage = Math.ceil(first.total / first.size);
  const last = await list.readPage(lastPage, Math.min(first.size, size), false);
  return last.total === first.total && isAsBefore(last.rows, known.slice((lastPage - 1) * first.size));
}

function isAsBefore(rows: readonly QueuedPost[], known: readonly Item<QueuedPostRecord>[]): boolean {
  return (
    rows.length === known.length &&
    rows.every((row, index) => {
      const [item, earlier] = [itemOf(row), known[index]];
      return (
        item?.key === earlier?.key && differingFields(earlier?.facts ?? {}, item?.facts ?? {}).length === 0
      );
    })
  );
}
