const LOOK_MS = 500;

/**
 * Calls `onGone` when npm or npx, having started this process, has ended: on a signal they leave their child running,
 * and nobody could stop it any more. A process started by anything else may well be meant to outlive its
 * parent.
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
