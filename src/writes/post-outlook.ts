import type { AccountRecord } from '../records/account.ts';
import { readAccount } from '../records/account.ts';
import type { RecordContext } from '../records/context.ts';
import { hasSlots, isInSchedule, wholeSchedule } from '../records/posting-slots.ts';
import type { ScheduleSlots } from '../sources/current/accounts.ts';
import { queueLimitOf } from '../sources/current/membership.ts';
import type { CreatePostInput } from './create-post.ts';
import {
  idsOf,
  lengthWarnings,
  targetsOf,
  variantFor,
  type PostTarget,
  type PostWarning,
  type PostWarningCode,
} from './post-warnings.ts';
import { checkable } from './problems.ts';
import {
  readQueue,
  readQueueTotal,
  textKey,
  timeKey,
  unlessUnread,
  type QueueComparison,
} from './queue-comparison.ts';

// What may go wrong with a post beside what is refused: told from the queue, the plan and the accounts' schedules. What
// could not be read is told as well.

/** How much was looked at for the warnings of a post. */
export interface LookedAt {
  /** Length of the queue; null if it could not be read. */
  readonly queueTotal: number | null;
  /** Posts of the queue that were compared, which are all of them; null if it could not be read as a whole. */
  readonly queuedPostCount: number | null;
  /** Those of them of which the account, the text or the time could not be read; null if the queue could not be read. */
  readonly unreadablePostCount: number | null;
  /** How many posts the plan lets wait; null if it could not be read or tells no number. */
  readonly queueLimit: number | null;
  /** Accounts whose posting schedule was read, and has times. */
  readonly scheduleCount: number;
  /** What could not be looked for, or not everywhere. */
  readonly notLookedFor: readonly PostWarningCode[];
}

/** What may go wrong with a post later, and what that was told from. */
export interface PostOutlook {
  readonly warnings: readonly PostWarning[];
  readonly lookedAt: LookedAt;
}

/** A post that may be made. */
export interface PlannedPost {
  readonly input: CreatePostInput;
  /** Wall-clock times, `YYYY-MM-DDTHH:mm`; null where it goes out without a time of its own. */
  readonly times: readonly string[] | null;
  /** The accounts that are there. */
  readonly accounts: readonly AccountRecord[];
}

interface Target extends PostTarget {
  /** Undefined where it could not be read; null for none. */
  readonly schedule: ScheduleSlots | null | undefined;
}

/** Warns of what may go wrong with a post later. Reads the queue, the plan and the accounts once for an operation. */
export async function outlookOf(
  context: RecordContext,
  { input, times, accounts }: PlannedPost,
): Promise<PostOutlook> {
  const [targets, queue, total, limit] = await Promise.all([
    scheduledTargets(accounts, context),
    readQueue(context),
    readQueueTotal(context),
    readQueueLimit(context),
  ]);
  const planned = { input, times: checkable(times ?? []), targets };
  const filling = fillingOf(planned, total, limit);
  const warnings = [
    ...lengthWarnings(input, targets),
    ...sameTexts(planned, queue),
    ...sameMinutes(planned, queue),
    ...(filling === null ? [] : [filling]),
    ...outsideSchedules(planned),
  ];
  const lookedAt = {
    queueTotal: total,
    queuedPostCount: queue?.postCount ?? null,
    unreadablePostCount: queue?.unreadableCount ?? null,
    queueLimit: limit,
    scheduleCount: targets.filter(({ schedule }) => schedule != null && hasSlots(schedule)).length,
    notLookedFor: notLookedFor(planned, { queue, isLimitKnown: total !== null && limit !== null }),
  };
  return { warnings, lookedAt };
}

interface Planned {
  readonly input: CreatePostInput;
  readonly times: readonly string[];
  readonly targets: readonly Target[];
}

async function scheduledTargets(
  accounts: readonly AccountRecord[],
  context: RecordContext,
): Promise<Target[]> {
  const targets = await targetsOf(accounts, context);
  return Promise.all(
    targets.map(async (target) => {
      const read = await unlessUnread(async () => {
        const schedule = await readAccount(target.account, 'scheduleSlots', context);
        return { schedule: schedule && wholeSchedule(schedule) };
      });
      return { ...target, schedule: read?.schedule };
    }),
  );
}

function readQueueLimit({ loaders }: RecordContext): Promise<number | null> {
  return unlessUnread(async () => {
    const { currentPlan } = await loaders.membership();
    return currentPlan && queueLimitOf(currentPlan);
  });
}

/** Most queued posts that a warning names. */
const MAX_NAMED = 10;

function sameTexts({ input, targets }: Planned, queue: QueueComparison | null): PostWarning[] {
  const variants = checkable(input.variants);
  return variants.flatMap((_, index) => {
    const queued = (target: Target) => queue?.byText.get(keyOfText(target, input) ?? '') ?? null;
    const alike = targets.filter(
      (target) => variantFor(target.network, variants) === index && queued(target) !== null,
    );
    if (alike.length === 0) return [];
    const path = ['input', 'variants', String(index), 'text'];
    const message = `${path.join('.')} is the text of a post that waits in the queue for the same account.`;
    return [warningOf('SAME_TEXT_IN_QUEUE', { message, path, targets: alike, queued })];
  });
}

function keyOfText({ account, network }: Target, { variants }: CreatePostInput): string | null {
  return textKey(account.loginId, checkable(variants)[variantFor(network, checkable(variants))]?.text);
}

function sameMinutes({ input, times, targets }: Planned, queue: QueueComparison | null): PostWarning[] {
  return times.flatMap((time, index) => {
    const queued = ({ account }: Target) => queue?.byTime.get(timeKey(account.loginId, time)) ?? null;
    const meeting = targets.filter((target) => queued(target) !== null);
    if (meeting.length === 0) return [];
    const path = pathOfTime(input, index);
    const message = `${path.join('.')} (${time}) is the minute of a post that waits in the queue for the same account.`;
    return [warningOf('SAME_MINUTE_AS_QUEUED_POST', { message, path, targets: meeting, queued })];
  });
}

function outsideSchedules({ input, times, targets }: Planned): PostWarning[] {
  return times.flatMap((time, index) => {
    const outside = targets.filter(
      ({ schedule }) => schedule != null && hasSlots(schedule) && !isInSchedule(schedule, time),
    );
    if (outside.length === 0) return [];
    const path = pathOfTime(input, index);
    const message = `${path.join('.')} (${time}) is not in the posting schedule of the account.`;
    return [warningOf('TIME_OUTSIDE_SCHEDULE', { message, path, targets: outside })];
  });
}

/** A queue as full as this is near its limit. */
const NEAR = 0.9;

function fillingOf(planned: Planned, total: number | null, limit: number | null): PostWarning | null {
  const wanted = wantedCount(planned);
  if (total === null || limit === null || wanted === 0) return null;
  if (total < NEAR * limit && limit - total >= wanted) return null;
  const message = `The queue holds ${total} posts, and the plan lets ${limit} wait; this post adds ${wanted}.`;
  return warningOf('QUEUE_NEAR_LIMIT', { message, path: null, targets: [] });
}

/** How many posts are to wait in the queue: one for each account and time. */
function wantedCount({ input, times }: Planned): number {
  if (input.timing.placement === 'now') return 0;
  return checkable(input.accountIds).length * Math.max(times.length, 1);
}

function notLookedFor(
  planned: Planned,
  { queue, isLimitKnown }: { readonly queue: QueueComparison | null; readonly isLimitKnown: boolean },
): PostWarningCode[] {
  const { input, times, targets } = planned;
  const hasText = targets.some((target) => keyOfText(target, input) !== null);
  const hasTimes = times.length > 0;
  const missing: readonly (readonly [PostWarningCode, boolean])[] = [
    ['SAME_TEXT_IN_QUEUE', hasText && queue?.areTextsWhole !== true],
    ['SAME_MINUTE_AS_QUEUED_POST', hasTimes && queue?.areTimesWhole !== true],
    ['QUEUE_NEAR_LIMIT', wantedCount(planned) > 0 && !isLimitKnown],
    ['TIME_OUTSIDE_SCHEDULE', hasTimes && targets.some(({ schedule }) => schedule === undefined)],
  ];
  return missing.filter(([, isMissing]) => isMissing).map(([code]) => code);
}

function pathOfTime({ timing }: CreatePostInput, index: number): string[] {
  const name = timing.scheduledAtLocal == null ? 'scheduledAt' : 'scheduledAtLocal';
  return ['input', 'timing', name, String(index)];
}

interface WarningParts extends Pick<PostWarning, 'message' | 'path'> {
  readonly targets: readonly Target[];
  readonly queued?: (target: Target) => readonly string[] | null;
}

function warningOf(code: PostWarningCode, { message, path, targets, queued }: WarningParts): PostWarning {
  const queuedPostIds = targets.flatMap((target) => queued?.(target) ?? []).slice(0, MAX_NAMED);
  return { code, message, path, accountIds: idsOf(targets), queuedPostIds };
}
