import { assertSourceError, SourceError } from '../sources/errors.ts';
import { resultOfFailure, type WriteResult } from './outcome.ts';

/** Sends a write once, and converts its failure to a result; `howToFindOut` completes the message if it is unknown. */
export async function sendOnce<D>(
  send: () => Promise<WriteResult<D>>,
  howToFindOut: string,
): Promise<WriteResult<D>> {
  try {
    return await retryIfNotConnected(send);
  } catch (error) {
    assertSourceError(error);
    return resultOfFailure(error, howToFindOut);
  }
}

/**
 * Sends a write, and retries it once only if no connection could be made, so that none of it was sent.
 *
 * @throws whatever `send` throws
 */
export async function retryIfNotConnected<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'unreachable') return await send();
    throw error;
  }
}
