import { createHash } from 'node:crypto';

/**
 * Returns the idempotency key of one attempt to send a row: the same for the same file, row and attempt. Equal rows of
 * one file are therefore two posts.
 */
export function keyOfRow(contentHash: string, { row, attempt }: { row: number; attempt: number }): string {
  return `row-${createHash('sha256').update(`${contentHash} ${row} ${attempt}`).digest('base64url')}`;
}
