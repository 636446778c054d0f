import { instantOf } from '../service-time.ts';
import type { Page, PageRequest } from '../sources/current/client.ts';
import { readDisplayTime } from '../sources/wall-clock.ts';
import type { WriteContext } from './context.ts';
import type { Attempt } from './keyed-write.ts';

// Looks for what a write of unknown outcome may have made. What is equal and new, by the service's clock and to the minute,
// and is of no other write that this process knows of, is taken for it; what is not found proves nothing.

const PAGE_SIZE = 50;
/** Pages of a list that are read for it: the first, and then from the last one on. */
export const MAX_PAGES = 5;
const MINUTE_MS = 60_000;

/**
 * Reads a list at both of its ends: what is new is at one of them, and the service documents at which of no list.
 */
export async function searchEnds<T>(
  readPage: (request: PageRequest) => Promise<Page<T>>,
  take: (row: T) => void,
): Promise<void> {
  const first = await readPage({ page: 1, size: PAGE_SIZE });
  for (const row of first.rows) take(row);
  const last = Math.ceil(first.total / first.size);
  const end = Math.max(1, last - MAX_PAGES + 1);
  for (let page = last; page > end; page -= 1) {
    const { rows } = await readPage({ page, size: first.size });
    for (const row of rows) take(row);
  }
}

/** Whether an instant is not before a write began, to the minute. */
export function isSince(startedAt: number, instant: Date): boolean {
  return instant.getTime() >= startedAt - (startedAt % MINUTE_MS);
}

/**
 * Whether a record was made since a write began, to the minute that the service shows. False where that can't be told,
 * as without the zone of the service's clock.
 */
export function isNewer(
  { startedAt }: Pick<Attempt, 'startedAt'>,
  label: string | null,
  { serviceTimeZone }: Pick<WriteContext, 'serviceTimeZone'>,
): boolean {
  const local = label === null ? null : readDisplayTime(label);
  if (local === null || serviceTimeZone === null) return false;
  const madeAt = instantOf(local, serviceTimeZone);
  return madeAt !== null && isSince(startedAt, madeAt);
}
