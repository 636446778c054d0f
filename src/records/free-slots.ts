import { localOf } from '../service-time.ts';
import { readAccount, type AccountRecord } from './account.ts';
import type { RecordContext } from './context.ts';
import { postsByAccount } from './narrowed-queue.ts';
import { nextFreeTimes, wholeSchedule } from './posting-slots.ts';
import { timeOf } from './queued-post.ts';

/** The next slots of an account that are wanted. */
export interface FreeSlotsWanted {
  readonly count: number;
  /** Wall-clock time, `YYYY-MM-DDTHH:mm`, after which they are wanted; null for now, where the service's zone is known. */
  readonly after: string | null;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/**
 * The next times of an account's posting schedule at which none of its posts waits in the queue: computed from the detail
 * and the whole queue. Null where the account has no schedule, as none of the legacy surface has. Throws a SourceError
 * `malformed` where a post of the account shows a time that can't be read.
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
  // What is past can't be planned, whatever is asked for.
  const start = after === null || after < now ? now : after;
  return nextFreeTimes(wholeSchedule(schedule), { after: start, taken, count, timeZone });
}
