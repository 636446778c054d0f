import type { EnumRef, GenericFieldRef, ShapeFromTypeParam, TypeParam } from '@pothos/core';
import { isNonNullType } from 'graphql';
import type { DataReads } from '../../packages/executor/src/run.ts';
import type { OperationContext } from '../operation/operation.ts';
import {
  partWith,
  readAccount,
  type AccountField,
  type AccountFields,
  type AccountRecord,
} from '../records/account.ts';
import { readGroup, type AccountGroupRecord } from '../records/account-group.ts';
import type { AiGenerationRecord } from '../records/ai-generation.ts';
import type { Group } from '../sources/current/groups.ts';
import type { AiText } from '../sources/current/openai.ts';
import { plainReader, reportUnfamiliar, SourceRecord, viewOf, type AnyView } from '../sources/view.ts';
import type { KeyedResult } from '../writes/write.ts';
import type { Types } from './builder.ts';

// Fields declared as data: each shows an entry of its record, and is read without a resolver where that can be.

/** The entries that fields of a source can show. */
type EntriesOf<S> = S extends AccountRecord
  ? AccountFields
  : S extends AccountGroupRecord
    ? Group
    : S extends AiGenerationRecord
      ? Omit<AiText, 'text'>
      : S extends { readonly part: infer P }
        ? P
        : S extends { readonly key: string; readonly value: infer V extends object }
          ? V
          : S extends { readonly result: { readonly data: infer D } }
            ? NonNullable<D>
            : S;

/** A field that shows an entry of type T: the entry with the field's name, unless another is given. */
class Shown<T, E extends string> {
  readonly options: ShownOptions;
  readonly entry: E | undefined;
  /** For the compiler only: the values that the field can show. */
  declare readonly takes: (value: T) => void;

  constructor(options: ShownOptions, entry: E | undefined) {
    this.options = options;
    this.entry = entry;
  }
}

export interface ShownOptions {
  readonly type: TypeParam<Types>;
  readonly description: string;
  readonly nullable?: boolean;
  /** Returns the name of a code, or undefined for one that this version does not recognise. */
  readonly nameOf?: (code: string) => string | undefined;
}

/** Declares a field that shows an entry: an object, an enum value, or a list. */
export function field<P extends TypeParam<Types>, E extends string = never>(
  type: P,
  description: string,
  entry?: E,
): Shown<ShapeFromTypeParam<Types, P, true>, E> {
  return new Shown({ type, description }, entry);
}

function scalar<P extends keyof Types['outputShapes']>(type: P) {
  return <E extends string = never>(description: string, entry?: E) => field(type, description, entry);
}

export const string = scalar('String');
export const boolean = scalar('Boolean');
export const int = scalar('Int');
export const float = scalar('Float');
export const serviceId = scalar('ServiceId');
export const url = scalar('URL');
export const dateTime = scalar('DateTime');
export const json = scalar('JSON');

/** Declares that a field always has a value. */
export function nonNull<T, E extends string>({ options, entry }: Shown<T, E>): Shown<NonNullable<T>, E> {
  return new Shown({ ...options, nullable: false }, entry);
}

/** The codes of an entry. */
interface Codes<E extends string, N extends string> {
  readonly entry: E;
  /** The names of the known codes. */
  readonly names: Readonly<Record<string, N>>;
  /** Whether the service may write a code in upper case. */
  readonly ignoreCase?: boolean;
}

/** Declares a field that shows the name of a code, or `UNKNOWN` for one that is not recognised, which is reported. */
export function coded<E extends string, N extends string>(
  type: EnumRef<Types, N | 'UNKNOWN'>,
  description: string,
  { entry, names, ignoreCase = false }: Codes<E, N>,
): Shown<string | null, E> {
  const nameOf = (code: string) => {
    const known = ignoreCase ? code.toLowerCase() : code;
    return Object.hasOwn(names, known) ? names[known] : undefined;
  };
  return new Shown({ type, description, nameOf }, entry);
}

type OtherEntry<V> = { readonly [K in keyof V & string]: Shown<V[K], K> }[keyof V & string];

/**
 * Defines the fields of an object type, in order. Those declared as data must fit the entries of the type's records that
 * they show.
 */
export function shown<S extends object, N extends string>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, S>,
  fields: {
    readonly [K in N]:
      | GenericFieldRef
      | (K extends keyof EntriesOf<S> ? Shown<EntriesOf<S>[K], never> : OtherEntry<EntriesOf<S>>);
  },
): Record<N, GenericFieldRef> {
  const members: [string, GenericFieldRef | Shown<never, string>][] = Object.entries(fields);
  const defined = members.map(([name, member]) => [
    name,
    member instanceof Shown ? t.field(optionsOf(member.options, member.entry ?? name)) : member,
  ]);
  return Object.fromEntries(defined) as Record<N, GenericFieldRef>;
}

function optionsOf({ type, description, nullable = true, nameOf }: ShownOptions, shows: string) {
  // The values fit the type, as `shown` has checked.
  const read = (source: object, _args: object, context: OperationContext) =>
    readEntry(source, shows, context) as never;
  if (nameOf === undefined) return { type, description, nullable, resolve: read, extensions: { shows } };
  const as = (code: unknown) => (typeof code === 'string' ? nameOf(code) : code);
  const resolve = (source: object, args: object, context: OperationContext) => {
    const name = as(read(source, args, context));
    if (name !== undefined) return name as never;
    reportUnfamiliar(holderOf(source), shows);
    return 'UNKNOWN' as never;
  };
  return { type, description, nullable, resolve, extensions: { shows, as } };
}

/** Reads an entry; for a record whose part does not have it, from where the rest of the record is read. */
function readEntry(source: object, name: string, context: OperationContext): unknown {
  const value: unknown = Reflect.get(holderOf(source), name);
  if (value !== undefined) return value;
  const record = source as AccountRecord | AccountGroupRecord | { readonly type?: never };
  if (record.type === 'Account') return readAccount(record, name as AccountField, context);
  return record.type === 'AccountGroup' ? readGroup(record, name as keyof Group, context) : null;
}

/** Returns what holds the entries of a source: its row, the data of a write, or the source itself. */
function holderOf(source: object): object {
  const row = DATA.rowOf(source);
  if (row !== undefined) return row;
  return 'result' in source ? ((source as KeyedResult<object>).result.data ?? {}) : source;
}

/** The extensions of a field that shows data of its record. */
interface Shows {
  /** The entry of the record's view. */
  readonly shows?: string;
  /** Converts a value that is not shown as it is; undefined, as from undefined, leaves it to the resolver. */
  readonly as?: (value: unknown) => unknown;
}

/** Reads what fields show of the service's records without their resolvers. */
export const DATA: DataReads = {
  // The row of a record is its part, and that of a map's entry is its value.
  rowOf(source) {
    if (typeof source !== 'object' || source === null) return undefined;
    if (source instanceof SourceRecord) return source;
    const { part, value = part } = source as { readonly part?: unknown; readonly value?: unknown };
    return value instanceof SourceRecord ? value : undefined;
  },
  kindOf: viewOf,
  readerOf({ type, args, extensions }, kind) {
    const { shows, as }: Shows = extensions;
    const read = shows === undefined || args.length > 0 ? undefined : plainReader(kind as AnyView, shows);
    if (read === undefined) return undefined;
    const inResult = as === undefined ? read : (row: object) => as(read(row));
    return isNonNullType(type) ? (row) => inResult(row) ?? undefined : inResult;
  },
  loaderOf({ args, extensions }, kind) {
    const { shows }: Shows = extensions;
    if (shows === undefined || args.length > 0 || shows in (kind as AnyView).fields) return undefined;
    return (source, context) => {
      const account = source as AccountRecord | { readonly type?: never };
      if (account.type !== 'Account') return null;
      return partWith(account, shows as AccountField, context as OperationContext);
    };
  },
};
