import type { EndpointName } from '../../src/sandbox/endpoints.ts';
import type { ReadPlace, Shows } from '../support/reading-fields.ts';
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
