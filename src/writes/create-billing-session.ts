import type { WriteContext } from './context.ts';
import { createBillingSession as send, type BillingSession } from '../sources/current/billing.ts';
import { assertSourceError } from '../sources/errors.ts';
import { completed, resultOfFailure, type WriteResult } from './outcome.ts';
import { retryIfNotConnected } from './retry-if-not-connected.ts';

const HOW_TO_FIND_OUT = 'Create another session; an unopened one does no harm.';

/** Creates a billing portal session. It is sent once and not stored. */
export async function createBillingSession(context: WriteContext): Promise<WriteResult<BillingSession>> {
  try {
    return completed(await retryIfNotConnected(() => send(context.writes.sources.current())));
  } catch (error) {
    assertSourceError(error);
    return resultOfFailure(error, HOW_TO_FIND_OUT);
  }
}
