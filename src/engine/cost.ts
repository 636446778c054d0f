// What a field costs is counted in calls to the service, and stated beside its resolver. As the loaders share calls within
// an operation, fields share them in the estimate: they give the same name to the same calls.

/** Records that one position of an operation may show. */
export interface ResultSet {
  /** The name of the object type of the records. */
  readonly type: string;
  /** Which part of the records has been read: the name of the place that they were read from. */
  readonly part: string;
  /** The same for the same records, wherever they are shown. */
  readonly name: string;
  /** Most records that there can be. */
  readonly count: number;
}

/** Adds up the calls of an operation. */
export interface CostTally {
  /** Adds calls at most; calls of the same name are made once, and the largest number counts. */
  add(name: string, calls: number): void;
}

/** A field of an operation, before anything is executed. */
export interface PlannedField<Args = Readonly<Record<string, unknown>>, Context = unknown> {
  readonly args: Args;
  /** The records that the field is read from. */
  readonly sets: readonly ResultSet[];
  /** Where the field is in the response. No other field of the operation is there. */
  readonly place: string;
  readonly context: Context;
  readonly tally: CostTally;
}

/**
 * Adds what a field costs at most while the service answers and its lists do not change.
 *
 * @returns the records that the field shows; nothing if they are those that it is read from; null if its resolver will
 * refuse its arguments before any call.
 */
export type FieldCost = (field: PlannedField) => readonly ResultSet[] | undefined | null;

/** The cost of a field of the schema, where it has one. */
export function costOf({
  extensions,
}: {
  readonly extensions: Readonly<Record<string, unknown>>;
}): FieldCost | null {
  const { cost } = extensions;
  return typeof cost === 'function' ? (cost as FieldCost) : null;
}
