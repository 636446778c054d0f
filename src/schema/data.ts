import { isNonNullType } from 'graphql';
import type { DataReads } from '../../packages/executor/src/run.ts';
import { plainReader, SourceRecord, viewOf, type AnyView } from '../sources/view.ts';

/** The extensions of a field that shows data of its record. */
interface Shows {
  /** The field of the record's view. */
  readonly shows?: string;
  /** Converts a value that is not shown as it is; undefined leaves it to the resolver. */
  readonly as?: (value: unknown) => unknown;
  /** Added by Pothos where a field exposes a property of its source, which is the view itself. */
  readonly pothosExposedField?: string;
}

/** Reads what fields show of the service's records without their resolvers. */
export const DATA: DataReads = {
  rowOf(source) {
    if (typeof source !== 'object' || source === null) return undefined;
    if (source instanceof SourceRecord) return source;
    const { part } = source as { readonly part?: unknown };
    return part instanceof SourceRecord ? part : undefined;
  },
  kindOf: viewOf,
  readerOf({ type, args, extensions }, kind) {
    const { pothosExposedField, shows = pothosExposedField, as }: Shows = extensions;
    const read = shows === undefined || args.length > 0 ? undefined : plainReader(kind as AnyView, shows);
    if (read === undefined) return undefined;
    const shown = as === undefined ? read : (row: object) => shownAs(read(row), as);
    return isNonNullType(type) ? (row) => shown(row) ?? undefined : shown;
  },
};

function shownAs(value: unknown, as: (value: unknown) => unknown): unknown {
  return value === undefined ? undefined : as(value);
}
