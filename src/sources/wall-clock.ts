import { Mismatch } from './mismatch.ts';
import { type Decoder } from './view.ts';

// Wall-clock times in the service's formats. They state no time zone, and none is added here.

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH_NAME = '([a-z]{3,9})\\.?';
const CLOCK = '(\\d{1,2}):(\\d{2})(?::\\d{2})?\\s*([ap]\\.?m\\.?)?';
const BETWEEN = '(?:,?\\s+(?:at\\s+)?|t)';
const WEEKDAY = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\\s+)?';

interface Form {
  readonly pattern: RegExp;
  /** The group numbers of year, month and day; hour, minute and half of the day always follow. */
  readonly order: readonly [year: number, month: number, day: number];
}

// Only formats in which the month cannot be mistaken for the day.
const FORMS: readonly Form[] = [
  { pattern: form(`(\\d{1,2})(?:st|nd|rd|th)?[-\\s]+${MONTH_NAME}[-,\\s]+(\\d{4})`), order: [3, 2, 1] },
  { pattern: form(`${MONTH_NAME}\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})`), order: [3, 1, 2] },
  { pattern: form('(\\d{4})[-/](\\d{2})[-/](\\d{2})'), order: [1, 2, 3] },
];

function form(date: string): RegExp {
  return new RegExp(`^${WEEKDAY}${date}${BETWEEN}${CLOCK}$`, 'i');
}

/** Converts a display text to a wall-clock time, as `YYYY-MM-DDTHH:mm`; null if the text is ambiguous or not a time. */
export function readDisplayTime(label: string): string | null {
  const known = readings.get(label);
  if (known !== undefined) return known;
  const reading = read(label);
  if (readings.size >= MAX_READINGS) readings.clear();
  if (label.length <= MAX_LABEL_CHARS) readings.set(label, reading);
  return reading;
}

// A queue shows the same times in every read.
const readings = new Map<string, string | null>();
const MAX_READINGS = 5_000;
const MAX_LABEL_CHARS = 64;

function read(label: string): string | null {
  for (const { pattern, order } of FORMS) {
    const groups = pattern.exec(label.trim());
    if (groups) return assemble(groups, order);
  }
  return null;
}

function assemble(groups: RegExpExecArray, [yearAt, monthAt, dayAt]: Form['order']): string | null {
  const year = groups[yearAt] ?? '';
  const month = monthNumber(groups[monthAt] ?? '');
  const day = Number(groups[dayAt]);
  const hour = hourOf(Number(groups[4]), groups[6]);
  const minute = Number(groups[5]);
  if (!isOnCalendar(Number(year), month, day) || hour === null || minute > 59) return null;
  return `${year}-${twoDigits(month)}-${twoDigits(day)}T${twoDigits(hour)}:${twoDigits(minute)}`;
}

/** Whether the date exists; `Date` would accept the 31st of February as the 3rd of March. */
export function isOnCalendar(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}

function monthNumber(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1;
}

function hourOf(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour < 24 ? hour : null;
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
