import { driftError, Mismatch, reportDrift, shownName, type Origin } from './drift.ts';
import { assertSourceError } from './errors.ts';
import { isTooDeep } from './json.ts';
import { nameKind } from './secret-names.ts';
import { blankCredentialParameters } from './secret-texts.ts';

/**
 * Decodes one value of the service's JSON. Throws a Mismatch if the interface does not document such a value. An object
 * or list that is passed on undecoded must go through `withoutSecrets` first.
 */
export type Decoder<T> = {
  (value: unknown, holder: SourceRecord): T | null;
  /** Returns a value as it is in a result, if its type alone shows it to be valid; otherwise undefined. */
  readonly plain?: Plain;
};

/** The short form of a decoder, for the values that nearly all records have. */
export type Plain = (value: unknown) => unknown;

/** One field of a record: the service's names for it, with dots for nested ones, and its decoder. */
export interface Field<T> {
  /** The first of these with a value is used. */
  readonly wire: readonly string[];
  readonly decode: Decoder<T>;
}

/** The fields of a kind of record, by the schema's names. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** A record as resolvers see it: each property reads and decodes one field of the JSON on access. */
export type View<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]['decode']> };

/** Creates views of one kind of record. */
export interface ViewOf<F extends Fields> {
  (wire: unknown, origin: Origin): View<F>;
  readonly fields: F;
  /** All documented field names of such a record. */
  readonly documented: ReadonlySet<string>;
}

/** What all views have. */
export type AnyView = Pick<ViewOf<Fields>, 'fields' | 'documented'>;

/** The view that a `ViewOf` creates. */
export type Seen<V> = V extends ViewOf<infer F> ? View<F> : never;

/** Names a field of the JSON, or several alternatives, and its decoder; '' is the record itself. */
export function field<T>(wire: string | readonly string[], decode: Decoder<T>): Field<T> {
  return { wire: typeof wire === 'string' ? [wire] : wire, decode };
}

const WIRE = Symbol('wire');
const ORIGIN = Symbol('origin');
const VIEW = Symbol('view');

/**
 * The parsed JSON of one record, shared by the readers of a response and never changed. Only this file reads its fields,
 * as the view declares them.
 */
export class SourceRecord {
  // Declared only: a class field would also be initialised to undefined, for each record.
  declare readonly [WIRE]: unknown;
  declare readonly [ORIGIN]: Origin;
  /** The view that created it. */
  declare readonly [VIEW]: AnyView;

  constructor(wire: unknown, origin: Origin) {
    this[WIRE] = wire;
    this[ORIGIN] = origin;
  }
}

/**
 * Returns the JSON behind a view to be kept and read later by views of the same kind: its documented fields, without
 * those that are nested too deep to be written as JSON.
 */
export function wireOf(view: object): object {
  const {
    [WIRE]: wire,
    [VIEW]: { documented },
  } = view as SourceRecord;
  if (!isObject(wire)) return {};
  return Object.fromEntries(
    Object.entries(wire).filter(([name, value]) => documented.has(name) && !isTooDeep(value)),
  );
}

/** Returns the fields of a view by name, each with a function that reads it as the view does. */
export function fieldsOf(view: SourceRecord): [name: string, read: () => unknown][] {
  const fields: [string, () => unknown][] = [];
  // The fields of a view are getters of its prototype.
  for (const name in view) fields.push([name, () => Reflect.get(view, name)]);
  return fields;
}

/** Returns the origin of the record behind a view. */
export function originOf(view: object): Origin {
  return (view as SourceRecord)[ORIGIN];
}

/**
 * Declares a kind of record as an allow-list: a field that is not listed here cannot be read. An absent or empty field
 * reads as null; a field that deviates from its documentation throws a SourceError of kind `malformed`, without
 * affecting other fields.
 *
 * @param unread - names of documented fields that this view ignores
 */
export function defineView<F extends Fields>(
  fields: F,
  { unread = [] }: { readonly unread?: Iterable<string> } = {},
): ViewOf<F> {
  const read = Object.values(fields).flatMap(({ wire }) => wire.map((path) => stepsOf(path)[0] ?? ''));
  const documented: ReadonlySet<string> = new Set([...read, ...unread]);
  class Viewed extends SourceRecord {}
  for (const [name, { wire, decode }] of Object.entries(fields)) {
    const compiled = { paths: wire.map(stepsOf), decode, only: onlyStepOf(wire) };
    Object.defineProperty(Viewed.prototype, name, {
      enumerable: true,
      get(this: SourceRecord) {
        return readField(this, compiled);
      },
    });
  }
  const view = (wire: unknown, origin: Origin): View<F> => new Viewed(wire, origin) as SourceRecord & View<F>;
  const defined = Object.assign(view, { fields, documented });
  Object.defineProperty(Viewed.prototype, VIEW, { value: defined });
  return defined;
}

/** Returns the view that a record was created by. */
export function viewOf(row: object): AnyView {
  return (row as SourceRecord)[VIEW];
}

/**
 * Returns a function that reads a field of a view's records as it is in a result: null if it is absent, and undefined
 * unless its value is plainly of its type. Undefined if the view has no such field, or its decoder no such form.
 */
export function plainReader({ fields }: AnyView, name: string): ((row: object) => unknown) | undefined {
  const { wire = [], decode } = fields[name] ?? {};
  const plain = decode?.plain;
  if (plain === undefined) return undefined;
  const paths = wire.map(stepsOf);
  const only = onlyStepOf(wire);
  return (row) => {
    const json = (row as SourceRecord)[WIRE];
    if (!isObject(json)) return undefined;
    const value = only === null ? firstPresent(json, paths, plainStepInto) : json[only];
    return isAbsent(value) ? null : plain(value);
  };
}

/** Steps into an object; anything else is not plain, and neither is any decoder's value. */
function plainStepInto(value: unknown, step: string): unknown {
  if (isObject(value)) return value[step];
  return isAbsent(value) ? null : NOT_PLAIN;
}

const NOT_PLAIN = Symbol('not plain');

/** A field with its names split into steps. */
interface CompiledField {
  readonly paths: readonly (readonly string[])[];
  readonly decode: Decoder<unknown>;
  /** The step of a field with a single name of one step, as most have; null otherwise. */
  readonly only: string | null;
}

/** Splits a path into a record into steps; '' is the record itself. */
function stepsOf(path: string): readonly string[] {
  return path === '' ? [] : path.split('.');
}

function onlyStepOf(names: readonly string[]): string | null {
  const [steps = [], ...others] = names.map(stepsOf);
  const [step = null, ...deeper] = steps;
  return others.length === 0 && deeper.length === 0 ? step : null;
}

function readField(holder: SourceRecord, { paths, decode, only }: CompiledField): unknown {
  const wire = holder[WIRE];
  try {
    const value = only === null ? firstPresent(wire, paths) : stepInto(wire, only);
    return isAbsent(value) ? null : decode(value, holder);
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw driftError(holder[ORIGIN], paths[0]?.join('.') ?? '', error);
  }
}

function firstPresent(wire: unknown, paths: CompiledField['paths'], into = stepInto): unknown {
  for (const steps of paths) {
    let value = wire;
    for (const step of steps) value = into(value, step);
    if (!isAbsent(value)) return value;
  }
  return null;
}

function stepInto(value: unknown, step: string): unknown {
  if (!isObject(value)) {
    if (isAbsent(value) || isNone(value)) return null;
    throw new Mismatch('an object');
  }
  const child = value[step];
  return isInherited(child) ? null : child;
}

// Every object inherits functions and its prototype; JSON contains neither. `Object.hasOwn` costs ten times as much.
function isInherited(value: unknown): boolean {
  return typeof value === 'function' || value === Object.prototype;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is one that the service sends for a missing value. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Whether a value is one that the service sends for an empty object. */
export function isNone(value: unknown): boolean {
  return value === 'null' || (Array.isArray(value) && value.length === 0);
}

/** Whether a value is one that the service sends for an empty list. Alone, an empty object does not prove it. */
export function isNoList(value: unknown): boolean {
  return isAbsent(value) || isNone(value) || (isObject(value) && Object.keys(value).length === 0);
}

/** Maximum number of undocumented fields reported per record. */
const MAX_REPORTED = 100;

/** Creates a view of a record and reports its undocumented fields. */
export function inspected<F extends Fields>(view: ViewOf<F>, wire: unknown, origin: Origin): View<F> {
  const viewed = view(wire, origin);
  if (!isObject(wire)) return viewed;
  let count = 0;
  for (const name in wire) {
    if (view.documented.has(name)) continue;
    reportDrift(origin, shownName(name), 'no such field');
    if ((count += 1) === MAX_REPORTED) break;
  }
  return viewed;
}

/** Creates views of the records of a list. They are of one kind, so inspecting one is enough. */
export function viewsOf<F extends Fields>(
  view: ViewOf<F>,
  rows: readonly unknown[],
  origin: Origin,
): View<F>[] {
  return rows.map((row, index) => (index === 0 ? inspected(view, row, origin) : view(row, origin)));
}

/** Reports an unknown code of an open vocabulary. */
export function reportUnfamiliar(view: object, name: string): void {
  reportDrift(originOf(view), name, 'a known code');
}

/** Decodes a nested record; an empty array or the string `null` means none. */
export function record<F extends Fields>(view: ViewOf<F>): Decoder<View<F>> {
  return (value, holder) => {
    if (isNone(value)) return null;
    if (!isObject(value)) throw new Mismatch('an object');
    return view(value, holder[ORIGIN]);
  };
}

/** An entry of a map keyed by an id or a URL. */
export interface Entry<T> {
  readonly key: string;
  readonly value: T;
}

/**
 * Decodes a map as a list of its entries, in the service's order; an empty array means an empty map. An absent entry
 * reads as `absent`, or is omitted if that is not given.
 */
export function mapOf<T>(element: Decoder<T>, { absent }: { readonly absent?: T } = {}): Decoder<Entry<T>[]> {
  return (value, holder) => {
    if (isNone(value)) return null;
    if (!isObject(value)) throw new Mismatch('a map');
    const entries: Entry<T>[] = [];
    for (const [name, child] of Object.entries(value)) {
      if (nameKind(name) === 'credential') continue;
      const decoded = isAbsent(child) ? absent : element(child, holder);
      if (decoded != null) entries.push({ key: blankCredentialParameters(name), value: decoded });
    }
    return entries;
  };
}

/** Reads from a view; null if the value is damaged. For searches through many records, any of which may be damaged. */
export function readable<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch (error) {
    assertSourceError(error);
    return null;
  }
}
