import { InputError } from './errors.ts';

/** Returns the elements of a filter list. Throws an InputError if it is empty, since it would match nothing. */
export function notEmpty<T>(values: readonly T[], argument: string): readonly T[] {
  if (values.length === 0) throw new InputError(`${argument} must not be empty; omit it to list all.`);
  return values;
}
