/**
 * Applies a function to a value or to the result of a promise. A plain value is not awaited: a list would otherwise
 * create a promise for each field of each record.
 */
export function mapMaybePromise<T, R>(
  value: T | Promise<T>,
  map: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise ? value.then(map) : map(value);
}
