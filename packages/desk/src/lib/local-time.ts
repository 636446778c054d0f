// Times on the service's clock are texts such as `2026-11-26T09:00`. Days are counted in UTC, which has no clock changes;
// only "now" and the reader's own time depend on a time zone. `Temporal` would do all of it, but its polyfill takes half of
// what the page may weigh.

/** A day on the service's clock, such as `2026-11-26`. */
export type Day = string;
/** A date and time on the service's clock, such as `2026-11-26T09:00`. */
export type LocalTime = string;

const DAY_MS = 86_400_000;

/** Returns the day of a time. */
export function dayOf(local: LocalTime): Day {
  return local.slice(0, 10);
}

/** Returns the time of day of a time, such as `09:00`. */
export function timeOfDay(local: LocalTime): string {
  return local.slice(11, 16);
}

/** Returns the day so many days later. */
export function addDays(day: Day, count: number): Day {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the same day so many months later, or the last day of a month that is shorter. */
export function addMonths(day: Day, count: number): Day {
  const date = new Date(Date.parse(day));
  const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1));
  const days = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(date.getUTCDate(), days));
  return first.toISOString().slice(0, 10);
}

/** Returns how many months the month of one day is before that of another. */
export function monthsBetween(one: Day, other: Day): number {
  return monthOf(other) - monthOf(one);
}

function monthOf(day: Day): number {
  return 12 * Number(day.slice(0, 4)) + Number(day.slice(5, 7));
}

/** Returns the Monday of a day's week. */
export function mondayOf(day: Day): Day {
  return addDays(day, -((new Date(Date.parse(day)).getUTCDay() + 6) % 7));
}

/** Returns the seven days of a day's week, from Monday. */
export function weekOf(day: Day): Day[] {
  const monday = mondayOf(day);
  return Array.from({ length: 7 }, (_, index) => addDays(monday, index));
}

/** Returns the weeks that a day's month touches. */
export function weeksOfMonth(day: Day): Day[][] {
  const month = day.slice(0, 7);
  const weeks: Day[][] = [];
  for (let week = weekOf(`${month}-01`); week.some((one) => one.startsWith(month));)
    week = (weeks.push(week), weekOf(addDays(week[0] ?? day, 7)));
  return weeks;
}

/** Returns what the clock of a time zone shows at an instant; the reader's own clock if the zone is not known. */
export function clockIn(timeZone: string | null, instant: Date): LocalTime {
  const zone = timeZone === null ? {} : { timeZone };
  // Swedish writes dates as ISO 8601 does.
  const text = new Intl.DateTimeFormat('sv-SE', { ...zone, dateStyle: 'short', timeStyle: 'short' });
  return text.format(instant).replace(' ', 'T');
}

/** Returns the instant at which the clock of a time zone shows a time; null if it never does, as in a skipped hour. */
export function instantOf(local: LocalTime, timeZone: string): Date | null {
  const wanted = Date.parse(`${local}Z`);
  let guess = wanted;
  // The second step corrects the offset of the first one near a clock change.
  for (let step = 0; step < 2; step += 1)
    guess += wanted - Date.parse(`${clockIn(timeZone, new Date(guess))}Z`);
  const instant = new Date(guess);
  return clockIn(timeZone, instant) === local ? instant : null;
}

const formatter = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options });
  return (day: Day): string => format.format(Date.parse(day));
};

/** Formats a day, such as `Thursday 26 November 2026`. */
export const longDay = formatter({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
/** Formats a day, such as `Thu 26 Nov`. */
export const shortDay = formatter({ weekday: 'short', day: 'numeric', month: 'short' });
/** Formats the day of the week of a day, such as `Thursday`. */
export const weekdayName = formatter({ weekday: 'long' });
/** Formats the month of a day, such as `November 2026`. */
export const monthName = formatter({ month: 'long', year: 'numeric' });

/** Formats a time, such as `Thu 26 Nov, 09:00`, or `Fri 20 Nov 2099, 09:00` if it is not in the reader's year. */
export function shortTime(local: LocalTime): string {
  const year = local.slice(0, 4);
  const ofYear = year === String(new Date().getFullYear()) ? '' : ` ${year}`;
  return `${shortDay(dayOf(local)).replace(',', '')}${ofYear}, ${timeOfDay(local)}`;
}
