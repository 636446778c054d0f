import { instantOf, isOnCalendar } from '../service-time.ts';
import type { ScheduleSlots } from '../sources/current/accounts.ts';

// What the posting schedule of an account means on the calendar: times of each day of the week, by the service's clock.

/** In the order of `Date.getUTCDay`. */
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const DAY_MS = 86_400_000;
/** How far ahead slots are looked for. */
const MAX_DAYS = 3_660;
/** The last year whose times are written with four digits. */
const LAST_YEAR = 9_999;

/** A schedule with each of its days read once. Throws a SourceError `malformed` where one of them is damaged. */
export function wholeSchedule(schedule: ScheduleSlots): ScheduleSlots {
  const { monday, tuesday, wednesday, thursday, friday, saturday, sunday } = schedule;
  return { monday, tuesday, wednesday, thursday, friday, saturday, sunday };
}

/** True if a schedule has a time at all. */
export function hasSlots(schedule: ScheduleSlots): boolean {
  return WEEKDAYS.some((day) => (schedule[day]?.length ?? 0) > 0);
}

/** True if a wall-clock time (`YYYY-MM-DDTHH:mm`) is one of a schedule. */
export function isInSchedule(schedule: ScheduleSlots, local: string): boolean {
  if (!isOnCalendar(local)) return false;
  const [day = '', time = ''] = local.split('T');
  return timesOf(schedule, Date.parse(day)).includes(time);
}

/** Which slots are looked for. */
export interface SlotSearch {
  /** Wall-clock time, `YYYY-MM-DDTHH:mm`, after which they are. */
  readonly after: string;
  /** Wall-clock times at which something is planned already. */
  readonly taken: ReadonlySet<string>;
  readonly count: number;
  /** Zone of the service's clock, where it is known: times that a clock change skips or has twice are left out. */
  readonly timeZone: string | null;
}

/** The next wall-clock times of a schedule that are not taken, earliest first; fewer if ten years have no more. */
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
