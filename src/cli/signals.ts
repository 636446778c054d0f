import type { Log } from '../observability/log.ts';

/** How a process shuts down. */
interface OrderlyEnd {
  readonly close: () => Promise<void>;
  /** How long that may take, in milliseconds. */
  readonly withinMs: number;
  /** Returns the exit status after a signal, evaluated once closed; 0 by default. */
  readonly status?: () => number;
  /** Whether to shut down as well when the reader of standard output has gone, or it can't be written. */
  readonly endsWithReader?: boolean;
}

/** Under npm, Ctrl-C in a terminal arrives twice: npm forwards a signal that the process has already received. */
const SAME_SIGNAL_MS = 100;

/**
 * Shuts down on SIGTERM and SIGINT, with status 0 or the one given, and with status 1 after an uncaught error; exits at
 * once on a second signal, or if the shutdown takes too long. Returns a function that shuts down with a status, 1 by
 * default, for when there is nothing left to do.
 */
export function endInOrder(
  log: Log,
  { close, withinMs, status = () => 0, endsWithReader = false }: OrderlyEnd,
): (code?: number) => void {
  let endingSince: number | null = null;
  const end = (code: () => number): void => {
    if (endingSince !== null) return;
    endingSince = performance.now();
    const limit = setTimeout(() => process.exit(code()), withinMs).unref();
    close()
      .finally(() => clearTimeout(limit))
      .then(
        () => process.exit(code()),
        () => process.exit(1),
      );
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (endingSince !== null && performance.now() - endingSince > SAME_SIGNAL_MS) process.exit(1);
    if (endingSince === null)
      log.info({ signal }, 'shutting down; a second signal ends the process immediately');
    end(status);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  if (endsWithReader)
    process.stdout.on('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'EPIPE' ? status : () => status() || 1),
    );
  // The process is then in an unknown state: work in progress may finish, but nothing new is started.
  process.on('uncaughtException', (error: unknown) => {
    log.error({ err: error ?? null }, 'uncaught error; ending the process');
    end(() => 1);
  });
  return (code = 1) => end(() => code);
}
