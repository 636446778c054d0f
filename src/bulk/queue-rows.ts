import { readStill } from '../lists/scan.ts';
import { labelOf } from '../records/account.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import type { RecordContext } from '../records/context.ts';
import { networkOf } from '../records/network.ts';
import { queuedPostOf, scheduledAt, scheduledAtLocal } from '../records/queued-post.ts';
import type { QueuedPost } from '../sources/current/posts.ts';
import { readable } from '../sources/view.ts';

/** A post of the queue, as listed; a field that is missing or can't be read is null. */
export interface QueueRow {
  /** Its global id. */
  readonly id: string;
  readonly postId: string;
  readonly accountName: string | null;
  /** The name to display: as `Account.label`. */
  readonly accountLabel: string | null;
  readonly accountId: string | null;
  readonly loginId: string | null;
  readonly network: string;
  /** By the service's clock, `YYYY-MM-DDTHH:mm`. */
  readonly scheduledAtLocal: string | null;
  /** ISO 8601, in UTC, if the zone of the service's clock is known. */
  readonly scheduledAt: string | null;
  /** The time as the service displays it. */
  readonly scheduledLabel: string | null;
  readonly title: string | null;
  readonly text: string | null;
  readonly linkUrl: string | null;
  readonly comment: string | null;
  /** What prevents it from being published, by the names of the graph's fields. */
  readonly obstacles: readonly string[];
}

/** The rows of the queue, and the number of posts without an id. */
export interface QueueListing {
  readonly rows: readonly QueueRow[];
  readonly unreadableRows: number;
}

/**
 * Reads a consistent snapshot of the whole queue, in order.
 *
 * @throws PagingError `SCAN_LIMIT_REACHED` if it is longer than 20 pages or kept changing, SourceError
 */
export async function readQueueRows(context: RecordContext): Promise<QueueListing> {
  const views = await readStill(context.loaders.queue({}), () => false);
  const rows = views.flatMap((view) => rowOf(view, context) ?? []);
  return { rows, unreadableRows: views.length - rows.length };
}

function rowOf(view: QueuedPost, context: RecordContext): QueueRow | null {
  const postId = readable(() => view.postId);
  if (postId === null) return null;
  const record = queuedPostOf(view);
  const account = readable(() => view.account);
  const loginId = account && readable(() => account.loginId);
  const accountName = (account && readable(() => account.displayName)) || null;
  return {
    id: encodeGlobalId({ type: 'QueuedPost', surface: 'current', rawId: postId }),
    postId,
    accountName,
    accountLabel: account && loginId ? labelOf({ loginId, part: account }) : accountName,
    accountId: loginId && encodeGlobalId({ type: 'Account', surface: 'current', rawId: loginId }),
    loginId,
    network: networkOf(account && readable(() => account.platformCode)),
    scheduledAtLocal: readable(() => scheduledAtLocal(record)),
    scheduledAt: readable(() => scheduledAt(record, context))?.toISOString() ?? null,
    scheduledLabel: readable(() => view.scheduledLabel),
    title: readable(() => view.title) || null,
    text: readable(() => view.text),
    linkUrl: readable(() => view.linkUrl) || null,
    comment: readable(() => view.comment) || null,
    obstacles: obstaclesOf(view),
  };
}

const OBSTACLES = [
  'isAccountPaused',
  'isPaused',
  'isLocked',
  'needsReconnect',
  'isDeleted',
  'isSpam',
] as const;

function obstaclesOf(view: QueuedPost): string[] {
  const flags = OBSTACLES.filter((name) => readable(() => view[name]) === true);
  return readable(() => view.failureText) ? [...flags, 'failureText'] : flags;
}
