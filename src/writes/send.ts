import { SourceError } from '../sources/errors.ts';

/**
 * Sends a write once. Only when no connection came about, so that no byte can have left, is it tried once more.
 *
 * Fails as `send` does.
 */
export async function sendOnce<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'unreachable') return await send();
    throw error;
  }
}
