import { localOf } from '../service-time.ts';
import { readAccount, type AccountRecord } from './account.ts';
import type { RecordContext } from './context.ts';
import { postsByAccount } from './narrowed-queue.ts';
import { nextFreeTimes, wholeSchedule } from './posting-slots.ts';
import { timeOf } from './queued-post.ts';

/** The requested slots of an account. */
export interface FreeSlotsWanted {
  readonly count: number;
  /** Wall-clock time, `YYYY-MM-DDTHH:mm`, after which to search; null for now, if the service's time zone is known. */
  readonly after: string | null;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/**
 * Returns the next times of an account's posting schedule at which none of its posts is queued, computed from the
 * detail and the whole queue. Null if the account has no schedule, as on the legacy surface. Throws a SourceError
 * `malformed` if the time of one of the account's posts cannot be read.
 */
export async function freeSlotsOf(
  account: AccountRecord,
  { count, after, nowMs }: FreeSlotsWanted,
  context: RecordContext,
): Promise<string[] | null> {
  const schedule = await readAccount(account, 'scheduleSlots', context);
  if (schedule === null) return null;
  const { loaders, serviceTimeZone: timeZone } = context;
  const posts = postsByAccount(await loaders.whole(loaders.queue({}))).get(account.loginId) ?? [];
  const taken = new Set(posts.map(timeOf).filter((time) => time !== null));
  const now = timeZone === null ? '' : localOf(new Date(nowMs), timeZone);
  // Past slots cannot be used, whatever was requested.
  const start = after === null || after < now ? now : after;
  return nextFreeTimes(wholeSchedule(schedule), { after: start, taken, count, timeZone });
}
