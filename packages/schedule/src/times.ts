import { quoted } from './text.ts';

/** The time of a post, as given in a cell: by the service's clock (`YYYY-MM-DDTHH:mm`), or an instant (ISO 8601). */
export type CellTime =
  { readonly local: string } | { readonly instant: string } | { readonly problem: string };

const INSTANT = /^(\d{4}-\d\d-\d\d[T\s]\d\d:\d\d)\s?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/i;
/** If the parts of a date are separated by dots, the day always comes first; the time of day may have a dot, too. */
const WITH_DOTS = /^(\d{1,2})\.(\d{1,2})\.(\d{4})[,\s]+(\d{1,2})[:.](\d\d)$/;
const ZERO_SECONDS = /([:.]\d\d):00(?:[.,]0+)?(?![\d:])/;
const SECONDS = /:\d\d[:.,]\d/;
const SLASHES = /(?:^|\s)\d{1,2}[/-]\d{1,2}[/-]\d{2,4}\b/;
const SERIAL_NUMBER = /^\d{5}(?:[.,]\d+)?$/;
const LEADING_WORD = /^\p{L}+\.?,?\s+/u;

const FORM = 'Write it as 2030-01-15 09:00.';

/** Parses a time of the service's clock, or an instant if it has an offset. */
export function readTime(cell: string): CellTime {
  const text = cell.trim().replace(ZERO_SECONDS, '$1');
  const [, clock, offset = ''] = INSTANT.exec(text) ?? [];
  const local = readLocal(clock ?? text);
  if (local === null) return { problem: `${quoted(cell.trim())} ${reasonOf(text)} ${FORM}` };
  return clock === undefined
    ? { local }
    : { instant: new Date(`${local}${offset.toUpperCase()}`).toISOString() };
}

function reasonOf(text: string): string {
  if (SECONDS.test(text)) return 'is not a whole minute.';
  if (SLASHES.test(text)) return 'is ambiguous: the day or the month may be first.';
  if (SERIAL_NUMBER.test(text)) return 'is the number that a spreadsheet program stores for a time.';
  if (readLocal(`${text} 00:00`) !== null) return 'is a date without a time of day.';
  if (readLocal(text.replace(LEADING_WORD, '')) !== null)
    return 'has a day of the week that does not match the date or is not in English.';
  return /\p{L}{3}/u.test(text)
    ? 'is not a time; only English month names are understood.'
    : 'is not a time.';
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');

const ORDINAL_DAY = String.raw`(?<day>\d{1,2})(?<suffix>st|nd|rd|th)?`;
const MONTH_NAME = String.raw`(?<month>[a-z]{3,9})\.?`;
// Only formats in which the month cannot be mistaken for the day.
const FORMS = [
  String.raw`${ORDINAL_DAY}[-\s]+${MONTH_NAME}[-,\s]+(?<year>[1-9]\d{3})`,
  String.raw`${MONTH_NAME}\s+${ORDINAL_DAY},?\s+(?<year>[1-9]\d{3})`,
  String.raw`(?<year>[1-9]\d{3})(?<mark>[-/.])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})`,
].map((date) => {
  const weekday = String.raw`(?:(?<weekday>[a-z]{3,9})\.?,?\s+)?`;
  const clock = String.raw`(?<hour>\d{1,2}):(?<minute>[0-5]\d)\s*(?<half>[ap]\.?m\.?)?`;
  return new RegExp(String.raw`^${weekday}${date}(?:,?\s+(?:at\s+)?|t)${clock}$`, 'i');
});

function readLocal(text: string): string | null {
  if (SECONDS.test(text)) return null;
  const written = text.replace(WITH_DOTS, '$3-$2-$1 $4:$5').trim();
  const groups = FORMS.map((form) => form.exec(written)?.groups).find((found) => found !== undefined);
  if (groups === undefined) return null;
  const { year, month = '', day, suffix, weekday, hour, minute, half } = groups;
  const monthNumber = /^\d+$/.test(month) ? Number(month) : indexOfName(MONTHS, month) + 1;
  const date = `${year}-${twoDigits(monthNumber)}-${twoDigits(Number(day))}`;
  const hours = hourOf(Number(hour), half);
  const midnight = new Date(`${date}T00:00Z`);
  // `Date` takes the 31st of February for the 3rd of March, and no time for one at all.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date) || hours === null)
    return null;
  if (suffix !== undefined && suffix.toLowerCase() !== suffixOf(Number(day))) return null;
  if (weekday !== undefined && indexOfName(WEEKDAYS, weekday) !== midnight.getUTCDay()) return null;
  return `${date}T${twoDigits(hours)}:${minute}`;
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
  if (half === undefined) return hour < 24 ? hour : null;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0);
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
