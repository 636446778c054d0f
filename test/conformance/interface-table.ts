import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { ReadPlace, Shows } from '../support/probes.ts';
import { whenPresent, type Reading } from '../support/readings.ts';
import type { MutationName } from '../support/writes.ts';

/** A field of the service that the graph leaves out, and why. */
export interface Omission {
  readonly omitted: string;
}

/** Each documented field of a record by its own name, dotted, with `0` in lists and `*` in maps. */
export type FieldTable = Readonly<Record<string, Shows | Omission>>;

/** A call whose answer the graph shows, field by field. */
export interface ReadCall extends ReadPlace {
  readonly fields: FieldTable;
  /** Objects, maps and lists of the record that must be as a whole what they are documented to be. */
  readonly wholes: Readonly<Record<string, Shows>>;
  /** Fields whose damage changes more than where they show: ids, days, features. Tests of their own show that. */
  readonly apart: readonly string[];
  /** Fields of the answer outside its records. */
  readonly around: Readonly<Record<string, readonly string[] | Omission>>;
}

/** A call with an effect, whose answer the payload of a mutation shows. */
export interface WriteAnswer {
  readonly mutation: MutationName;
  /** Type of the graph that shows the answer. */
  readonly type: string;
  readonly fields: FieldTable;
  /** What is put into the answer first, so that nothing in it is empty. */
  readonly sample: Readonly<Record<string, unknown>>;
}

/** Every call of the interface that answers records. */
export type InterfaceTable = Readonly<Partial<Record<EndpointName, ReadCall | WriteAnswer>>>;

/** The same reason for several fields. */
export function allOmitted(names: readonly string[], omitted: string): Record<string, Omission> {
  return Object.fromEntries(names.map((name) => [name, { omitted }]));
}

const PROSE = { omitted: 'prose for people, perhaps translated; nothing may depend on it' };
const PLACING = { omitted: 'says where the records of the page stand; cursors carry it' };

/** What a page of the current surface says beside its records; `connection` is where the graph shows its list. */
export function pageOf(connection: string): ReadCall['around'] {
  return {
    message: PROSE,
    'response.currentPage': PLACING,
    'response.pageLimit': PLACING,
    'response.totalPages': { omitted: 'follows from the length and the page size' },
    'response.totalRecords': [`${connection}.totalCount`],
  };
}

export const RECORD_AROUND: ReadCall['around'] = { message: PROSE };

export const SECRET = { omitted: 'a credential of the connected account' };

/** Ids of as many copies of a record as one operation is to show. */
export const copyIds = (makeId: (number: number) => unknown) => (): unknown[] =>
  Array.from({ length: 60 }, (_, index) => makeId(900_000 + index));

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const isObject = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value);

/** Null where an empty object, or what the service sends in place of one, stands; an error for anything else. */
const nothing = whenPresent(
  (value) => (isEmpty(value) || isObject(value) ? { value: null } : 'malformed'),
  (value) => value,
);

/** A list of which each element may be missing: an empty one is empty. */
export const list = whenPresent(
  (value) => (isEmpty(value) ? { value: [] } : 'malformed'),
  (value) => value,
);

/** What an object shows whose fields the graph spreads over the record: null in each without the object. */
export function spread(fields: FieldTable, wire: string): Shows {
  const inner = Object.entries(fields).filter(
    ([name, entry]) => name.startsWith(`${wire}.`) && !('omitted' in entry),
  );
  const paths = inner.flatMap(([, entry]) => Object.keys(entry));
  return Object.fromEntries(paths.map((path) => [path, nothing]));
}

/** The same for an object whose objects the graph shows as objects: those are null as a whole. */
export function spreadInto(fields: FieldTable, wire: string, depth: number): Shows {
  const paths = Object.keys(spread(fields, wire));
  return Object.fromEntries(paths.map((path) => [path.split('.').slice(0, depth).join('.'), nothing]));
}

/** The network of an account whose platform can't be told. */
export const unknownNetwork: Reading = { of: () => ({ value: 'UNKNOWN' }), other: (value) => value };
