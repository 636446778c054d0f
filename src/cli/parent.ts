const LOOK_MS = 500;

/**
 * Calls `onGone` when the process that started this one has ended, where that was npm or npx: it leaves what it runs behind
 * when it is told to end, and nobody could end that any more. Where somebody else has started this process, it may well be
 * meant to go on alone.
 */
export function watchParent(onGone: () => void, parent = process.ppid): void {
  if (process.env['npm_command'] === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, LOOK_MS);
  timer.unref();
}
