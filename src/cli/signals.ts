import type { Log } from '../observability/log.ts';
import { watchParent } from './parent.ts';

/** How a process ends. */
export interface OrderlyEnd {
  readonly close: () => Promise<void>;
  /** How long that may take, in milliseconds. */
  readonly withinMs: number;
  /** The exit status after a signal, asked for when it is closed; 0 unless told. */
  readonly status?: () => number;
}

/** A terminal's Ctrl-C comes twice under npm, which passes on what the process has had already. */
const SAME_SIGNAL_MS = 100;

/**
 * Ends the process in order on SIGTERM, on SIGINT and when npm has gone that started it, with status 0 or another that is told, and after an error that nobody caught, with status 1; at
 * once on a second signal, or when the orderly end takes too long.
 */
export function endInOrder(log: Log, { close, withinMs, status = () => 0 }: OrderlyEnd): void {
  let endingSince: number | null = null;
  const end = (code: () => number): void => {
    if (endingSince !== null) return;
    endingSince = performance.now();
    setTimeout(() => process.exit(code()), withinMs).unref();
    close().then(
      () => process.exit(code()),
      () => process.exit(1),
    );
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (endingSince !== null && performance.now() - endingSince > SAME_SIGNAL_MS) process.exit(1);
    if (endingSince === null) log.info({ signal }, 'shutting down; a second signal ends the process at once');
    end(status);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  watchParent(() => end(status));
  // What state the process is in after that, nobody knows: what runs may end, and nothing new is begun.
  process.on('uncaughtException', (error: unknown) => {
    log.error({ err: error ?? null }, 'an error that nobody caught ends the process');
    end(() => 1);
  });
}
