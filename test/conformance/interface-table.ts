import { isDeepStrictEqual } from 'node:util';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { MISSING } from '../support/sandbox.ts';
import type { Outcome } from '../support/faults.ts';
import type { MutationName } from '../support/writes.ts';
import type { RunningGraph } from '../support/graph.ts';

// What a row of the table of the interface says: what the service sends in a field, and what the graph makes of it.

/** Whether a value is what the interface documents a field to hold. */
export type Kind = (value: unknown) => boolean;

/** How one field of the graph reads one field of the service. */
export interface Reading {
  /** What the service sends. */
  readonly kind: Kind;
  /** What the graph makes of a value; `before` is what it showed of the undamaged one. */
  readonly of: (value: unknown, before: unknown) => Outcome;
  /** Another value of the documented kind. */
  readonly other: (value: unknown) => unknown;
}

/** Where a field of the service shows in the graph, below the record, and how it is read there. */
export type Shows = Readonly<Record<string, Reading>>;

/** A field of the service that the graph leaves out, and why. */
export interface Omission {
  readonly omitted: string;
  readonly kind: Kind;
}

/** Each documented field of a record by its own name, dotted, with `0` in lists and `*` in maps. */
export type FieldTable = Readonly<Record<string, Shows | Omission>>;

interface Answer {
  /** Type of the graph that shows the answer, or a record of it. */
  readonly type: string;
  /** Objects of the answer that may come as null or as an empty list. */
  readonly optional?: readonly string[];
  readonly fields: FieldTable;
  /** What is put into the record first, before other values into all that is empty. */
  readonly sample?: Readonly<Record<string, unknown>>;
}

/** A call whose answer the graph shows, field by field. */
export interface ReadCall extends Answer {
  readonly endpoint: EndpointName;
  /** Where a record stands in the service's answer, dotted; `#` stands for its index in a list. */
  readonly record: string;
  /** Where a record stands in the operation's data, dotted; `#` stands for its index. */
  readonly where: string;
  /** Reads so many records, or the one that there is. */
  readonly query: (selection: string, graph: RunningGraph, count: number) => string;
  /** The field that holds a record's own id, and the ids under which one operation reads copies of one record. */
  readonly copies?: { readonly wire: string; readonly ids: (graph: RunningGraph) => readonly unknown[] };
  /** Objects, maps and lists of the record that must be as a whole what they are documented to be. */
  readonly wholes: Readonly<Record<string, Shows>>;
  /** Fields whose damage changes more than where they show: ids, days, features. Tests of their own show that. */
  readonly apart: readonly string[];
  /** Fields of the answer outside its records. */
  readonly around: Readonly<Record<string, readonly string[] | Omission>>;
}

/** A call with an effect, whose answer the payload of a mutation shows. */
export interface WriteAnswer extends Answer {
  readonly mutation: MutationName;
}

/** Every call of the interface that answers records. */
export type InterfaceTable = Readonly<Partial<Record<EndpointName, ReadCall | WriteAnswer>>>;

export const isOmission = (entry: object): entry is Omission => 'omitted' in entry;

// Kinds of values

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
export const isNumber = (value: unknown): value is number => typeof value === 'number';
/** A number that may have more digits than JavaScript's have. */
export const isLongNumber: Kind = (value) => isNumber(value) || typeof value === 'bigint';
/** Of undocumented shape; null and an empty list stand for none. */
export const isObject: Kind = (value) => typeof value === 'object';
export const isListOf =
  <T>(fits: (value: unknown) => value is T) =>
  (value: unknown): value is T[] =>
    Array.isArray(value) && value.every(fits);
export const isListOfObjects: Kind = (value) => Array.isArray(value) && value.every((item) => isObject(item));
export const matches =
  (pattern: RegExp): Kind =>
  (value) =>
    isText(value) && pattern.test(value);

const isInteger = (value: unknown): value is number => isNumber(value) && Math.abs(value) < 2 ** 31;
const isLetter = (value: unknown): value is string => value === 'Y' || value === 'N';
const isId = (value: unknown): value is string | number | bigint =>
  isText(value) || typeof value === 'bigint' || Number.isSafeInteger(value);
const isUrl = (value: unknown): value is string => isText(value) && URL.canParse(value);
const isIso = (value: unknown): value is string =>
  isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value);
const isEpoch = (value: unknown): value is string | number =>
  !Array.isArray(value) && !isFlag(value) && Number(value) >= 0 && Number(value) < 1e14;
const isAnything = (value: unknown): value is unknown => value !== undefined;
const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const isRecord = (value: unknown): value is object => typeof value === 'object' && !Array.isArray(value);

/** True for what the service sends in place of nothing. */
const isAbsent = (value: unknown): boolean => value === MISSING || value === null || value === '';

// Readings

type Make = (value: unknown, before: unknown) => Outcome;

/** A reading that is null, without an error, of what is absent. */
export function whenPresent(kind: Kind, of: Make, other: Reading['other']): Reading {
  return { kind, of: (value, before) => (isAbsent(value) ? { value: null } : of(value, before)), other };
}

/** Reads what a field of that kind holds otherwise, and only that. */
export const only = (kind: Kind, other: unknown, shown: unknown): Reading =>
  whenPresent(
    kind,
    () => ({ value: shown }),
    () => other,
  );

/** Reads what fits as it is, or as `shown` makes it; everything else is malformed. */
function fitting<T>(
  fits: (value: unknown) => value is T,
  other: (value: T) => unknown,
  shown = (value: T): unknown => value,
): Reading {
  return whenPresent(
    fits,
    (value) => (fits(value) ? { value: shown(value) } : 'malformed'),
    (value) => other(value as T),
  );
}

/** The same reading of a field that is sent as another kind of value. */
export const sentAs = (kind: Kind, reading: Reading): Reading => ({ ...reading, kind });

/** The one, or the other where the one is there already. */
const either =
  (one: unknown, other: unknown): Reading['other'] =>
  (value) =>
    isDeepStrictEqual(value, one) ? other : one;

const nextId = (value: string | number | bigint): unknown =>
  isText(value) ? `${value}7` : Number(value) + 7;
const epochIso = (value: string | number): unknown =>
  Number(value) === 0 ? null : new Date(Number(value)).toISOString();

export const text = fitting(isText, (value) => `${value} again`);
export const code = fitting(isText, (value) => `${value}-again`);
export const id = sentAs(isText, fitting(isId, nextId, String));
export const numericId = sentAs(isLongNumber, id);
export const integer = sentAs(
  isNumber,
  fitting(isInteger, (value) => value + 7),
);
export const decimal = fitting(isNumber, (value) => value + 7.5);
export const flag = fitting(isFlag, (value) => !value);
export const letter = fitting(
  isLetter,
  (value) => (value === 'Y' ? 'N' : 'Y'),
  (value) => value === 'Y',
);
export const url = sentAs(
  isText,
  fitting(isUrl, (value) => `${value || 'https://kelpgate.example'}/again`),
);
export const instant = fitting(
  isIso,
  either('2031-05-06T07:08:09.000Z', '2026-01-02T03:04:05.000Z'),
  (value) => new Date(value).toISOString(),
);
/** Epoch milliseconds, in the form in which they came. */
export const epoch = fitting(
  isEpoch,
  (value) => (isText(value) ? String(Number(value) + 86_400_000) : value + 86_400_000),
  epochIso,
);
export const urls = sentAs(
  isListOf(isText),
  fitting(isListOf(isUrl), (value) => [...(value ?? []), 'https://kelpgate.example/again']),
);
export const texts = fitting(isListOf(isText), (value) => [...(value ?? []), 'again']);
export const ids = fitting(
  isListOf(isId),
  (value) => [...(value ?? []), 77],
  (value) => value.map(String),
);
export const integers = fitting(isListOf(isInteger), (value) => [...(value ?? []), 7]);
/** A shape that the interface does not document, as it came. */
export const json = fitting(isAnything, either({ again: [1, 'two'] }, { again: [2] }));
/** An object of undocumented shape; an empty list stands for none. */
export const jsonObject = whenPresent(
  isObject,
  (value) => ({ value: isEmpty(value) ? null : value }),
  json.other,
);
export const jsons = sentAs(
  isListOfObjects,
  fitting(isListOf(isAnything), (value) => [...(value ?? []), { again: true }]),
);
/** A number where a flag is declared; a flag tells no number. */
export const percent = whenPresent(
  isNumber,
  (value) => (isFlag(value) ? { value: null } : decimal.of(value, null)),
  decimal.other,
);

/** Text that may hold markup; what holds none is as it came. */
export const words: Reading = { ...text, other: either('It failed.', 'It failed again.') };

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
  ...platform,
  of: (value) => ({ value: (isText(value) ? NETWORKS[value.split('-')[0] ?? ''] : undefined) ?? 'UNKNOWN' }),
};

/** A date or time in the service's words, of which `other` is one that reads otherwise. */
export const label = (kind: Kind, other: string): Reading => ({ ...text, kind, other: () => other });

/** What follows from several labels: nothing once one of them reads otherwise than the rest. */
export function agreement(disagreeing: string): Reading {
  return {
    kind: isText,
    of: (value, before) => {
      if (isAbsent(value)) return { value: before };
      if (!isText(value)) return 'malformed';
      return { value: value === disagreeing ? null : before };
    },
    other: () => disagreeing,
  };
}

// Permissions: how the state follows from each of its facts, where all others say yes as far as they can be read.

/** The letter of the list of accounts, beside a detail that can't be read. */
export const listedPermission: Reading = {
  ...letter,
  of: (value) => ({ value: value === 'N' ? 'DENIED' : 'UNKNOWN' }),
};

/** One of the two facts of the detail; where another place says no, that stands. */
export const permissionFact: Reading = {
  kind: isFlag,
  of: (value, before) => {
    if (value === false || before === 'DENIED') return { value: 'DENIED' };
    return { value: value === true || isAbsent(value) ? 'GRANTED' : 'UNKNOWN' };
  },
  other: (value) => value !== true,
};

// Objects, lists and maps as wholes

/** What stands for a whole is documented field by field, so that no value is its other one. */
const whole = (of: Make): Reading => whenPresent(isObject, of, (value) => value);

/** Null where an empty list stands for none, what is made of an object, and an error for anything else. */
const objectAs = (made: (value: object, before: unknown) => unknown): Reading =>
  whole((value, before) => {
    if (isEmpty(value)) return { value: null };
    return isRecord(value) ? { value: made(value, before) } : 'malformed';
  });

/** What an object shows that has no known fields, where the graph shows them in the record itself. */
const nothing = objectAs(() => null);

/** A list of which each element may be missing: an empty one is empty. */
export const list = whole((value) => (isEmpty(value) ? { value: [] } : 'malformed'));

/** A nested record: one without known fields shows null in each. */
export const record = objectAs((_value, before) => withoutValues(before));

/** A map as the list that the graph shows, by the key of each entry. */
function entriesOf(map: object, shownAs: (key: string, value: unknown) => unknown): unknown {
  const shown = Object.entries(map).map(([key, value]) => [key, shownAs(key, value)]);
  return shown.length === 0 ? [] : Object.fromEntries(shown);
}

/** A map of mentions: each entry that is an object becomes a mention, whatever stands in it. */
export const mentions = objectAs((value, before) => {
  const [mention] = Object.values(before ?? {});
  return entriesOf(value, (key) => ({ ...withoutValues(mention), key }));
});

/** A map of features: what is neither text nor number is shown as JSON. */
export const planFeatures = objectAs((value) =>
  entriesOf(value, (key, one) => ({ key, isEnabled: null, limit: null, text: JSON.stringify(one) })),
);

/** A map by image: each entry must be a list. */
export const taggedPeople = whole((value) => {
  if (isEmpty(value)) return { value: null };
  return isMapOfLists(value) ? { value: [] } : 'malformed';
});

export const isMapOfLists: Kind = (value) =>
  isRecord(value) && Object.values(value).every((entry) => Array.isArray(entry));

/** Days of a posting schedule: one without a known day has none. */
export const schedule = whole((value) => {
  if (Array.isArray(value)) return { value: null };
  return isRecord(value) ? { value: [] } : 'malformed';
});

/** Both facts of the detail at once; `isListed` where the list of accounts tells one more. */
export function permissionFacts({ isListed }: { readonly isListed: boolean }): Reading {
  return {
    ...permissionFact,
    of: (value, before) => {
      if (before === 'DENIED') return { value: 'DENIED' };
      const isReadable = isAbsent(value) || value === 'null' || isEmpty(value) || isRecord(value);
      return { value: isListed && isReadable ? 'GRANTED' : 'UNKNOWN' };
    },
  };
}

/** The network of an account whose platform can't be told. */
export const unknownNetwork: Reading = { ...network, of: () => ({ value: 'UNKNOWN' }) };

/** The same shape with null in each field. */
function withoutValues(shown: unknown): Record<string, null> {
  return Object.fromEntries(Object.keys(shown ?? {}).map((name) => [name, null]));
}

/**
 * What an object shows whose fields the graph spreads over the record: null in each without the object, or else in the
 * objects at a depth of their paths.
 */
export function spread(fields: FieldTable, wire: string, depth?: number): Shows {
  const paths = Object.entries(fields).flatMap(([name, entry]) =>
    name.startsWith(`${wire}.`) && !isOmission(entry) ? Object.keys(entry) : [],
  );
  return Object.fromEntries(paths.map((path) => [path.split('.').slice(0, depth).join('.'), nothing]));
}

/** The same fields with other names, and shown elsewhere. */
export function within(fields: FieldTable, wirePrefix: string, pathPrefix: string): FieldTable {
  return Object.fromEntries(
    Object.entries(fields).map(([wire, entry]) => [
      wirePrefix + wire,
      isOmission(entry)
        ? entry
        : Object.fromEntries(Object.entries(entry).map(([path, reading]) => [pathPrefix + path, reading])),
    ]),
  );
}

// Omissions

export const omit = (omitted: string, kind: Kind = isText): Omission => ({ omitted, kind });

/** What the service sends in a field. */
export function kindOf(entry: Shows | Omission): Kind {
  if (isOmission(entry)) return entry.kind;
  const [reading] = Object.values(entry);
  if (!reading) throw new Error('a field that shows nowhere needs a reason');
  return reading.kind;
}

/** The same reason for several fields. */
export function allOmitted(fields: FieldTable, prefix: string, reason: string): FieldTable {
  return Object.fromEntries(
    Object.entries(fields).map(([name, entry]) => [prefix + name, omit(reason, kindOf(entry))]),
  );
}

const PROSE = omit('prose for people, perhaps translated; nothing may depend on it');
const PLACING = omit('says where the records of the page stand; cursors carry it', isNumber);

/** What a page of the current surface says beside its records; `connection` is where the graph shows its list. */
export function pageOf(connection: string): ReadCall['around'] {
  return {
    message: PROSE,
    'response.currentPage': PLACING,
    'response.pageLimit': PLACING,
    'response.totalPages': omit('follows from the length and the page size', isNumber),
    'response.totalRecords': [`${connection}.totalCount`],
  };
}

export const RECORD_AROUND: ReadCall['around'] = { message: PROSE };

export const SECRET = omit('a credential of the connected account');
