import type { WriteContext } from './context.ts';
import { parseGlobalId } from '../records/global-id.ts';
import { SourceError } from '../sources/errors.ts';
import { readable } from '../sources/view.ts';
import { deleteLegacyAccount, listLegacyAccounts } from '../sources/legacy/accounts.ts';
import { deleteLegacyGroup, listLegacyGroups } from '../sources/legacy/groups.ts';
import { findActionable, lockNameOf, wrongId } from './account-link.ts';
import {
  completed,
  refused,
  resultOfFailure,
  resultOfLookup,
  unknown,
  userError,
  type UserError,
  type WriteResult,
} from './outcome.ts';
import { retryIfNotConnected } from './retry-if-not-connected.ts';

/** One thing that can be deleted on the legacy surface. */
interface Deletion {
  readonly globalId: string;
  /** What it is, for messages. */
  readonly what: 'account' | 'group';
  /** Finds the raw id of what is to be deleted, or why it can't be. */
  readonly find: () => Promise<string | UserError>;
  readonly send: (rawId: string) => Promise<void>;
  readonly exists: (rawId: string) => Promise<boolean>;
}

/** Deletes an account; gives the id that was asked for. */
export async function deleteAccount(accountId: string, context: WriteContext): Promise<WriteResult<string>> {
  const legacy = () => context.writes.sources.legacy();
  return await performDeletion(context, {
    globalId: accountId,
    what: 'account',
    find: async () => {
      const found = await findActionable(accountId, context);
      return 'code' in found ? found : found.loginId;
    },
    send: (id) => deleteLegacyAccount(legacy(), id),
    exists: async (id) => holds(await listLegacyAccounts(legacy()), (account) => account.loginId, id),
  });
}

/** Deletes a group; gives the id that was asked for. */
export async function deleteAccountGroup(
  groupId: string,
  context: WriteContext,
): Promise<WriteResult<string>> {
  const legacy = () => context.writes.sources.legacy();
  const exists = async (id: string) => holds(await listLegacyGroups(legacy()), (group) => group.groupId, id);
  return await performDeletion(context, {
    globalId: groupId,
    what: 'group',
    find: async () => {
      const path = ['input', 'accountGroupId'];
      const decoded = parseGlobalId(groupId);
      if (decoded?.type !== 'AccountGroup') return wrongId(groupId, 'AccountGroup', path);
      if (decoded.surface === 'current') {
        const message =
          'Only the legacy side can do this, and nothing tells which of its groups this one is; use the id from there.';
        return userError('ACCOUNT_NOT_LINKED', message, { path });
      }
      if (await exists(decoded.rawId)) return decoded.rawId;
      return userError('UNKNOWN_ACCOUNT', `The legacy side has no group ${decoded.rawId}.`, { path });
    },
    send: (id) => deleteLegacyGroup(legacy(), id),
    exists,
  });
}

// A record whose id can't be read may be the one: then nothing is proven, unless another is.
function holds<T>(rows: readonly T[], idOf: (row: T) => string | null, id: string): boolean {
  if (rows.some((row) => readable(() => idOf(row)) === id)) return true;
  for (const row of rows) idOf(row);
  return false;
}

async function performDeletion(context: WriteContext, deletion: Deletion): Promise<WriteResult<string>> {
  const { mutex, track } = context.writes;
  const action = mutex.run(lockNameOf(deletion.globalId), async () => {
    try {
      const rawId = await deletion.find();
      if (typeof rawId !== 'string') return refused([rawId]);
      return await sendDeletion(deletion, rawId);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return resultOfLookup(error, `the ${deletion.what}`);
    } finally {
      context.loaders.forget();
    }
  });
  return await track(action);
}

async function sendDeletion(deletion: Deletion, rawId: string): Promise<WriteResult<string>> {
  try {
    await retryIfNotConnected(() => deletion.send(rawId));
    return completed(deletion.globalId);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const result = resultOfFailure(error, '');
    return result.outcome === 'UNKNOWN' ? await look(deletion, rawId) : result;
  }
}

async function look({ exists, what, globalId }: Deletion, rawId: string): Promise<WriteResult<string>> {
  try {
    if (!(await exists(rawId))) return completed(globalId);
    return refused([
      userError('UPSTREAM_REJECTED', `The service did not do it: the ${what} is there.`, { retryable: true }),
    ]);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return unknown(`See whether the legacy side still lists the ${what}; asking again is harmless.`);
  }
}
