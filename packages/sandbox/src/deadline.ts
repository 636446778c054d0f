/**
 * Waits until `done` returns true, checking again whenever `watch` reports a change.
 *
 * Rejects after `timeoutMs` with the text of `describe`.
 */
export function untilDeadline(
  done: () => boolean,
  watch: (run: () => void) => () => void,
  { timeoutMs, describe }: { readonly timeoutMs: number; readonly describe: () => string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const check = () => {
      if (!done()) return;
      clearTimeout(timer);
      unwatch();
      resolve();
    };
    const unwatch = watch(check);
    const timer = setTimeout(() => {
      unwatch();
      reject(new Error(`${describe()} after ${timeoutMs} ms`));
    }, timeoutMs);
    check();
  });
}
