/** Whether a value is a promise, by the same test as in graphql-js: it has a `then` method. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return isObjectLike(value) && typeof (value as { readonly then?: unknown }).then === 'function';
}

/** Whether a value is an object or a function, that is, whether it can have properties of its own. */
export function isObjectLike(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Marks promises whose results are no longer needed as handled, so that none becomes an unhandled rejection. */
export function ignoreRejections(values: readonly unknown[]): void {
  const promises = values.filter(isPromise);
  if (promises.length > 0) void Promise.allSettled(promises);
}

const SETTLED = Promise.resolve();

/** Calls a function a microtask later, without the resource that `queueMicrotask` of Node.js makes for each. */
export function afterMicrotask(run: () => void): void {
  void SETTLED.then(run);
}
