import { isAbsoluteUrl } from './absolute-url.ts';
import { plainText } from './plain-text.ts';
import { blankCredentialParameters } from './redact.ts';
import { shapeFor } from './shape.ts';
import { blankTokens } from './token-shapes.ts';
import { Mismatch } from './mismatch.ts';
import { cleaned, isAbsent, isNone, withCleanText, type Decoder, type SourceRecord } from './view.ts';
import { isOnCalendar } from './wall-clock.ts';

const DIGITS = /^-?\d+$/;
const NO_DATE = /^0000-/;
/** Instants outside these years are taken for damage or another unit, in epoch milliseconds. */
const EARLIEST_MS = Date.UTC(1990, 0, 1);
const LATEST_MS = Date.UTC(2200, 0, 1);

/** Plain text, as it came. */
export const text: Decoder<string> = (value) => {
  if (typeof value !== 'string') throw new Mismatch('text');
  return value;
};

/** Words of the service that may hold markup, as plain text; they may repeat a credential. */
export const markup: Decoder<string> = (value) => {
  if (typeof value !== 'string') throw new Mismatch('text');
  return blankTokens(blankCredentialParameters(plainText(value))) || null;
};

/** An id, as text with all its digits, whether it came as text or as a number. */
export const id: Decoder<string> = (value) => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  throw new Mismatch('an id');
};

/** A whole number of 32 bits, also where the digits came as text. */
export const integer: Decoder<number> = (value) => {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || (number | 0) !== number) throw new Mismatch('a whole number');
  return number;
};

/** Any finite number. */
export const decimal: Decoder<number> = (value) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Mismatch('a number');
  return value;
};

/** True or false as JSON has them. */
export const flag: Decoder<boolean> = (value) => {
  if (typeof value !== 'boolean') throw new Mismatch('true or false');
  return value;
};

/** One of exactly these texts, and what each means. */
export function oneOf<T>(meanings: Readonly<Record<string, T>>): Decoder<T> {
  const expected = Object.keys(meanings).join(' or ');
  return (value) => {
    if (typeof value !== 'string' || !Object.hasOwn(meanings, value)) throw new Mismatch(expected);
    return meanings[value] ?? null;
  };
}

/** `Y` or `N`. `N` is text, and so would count as true wherever it is not decoded. */
export const yesNo: Decoder<boolean> = oneOf({ Y: true, N: false });

/** An absolute address, as the service spells it. */
export const url: Decoder<string> = (value) => {
  if (value === 'null') return null;
  if (typeof value !== 'string' || !isAbsoluteUrl(value)) throw new Mismatch('an absolute URL');
  return value;
};

const ISO_INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** An ISO 8601 date-time that states its offset; without one it would be no instant. */
export const instant: Decoder<Date> = (value) => {
  if (typeof value !== 'string') throw new Mismatch('an ISO 8601 date-time with its offset');
  if (value === 'null' || NO_DATE.test(value)) return null;
  const date = new Date(value);
  const [year, month, day] = [value.slice(0, 4), value.slice(5, 7), value.slice(8, 10)];
  const isDate = ISO_INSTANT.test(value) && isOnCalendar(Number(year), Number(month), Number(day));
  if (!isDate || Number.isNaN(date.getTime())) throw new Mismatch('an ISO 8601 date-time with its offset');
  return date;
};

/** Epoch milliseconds, as a number or as text; zero stands for none. */
export const epochMilliseconds: Decoder<Date> = (value) => epoch(value, 1);

/** Epoch seconds, as a number or as text; zero stands for none. */
export const epochSeconds: Decoder<Date> = (value) => epoch(value, 1_000);

/** A time since the epoch whose unit the interface leaves open: milliseconds, or else seconds, whichever is plausible. */
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

/** `hh:mm AM/PM` as `HH:mm`. */
export const clockTime: Decoder<string> = (value) => {
  const match = typeof value === 'string' ? CLOCK_12.exec(value.trim()) : null;
  if (!match) throw new Mismatch('a time of the form hh:mm AM/PM');
  const hour = (Number(match[1]) % 12) + (match[3]?.toUpperCase() === 'PM' ? 12 : 0);
  return `${String(hour).padStart(2, '0')}:${match[2]}`;
};

/** A list of which `element` decodes each element; absent ones are left out. */
export function listOf<T>(element: Decoder<T>): Decoder<T[]> {
  const decode = (value: unknown, holder: SourceRecord): T[] | null => {
    if (value === 'null') return null;
    if (!Array.isArray(value)) throw new Mismatch('a list');
    const list: T[] = [];
    for (const item of value as unknown[]) {
      const decoded = isAbsent(item) ? null : element(withCleanText(item, holder), holder);
      if (decoded !== null) list.push(decoded);
    }
    return list;
  };
  return Object.assign(decode, { shape: { items: shapeFor(element) } });
}

const UNDOCUMENTED = { shape: null };

/** Data whose shape the interface does not document, without secrets. */
export const undocumented: Decoder<unknown> = Object.assign(
  (value: unknown, holder: SourceRecord) => cleaned(value, holder),
  UNDOCUMENTED,
);

/** An object of undocumented shape; an empty array or the text `null` stands for none. */
export const undocumentedObject: Decoder<unknown> = Object.assign(
  (value: unknown, holder: SourceRecord) => (isNone(value) ? null : cleaned(value, holder)),
  UNDOCUMENTED,
);

/** A list of undocumented elements in which each keeps its place; an absent element becomes an empty text. */
export const undocumentedPlaces: Decoder<unknown[]> = Object.assign(
  (value: unknown, holder: SourceRecord) => {
    if (value === 'null') return null;
    if (!Array.isArray(value)) throw new Mismatch('a list');
    return value.map((item: unknown) => cleaned(item ?? '', holder));
  },
  UNDOCUMENTED,
);
