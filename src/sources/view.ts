import { SourceError, type Surface } from './errors.ts';
import { pathTo, SealedRecord, type FieldPath } from './redact.ts';

/** Turns one wire value into its meaning; throws a Mismatch when the value is none that the interface documents. */
export type Decoder<T> = (value: unknown, origin: Origin) => T | null;

/** Thrown by a decoder; says what was expected, never what came. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
}

/** Where a record came from: needed to say which field of which endpoint was not as documented. */
export interface Origin {
  readonly surface: Surface;
  readonly endpoint: string;
  /** Told of each field that was not as documented. */
  readonly onDrift: (drift: Drift) => void;
}

/** A field of an endpoint that did not hold what the interface documents. */
export interface Drift {
  readonly surface: Surface;
  readonly endpoint: string;
  /** The service's own name of the field. */
  readonly field: string;
  readonly expected: string;
}

/** One field of a record: the service's names for it, dotted where it lies deeper, and how to read it. */
export interface Field<T> {
  /** The first of these that holds something counts. */
  readonly wire: readonly string[];
  readonly decode: Decoder<T>;
}

/** The fields of a kind of record, by the graph's names. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** A record as the graph sees it: each property reads and decodes one wire field when it is asked for. */
export type View<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]['decode']> };

/** Makes views of one kind of record. */
export interface ViewOf<F extends Fields> {
  (wire: unknown, origin: Origin): View<F>;
  readonly fields: F;
  /** The service's names of all that such a record may hold, as far as the interface documents it. */
  readonly documented: ReadonlySet<string>;
}

/** The view that a `ViewOf` makes. */
export type Seen<V> = V extends ViewOf<infer F> ? View<F> : never;

/** Names a wire field, with other names that it is known by, and says how to read it; '' is the record itself. */
export function field<T>(wire: string | readonly string[], decode: Decoder<T>): Field<T> {
  return { wire: typeof wire === 'string' ? [wire] : wire, decode };
}

const WIRE = Symbol('wire');
const ORIGIN = Symbol('origin');

/** The record behind a view, as plain data; its secrets are gone. */
export function wireOf(view: object): unknown {
  return opened((view as Backed)[WIRE]);
}

function opened(wire: unknown): unknown {
  return wire instanceof SealedRecord ? wire.open() : wire;
}

/** Where the record behind a view came from. */
export function originOf(view: object): Origin {
  return (view as Backed)[ORIGIN];
}

class Backed {
  readonly [WIRE]: unknown;
  readonly [ORIGIN]: Origin;

  constructor(wire: unknown, origin: Origin) {
    this[WIRE] = wire;
    this[ORIGIN] = origin;
  }
}

/**
 * Declares a kind of record; `unread` are the names of documented fields that none of its own read. A field that is absent or empty reads as null; one that is not as documented throws a
 * SourceError of kind `malformed`, so that it spoils nothing but itself.
 */
export function defineView<F extends Fields>(fields: F, unread: readonly string[] = []): ViewOf<F> {
  class Viewed extends Backed {}
  for (const [name, definition] of Object.entries(fields)) {
    const paths = definition.wire.map(pathTo);
    Object.defineProperty(Viewed.prototype, name, {
      enumerable: true,
      get(this: Backed) {
        return readField(this, paths, definition);
      },
    });
  }
  const view = (wire: unknown, origin: Origin): View<F> => new Viewed(wire, origin) as Backed & View<F>;
  const read = Object.values(fields).flatMap(({ wire }) => wire.map((path) => path.split('.')[0] ?? ''));
  return Object.assign(view, { fields, documented: new Set([...read, ...unread]) });
}

/** Reports the fields of a record that the interface does not document, and views it. */
export function inspected<F extends Fields>(view: ViewOf<F>, wire: unknown, origin: Origin): View<F> {
  for (const name of namesIn(wire, view.documented)) report(origin, name, 'a record without it');
  return view(wire, origin);
}

/** The names of a record's fields but those that are known already. */
function namesIn(wire: unknown, known: ReadonlySet<string>): string[] {
  if (wire instanceof SealedRecord) return wire.names(known);
  if (typeof wire !== 'object' || wire === null || Array.isArray(wire)) return [];
  return Object.keys(wire).filter((name) => !known.has(name));
}

/** Reports a code of an open vocabulary that has no name here yet. */
export function reportUnfamiliar(view: object, name: string): void {
  report(originOf(view), name, 'a code that is known');
}

/** A name that is told as it is; another could be anything, a secret too. */
const NAME = /^[A-Za-z_][\w-]{0,63}$/;

function report({ surface, endpoint, onDrift }: Origin, name: string, expected: string): void {
  onDrift({ surface, endpoint, field: NAME.test(name) ? name : '(no name)', expected });
}

function readField<T>(backed: Backed, paths: readonly FieldPath[], definition: Field<T>): T | null {
  try {
    const value = firstPresent(backed[WIRE], paths);
    return isAbsent(value) ? null : definition.decode(value, backed[ORIGIN]);
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw driftError(backed[ORIGIN], definition.wire[0] ?? '', error);
  }
}

function firstPresent(wire: unknown, paths: readonly FieldPath[]): unknown {
  for (const path of paths) {
    const value =
      wire instanceof SealedRecord ? wire.read(path, stepInto) : path.steps.reduce(stepInto, wire);
    if (!isAbsent(value)) return value;
  }
  return null;
}

function driftError(origin: Origin, wire: string, mismatch: Mismatch): SourceError {
  const { surface, endpoint } = origin;
  origin.onDrift({ surface, endpoint, field: wire, expected: mismatch.message });
  return new SourceError('malformed', surface, `${endpoint}: ${wire} is not ${mismatch.message}`, {
    endpoint,
  });
}

function stepInto(value: unknown, step: string): unknown {
  if (isAbsent(value) || isEmptyArray(value) || value === 'null') return null;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Mismatch('an object');
  return Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : null;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

// The service's way to send an object without content.
function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Decodes a nested record; an empty array or the text `null` stands for none. */
export function record<F extends Fields>(view: ViewOf<F>): Decoder<View<F>> {
  return (value, origin) => {
    if (isEmptyArray(value) || value === 'null') return null;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Mismatch('an object');
    return view(value, origin);
  };
}

/** An entry of a map that the service keys by an id or an address. */
export interface Entry<T> {
  readonly key: string;
  readonly value: T;
}

/**
 * Decodes a map as a list of its entries, in the service's order; an empty array stands for an empty map. An entry that
 * is absent reads as `absent`, or is left out.
 */
export function mapOf<T>(element: Decoder<T>, absent: T | null = null): Decoder<Entry<T>[]> {
  return (value, origin) => {
    if (isEmptyArray(value) || value === 'null') return null;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Mismatch('a map');
    return Object.entries(value).flatMap(([key, child]) => {
      const decoded = isAbsent(child) ? absent : element(child, origin);
      return decoded === null ? [] : [{ key, value: decoded }];
    });
  };
}

/** What a view says, or null where that is damaged: for those who look through many records, of which one may be. */
export function readable<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}
