import { defineEnum } from './builder.ts';
import { InputError } from './errors.ts';

// Every sortable list takes `orderBy`: a list of steps, each with a `field` and a `direction`. Lists that take only one
// step take it as `order` as well.

export const OrderDirection = defineEnum('OrderDirection', 'Sort direction.', {
  ASC: 'Ascending: smallest first, A to Z.',
  DESC: 'Descending: largest first, Z to A.',
});

/** The arguments of a list that takes one step. */
interface OneStep<T> {
  readonly order?: T | null | undefined;
  readonly orderBy?: readonly T[] | null | undefined;
}

/** Returns the step of an order where the service takes one, or null. Throws an InputError if there are more. */
export function onlyStep<T>({ order, orderBy }: OneStep<T>): T | null {
  if (order != null && orderBy != null) throw new InputError('order cannot be combined with orderBy.');
  const [step = null, second] = orderBy ?? [];
  if (second !== undefined)
    throw new InputError(
      'orderBy must have only one criterion, because the service does not support more for this list.',
    );
  return order ?? step;
}

/** Describes `order` and `orderBy` of a list that takes one step. */
export const ONE_STEP = {
  order: 'Sort order. Defaults to the service’s own.',
  orderBy: 'Alternative to `order`: a list of one sort criterion. Cannot be combined with it.',
} as const;
