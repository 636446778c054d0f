const DAY_MS = 86_400_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Days of the week as the interface abbreviates them, Sunday first. */
export const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Wall-clock parts of an instant, `offsetMinutes` east of UTC. */
export function wallClock(at: number, offsetMinutes: number) {
  const shifted = new Date(at + offsetMinutes * 60_000);
  const hour = shifted.getUTCHours();
  return {
    year: String(shifted.getUTCFullYear()),
    month: MONTHS[shifted.getUTCMonth()] ?? '',
    day: two(shifted.getUTCDate()),
    weekday: WEEKDAYS[shifted.getUTCDay()] ?? 'Sun',
    time: `${two(hour % 12 === 0 ? 12 : hour % 12)}:${two(shifted.getUTCMinutes())} ${hour < 12 ? 'AM' : 'PM'}`,
  };
}

/** ISO 8601 in UTC with milliseconds. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** `DD-Mon-YYYY hh:mm AM/PM`, as in the AI history and the queue's `createdOn`. */
export function historyTime(at: number, offsetMinutes: number): string {
  const { day, month, year, time } = wallClock(at, offsetMinutes);
  return `${day}-${month}-${year} ${time}`;
}

/** `Nov 21, 2026`. */
export function displayDate(at: number, offsetMinutes: number): string {
  const { day, month, year } = wallClock(at, offsetMinutes);
  return `${month} ${day}, ${year}`;
}

/** `09:30 AM`. */
export function displayTime(at: number, offsetMinutes: number): string {
  return wallClock(at, offsetMinutes).time;
}

/** `Sat, Nov 21, 2026 at 09:30 AM`. */
export function longDisplayTime(at: number, offsetMinutes: number): string {
  const { weekday, time } = wallClock(at, offsetMinutes);
  return `${weekday}, ${displayDate(at, offsetMinutes)} at ${time}`;
}

/** `3 hours ago`, in the largest unit that fits. */
export function relativeTime(at: number, now: number): string {
  const minutes = Math.max(0, Math.floor((now - at) / 60_000));
  if (minutes < 1) return 'a few seconds ago';
  if (minutes < 60) return plural(minutes, 'minute');
  if (minutes < 1_440) return plural(Math.floor(minutes / 60), 'hour');
  return plural(Math.floor((now - at) / DAY_MS), 'day');
}

function plural(count: number, unit: string): string {
  return count === 1 ? `${unit === 'hour' ? 'an' : 'a'} ${unit} ago` : `${count} ${unit}s ago`;
}

/** `YYYY-MM-DD HH:mm` to epoch milliseconds; null if it is not an existing time in that format. */
export function parseScheduleTime(text: string, offsetMinutes: number): number | null {
  const match = /^(\d{4}-\d{2}-\d{2}) (\d{2}):(\d{2})$/.exec(text);
  if (!match) return null;
  const [, date = '', hour = '', minute = ''] = match;
  const at = Date.parse(`${date}T${hour}:${minute}:00Z`);
  // Some engines parse a date such as 31 February by rolling over; a valid date must round-trip.
  if (Number.isNaN(at) || !isoTime(at).startsWith(`${date}T${hour}:${minute}`)) return null;
  return at - offsetMinutes * 60_000;
}

/** `Y-m-d H:i A`: a 24-hour clock that still has AM/PM; null if `strict` and the two disagree. */
export function parseLegacySchedule(text: string, offsetMinutes: number, strict: boolean): number | null {
  const match = /^(\d{4}-\d{2}-\d{2} (\d{2}):\d{2}) (AM|PM)$/.exec(text);
  if (!match) return null;
  const [, clock = '', hour = '', meridiem = ''] = match;
  if (strict && (Number(hour) < 12 ? 'AM' : 'PM') !== meridiem) return null;
  return parseScheduleTime(clock, offsetMinutes);
}

/** `hh:mm AM/PM` to minutes after midnight. */
export function slotMinutes(slot: string): number {
  const match = /^(\d{2}):(\d{2}) (AM|PM)$/.exec(slot);
  if (!match) throw new Error(`not a schedule slot: ${slot}`);
  const [, hour = '', minute = '', meridiem = ''] = match;
  return (Number(hour) % 12) * 60 + Number(minute) + (meridiem === 'PM' ? 720 : 0);
}

/** Returns the first of a week's slots after an instant, or an hour later if the week has none. */
export function nextSlot(
  slots: Readonly<Record<Weekday, readonly string[]>>,
  after: number,
  offsetMinutes: number,
): number {
  const shift = offsetMinutes * 60_000;
  const midnight = Math.floor((after + shift) / DAY_MS) * DAY_MS - shift;
  for (let day = 0; day <= 7; day += 1) {
    const start = midnight + day * DAY_MS;
    const { weekday } = wallClock(start, offsetMinutes);
    const times = slots[weekday].map((slot) => start + slotMinutes(slot) * 60_000);
    const next = times.filter((at) => at > after).toSorted((a, b) => a - b)[0];
    if (next !== undefined) return next;
  }
  return after + 3_600_000;
}
