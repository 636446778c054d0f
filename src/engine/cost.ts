// The cost of a field is counted in calls to the service and stated beside its resolver. Fields whose loaders share
// calls within an operation share them in the estimate by giving them the same name.

/** Records that one position of an operation may show. */
export interface ResultSet {
  /** The name of the object type of the records. */
  readonly type: string;
  /** The part of the records that has been read: the name of the position that they were read from. */
  readonly part: string;
  /** The same for the same records, wherever they are shown. */
  readonly name: string;
  /** The maximum number of records. */
  readonly count: number;
}

/** Adds up the calls of an operation. */
export interface CostTally {
  /** Adds the maximum number of calls. Calls of the same name are made once; the largest number counts. */
  add(name: string, calls: number): void;
}

/** A field of an operation, before anything is executed. */
export interface PlannedField<Args = Readonly<Record<string, unknown>>, Context = unknown> {
  readonly args: Args;
  /** The records that the field is read from. */
  readonly sets: readonly ResultSet[];
  /** The field's position in the response, which is unique within the operation. */
  readonly place: string;
  readonly context: Context;
  readonly tally: CostTally;
}

/**
 * Adds the maximum cost of a field, assuming that the service responds and its lists do not change.
 *
 * @returns the records that the field shows; undefined if they are those that it is read from; null if its resolver
 * will reject its arguments before any call.
 */
export type FieldCost = (field: PlannedField) => readonly ResultSet[] | undefined | null;

/** Returns the cost function of a field of the schema, or null if it has none. */
export function costOf({
  extensions,
}: {
  readonly extensions: Readonly<Record<string, unknown>>;
}): FieldCost | null {
  const { cost } = extensions;
  return typeof cost === 'function' ? (cost as FieldCost) : null;
}
