import { createHash } from 'node:crypto';

/**
 * The idempotency key of one sending of a row: the same for the same file, row and attempt, so that equal rows of one file
 * are two posts.
 */
export function keyOfRow(contentHash: string, { row, attempt }: { row: number; attempt: number }): string {
  return `row-${createHash('sha256').update(`${contentHash} ${row} ${attempt}`).digest('base64url')}`;
}
