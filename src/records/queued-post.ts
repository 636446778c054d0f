import type { RecordContext } from './context.ts';
import { instantOf } from '../service-time.ts';
import type { QueuedPost } from '../sources/current/posts.ts';
import { SourceError } from '../sources/errors.ts';
import { readDisplayTime } from '../sources/wall-clock.ts';

/** A post that waits in the queue. */
export interface QueuedPostRecord {
  readonly type: 'QueuedPost';
  readonly postId: string;
  readonly view: QueuedPost;
}

/** The post that a record of the service shows. Throws a SourceError `malformed` where it has no id. */
export function queuedPostOf(view: QueuedPost): QueuedPostRecord {
  const { postId } = view;
  if (postId === null) throw new SourceError('malformed', 'current', 'a queued post without an id');
  return { type: 'QueuedPost', postId, view };
}

/** Reads a post by its id; null when the whole queue was read and does not hold it. */
export async function findQueuedPost(
  postId: string,
  context: RecordContext,
): Promise<QueuedPostRecord | null> {
  const view = await context.loaders.queuedPost.load(postId);
  return view && queuedPostOf(view);
}

/**
 * The wall-clock time at which a post is due: what its display texts mean, where they can be read in one way only and
 * agree with each other.
 */
export function scheduledAtLocal({ view }: Pick<QueuedPostRecord, 'view'>): string | null {
  const labels = [
    view.scheduledLabel,
    view.postDateLabel,
    `${view.scheduledDateLabel} ${view.scheduledTimeLabel}`,
  ];
  let agreed: string | null = null;
  for (const label of labels) {
    const reading = readDisplayTime(label ?? '');
    if (reading === null) continue;
    if (agreed !== null && reading !== agreed) return null;
    agreed = reading;
  }
  return agreed;
}

/**
 * The wall-clock time of a post, for what has to know it: null where the service shows none at all. Throws a SourceError
 * `malformed` where it shows one that can't be read, or read in one way only.
 */
export function timeOf(view: QueuedPost): string | null {
  const time = scheduledAtLocal({ view });
  if (time !== null || !hasTimeLabel(view)) return time;
  throw new SourceError('malformed', 'current', 'GET /posts/queued: no display text of a time can be read', {
    publicMessage: 'The current surface shows the time of a queued post in a form that cannot be read.',
  });
}

function hasTimeLabel(view: QueuedPost): boolean {
  const { scheduledLabel, postDateLabel, scheduledDateLabel, scheduledTimeLabel } = view;
  return [scheduledLabel, postDateLabel, scheduledDateLabel, scheduledTimeLabel].some(Boolean);
}

/** The instant at which a post is due, where the operator states the zone of the service's clock. */
export function scheduledAt(post: QueuedPostRecord, { serviceTimeZone }: RecordContext): Date | null {
  const local = serviceTimeZone === null ? null : scheduledAtLocal(post);
  return local === null || serviceTimeZone === null ? null : instantOf(local, serviceTimeZone);
}
