import { quoted } from './text.ts';

/** The time of a post, as given in a cell: by the service's clock (`YYYY-MM-DDTHH:mm`), or an instant (ISO 8601). */
export type CellTime =
  { readonly local: string } | { readonly instant: string } | { readonly problem: string };

const INSTANT = /^(\d{4}-\d\d-\d\d[T\s]\d\d:\d\d)\s?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/i;
/** If the parts of a date are separated by dots, the day always comes first; the time of day may have a dot, too. */
const WITH_DOTS = /^(\d{1,2})\.(\d{1,2})\.(\d{4})[,\s]+(\d{1,2})[:.](\d\d)(?!\d)/;
const ZERO_SECONDS = /([:.]\d\d):00(?:[.,]0+)?(?![\d:])/;
const SLASHES = /(?:^|\s)\d{1,2}[/-]\d{1,2}[/-]\d{2,4}\b/;
const SERIAL_NUMBER = /^\d{5}(?:[.,]\d+)?$/;

/** Parses a time of the service's clock, or an instant if it has an offset. */
export function readTime(cell: string): CellTime {
  const text = cell.trim().replace(ZERO_SECONDS, '$1');
  const [, clock, offset = ''] = INSTANT.exec(text) ?? [];
  const local = readLocal(clock ?? text);
  if (local === null)
    return { problem: `${quoted(cell.trim())} ${reasonOf(text)} Write it as 2030-01-15 09:00.` };
  return clock === undefined
    ? { local }
    : { instant: new Date(`${local}${offset.toUpperCase()}`).toISOString() };
}

function reasonOf(text: string): string {
  if (SLASHES.test(text)) return 'is ambiguous: the day or the month may be first.';
  if (SERIAL_NUMBER.test(text)) return 'is the number that a spreadsheet program stores for a time.';
  return 'is not a valid date and time of day, or is not in a supported format.';
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');

const DAY = String.raw`(?<day>\d{1,2})`;
const MONTH = String.raw`(?<month>[a-z]{3,9})\.?`;
const YEAR = String.raw`(?<year>[1-9]\d{3})`;
// Only formats in which the month cannot be mistaken for the day.
const FORMS = [
  String.raw`${DAY}[-\s]+${MONTH}[-,\s]+${YEAR}`,
  String.raw`${MONTH}\s+${DAY},?\s+${YEAR}`,
  String.raw`${YEAR}(?<mark>[-/])(?<month>\d{1,2})\k<mark>${DAY}`,
].map((date) => {
  const weekday = String.raw`(?:(?<weekday>[a-z]{3,9})\.?,?\s+)?`;
  const clock = String.raw`(?<hour>\d{1,2}):(?<minute>[0-5]\d)\s*(?<half>[ap]\.?m\.?)?`;
  return new RegExp(String.raw`^${weekday}${date}(?:,?\s+(?:at\s+)?|t)${clock}$`, 'i');
});

function readLocal(text: string): string | null {
  const written = text.replace(WITH_DOTS, '$3-$2-$1 $4:$5').trim();
  const groups = FORMS.map((form) => form.exec(written)?.groups).find((found) => found !== undefined);
  if (groups === undefined) return null;
  const { year, month = '', day = '', weekday, hour = '', minute, half } = groups;
  const monthNumber = /^\d+$/.test(month) ? Number(month) : indexOfName(MONTHS, month) + 1;
  const hours = half === undefined ? Number(hour) : hourOf(Number(hour), half);
  const local = `${year}-${twoDigits(monthNumber)}-${twoDigits(Number(day))}T${twoDigits(hours)}:${minute}`;
  // `Date` reads 31 February as 3 March, and 24:00 as the next day.
  const time = new Date(`${local}Z`);
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(local)) return null;
  const isOfDay = weekday === undefined || indexOfName(WEEKDAYS, weekday) === time.getUTCDay();
  return isOfDay ? local : null;
}

/** Finds an English name by its abbreviation of three or more letters; -1 for any other word. */
function indexOfName(names: readonly string[], text: string): number {
  return names.findIndex((name) => name.startsWith(text.toLowerCase()));
}

/** Converts an hour from 1 to 12; NaN for any other. */
function hourOf(hour: number, half: string): number {
  if (hour < 1 || hour > 12) return Number.NaN;
  return (hour % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0);
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
