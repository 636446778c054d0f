import type { OperationContext } from '../operation/operation.ts';
import type { FieldCost, PlannedField as EnginePlannedField, ResultSet } from '../engine/cost.ts';
import { PagingError } from '../lists/errors.ts';
import { InputError } from './errors.ts';

export type { CostTally, ResultSet } from '../engine/cost.ts';

/** A field of an operation of this graph, before anything is executed. */
export type PlannedField<Args = Readonly<Record<string, unknown>>> = EnginePlannedField<
  Args,
  OperationContext
>;

/**
 * Declares the cost of a field: `...costs((field) => …)` among its options. `Args` are the arguments of its resolver.
 * The cost may throw the same argument errors that the resolver would throw before any call.
 */
export function costs<Args>(cost: (field: PlannedField<Args>) => readonly ResultSet[] | undefined | void) {
  const planned = (field: PlannedField<Args>): ReturnType<FieldCost> => {
    try {
      return cost(field) ?? undefined;
    } catch (error) {
      if (error instanceof InputError || error instanceof PagingError) return null;
      throw error;
    }
  };
  return { extensions: { cost: planned as FieldCost } };
}

/** Declares a fixed number of calls for a field that shares none of them, such as a write. */
export function costsCalls(calls: number) {
  return costs(({ place, tally }) => tally.add(place, calls));
}
