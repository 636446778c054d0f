/** How long an orderly end may take, in milliseconds. */
const HARD_STOP_MS = 28_000;

/** Ends the process in order on SIGTERM and SIGINT; at once on a second signal, or when the end takes too long. */
export function closeOnSignal(close: () => Promise<void>): void {
  let isClosing = false;
  const onSignal = (): void => {
    if (isClosing) process.exit(1);
    isClosing = true;
    setTimeout(() => process.exit(0), HARD_STOP_MS).unref();
    close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
