import { builder } from './builder.ts';
import { InputError } from './errors.ts';

// Every sortable list takes `orderBy`: a list of steps, each with a `field` and a `direction`.

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Sort direction.',
  values: {
    ASC: { description: 'Ascending: smallest first, A to Z.' },
    DESC: { description: 'Descending: largest first, Z to A.' },
  } as const,
});

/** Returns the only step of an order where the service takes one, or null. Throws an InputError if there are more. */
export function onlyStep<T>(orderBy: readonly T[] | null | undefined): T | null {
  const [step = null, second] = orderBy ?? [];
  if (second !== undefined)
    throw new InputError('orderBy has more than one step, which the service does not take here.');
  return step;
}
