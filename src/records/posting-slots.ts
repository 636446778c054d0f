import { instantOf, isOnCalendar } from '../service-time.ts';
import type { ScheduleSlots } from '../sources/current/accounts.ts';

// The posting schedule of an account on the calendar: times for each day of the week, by the service's clock.

/** In the order of `Date.getUTCDay`. */
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const DAY_MS = 86_400_000;
/** How many days ahead to search for slots. */
const MAX_DAYS = 3_660;
/** The last year with four digits. */
const LAST_YEAR = 9_999;

/** Reads each day of a schedule once. Throws a SourceError `malformed` if one of them is damaged. */
export function wholeSchedule(schedule: ScheduleSlots): ScheduleSlots {
  const { monday, tuesday, wednesday, thursday, friday, saturday, sunday } = schedule;
  return { monday, tuesday, wednesday, thursday, friday, saturday, sunday };
}

/** Whether a schedule has any times. */
export function hasSlots(schedule: ScheduleSlots): boolean {
  return WEEKDAYS.some((day) => (schedule[day]?.length ?? 0) > 0);
}

/** Whether a schedule contains a wall-clock time (`YYYY-MM-DDTHH:mm`). */
export function isInSchedule(schedule: ScheduleSlots, local: string): boolean {
  if (!isOnCalendar(local)) return false;
  const [day = '', time = ''] = local.split('T');
  return timesOf(schedule, Date.parse(day)).includes(time);
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
  const [today = ''] = after.split('T');
  const start = Date.parse(today);
  for (let days = 0; days < MAX_DAYS && free.length < count; days += 1) {
    const dayMs = start + days * DAY_MS;
    if (new Date(dayMs).getUTCFullYear() > LAST_YEAR) break;
    const day = new Date(dayMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
    const times = [...new Set(timesOf(schedule, dayMs))].toSorted().map((time) => `${day}T${time}`);
    free.push(
      ...times.filter(
        (time) =>
          time > after && !taken.has(time) && (timeZone === null || instantOf(time, timeZone) !== null),
      ),
    );
  }
  return free.slice(0, count);
}

function timesOf(schedule: ScheduleSlots, dayMs: number): readonly string[] {
  const weekday = WEEKDAYS[new Date(dayMs).getUTCDay()];
  return (weekday && schedule[weekday]) ?? [];
}
