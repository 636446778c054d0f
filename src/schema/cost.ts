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
 * Puts its cost on a field: `...costs((field) => …)` among its options. `Args` are those that its resolver gets. What the
 * resolver would throw over its arguments, before any call, may be thrown by the cost as well.
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

/** Puts a fixed number of calls on a field that shares none of them, as a write does not. */
export function costsCalls(calls: number) {
  return costs(({ place, tally }) => tally.add(place, calls));
}
