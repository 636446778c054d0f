import { remembering } from '../remember.ts';
import { Mismatch } from './drift.ts';
import { type Decoder } from './view.ts';

// Wall-clock times in the service's formats. They state no time zone, and none is added here.

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');

const WEEKDAY = '(?:(?<weekday>[a-z]{3,9})\\.?,?\\s+)?';
const MONTH_NAME = '(?<month>[a-z]{3,9})\\.?';
const ORDINAL_DAY = '(?<day>\\d{1,2})(?<suffix>st|nd|rd|th)?';
const BETWEEN = '(?:,?\\s+(?:at\\s+)?|t)';
const CLOCK = '(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::[0-5]\\d)?\\s*(?<half>[ap]\\.?m\\.?)?';

// Only formats in which the month cannot be mistaken for the day.
const FORMS = [
  `${ORDINAL_DAY}[-\\s]+${MONTH_NAME}[-,\\s]+(?<year>\\d{4})`,
  `${MONTH_NAME}\\s+${ORDINAL_DAY},?\\s+(?<year>\\d{4})`,
  '(?<year>\\d{4})(?<mark>[-/.])(?<month>\\d{1,2})\\k<mark>(?<day>\\d{1,2})',
].map((date) => new RegExp(`^${WEEKDAY}${date}${BETWEEN}${CLOCK}$`, 'i'));

/**
 * Converts a display text to a wall-clock time, as `YYYY-MM-DDTHH:mm`; null if it is not a time, is ambiguous, or is
 * wrong in any part. Names of months and weekdays are English. A queue shows the same times in every read.
 */
export const readDisplayTime = remembering(read, { most: 5_000, longest: 64 });

function read(label: string): string | null {
  for (const form of FORMS) {
    const groups = form.exec(label.trim())?.groups;
    if (groups) return assemble(groups);
  }
  return null;
}

type Groups = Readonly<Record<string, string | undefined>>;

function assemble({ weekday, year = '', month: name = '', suffix, ...groups }: Groups): string | null {
  const [month, day] = [monthNumber(name), Number(groups['day'])];
  const hour = hourOf(Number(groups['hour']), groups['half']);
  if (hour === null || (suffix !== undefined && suffix.toLowerCase() !== suffixOf(day))) return null;
  const local = `${year}-${twoDigits(month)}-${twoDigits(day)}T${twoDigits(hour)}:${groups['minute']}`;
  if (!isOnCalendar(local)) return null;
  const isDay = weekday === undefined || indexOfName(WEEKDAYS, weekday) === new Date(`${local}Z`).getUTCDay();
  return isDay ? local : null;
}

/** Whether a text is a date and time that exists in the calendar, unlike the 30th of February. */
export function isOnCalendar(local: string): boolean {
  const ms = Date.parse(`${local}Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(local);
}

function monthNumber(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : indexOfName(MONTHS, text) + 1;
}

/** Finds an English name by its abbreviation of three or more letters; -1 for any other word. */
function indexOfName(names: readonly string[], text: string): number {
  return names.findIndex((name) => name.startsWith(text.toLowerCase()));
}

function suffixOf(day: number): string {
  const isTeen = day > 10 && day < 14;
  return (isTeen ? undefined : ['th', 'st', 'nd', 'rd'][day % 10]) ?? 'th';
}

function hourOf(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0);
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

const ISO_WITHOUT_OFFSET = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d)(?::[0-5]\d(?:\.\d+)?)?$/;

/** An ISO 8601 date-time without an offset, which is not an instant, as `YYYY-MM-DDTHH:mm`; year 0 means none. */
export const isoWithoutOffset: Decoder<string> = (value) => {
  if (typeof value === 'string' && value.startsWith('0000-')) return null;
  const [, minute] = (typeof value === 'string' && ISO_WITHOUT_OFFSET.exec(value)) || [];
  const local = minute === undefined ? null : readDisplayTime(minute);
  if (local === null) throw new Mismatch('an ISO 8601 date-time');
  return local;
};

const AI_HISTORY_FORM = /^\d{1,2}-[a-z]{3}-\d{4}\s+\d{1,2}:\d{2}\s*[ap]m$/i;

/** Converts `DD-Mon-YYYY hh:mm AM/PM` to `YYYY-MM-DDTHH:mm`. */
export const displayTime: Decoder<string> = (value) => {
  const local =
    typeof value === 'string' && AI_HISTORY_FORM.test(value.trim()) ? readDisplayTime(value) : null;
  if (local === null) throw new Mismatch('a time of the form DD-Mon-YYYY hh:mm AM/PM');
  return local;
};
