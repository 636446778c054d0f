import { driftError, reportDrift, type Origin } from './drift.ts';
import { SourceError } from './errors.ts';
import { Mismatch } from './mismatch.ts';
import { cleanCopy, cleanKey, cleanMapKey, cleanText } from './redact.ts';
import { NO_SECRETS, secretsIn, type Secrets } from './secrets.ts';
import { SHORTEST_SECRET } from './survey.ts';
import { shapeFor, shapeOfRecord, stepsOf, type Shape, type Shaped } from './shape.ts';

/**
 * Turns one value of the service's JSON into its meaning; throws a Mismatch if the interface does not document such a
 * value. Texts arrive without the documented credentials of their record; whatever leaves an object or a list undecoded
 * must go through `cleaned` first.
 */
export type Decoder<T> = Shaped & ((value: unknown, holder: SourceRecord) => T | null);

/** One field of a record: the service's names for it, with dots for nested ones, and its decoder. */
export interface Field<T> {
  /** The first of these with a value counts. */
  readonly wire: readonly string[];
  readonly decode: Decoder<T>;
}

/** The fields of a kind of record, by the graph's names. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** A record as the graph sees it: each property reads and decodes one field of the JSON on access. */
export type View<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]['decode']> };

/** Makes views of one kind of record. */
export interface ViewOf<F extends Fields> {
  /** Pass the `holder` of a nested record, whose secrets are kept out of it as well. */
  (wire: unknown, origin: Origin, holder?: SourceRecord): View<F>;
  readonly fields: F;
  /** All names that the interface documents for such a record. */
  readonly documented: ReadonlySet<string>;
  readonly shape: Shape;
}

/** The view that a `ViewOf` makes. */
export type Seen<V> = V extends ViewOf<infer F> ? View<F> : never;

/** Names a field of the JSON, or several alternatives, and its decoder; '' is the record itself. */
export function field<T>(wire: string | readonly string[], decode: Decoder<T>): Field<T> {
  return { wire: typeof wire === 'string' ? [wire] : wire, decode };
}

const WIRE = Symbol('wire');
const ORIGIN = Symbol('origin');
const WHOLE = Symbol('whole');
const SECRETS = Symbol('secrets');
const SHAPE = Symbol('shape');

/**
 * The parsed JSON of one record, which readers of the same response share and nobody changes. Its fields can only be read
 * through the getters that `defineView` adds.
 */
export class SourceRecord {
  // Declared only: a class field would be initialised to undefined first, once more for each record.
  declare readonly [WIRE]: unknown;
  declare readonly [ORIGIN]: Origin;
  /** The record of the response that this one is, or is nested in. */
  declare readonly [WHOLE]: SourceRecord;
  /** The values of the secrets in the answer, collected when a text is first read; null if they may be shown. */
  declare [SECRETS]: Secrets | null | undefined;
  /** What the interface documents of such records. */
  declare readonly [SHAPE]: Shape;

  constructor(wire: unknown, origin: Origin, holder?: SourceRecord) {
    this[WIRE] = wire;
    this[ORIGIN] = origin;
    this[WHOLE] = holder === undefined ? this : holder[WHOLE];
    this[SECRETS] = undefined;
  }
}

function secretsOf(holder: SourceRecord): Secrets | null {
  const whole = holder[WHOLE];
  const known = whole[SECRETS];
  return known === undefined ? (whole[SECRETS] = whole[ORIGIN].secrets?.() ?? secretsIn(whole[WIRE])) : known;
}

/** A value of a record without secrets at any depth, as undocumented JSON where no shape says otherwise. */
export function cleaned(value: unknown, holder: SourceRecord, shape: Shape | null = null): unknown {
  const secrets = secretsOf(holder);
  return secrets === null ? value : cleanCopy(value, secrets, shape);
}

/** A value of a record; of a text, what is left without the documented credentials of the answer. */
export function withCleanText(value: unknown, holder: SourceRecord): unknown {
  if (typeof value !== 'string' || value.length < SHORTEST_SECRET) return value;
  const secrets = secretsOf(holder);
  return secrets === null ? value : cleanText(value, secrets);
}

/** The JSON behind a view without secrets; a view of the same kind reads it alike. Nobody may change it. */
export function wireOf(view: object): unknown {
  const viewed = view as SourceRecord;
  return cleaned(viewed[WIRE], viewed, viewed[SHAPE]);
}

/** Where the record behind a view came from. */
export function originOf(view: object): Origin {
  return (view as SourceRecord)[ORIGIN];
}

/** What `defineView` takes besides the fields. */
export interface ViewOptions {
  /** Documented fields that this view ignores. */
  readonly unread?: Iterable<string>;
  /** True for a record that consists of a secret which the caller asked for. */
  readonly showsSecrets?: boolean;
}

/**
 * Declares a kind of record as an allow-list: a field that is not named here cannot be read. A field that is absent or
 * empty reads as null; one that is not as documented throws a SourceError of kind `malformed`, which affects no other
 * field.
 */
export function defineView<F extends Fields>(
  fields: F,
  { unread = [], showsSecrets = false }: ViewOptions = {},
): ViewOf<F> {
  const shape = shapeOfRecord(Object.values(fields), unread);
  class Viewed extends SourceRecord {}
  Object.defineProperty(Viewed.prototype, SHAPE, { value: shape });
  for (const [name, { wire, decode }] of Object.entries(fields)) {
    const compiled = { paths: wire.map(stepsOf), decode, only: onlyStepOf(wire) };
    Object.defineProperty(Viewed.prototype, name, {
      enumerable: true,
      get(this: SourceRecord) {
        return readField(this, compiled);
      },
    });
  }
  const view = (wire: unknown, origin: Origin, holder?: SourceRecord): View<F> => {
    const viewed = new Viewed(wire, origin, holder);
    if (showsSecrets) viewed[SECRETS] = null;
    return viewed as SourceRecord & View<F>;
  };
  const read = Object.values(fields).flatMap(({ wire }) => wire.map((path) => stepsOf(path)[0] ?? ''));
  return Object.assign(view, { fields, shape, documented: new Set([...read, ...unread]) });
}

/** A field with its names split into steps. */
interface CompiledField {
  readonly paths: readonly (readonly string[])[];
  readonly decode: Decoder<unknown>;
  /** The step of a field that has one name of one step, as most have; null for others. */
  readonly only: string | null;
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
    return isAbsent(value) ? null : decode(withCleanText(value, holder), holder);
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw driftError(holder[ORIGIN], paths[0]?.join('.') ?? '', error);
  }
}

function firstPresent(wire: unknown, paths: CompiledField['paths']): unknown {
  for (const steps of paths) {
    let value = wire;
    for (const step of steps) value = stepInto(value, step);
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

// Every object inherits functions and its prototype; JSON holds neither. `Object.hasOwn` costs ten times as much.
function isInherited(value: unknown): boolean {
  return typeof value === 'function' || value === Object.prototype;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for what the service sends in place of a value that is not there. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** True for what the service sends in place of an object without content. */
export function isNone(value: unknown): boolean {
  return value === 'null' || (Array.isArray(value) && value.length === 0);
}

/** Fields of one record that are reported, if the interface does not document them. */
const MAX_REPORTED = 100;

/** Makes a view of a record and reports the fields of it that the interface does not document. */
export function inspected<F extends Fields>(view: ViewOf<F>, wire: unknown, origin: Origin): View<F> {
  const viewed = view(wire, origin);
  if (!isObject(wire)) return viewed;
  let count = 0;
  for (const name in wire) {
    if (view.documented.has(name)) continue;
    const secrets = secretsOf(viewed as SourceRecord & View<F>) ?? NO_SECRETS;
    const shown = cleanKey(name, secrets, { value: wire[name] });
    if (shown !== null) reportDrift(origin, shown, 'a record without it');
    if ((count += 1) === MAX_REPORTED) break;
  }
  return viewed;
}

/** Reports a code of an open vocabulary that this version does not know. */
export function reportUnfamiliar(view: object, name: string): void {
  reportDrift(originOf(view), name, 'a code that is known');
}

/** Decodes a nested record; an empty array or the text `null` stands for none. */
export function record<F extends Fields>(view: ViewOf<F>): Decoder<View<F>> {
  const decode = (value: unknown, holder: SourceRecord): View<F> | null => {
    if (isNone(value)) return null;
    if (!isObject(value)) throw new Mismatch('an object');
    return view(value, holder[ORIGIN], holder);
  };
  return Object.assign(decode, { shape: view.shape });
}

/** An entry of a map that the service keys by an id or an address. */
export interface Entry<T> {
  readonly key: string;
  readonly value: T;
}

/**
 * Decodes a map as a list of its entries, in the service's order; an empty array stands for an empty map. An absent entry
 * reads as `absent`, and is left out without it.
 */
export function mapOf<T>(element: Decoder<T>, { absent }: { readonly absent?: T } = {}): Decoder<Entry<T>[]> {
  const decode = (value: unknown, holder: SourceRecord): Entry<T>[] | null => {
    if (isNone(value)) return null;
    if (!isObject(value)) throw new Mismatch('a map');
    const secrets = secretsOf(holder) ?? NO_SECRETS;
    const entries: Entry<T>[] = [];
    for (const [name, child] of Object.entries(value)) {
      const key = cleanMapKey(name, secrets);
      if (key === null) continue;
      const decoded = isAbsent(child) ? absent : element(withCleanText(child, holder), holder);
      if (decoded != null) entries.push({ key, value: decoded });
    }
    return entries;
  };
  return Object.assign(decode, { shape: { entries: shapeFor(element) } });
}

/** What a view says, or null if that is damaged: for searches through many records, one of which may be damaged. */
export function readable<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}
