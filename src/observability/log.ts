import { pino, type Logger } from 'pino';
import { forPeople } from './log-lines.ts';

/** The log: one JSON line per event, on standard output or to `write`; formatted in a terminal. */
export type Log = Pick<Logger, 'error' | 'warn' | 'info' | 'debug' | 'isLevelEnabled'>;

/** Log levels. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Opens a log.
 *
 * Only fields named by the caller are written. Errors and their causes are reduced to their class, message, code and
 * stack, because other properties of a transport error may contain what was sent.
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
    return { type: typeof error, message: 'a value other than an Error was thrown' };
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
