import type { OperationContext } from '../context.ts';
import { PagingError } from '../lists/errors.ts';
import type { NodeType } from '../records/global-id.ts';
import { InputError } from './errors.ts';

// What a field costs is counted in calls to the service, and told beside its resolver: as the loaders share calls within
// an operation, so do fields share them in the estimate, by giving the same name to the same calls.

/** Records that a place in an operation may show. */
export interface Holding {
  readonly type: NodeType;
  /** Which part of the records is in hand: the name of the place that they were read from. */
  readonly part: string;
  /** The same for the same records, wherever they are shown. */
  readonly name: string;
  /** Most records that there can be. */
  readonly count: number;
}

/** Takes down the calls of an operation; what has the same name is made once. */
export interface Bill {
  /** So many calls at most; told twice, the larger number counts. */
  add(name: string, calls: number): void;
}

/** A field in an operation, before anything is executed. */
export interface PlannedField<Args = Readonly<Record<string, unknown>>> {
  readonly args: Args;
  /** The records that the field is read from. */
  readonly holdings: readonly Holding[];
  /** Where the field stands; no other field of the operation stands there. */
  readonly place: string;
  readonly context: OperationContext;
  readonly bill: Bill;
}

/**
 * Takes down what a field costs at most while the service holds still and answers. Gives the records that the field
 * shows; nothing where they are those that it is read from. What the field's own resolver would throw over its
 * arguments, before any call, may be thrown here too.
 */
export type FieldCost = (field: PlannedField) => readonly Holding[] | undefined;

/** Puts its cost on a field: `...costs((field) => …)` among its options. `Args` are those that its resolver gets. */
export function costs<Args>(cost: (field: PlannedField<Args>) => readonly Holding[] | undefined | void) {
  return { extensions: { cost: cost as FieldCost } };
}

/** Puts a fixed number of calls on a field that shares none of them, as a write does not. */
export function costsCalls(calls: number) {
  return costs(({ place, bill }) => bill.add(place, calls));
}

/**
 * Takes down what a field costs, and gives the records that it shows; null where its resolver will refuse its arguments
 * before any call.
 */
export function planField(
  { extensions }: { readonly extensions: Readonly<Record<string, unknown>> },
  field: PlannedField,
): readonly Holding[] | null {
  const { cost } = extensions;
  if (typeof cost !== 'function') return field.holdings;
  try {
    return (cost as FieldCost)(field) ?? field.holdings;
  } catch (error) {
    if (error instanceof InputError || error instanceof PagingError) return null;
    throw error;
  }
}
