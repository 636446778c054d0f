import type { Config } from '../config.ts';
import { PagingError } from '../lists/errors.ts';
import { openLog, type Log } from '../observability/log.ts';
import { SourceError } from '../sources/errors.ts';
import { callFailureOf } from './call-failure.ts';

/** Opens the log of an interactive command: warnings on standard error, and more if the operator configures it. */
export function readingLog({ logLevel }: Pick<Config, 'logLevel'>): Log {
  const level = logLevel === 'info' ? 'warn' : logLevel;
  return openLog(level, (line) => void process.stderr.write(line));
}

/** Explains to the operator why the service could not be read; rethrows any other error. */
export function problemOfReading(error: unknown): string {
  if (error instanceof PagingError)
    return 'SCAN_LIMIT_REACHED: the list is too long, or changed while it was read. Try again in a moment.';
  if (error instanceof SourceError && error.kind === 'unauthenticated')
    return `API_KEY: was rejected by the current surface.${saidBy(error)}`;
  const { reason } = callFailureOf(error);
  return `The current surface could not be read: ${reason}.`;
}

/** Returns the service's own words about an error as another sentence; an empty text if there are none. */
export function saidBy({ details: { serviceMessage } }: SourceError): string {
  return serviceMessage === undefined ? '' : ` It says: ${serviceMessage}`;
}
