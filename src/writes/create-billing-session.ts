import type { WriteContext } from './context.ts';
import { createBillingSession as send, type BillingSession } from '../sources/current/billing.ts';
import { completed, type WriteResult } from './outcome.ts';
import { sendOnce } from './send-once.ts';

const HOW_TO_FIND_OUT = 'Create another session; an unopened one does no harm.';

/** Creates a billing portal session. It is sent once and not stored. */
export async function createBillingSession(context: WriteContext): Promise<WriteResult<BillingSession>> {
  return await sendOnce(async () => completed(await send(context.writes.sources.current())), HOW_TO_FIND_OUT);
}
