import type { RecordContext } from './context.ts';
import { instantOf } from '../service-time.ts';
import type { QueuedPost } from '../sources/current/posts.ts';
import { idOf, SourceError } from '../sources/errors.ts';
import { readDisplayTime } from '../sources/wall-clock.ts';

/** A post waiting in the queue. */
export interface QueuedPostRecord {
  readonly type: 'QueuedPost';
  readonly postId: string;
  readonly part: QueuedPost;
}

/** Creates the record of a queued post. Throws a SourceError `malformed` if it has no id. */
export function queuedPostOf(part: QueuedPost): QueuedPostRecord {
  return { type: 'QueuedPost', postId: idOf(part.postId, 'current', 'a queued post'), part };
}

/** Reads a post by its id; null if the whole queue was read and does not contain it. */
export async function findQueuedPost(
  postId: string,
  context: RecordContext,
): Promise<QueuedPostRecord | null> {
  const part = await context.loaders.queuedPost.load(postId);
  return part && queuedPostOf(part);
}

/** The texts in which the service shows when a post is due. */
type TimeLabels = Pick<
  QueuedPost,
  'scheduledLabel' | 'postDateLabel' | 'scheduledDateLabel' | 'scheduledTimeLabel'
>;

/** What labels were read as, by the first of them: a queue shows the same times in every read. */
const readings = new Map<string, Omit<TimeLabels, 'scheduledLabel'> & { readonly local: string | null }>();
const MAX_READINGS = 5_000;
/** Longer labels are not remembered, in characters for all of a post. */
const LONGEST_LABELS = 256;

/**
 * Returns the wall-clock time at which a post is due, according to its display texts; null unless they are unambiguous
 * and consistent.
 */
export function scheduledAtLocal({ part }: Pick<QueuedPostRecord, 'part'>): string | null {
  const { scheduledLabel, postDateLabel, scheduledDateLabel, scheduledTimeLabel } = part;
  const known = readings.get(scheduledLabel ?? '');
  // Comparing texts takes a fraction of the time of looking each of them up.
  const isKnown =
    known?.postDateLabel === postDateLabel &&
    known.scheduledDateLabel === scheduledDateLabel &&
    known.scheduledTimeLabel === scheduledTimeLabel;
  if (isKnown) return known.local;
  const local = agreedTime(part);
  const labels = [scheduledLabel, postDateLabel, scheduledDateLabel, scheduledTimeLabel];
  if (readings.size >= MAX_READINGS) readings.clear();
  if (labels.join('').length <= LONGEST_LABELS)
    readings.set(scheduledLabel ?? '', { postDateLabel, scheduledDateLabel, scheduledTimeLabel, local });
  return local;
}

function agreedTime(labels: TimeLabels): string | null {
  const { scheduledLabel, postDateLabel, scheduledDateLabel, scheduledTimeLabel } = labels;
  let agreed: string | null = null;
  for (const label of [scheduledLabel, postDateLabel, `${scheduledDateLabel} ${scheduledTimeLabel}`]) {
    const reading = readDisplayTime(label ?? '');
    if (reading === null) continue;
    if (agreed !== null && reading !== agreed) return null;
    agreed = reading;
  }
  return agreed;
}

/**
 * Returns the wall-clock time of a post where it is required: null if the service shows none at all. Throws a
 * SourceError `malformed` if it shows one that cannot be read, or is ambiguous.
 */
export function timeOf(part: QueuedPost): string | null {
  const time = scheduledAtLocal({ part });
  if (time !== null || !hasTimeLabel(part)) return time;
  throw new SourceError(
    'malformed',
    'current',
    'GET /posts/queued: no time can be read from the display texts',
    {
      publicMessage: 'The current surface returned the time of a queued post in an unreadable form.',
    },
  );
}

function hasTimeLabel(part: QueuedPost): boolean {
  const { scheduledLabel, postDateLabel, scheduledDateLabel, scheduledTimeLabel } = part;
  return [scheduledLabel, postDateLabel, scheduledDateLabel, scheduledTimeLabel].some(Boolean);
}

/** Returns the instant at which a post is due, if the operator configured the time zone of the service's clock. */
export function scheduledAt(post: QueuedPostRecord, { serviceTimeZone }: RecordContext): Date | null {
  const local = serviceTimeZone === null ? null : scheduledAtLocal(post);
  return local === null || serviceTimeZone === null ? null : instantOf(local, serviceTimeZone);
}
