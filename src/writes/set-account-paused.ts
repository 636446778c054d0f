import type { ActionContext } from './context.ts';
import { assertSourceError } from '../sources/errors.ts';
import { readable } from '../sources/view.ts';
import { withState } from '../sources/current/accounts.ts';
import { listLegacyAccounts, toggleLegacyAccount, withLegacyState } from '../sources/legacy/accounts.ts';
import { labelOf, type AccountRecord } from '../records/account.ts';
import { findActionable, lockNameOf, type ActionableAccount } from './account-link.ts';
import type { Lease } from '../journal/locks.ts';
import {
  completed,
  partial,
  refused,
  resultOfLookup,
  unknown,
  userError,
  type UserError,
  type WriteResult,
} from './outcome.ts';
import { sendOnce } from './send-once.ts';

const HOW_TO_FIND_OUT =
  'The service may still be changing it: check the account on the legacy surface in a minute, and try again if necessary.';

/**
 * Brings an account into the wanted state. The service can only toggle, so the state is read first, toggled only if it
 * differs, and then verified; actions on one account are serialised.
 */
export async function setAccountPaused(
  accountId: string,
  isPaused: boolean,
  context: ActionContext,
): Promise<WriteResult<AccountRecord>> {
  const { mutex, track } = context.writes;
  const action = mutex.run(lockNameOf(accountId), async (lease) => {
    try {
      const found = await findActionable(accountId, context);
      if ('code' in found) return refused([found]);
      if (found.legacy.isPaused === null) return refused([stateUnknown(found)]);
      if (found.legacy.isPaused === isPaused) return completed(recordOf(found, isPaused));
      return await toggle(found, isPaused, { context, lease });
    } catch (error) {
      assertSourceError(error);
      return resultOfLookup(error, 'the account');
    } finally {
      context.loaders.forget();
    }
  });
  return await track(action);
}

const LEASE_LOST = userError(
  'CONFLICT',
  'The server took too long and another request may be changing the account; nothing was sent.',
  { retryable: true },
);

function stateUnknown({ loginId, legacy: part }: ActionableAccount): UserError {
  const message = `The legacy surface does not report whether ${labelOf({ loginId, part })} is paused, so nothing was sent.`;
  return userError('SURFACE_UNAVAILABLE', message, { retryable: true });
}

function crossed({ loginId, legacy: part }: ActionableAccount, isPaused: boolean): UserError {
  const state = isPaused ? 'paused' : 'running';
  const message = `Somebody else changed ${labelOf({ loginId, part })} at the same time; it is now ${state}. Try again if that is wrong.`;
  return userError('CONFLICT', message);
}

// Each attempt needs the lock, since connecting may take longer than it is held.
async function toggle(
  account: ActionableAccount,
  isPaused: boolean,
  { context, lease }: { readonly context: ActionContext; readonly lease: Lease },
): Promise<WriteResult<AccountRecord>> {
  const sent = await sendOnce(async () => {
    if (!lease.isHeld()) return refused([LEASE_LOST]);
    const isPausedNow = await toggleLegacyAccount(context.writes.sources.legacy(), account.loginId);
    if (isPausedNow === isPaused) return completed(recordOf(account, isPaused));
    return partial(recordOf(account, isPausedNow), crossed(account, isPausedNow));
  }, HOW_TO_FIND_OUT);
  return sent.outcome === 'UNKNOWN' ? await look(account, isPaused, context) : sent;
}

// An unchanged account proves nothing: the service may still be performing the toggle.
async function look(
  account: ActionableAccount,
  isPaused: boolean,
  context: ActionContext,
): Promise<WriteResult<AccountRecord>> {
  const state = await stateOf(account.loginId, context);
  return state === isPaused ? completed(recordOf(account, isPaused)) : unknown(HOW_TO_FIND_OUT);
}

async function stateOf(loginId: string, context: ActionContext): Promise<boolean | null> {
  try {
    const accounts = await listLegacyAccounts(context.writes.sources.legacy());
    return accounts.find((account) => readable(() => account.loginId) === loginId)?.isPaused ?? null;
  } catch (error) {
    assertSourceError(error);
    return null;
  }
}

// Uses the account read before the action, with the new state.
function recordOf(
  { surface, loginId, legacy, current }: ActionableAccount,
  isPaused: boolean,
): AccountRecord {
  const part = current === null ? withLegacyState(legacy, isPaused) : withState(current, isPaused);
  return { type: 'Account', surface, loginId, part };
}
