import { instantOf, localOf } from '../service-time.ts';
import { isOnCalendar } from '../sources/wall-clock.ts';
import type { ScheduleSlots } from '../sources/current/accounts.ts';
import { readAccount, type AccountRecord } from './account.ts';
import type { RecordContext } from './context.ts';
import { postsByAccount } from './narrowed-queue.ts';
import { timeOf } from './queued-post.ts';

// The posting schedule of an account on the calendar: times for each day of the week, by the service's clock.

/** In the order of `Date.getUTCDay`. */
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const DAY_MS = 86_400_000;
/** How many days ahead to search for slots. */
const MAX_DAYS = 3_660;
/** The last year with four digits. */
const LAST_YEAR = 9_999;

type Weekday = (typeof WEEKDAYS)[number];

function scheduleOf(timesOn: (day: Weekday) => ScheduleSlots[Weekday]): ScheduleSlots {
  return Object.fromEntries(WEEKDAYS.map((day) => [day, timesOn(day)])) as Record<Weekday, string[] | null>;
}

/** Reads each day of a schedule once. Throws a SourceError `malformed` if one of them is damaged. */
export function wholeSchedule(schedule: ScheduleSlots): ScheduleSlots {
  return scheduleOf((day) => schedule[day]);
}

/** Whether a schedule has any times. */
export function hasSlots(schedule: ScheduleSlots): boolean {
  return WEEKDAYS.some((day) => (schedule[day]?.length ?? 0) > 0);
}

/**
 * Returns the times that all schedules have in common. A schedule without any times is ignored unless all are; null
 * without a schedule.
 */
export function commonSchedule(schedules: readonly ScheduleSlots[]): ScheduleSlots | null {
  const [first = null, ...others] = schedules.some(hasSlots) ? schedules.filter(hasSlots) : schedules;
  return first && others.reduce(intersectionOf, first);
}

// Nothing limits how many times the service lists, so none is searched for in a list.
function intersectionOf(one: ScheduleSlots, other: ScheduleSlots): ScheduleSlots {
  return scheduleOf((day) => {
    const times = new Set(other[day]);
    return one[day]?.filter((time) => times.has(time)) ?? null;
  });
}

/** The place of a time in any week. */
export interface WeeklySlot {
  readonly weekday: Weekday;
  /** `HH:mm`. */
  readonly time: string;
}

/** Returns the slot of a wall-clock time (`YYYY-MM-DDTHH:mm`); null for a day that the calendar lacks. */
export function slotAt(local: string): WeeklySlot | null {
  if (!isOnCalendar(local)) return null;
  const [day = '', time = ''] = local.split('T');
  const weekday = WEEKDAYS[new Date(day).getUTCDay()];
  return weekday === undefined ? null : { weekday, time };
}

/** Whether a schedule contains a slot. */
export function isInSchedule(schedule: ScheduleSlots, { weekday, time }: WeeklySlot): boolean {
  return (schedule[weekday] ?? []).includes(time);
}

/** The search criteria of slots. */
export interface SlotSearch {
  /** Wall-clock time, `YYYY-MM-DDTHH:mm`, after which to search. */
  readonly after: string;
  /** Wall-clock times that are already used. */
  readonly taken: ReadonlySet<string>;
  readonly count: number;
  /** Time zone of the service's clock, if known: times that a clock change skips or repeats are omitted. */
  readonly timeZone: string | null;
}

/** Returns the next free wall-clock times of a schedule, earliest first; fewer if ten years have no more. */
export function nextFreeTimes(
  schedule: ScheduleSlots,
  { after, taken, count, timeZone }: SlotSearch,
): string[] {
  const free: string[] = [];
  if (!hasSlots(schedule)) return free;
  const week = WEEKDAYS.map((day) => [...new Set(schedule[day])].toSorted());
  const isFree = (local: string): boolean =>
    local > after && !taken.has(local) && (timeZone === null || instantOf(local, timeZone) !== null);
  const [today = ''] = after.split('T');
  const start = Date.parse(today);
  for (let days = 0; days < MAX_DAYS; days += 1) {
    const date = new Date(start + days * DAY_MS);
    if (date.getUTCFullYear() > LAST_YEAR) break;
    const times = week[date.getUTCDay()] ?? [];
    const day = times.length > 0 ? date.toISOString().slice(0, 'YYYY-MM-DD'.length) : '';
    for (const time of times) {
      const local = `${day}T${time}`;
      if (isFree(local)) free.push(local);
      if (free.length === count) return free;
    }
  }
  return free;
}

/** The requested slots of one or more accounts. */
export interface FreeSlotsWanted {
  readonly count: number;
  /** Wall-clock time, `YYYY-MM-DDTHH:mm`, after which to search; null for now, if the service's time zone is known. */
  readonly after: string | null;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/**
 * Returns the next times that are in the posting schedule of every account, and at which none of them has a queued post,
 * computed from their details, one call each, and the whole queue. An account whose schedule has no times only
 * contributes its queued posts. Null if none of the accounts has a schedule, as on the legacy surface. Throws a
 * SourceError `malformed` if the time of a post of one of the accounts cannot be read.
 */
export async function freeSlotsOf(
  accounts: readonly AccountRecord[],
  { count, after, nowMs }: FreeSlotsWanted,
  context: RecordContext,
): Promise<string[] | null> {
  const schedules = await Promise.all(
    accounts.map(async (account) => {
      const slots = await readAccount(account, 'scheduleSlots', context);
      return slots && wholeSchedule(slots);
    }),
  );
  const schedule = commonSchedule(schedules.filter((one) => one !== null));
  if (schedule === null) return null;
  const { loaders, serviceTimeZone: timeZone } = context;
  const posts = postsByAccount(await loaders.whole(loaders.queue({})));
  const queued = accounts.flatMap(({ loginId }) => posts.get(loginId) ?? []);
  const taken = new Set(queued.map(timeOf).filter((time) => time !== null));
  const now = timeZone === null ? '' : localOf(new Date(nowMs), timeZone);
  // Past slots cannot be used, whatever was requested.
  const start = after === null || after < now ? now : after;
  return nextFreeTimes(schedule, { after: start, taken, count, timeZone });
}
