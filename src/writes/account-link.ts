import type { ActionContext } from './context.ts';
import { isSameProfile } from '../records/account.ts';
import { parseGlobalId, type NodeType } from '../records/global-id.ts';
import { SourceError, type Surface } from '../sources/errors.ts';
import { readable } from '../sources/view.ts';
import { getAccount, type AccountDetail } from '../sources/current/accounts.ts';
import { listLegacyAccounts, type LegacyAccount } from '../sources/legacy/accounts.ts';
import { userError, type UserError } from './outcome.ts';
import { problemOfId } from './problems.ts';

/** An account on which the legacy surface can act. */
export interface ActionableAccount {
  /** The surface of the id that the caller sent. */
  readonly surface: Surface;
  readonly loginId: string;
  /** The account on the legacy surface, as it is now. */
  readonly legacy: LegacyAccount;
  /** The account on the current surface; null if the id is of the legacy surface, and the current one was not read. */
  readonly current: AccountDetail | null;
}

/**
 * Finds the account for an action on the legacy surface, always with fresh reads. An id of the current surface is
 * accepted if the accounts on both surfaces have the same profile URL.
 */
export async function findActionable(
  id: string,
  context: ActionContext,
): Promise<ActionableAccount | UserError> {
  const path = ['input', 'accountId'];
  const decoded = parseGlobalId(id);
  if (decoded?.type !== 'Account') return wrongId(id, 'Account', path);
  const { surface, rawId: loginId } = decoded;
  const legacy = (await listLegacyAccounts(context.writes.sources.legacy())).find(
    (account) => readable(() => account.loginId) === loginId,
  );
  const current = surface === 'current' && legacy ? await currentView(loginId, context) : null;
  if (surface === 'current') {
    const isLinked = isSameProfile(current?.profileUrl ?? null, legacy?.profileUrl ?? null);
    if (!legacy || !isLinked) {
      const message =
        'This is only possible on the legacy surface, which has no account with this id and profile URL.';
      return userError('ACCOUNT_NOT_LINKED', message, { path });
    }
  }
  return legacy
    ? { surface, loginId, legacy, current }
    : userError('UNKNOWN_ACCOUNT', `Account ${loginId} was not found on the legacy surface.`, { path });
}

/** Reads the account on the current surface; null if the surface rejects it, and it is therefore not linked. */
export async function currentView(loginId: string, context: ActionContext): Promise<AccountDetail | null> {
  try {
    return await getAccount(context.writes.sources.current(), loginId);
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'rejected') return null;
    throw error;
  }
}

/** Creates the error for an id of a type other than the input needs. */
export function wrongId(id: string, type: NodeType, path: readonly string[]): UserError {
  return userError('INVALID_INPUT', problemOfId(id, parseGlobalId(id), { type }) ?? '', { path });
}

/** Returns the name of the lock that serialises actions on one record, whichever surface its id is of. */
export function lockNameOf(id: string): string {
  const decoded = parseGlobalId(id);
  // Accounts have the same number for every caller and on both surfaces, so the number alone identifies them.
  return decoded ? `${decoded.type} ${decoded.rawId}` : id;
}
