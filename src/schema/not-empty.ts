import { InputError } from './errors.ts';

/** The elements of a list of a filter. Throws an InputError for none, which would narrow every list to nothing. */
export function notEmpty<T>(values: readonly T[], argument: string): readonly T[] {
  if (values.length === 0) throw new InputError(`${argument} is empty; leave it out to list all.`);
  return values;
}
