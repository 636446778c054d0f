import { assertSourceError, type SourceError } from '../sources/errors.ts';

/**
 * Why a list could not be read as requested.
 *
 * - `BAD_USER_INPUT`: the paging arguments contradict each other or are out of range.
 * - `INVALID_CURSOR`: the cursor is damaged, of another version, or of another list.
 * - `SCAN_LIMIT_REACHED`: the result could not be determined within the allowed number of pages or details.
 */
export type PagingErrorCode = 'BAD_USER_INPUT' | 'INVALID_CURSOR' | 'SCAN_LIMIT_REACHED';

/** A list cannot be read as requested. The message is for the caller and names the argument. */
export class PagingError extends Error {
  override readonly name = 'PagingError';
  readonly code: PagingErrorCode;

  constructor(code: PagingErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Throws the error on unless the service or the length of a list prevents a reading. */
export function assertUnreadable(error: unknown): asserts error is SourceError | PagingError {
  if (!(error instanceof PagingError)) assertSourceError(error);
}

/** Returns what is read, or null if the service or the length of a list prevents it. */
export async function unlessUnread<T>(read: () => T | Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    assertUnreadable(error);
    return null;
  }
}
