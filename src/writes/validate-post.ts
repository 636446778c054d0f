import { cutText } from '../cut-text.ts';
import { unlessUnread } from '../lists/errors.ts';
import { findAccount, healthOf, labelOf, readAccount, type AccountRecord } from '../records/account.ts';
import type { RecordContext } from '../records/context.ts';
import { encodeGlobalId, parseGlobalId } from '../records/global-id.ts';
import { NETWORKS, networkOf, type SocialNetworkName } from '../records/network.ts';
import { hasSlots, isInSchedule, slotAt, wholeSchedule } from '../records/posting-slots.ts';
import { timeAndDay } from '../service-time.ts';
import type { ScheduleSlots } from '../sources/current/accounts.ts';
import type { WriteContext } from './context.ts';
import { checkPost, type CreatePostInput, type PostVariantInput } from './create-post.ts';
import type { UserError } from './outcome.ts';
import { checkable, checkableText, type Problems } from './problems.ts';
import { plainText, readQueueAndPlan, textKey, timeKey, type QueueIndex } from './queue.ts';
import { measure, TEXT_LIMITS, TEXT_UNITS } from '../../packages/text-length/src/text-length.ts';

// Validation of a post without sending it: its problems, and what may go wrong later, according to the queue, the plan
// and the accounts' networks and schedules. Anything that could not be read is reported too.

/** The reasons for warnings; a closed list. */
export type PostWarningCode =
  | 'TEXT_LONGER_THAN_NETWORK_ALLOWS'
  | 'SAME_TEXT_IN_QUEUE'
  | 'SAME_MINUTE_AS_QUEUED_POST'
  | 'QUEUE_NEAR_LIMIT'
  | 'TIME_OUTSIDE_SCHEDULE';

/** Something that may go wrong with a created post, but does not prevent it from being sent. */
export interface PostWarning {
  readonly code: PostWarningCode;
  readonly message: string;
  /** Path of the argument concerned, starting with `input`; null if there is none. */
  readonly path: readonly string[] | null;
  /** Global ids of the accounts concerned, in the order of the input; empty if it concerns the whole post. */
  readonly accountIds: readonly string[];
  /** Global ids of some of the queued posts concerned; empty if there are none. */
  readonly queuedPostIds: readonly string[];
}

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

/** The problems of a post. */
export interface CheckedPost {
  readonly userErrors: readonly UserError[];
  /** In the order of the input's ids; null for one that does not exist. */
  readonly accounts: readonly (AccountRecord | null)[];
  /** Reads what may go wrong with it later, once. */
  readonly outlook: () => Promise<PostOutlook>;
}

/**
 * Validates a post as its creation would, and looks up its accounts and their health; no writes are sent. The outlook is
 * read on request only, because it takes the whole queue. For many posts validated in one context, the queue, the plan
 * and each account are read once.
 */
export async function validatePost(context: WriteContext, input: CreatePostInput): Promise<CheckedPost> {
  const { times, problems } = checkPost(context, input);
  const accounts = await Promise.all(
    checkable(input.accountIds).map((id, index) => look(id, index, { problems, context })),
  );
  const found = accounts.filter((account) => account !== null);
  let outlook: Promise<PostOutlook> | undefined;
  return {
    userErrors: problems.list,
    accounts,
    outlook: () =>
      (outlook ??= outlookOf(context, { input, times: checkable(times ?? []), accounts: found })),
  };
}

/** Why an account cannot publish, after "it". */
const REASONS = {
  DELETED: 'was deleted',
  BLOCKED: 'is blocked',
  LOCKED: 'is locked',
  NEEDS_RECONNECT: 'must be reconnected',
  PAUSED: 'is paused',
} as const;

async function look(
  id: string,
  index: number,
  { problems, context }: { readonly problems: Problems; readonly context: WriteContext },
): Promise<AccountRecord | null> {
  const decoded = parseGlobalId(id);
  if (decoded?.type !== 'Account') return null;
  const account = await findAccount(decoded.surface, decoded.rawId, context);
  if (account === null) {
    problems.add(['accountIds', index], `Account ${decoded.rawId} was not found.`, 'UNKNOWN_ACCOUNT');
    return null;
  }
  const state = await healthOf(account, context);
  if (state !== 'HEALTHY' && state !== 'UNKNOWN') {
    const message = `${labelOf(account)} cannot publish because it ${REASONS[state]}.`;
    problems.add(['accountIds', index], message, 'ACCOUNT_UNAVAILABLE');
  }
  return account;
}

/** A post that may be created. */
interface PlannedPost {
  readonly input: CreatePostInput;
  /** Wall-clock times, `YYYY-MM-DDTHH:mm`; empty if it is published without a given time. */
  readonly times: readonly string[];
}

/** A target account of a post. */
interface Target {
  readonly account: AccountRecord;
  /** `UNKNOWN` if the service's response does not state it. */
  readonly network: SocialNetworkName;
  /** Index of the variant that it gets: that of its network, or else the original; -1 if there is neither. */
  readonly variantIndex: number;
  /** The key of its text in the queue; null without a text. */
  readonly textKey: string | null;
  /** Undefined if it could not be read; null if there is none, or if it has no times. */
  readonly schedule: ScheduleSlots | null | undefined;
}

type Planned = PlannedPost & { readonly targets: readonly Target[] };

/**
 * Warns of what may go wrong with a post later. Reads the accounts once per operation, and the queue and the plan unless
 * the caller has read them just before.
 */
async function outlookOf(
  context: WriteContext,
  { accounts, ...post }: PlannedPost & { readonly accounts: readonly AccountRecord[] },
): Promise<PostOutlook> {
  const [targets, { queue, total, limit, readAt }] = await Promise.all([
    targetsOf(accounts, post.input, context),
    context.writes.queueReading(() => readQueueAndPlan(context)),
  ]);
  const planned = { ...post, targets };
  const warnings = [
    ...lengthWarnings(planned),
    ...sameTexts(planned, queue),
    ...sameMinutes(planned, queue),
    ...filling(planned, total, limit),
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

async function targetsOf(
  accounts: readonly AccountRecord[],
  input: CreatePostInput,
  context: RecordContext,
): Promise<Target[]> {
  const variants = checkable(input.variants);
  const texts = variants.map(({ text }) => plainText(checkableText(text)));
  const networks = await Promise.all(accounts.map((account) => networkOfAccount(account, context)));
  const indexes = new Map(networks.map((network) => [network, -1]));
  for (const network of indexes.keys()) indexes.set(network, variantFor(network, variants));
  return await Promise.all(
    accounts.map(async (account, index) => {
      const network = networks[index] ?? 'UNKNOWN';
      const variantIndex = indexes.get(network) ?? -1;
      const key = textKey(account.loginId, texts[variantIndex] ?? null);
      return { account, network, variantIndex, textKey: key, schedule: await scheduleOf(account, context) };
    }),
  );
}

// The account's own field reports a damaged response, which does not prevent a post from being checked.
async function networkOfAccount(account: AccountRecord, context: RecordContext): Promise<SocialNetworkName> {
  return networkOf(await unlessUnread(() => readAccount(account, 'platformCode', context)));
}

function variantFor(network: SocialNetworkName, variants: readonly PostVariantInput[]): number {
  const own = variants.findIndex(({ variant }) => networkOf(variant) === network);
  return own >= 0 ? own : variants.findIndex(({ variant }) => variant === 'original');
}

async function scheduleOf(account: AccountRecord, context: RecordContext): Promise<Target['schedule']> {
  const read = await unlessUnread(async () => {
    const slots = await readAccount(account, 'scheduleSlots', context);
    const schedule = slots && wholeSchedule(slots);
    return { schedule: schedule && hasSlots(schedule) ? schedule : null };
  });
  return read?.schedule;
}

/** Maximum number of queued posts, and of accounts, named in a warning. */
const MAX_NAMED = 10;
const MAX_LABEL = 60;
/** Made on first use. */
let labelList: Intl.ListFormat | undefined;

/** Names accounts for people: "Kelpgate Roasters, Fernlight and 2 other accounts". */
function labelsOf(targets: readonly Target[]): string {
  const labels = targets.map(({ account }) => cutText(labelOf(account), MAX_LABEL));
  const others = labels.length - MAX_NAMED;
  const more = others > 0 ? [`${others} other ${others === 1 ? 'account' : 'accounts'}`] : [];
  labelList ??= new Intl.ListFormat('en-GB');
  return labelList.format([...labels.slice(0, MAX_NAMED), ...more]);
}

function lengthWarnings({ input, targets }: Planned): PostWarning[] {
  return TEXT_LIMITS.flatMap(({ network, field, unit, max }) => {
    const concerned = targets.filter((target) => target.network === network);
    const index = concerned[0]?.variantIndex ?? -1;
    const length = measure(checkableText(input.variants[index]?.[field]) ?? '', unit);
    if (length <= max) return [];
    const name = NETWORKS[network].label;
    const message = `The ${field} for ${name} has ${length} ${TEXT_UNITS[unit].name}; ${name} allows ${max}.`;
    const path = ['input', 'variants', String(index), field];
    return [warningOf('TEXT_LONGER_THAN_NETWORK_ALLOWS', { message, path, targets: concerned })];
  });
}

function sameTexts({ input, targets }: Planned, queue: QueueIndex | null): PostWarning[] {
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

function sameMinutes({ input, times, targets }: Planned, queue: QueueIndex | null): PostWarning[] {
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
    // A day that is not on the calendar is a problem, not a warning.
    if (slot === null) return [];
    const outside = targets.filter(({ schedule }) => schedule != null && !isInSchedule(schedule, slot));
    if (outside.length === 0) return [];
    const path = pathOfTime(input, index);
    const message = `${timeAndDay(time)} is outside the posting schedule of ${labelsOf(outside)}.`;
    return [warningOf('TIME_OUTSIDE_SCHEDULE', { message, path, targets: outside })];
  });
}

/** The share at which a queue counts as near its limit. */
const NEAR = 0.9;

function filling(planned: Planned, total: number | null, limit: number | null): PostWarning[] {
  const wanted = wantedCount(planned);
  if (total === null || limit === null || wanted === 0) return [];
  if (total < NEAR * limit && limit - total >= wanted) return [];
  const message = `The queue has ${total} of the ${limit} posts that the plan allows; this post adds ${wanted}.`;
  return [warningOf('QUEUE_NEAR_LIMIT', { message, path: null, targets: [] })];
}

/** Returns how many posts will be queued: one for each account and time. */
function wantedCount({ input, times }: Planned): number {
  if (input.timing.placement === 'now') return 0;
  return checkable(input.accountIds).length * Math.max(times.length, 1);
}

function notLookedFor(
  planned: Planned,
  { queue, isLimitKnown }: { readonly queue: QueueIndex | null; readonly isLimitKnown: boolean },
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
  const accountIds = targets.map(({ account: { surface, loginId } }) =>
    encodeGlobalId({ type: 'Account', surface, rawId: loginId }),
  );
  const queuedPostIds = targets.flatMap((target) => queued?.(target) ?? []).slice(0, MAX_NAMED);
  return { code, message, path, accountIds, queuedPostIds };
}
