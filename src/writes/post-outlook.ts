import { cutText } from '../cut-text.ts';
import type { AccountRecord } from '../records/account.ts';
import { labelOf, readAccount } from '../records/account.ts';
import type { RecordContext } from '../records/context.ts';
import { PagingError } from '../lists/errors.ts';
import { hasSlots, isInSchedule, slotAt, wholeSchedule } from '../records/posting-slots.ts';
import { timeAndDay } from '../service-time.ts';
import type { ScheduleSlots } from '../sources/current/accounts.ts';
import { queueLimitOf } from '../sources/current/membership.ts';
import type { WriteContext } from './context.ts';
import type { CreatePostInput } from './create-post.ts';
import {
  idsOf,
  lengthWarnings,
  targetsOf,
  type PostTarget,
  type PostWarning,
  type PostWarningCode,
} from './post-warnings.ts';
import { checkable, checkableText } from './problems.ts';
import {
  plainText,
  readQueue,
  readQueueTotal,
  textKey,
  timeKey,
  unlessUnread,
  type QueueComparison,
} from './queue-comparison.ts';
import type { QueueFacts } from './queue-readings.ts';

// What may go wrong with a post besides validation errors, according to the queue, the plan and the accounts'
// schedules. Anything that could not be read is reported too.

/** How much was read for the warnings of a post. */
export interface LookedAt {
  /** When the reading of the queue and the plan began, which may serve for some seconds; null if it failed. */
  readonly queueReadAt: Date | null;
  /** Length of the queue; null if it could not be read. */
  readonly queueTotal: number | null;
  /** Number of queued posts compared, which is all of them; null if the queue could not be read as a whole. */
  readonly queuedPostCount: number | null;
  /** Those of them whose account, text or time could not be read; null if the queue could not be read. */
  readonly unreadablePostCount: number | null;
  /** How many queued posts the plan allows; null if it could not be read or states no number. */
  readonly queueLimit: number | null;
  /** Number of accounts whose posting schedule was read and has times. */
  readonly scheduleCount: number;
  /** Warnings that could not be checked, or not completely. */
  readonly notLookedFor: readonly PostWarningCode[];
}

/** What may go wrong with a post later, and what was read to determine it. */
export interface PostOutlook {
  readonly warnings: readonly PostWarning[];
  readonly lookedAt: LookedAt;
}

/** A post that may be created. */
interface PlannedPost {
  readonly input: CreatePostInput;
  /** Wall-clock times, `YYYY-MM-DDTHH:mm`; null if it is published without a given time. */
  readonly times: readonly string[] | null;
  /** The accounts that exist. */
  readonly accounts: readonly AccountRecord[];
}

interface Target extends PostTarget {
  /** The key of its text in the queue; null without a text. */
  readonly textKey: string | null;
  /** Undefined if it could not be read; null if there is none, or if it has no times. */
  readonly schedule: ScheduleSlots | null | undefined;
}

/**
 * Warns of what may go wrong with a post later. Reads the accounts once per operation, and the queue and the plan unless
 * the caller has read them just before.
 */
export async function outlookOf(
  context: WriteContext,
  { input, times, accounts }: PlannedPost,
): Promise<PostOutlook> {
  const [targets, { queue, total, limit, readAt }] = await Promise.all([
    scheduledTargets(input, accounts, context),
    context.writes.queueReading(() => readQueueAndPlan(context)),
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
    queueReadAt: total === null ? null : new Date(readAt),
    queueTotal: total,
    queuedPostCount: queue?.postCount ?? null,
    unreadablePostCount: queue?.unreadableCount ?? null,
    queueLimit: limit,
    scheduleCount: targets.filter(({ schedule }) => schedule != null).length,
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
  input: CreatePostInput,
  accounts: readonly AccountRecord[],
  context: RecordContext,
): Promise<Target[]> {
  const texts = checkable(input.variants).map(({ text }) => plainText(checkableText(text)));
  const targets = await targetsOf(accounts, input, context);
  return Promise.all(
    targets.map(async (target) => {
      const read = await unlessUnread(async () => {
        const slots = await readAccount(target.account, 'scheduleSlots', context);
        const schedule = slots && wholeSchedule(slots);
        return { schedule: schedule && hasSlots(schedule) ? schedule : null };
      });
      const key = textKey(target.account.loginId, texts[target.variantIndex] ?? null);
      return { ...target, textKey: key, schedule: read?.schedule };
    }),
  );
}

async function readQueueAndPlan(
  context: RecordContext,
): Promise<QueueFacts & { readonly isComplete: boolean }> {
  const { loaders } = context;
  const [queue, total, plan] = await Promise.all([
    readQueue(context),
    readQueueTotal(context),
    unlessUnread(async () => {
      const { currentPlan } = await loaders.membership();
      return { limit: currentPlan && queueLimitOf(currentPlan) };
    }),
  ]);
  const isQueueRead = queue !== null || (await isQueueTooLong(context));
  return {
    queue,
    total,
    limit: plan?.limit ?? null,
    isComplete: isQueueRead && total !== null && plan !== null,
  };
}

/** Whether the queue was read, and is too long or changes too quickly, so that reading it again soon would be useless. */
function isQueueTooLong({ loaders }: RecordContext): Promise<boolean> {
  return loaders.whole(loaders.queue({})).then(
    () => false,
    (error: unknown) => error instanceof PagingError,
  );
}

/** Maximum number of queued posts, and of accounts, named in a warning. */
const MAX_NAMED = 10;
const MAX_LABEL = 60;
const LIST = new Intl.ListFormat('en-GB');

/** Names accounts for people: "Kelpgate Roasters, Fernlight and 2 other accounts". */
function labelsOf(targets: readonly Target[]): string {
  const labels = targets.map(({ account }) => cutText(labelOf(account), MAX_LABEL));
  const others = labels.length - MAX_NAMED;
  const more = others > 0 ? [`${others} other ${others === 1 ? 'account' : 'accounts'}`] : [];
  return LIST.format([...labels.slice(0, MAX_NAMED), ...more]);
}

function sameTexts({ input, targets }: Planned, queue: QueueComparison | null): PostWarning[] {
  const queued = (target: Target) => queue?.byText.get(target.textKey ?? '') ?? null;
  const meeting = targets.filter((target) => queued(target) !== null);
  return checkable(input.variants).flatMap((_, index) => {
    const alike = meeting.filter(({ variantIndex }) => variantIndex === index);
    if (alike.length === 0) return [];
    const path = ['input', 'variants', String(index), 'text'];
    const message = `A post with this text is already queued for ${labelsOf(alike)}.`;
    return [warningOf('SAME_TEXT_IN_QUEUE', { message, path, targets: alike, queued })];
  });
}

function sameMinutes({ input, times, targets }: Planned, queue: QueueComparison | null): PostWarning[] {
  return times.flatMap((time, index) => {
    const queued = ({ account }: Target) => queue?.byTime.get(timeKey(account.loginId, time)) ?? null;
    const meeting = targets.filter((target) => queued(target) !== null);
    if (meeting.length === 0) return [];
    const path = pathOfTime(input, index);
    const message = `Another post is already queued for ${labelsOf(meeting)} at ${timeAndDay(time)}.`;
    return [warningOf('SAME_MINUTE_AS_QUEUED_POST', { message, path, targets: meeting, queued })];
  });
}

function outsideSchedules({ input, times, targets }: Planned): PostWarning[] {
  return times.flatMap((time, index) => {
    const slot = slotAt(time);
    const outside = targets.filter(({ schedule }) => schedule != null && !isInSchedule(schedule, slot));
    if (outside.length === 0) return [];
    const path = pathOfTime(input, index);
    const message = `${timeAndDay(time)} is outside the posting schedule of ${labelsOf(outside)}.`;
    return [warningOf('TIME_OUTSIDE_SCHEDULE', { message, path, targets: outside })];
  });
}

/** The share at which a queue counts as near its limit. */
const NEAR = 0.9;

function fillingOf(planned: Planned, total: number | null, limit: number | null): PostWarning | null {
  const wanted = wantedCount(planned);
  if (total === null || limit === null || wanted === 0) return null;
  if (total < NEAR * limit && limit - total >= wanted) return null;
  const message = `The queue has ${total} of the ${limit} posts that the plan allows; this post adds ${wanted}.`;
  return warningOf('QUEUE_NEAR_LIMIT', { message, path: null, targets: [] });
}

/** Returns how many posts will be queued: one for each account and time. */
function wantedCount({ input, times }: Planned): number {
  if (input.timing.placement === 'now') return 0;
  return checkable(input.accountIds).length * Math.max(times.length, 1);
}

function notLookedFor(
  planned: Planned,
  { queue, isLimitKnown }: { readonly queue: QueueComparison | null; readonly isLimitKnown: boolean },
): PostWarningCode[] {
  const { times, targets } = planned;
  const hasText = targets.some((target) => target.textKey !== null);
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
