import { SourceError } from '../sources/errors.ts';

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
