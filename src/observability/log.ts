import { pino, type Logger } from 'pino';
import { forPeople } from './log-lines.ts';

/** The log: one JSON line an event, on standard output or wherever `write` sends it; in a terminal, a line for people. */
export type Log = Pick<Logger, 'error' | 'warn' | 'info' | 'debug' | 'isLevelEnabled'>;

/** How much is logged. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Opens a log.
 *
 * Only what a caller of it names is written; errors are reduced to their class, message, code and stack, and their
 * causes likewise, since other properties of a transport error may hold what was sent.
 */
export function openLog(level: LogLevel, write?: (line: string) => void): Log {
  const options = {
    level,
    base: null,
    serializers: { err: describeError },
    formatters: { level: (name: string) => ({ level: name }) },
  };
  const told = write ?? (process.stdout.isTTY ? forPeople((text) => process.stdout.write(text)) : null);
  return told === null ? pino(options) : pino(options, { write: told });
}

interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

const MAX_CAUSES = 5;

function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'something other than an error was thrown' };
  return {
    type: error.name,
    message: error.message,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined || depth >= MAX_CAUSES
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}
