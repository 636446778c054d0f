/** Whether a value is a promise, by the same test as in graphql-js: it has a `then` method. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return isObjectLike(value) && typeof (value as { readonly then?: unknown }).then === 'function';
}

/** Whether a value is an object or a function, and so can have properties of its own. */
export function isObjectLike(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Marks promises whose results are no longer needed as handled, to avoid unhandled rejections. */
export function ignoreRejections(values: readonly unknown[]): void {
  const promises = values.filter(isPromise);
  if (promises.length > 0) void Promise.allSettled(promises);
}

const SETTLED = Promise.resolve();

/** Calls a function one microtask later, without the async resource that Node.js creates for each `queueMicrotask`. */
export function afterMicrotask(run: () => void): void {
  void SETTLED.then(run);
}
