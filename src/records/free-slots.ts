import { localOf } from '../service-time.ts';
import { readAccount, type AccountRecord } from './account.ts';
import type { RecordContext } from './context.ts';
import { postsByAccount } from './narrowed-queue.ts';
import { commonSchedule, nextFreeTimes, wholeSchedule } from './posting-slots.ts';
import { timeOf } from './queued-post.ts';

/** The requested slots of one or more accounts. */
export interface FreeSlotsWanted {
  readonly count: number;
  /** Wall-clock time, `YYYY-MM-DDTHH:mm`, after which to search; null for now, if the service's time zone is known. */
  readonly after: string | null;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/**
 * Returns the next times that are in the posting schedule of every account, and at which none of them has a queued post,
 * computed from their details, one call each, and the whole queue. An account whose schedule has no times only
 * contributes its queued posts. Null if none of the accounts has a schedule, as on the legacy surface. Throws a
 * SourceError `malformed` if the time of a post of one of the accounts cannot be read.
 */
export async function freeSlotsOf(
  accounts: readonly AccountRecord[],
  { count, after, nowMs }: FreeSlotsWanted,
  context: RecordContext,
): Promise<string[] | null> {
  const schedules = await Promise.all(
    accounts.map(async (account) => {
      const slots = await readAccount(account, 'scheduleSlots', context);
      return slots && wholeSchedule(slots);
    }),
  );
  const schedule = commonSchedule(schedules.filter((one) => one !== null));
  if (schedule === null) return null;
  const { loaders, serviceTimeZone: timeZone } = context;
  const posts = postsByAccount(await loaders.whole(loaders.queue({})));
  const queued = accounts.flatMap(({ loginId }) => posts.get(loginId) ?? []);
  const taken = new Set(queued.map(timeOf).filter((time) => time !== null));
  const now = timeZone === null ? '' : localOf(new Date(nowMs), timeZone);
  // Past slots cannot be used, whatever was requested.
  const start = after === null || after < now ? now : after;
  return nextFreeTimes(schedule, { after: start, taken, count, timeZone });
}
