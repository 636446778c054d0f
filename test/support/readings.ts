import { MISSING } from './wire-changes.ts';
import type { Outcome } from './wrong-values.ts';

/** How one field of the graph reads one field of the service. */
export interface Reading {
  /** What the graph makes of a value; `before` is what it showed of the undamaged one. */
  readonly of: (value: unknown, before: unknown) => Outcome;
  /** Another value of the documented kind. */
  readonly other: (value: unknown) => unknown;
}

/** True for what the service sends in place of nothing. */
export function isAbsent(value: unknown): boolean {
  return value === MISSING || value === null || value === '';
}

type Make = (value: unknown, before: unknown) => Outcome;

/** A reading that is null, without an error, of what is absent. */
export function whenPresent(of: Make, other: Reading['other']): Reading {
  return { of: (value, before) => (isAbsent(value) ? { value: null } : of(value, before)), other };
}

/** Reads what fits as it is, or as `shown` makes it; everything else is malformed. */
function fitting<T>(
  fits: (value: unknown) => value is T,
  other: (value: T) => unknown,
  shown = (value: T): unknown => value,
) {
  return whenPresent(
    (value) => (fits(value) ? { value: shown(value) } : 'malformed'),
    (value) => other(value as T),
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isInteger = (value: unknown): value is number => isNumber(value) && Math.abs(value) < 2 ** 31;
const isLetter = (value: unknown): value is string => value === 'Y' || value === 'N';
const isId = (value: unknown): value is string | number | bigint =>
  isText(value) || typeof value === 'bigint' || Number.isSafeInteger(value);
const isUrl = (value: unknown): value is string => isText(value) && URL.canParse(value);
const isIso = (value: unknown): value is string => isText(value) && /^\d{4}-\d\d-\d\dT.*Z$/.test(value);
const isEpoch = (value: unknown): value is string | number =>
  Number(value) >= 0 && Number(value) < 1e14 && !isFlag(value);
const listOf =
  <T>(fits: (value: unknown) => value is T) =>
  (value: unknown): value is T[] =>
    Array.isArray(value) && value.every(fits);
const isAnything = (value: unknown): value is unknown => value !== undefined;

const nextId = (value: string | number | bigint): unknown =>
  isText(value) ? `${value}7` : Number(value) + 7;
const epochIso = (value: string | number): unknown =>
  Number(value) === 0 ? null : new Date(Number(value)).toISOString();

export const text = fitting(isText, (value) => `${value} again`);
export const code = fitting(isText, (value) => `${value}-again`);
export const id = fitting(isId, nextId, String);
export const integer = fitting(isInteger, (value) => value + 7);
export const decimal = fitting(isNumber, (value) => value + 7.5);
export const flag = fitting(isFlag, (value) => !value);
export const letter = fitting(
  isLetter,
  (value) => (value === 'Y' ? 'N' : 'Y'),
  (value) => value === 'Y',
);
export const url = fitting(isUrl, (value) => `${value}/again`);
export const instant = fitting(
  isIso,
  () => '2031-05-06T07:08:09.000Z',
  (value) => new Date(value).toISOString(),
);
/** Epoch milliseconds, in the form in which they came. */
export const epoch = whenPresent(
  (value) => (!Array.isArray(value) && isEpoch(value) ? { value: epochIso(value) } : 'malformed'),
  (value) => (isText(value) ? String(Number(value) + 86_400_000) : Number(value) + 86_400_000),
);
export const urls = fitting(listOf(isUrl), (value) => [...value, 'https://kelpgate.example/again']);
export const texts = fitting(listOf(isText), (value) => [...value, 'again']);
export const ids = fitting(
  listOf(isId),
  (value) => [...value, 77],
  (value) => value.map(String),
);
export const integers = fitting(listOf(isInteger), (value) => [...value, 7]);
/** A shape that the interface does not document, as it came. */
export const json = fitting(isAnything, () => ({ again: [1, 'two'] }));
/** An object of undocumented shape; an empty list stands for none. */
export const jsonObject = whenPresent(
  (value) => ({ value: Array.isArray(value) && value.length === 0 ? null : value }),
  json.other,
);
export const jsons = fitting(listOf(isAnything), (value) => [...value, { again: true }]);
/** A number where a flag is declared; a flag tells no number. */
export const percent = whenPresent(
  (value) => (isFlag(value) ? { value: null } : decimal.of(value, null)),
  decimal.other,
);

/** Text that may hold markup; what holds none is as it came. */
export const words = fitting(isText, () => 'It failed again.');

/** A name for each code, and one for a code that has none. */
export function named(names: Readonly<Record<string, string>>): Reading {
  return fitting(
    isText,
    (value) => `${value}-again`,
    (value) => names[value] ?? 'UNKNOWN',
  );
}

const NETWORKS: Readonly<Record<string, string>> = {
  facebook: 'FACEBOOK',
  instagram: 'INSTAGRAM',
  linkedin: 'LINKEDIN',
  tumblr: 'TUMBLR',
  twitter: 'X',
};

/** A platform's code, and the network that follows from it, which is unknown where the code can't be read. */
export const platform = fitting(isText, () => 'tumblr-blog');
export const network: Reading = {
  of: (value) => ({ value: (isText(value) ? NETWORKS[value.split('-')[0] ?? ''] : undefined) ?? 'UNKNOWN' }),
  other: platform.other,
};

/** A date or time in the service's words, of which `other` is one that reads otherwise. */
export function label(other: string): Reading {
  return fitting(isText, () => other);
}

/** What follows from several labels: nothing once one of them reads otherwise than the rest. */
export function agreement(disagreeing: string): Reading {
  return {
    of: (value, before) => {
      if (isAbsent(value)) return { value: before };
      if (!isText(value)) return 'malformed';
      return { value: value === disagreeing ? null : before };
    },
    other: () => disagreeing,
  };
}

/** A nested record: an empty list stands for none, and a record without known fields shows null in each. */
export const record = whenPresent(
  (value, before) => {
    if (Array.isArray(value)) return value.length === 0 ? { value: null } : 'malformed';
    return typeof value === 'object' ? { value: withoutValues(before) } : 'malformed';
  },
  (value) => value,
);

/** The same shape with null in each field. */
export function withoutValues(shown: unknown): unknown {
  return Object.fromEntries(Object.keys(shown ?? {}).map((name) => [name, null]));
}
