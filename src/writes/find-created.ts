import { instantOf } from '../service-time.ts';
import type { Page, PageRequest } from '../sources/current/client.ts';
import { readDisplayTime } from '../sources/wall-clock.ts';
import type { WriteContext } from './context.ts';
import type { Attempt } from './keyed-write.ts';

// Searches for what a write of unknown outcome may have created. A record is taken for its result if it is equal, new
// to the minute by the service's clock, and of no other write known to this process. Finding nothing proves nothing.

const PAGE_SIZE = 50;
/** Number of pages read in a search: the first, then backwards from the last. */
export const MAX_PAGES = 5;
const MINUTE_MS = 60_000;

/** Reads a list at both ends: new records are at one of them, but the service documents for no list at which. */
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

/** Whether an instant is not before the start of a write, to the minute. */
export function isSince(startedAt: number, instant: Date): boolean {
  return instant.getTime() >= startedAt - (startedAt % MINUTE_MS);
}

/**
 * Whether a record was created since a write started, to the minute that the service shows. False if that is unknown,
 * as without the time zone of the service's clock.
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
