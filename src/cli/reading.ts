import { UnusableFile } from '../bulk/unusable-file.ts';
import type { Config } from '../config.ts';
import { PagingError } from '../lists/errors.ts';
import { openLog, type Log } from '../observability/log.ts';
import { SourceError } from '../sources/errors.ts';
import { callFailureOf } from './call-failure.ts';

/** The log of a command for people: warnings on standard error, and more where the operator asks for it. */
export function readingLog({ logLevel }: Pick<Config, 'logLevel'>): Log {
  const level = logLevel === 'info' ? 'warn' : logLevel;
  return openLog(level, (line) => void process.stderr.write(line));
}

/** Why the service or a file could not be read, in words for the operator; other errors are thrown on. */
export function problemOfReading(error: unknown): string {
  if (error instanceof UnusableFile) return error.message;
  if (error instanceof PagingError)
    return 'SCAN_LIMIT_REACHED: the list is longer than this command reads, or did not hold still while it was read. Try again in a moment.';
  if (error instanceof SourceError && error.kind === 'unauthenticated')
    return 'API_KEY: is not accepted by the current surface.';
  const { reason } = callFailureOf(error);
  return `The current surface could not be read: ${reason}.`;
}
