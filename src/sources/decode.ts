import { isAbsoluteUrl } from './absolute-url.ts';
import { Mismatch } from './drift.ts';
import { plainText } from './plain-text.ts';
import { blankAssignments, blankCredentialParameters, blankTokens } from './secret-texts.ts';
import { withoutSecrets } from './secrets.ts';
import { isAbsent, isNone, originOf, type Decoder, type Plain, type SourceRecord } from './view.ts';
import { isOnCalendar } from './wall-clock.ts';

const DIGITS = /^-?\d+$/;
const NO_DATE = /^0000-/;
/** Instants outside these years are assumed to be damaged or in another unit, in epoch milliseconds. */
const EARLIEST_MS = Date.UTC(1990, 0, 1);
const LATEST_MS = Date.UTC(2200, 0, 1);

/** A decoder of values that are in a result as they are; `read` returns undefined for any other value. */
function plainly<T>(expected: string, read: (value: unknown) => T | null | undefined): Decoder<T> {
  const decode = (value: unknown): T | null => {
    const decoded = read(value);
    if (decoded === undefined) throw new Mismatch(expected);
    return decoded;
  };
  return Object.assign(decode, { plain: read });
}

/** Plain text, unchanged. */
export const text = plainly('text', (value) => (typeof value === 'string' ? value : undefined));

/** Text of the service that may contain markup, as plain text. It may also repeat a credential. */
export const markup: Decoder<string> = (value) => {
  if (typeof value !== 'string') throw new Mismatch('text');
  return blankTokens(blankAssignments(blankCredentialParameters(plainText(value)))) || null;
};

/** An id as a string with all its digits, whether it arrived as a string or as a number. */
export const id = plainly('an id', (value) => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
});

/** Returns a 32-bit integer, which some responses contain as a string of digits; undefined for other values. */
export function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  return typeof number === 'number' && (number | 0) === number ? number : undefined;
}

/** A 32-bit integer, also accepted as a string of digits. */
export const integer = plainly('a whole number', wholeNumber);

/** Any finite number. */
export const decimal = plainly('a number', (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined,
);

/** A JSON boolean. */
export const flag = plainly('true or false', (value) => (typeof value === 'boolean' ? value : undefined));

const SPELLINGS = new Map<unknown, boolean>([
  ...[true, 1, '1', 'true', 'y', 'yes'].map((yes) => [yes, true] as const),
  ...[false, 0, '0', 'false', 'n', 'no'].map((no) => [no, false] as const),
]);

/** A JSON boolean, or what the service sends for one elsewhere: for flags that decide what is told of a write. */
export const flagInAnySpelling = plainly('true or false', (value) =>
  SPELLINGS.get(typeof value === 'string' ? value.toLowerCase() : value),
);

/** One of exactly these strings, mapped to its meaning. */
export function oneOf<T>(meanings: Readonly<Record<string, T>>): Decoder<T> {
  const known = new Map<unknown, T>(Object.entries(meanings));
  return plainly([...known.keys()].join(' or '), (value) => known.get(value));
}

/** `Y` or `N`. `N` is a string, and would be truthy if it were not decoded. */
export const yesNo = oneOf({ Y: true, N: false });

function urlIn(value: unknown): string | null | undefined {
  if (value === 'null') return null;
  return typeof value === 'string' && isAbsoluteUrl(value) ? value : undefined;
}

/** An absolute URL, in the service's spelling, whatever its parameters. */
export const privateUrl = plainly('an absolute URL', urlIn);

/** An absolute URL, in the service's spelling. Parameters that name a credential are blanked. */
export const url = plainly('an absolute URL', (value) => {
  const found = urlIn(value);
  return found && blankCredentialParameters(found);
});

const ISO_INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** An ISO 8601 date-time with an offset; without one it would not be an instant. */
export const instant: Decoder<Date> = Object.assign(readInstant, { plain: instantInUtc });

/** As in a result: in UTC, with milliseconds. The 29th of February is left to the calendar. */
const IN_UTC =
  /^[1-9]\d{3}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Returns a text that is an instant just as it is written in a result. */
function instantInUtc(value: unknown): unknown {
  return typeof value === 'string' && IN_UTC.test(value) ? value : undefined;
}

function readInstant(value: unknown): Date | null {
  if (typeof value !== 'string') throw new Mismatch('an ISO 8601 date-time with its offset');
  if (value === 'null' || NO_DATE.test(value)) return null;
  const date = new Date(value);
  const isDate = ISO_INSTANT.test(value) && isOnCalendar(`${value.slice(0, 10)}T00:00`);
  if (!isDate || Number.isNaN(date.getTime())) throw new Mismatch('an ISO 8601 date-time with its offset');
  return date;
}

/** Epoch milliseconds, as a number or a string; zero means none. */
export const epochMilliseconds: Decoder<Date> = (value) => epoch(value, 1);

/** Epoch seconds, as a number or a string; zero means none. */
export const epochSeconds: Decoder<Date> = (value) => epoch(value, 1_000);

/** A time since the epoch in an undocumented unit: milliseconds or seconds, whichever is plausible. */
export const epochOfEitherUnit: Decoder<Date> = (value) => {
  try {
    return epoch(value, 1);
  } catch {
    return epoch(value, 1_000);
  }
};

function epoch(value: unknown, unitMs: number): Date | null {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  if (number === 0) return null;
  if (typeof number !== 'number') throw new Mismatch('a time since the epoch');
  const milliseconds = number * unitMs;
  if (milliseconds < EARLIEST_MS || milliseconds > LATEST_MS)
    throw new Mismatch('a plausible time since the epoch');
  return new Date(milliseconds);
}

const CLOCK_12 = /^(0?[1-9]|1[0-2]):([0-5]\d)\s*(AM|PM)$/i;

/** Converts `hh:mm AM/PM` to `HH:mm`. */
export const clockTime: Decoder<string> = (value) => {
  const match = typeof value === 'string' ? CLOCK_12.exec(value.trim()) : null;
  if (!match) throw new Mismatch('a time of the form hh:mm AM/PM');
  const hour = (Number(match[1]) % 12) + (match[3]?.toUpperCase() === 'PM' ? 12 : 0);
  return `${String(hour).padStart(2, '0')}:${match[2]}`;
};

/** A list whose elements `element` decodes; absent elements are omitted. */
export function listOf<T>(element: Decoder<T>): Decoder<T[]> {
  const decode: Decoder<T[]> = (value, holder) => {
    if (value === 'null') return null;
    if (!Array.isArray(value)) throw new Mismatch('a list');
    const list: T[] = [];
    for (const item of value as unknown[]) {
      const decoded = isAbsent(item) ? null : element(item, holder);
      if (decoded !== null) list.push(decoded);
    }
    return list;
  };
  const { plain } = element;
  return plain ? Object.assign(decode, { plain: (value: unknown) => plainList(value, plain) }) : decode;
}

function plainList(value: unknown, plain: Plain): unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: unknown[] = [];
  for (const item of value as unknown[]) {
    const one = isAbsent(item) ? null : plain(item);
    if (one === undefined) return undefined;
    if (one !== null) list.push(one);
  }
  return list;
}

/** Data of undocumented shape, without secrets. */
export const undocumented: Decoder<unknown> = (value, holder) => withoutSecrets(value, originOf(holder));

/** An object of undocumented shape; an empty array or the string `null` means none. */
export const undocumentedObject: Decoder<unknown> = (value, holder) =>
  isNone(value) ? null : undocumented(value, holder);

/** A list of undocumented elements; absent ones are omitted. */
export const undocumentedList: Decoder<unknown[]> = (value, holder) =>
  elementsOf(value, holder)?.filter((item) => !isAbsent(item)) ?? null;

/** A list of undocumented elements that all keep their positions; an absent element becomes an empty string. */
export const undocumentedPlaces: Decoder<unknown[]> = (value, holder) =>
  elementsOf(value, holder)?.map((item) => item ?? '') ?? null;

// Without the secrets of the whole list: what one element names may recur in another one.
function elementsOf(value: unknown, holder: SourceRecord): unknown[] | null {
  if (value === 'null') return null;
  const list = undocumented(value, holder);
  if (!Array.isArray(list)) throw new Mismatch('a list');
  return list;
}
