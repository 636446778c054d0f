import type { WriteContext } from './context.ts';
import { SourceError } from '../sources/errors.ts';
import { readable } from '../sources/view.ts';
import { withState } from '../sources/current/accounts.ts';
import { listLegacyAccounts, toggleLegacyAccount, withLegacyState } from '../sources/legacy/accounts.ts';
import type { AccountRecord } from '../records/account.ts';
import { findActionable, lockNameOf, type ActionableAccount } from './account-link.ts';
import {
  completed,
  refused,
  resultOfFailure,
  resultOfLookup,
  unknown,
  userError,
  type WriteResult,
} from './outcome.ts';
import { retryIfNotConnected } from './retry-if-not-connected.ts';

const HOW_TO_FIND_OUT = 'Read the account on the legacy side; asking again for the same state is harmless.';

/**
 * Brings an account into the wanted state. The service can only toggle, so the state is read first, toggled only if it
 * differs, and checked after; actions on one account happen one after the other.
 */
export async function setAccountPaused(
  accountId: string,
  isPaused: boolean,
  context: WriteContext,
): Promise<WriteResult<AccountRecord>> {
  const { mutex, track } = context.writes;
  const action = mutex.run(lockNameOf(accountId), async (lease) => {
    try {
      const found = await findActionable(accountId, context);
      if ('code' in found) return refused([found]);
      if (found.legacy.isPaused === isPaused) return completed(recordOf(found, isPaused));
      if (!lease.isHeld()) return refused([LEASE_LOST]);
      return await toggle(found, isPaused, context);
    } catch (error) {
      if (error instanceof SourceError) return resultOfLookup(error, 'the account');
      throw error;
    } finally {
      context.loaders.forget();
    }
  });
  return await track(action);
}

const LEASE_LOST = userError(
  'UPSTREAM_REJECTED',
  'This server took too long, and others may be changing the account by now; nothing was sent.',
  { retryable: true },
);

async function toggle(
  account: ActionableAccount,
  isPaused: boolean,
  context: WriteContext,
): Promise<WriteResult<AccountRecord>> {
  try {
    const isPausedNow = await retryIfNotConnected(() =>
      toggleLegacyAccount(context.writes.sources.legacy(), account.loginId),
    );
    if (isPausedNow === isPaused) return completed(recordOf(account, isPaused));
    const message =
      'Somebody else changed the account at the same time; it is not in the state that was asked for.';
    return refused([userError('UPSTREAM_REJECTED', message, { retryable: true })]);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const result = resultOfFailure(error, HOW_TO_FIND_OUT);
    return result.outcome === 'UNKNOWN' ? await look(account, isPaused, context) : result;
  }
}

async function look(
  account: ActionableAccount,
  isPaused: boolean,
  context: WriteContext,
): Promise<WriteResult<AccountRecord>> {
  const state = await stateOf(account.loginId, context);
  if (state === null) return unknown(HOW_TO_FIND_OUT);
  if (state === isPaused) return completed(recordOf(account, isPaused));
  const message = 'The service did not do it: the account is as it was.';
  return refused([userError('UPSTREAM_REJECTED', message, { retryable: true })]);
}

async function stateOf(loginId: string, context: WriteContext): Promise<boolean | null> {
  try {
    const accounts = await listLegacyAccounts(context.writes.sources.legacy());
    return accounts.find((account) => readable(() => account.loginId) === loginId)?.isPaused ?? null;
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}

// What was read before the action is in hand, with the state as it is now.
function recordOf(
  { surface, loginId, legacy, current }: ActionableAccount,
  isPaused: boolean,
): AccountRecord {
  const part = current === null ? withLegacyState(legacy, isPaused) : withState(current, isPaused);
  return { type: 'Account', surface, loginId, part };
}
