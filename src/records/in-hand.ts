/**
 * Makes something of a value that is in hand, or of one that is still being read. What is in hand is not waited for: of
 * a list, there would be a promise for each field of each record.
 */
export function whenRead<T, R>(value: T | Promise<T>, make: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(make) : make(value);
}
