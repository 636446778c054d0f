import type { ActionContext } from './context.ts';
import { isSameProfile } from '../records/account.ts';
import { encodeGlobalId, parseGlobalId } from '../records/global-id.ts';
import { assertSourceError, SourceError } from '../sources/errors.ts';
import { readable } from '../sources/view.ts';
import { deleteLegacyAccount, listLegacyAccounts } from '../sources/legacy/accounts.ts';
import { deleteLegacyGroup, listLegacyGroups } from '../sources/legacy/groups.ts';
import { currentView, findActionable, lockNameOf, wrongId, type ActionableAccount } from './account-link.ts';
import {
  completed,
  refused,
  resultOfLookup,
  unknown,
  userError,
  type UserError,
  type WriteResult,
} from './outcome.ts';
import { sendOnce } from './send-once.ts';

/** The record to delete: its raw id, and every global id that it has. */
interface Found {
  readonly rawId: string;
  readonly globalIds: readonly string[];
}

/** A kind of record that can be deleted on the legacy surface. */
interface Deletion {
  readonly globalId: string;
  /** The kind of record, for messages. */
  readonly what: 'account' | 'group';
  /** Finds the record to delete, or returns why it cannot be deleted. */
  readonly find: () => Promise<Found | UserError>;
  readonly send: (rawId: string) => Promise<void>;
  readonly exists: (rawId: string) => Promise<boolean>;
}

/** Deletes an account. Returns the requested id, then that of the same account on the other surface, if known. */
export async function deleteAccount(
  accountId: string,
  context: ActionContext,
): Promise<WriteResult<readonly string[]>> {
  const legacy = () => context.writes.sources.legacy();
  return await performDeletion(context, {
    globalId: accountId,
    what: 'account',
    find: async () => {
      const found = await findActionable(accountId, context);
      if ('code' in found) return found;
      const other = await otherViewOf(found, context);
      return { rawId: found.loginId, globalIds: other === null ? [accountId] : [accountId, other] };
    },
    send: (id) => deleteLegacyAccount(legacy(), id),
    exists: async (id) => holds(await listLegacyAccounts(legacy()), (account) => account.loginId, id),
  });
}

// An account on the current surface was already matched to its legacy one. For a legacy one, the current account is
// read if the caller has access, and silently omitted otherwise.
async function otherViewOf(
  { surface, loginId, legacy }: ActionableAccount,
  context: ActionContext,
): Promise<string | null> {
  if (surface === 'current') return encodeGlobalId({ type: 'Account', surface: 'legacy', rawId: loginId });
  try {
    const current = await currentView(loginId, context);
    if (!isSameProfile(current?.profileUrl ?? null, legacy.profileUrl)) return null;
    return encodeGlobalId({ type: 'Account', surface: 'current', rawId: loginId });
  } catch (error) {
    assertSourceError(error);
    return null;
  }
}

/** Deletes a group. Returns the requested id. */
export async function deleteAccountGroup(
  groupId: string,
  context: ActionContext,
): Promise<WriteResult<readonly string[]>> {
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
        const message = 'Groups can only be deleted on the legacy surface; choose the group as listed there.';
        return userError('ACCOUNT_NOT_LINKED', message, { path });
      }
      const { rawId } = decoded;
      if (await exists(rawId)) return { rawId, globalIds: [groupId] };
      return userError('UNKNOWN_ACCOUNT', `Group ${rawId} was not found on the legacy surface.`, { path });
    },
    send: (id) => deleteLegacyGroup(legacy(), id),
    exists,
  });
}

// A record without a readable id may be the one, which is an error unless another record matches.
function holds<T>(rows: readonly T[], idOf: (row: T) => string | null, id: string): boolean {
  const ids = rows.map((row) => readable(() => idOf(row)));
  if (ids.includes(id)) return true;
  if (ids.includes(null)) throw new SourceError('malformed', 'legacy', 'a record without a readable id');
  return false;
}

async function performDeletion(
  context: ActionContext,
  deletion: Deletion,
): Promise<WriteResult<readonly string[]>> {
  const { mutex, track } = context.writes;
  const action = mutex.run(lockNameOf(deletion.globalId), async () => {
    try {
      const found = await deletion.find();
      return 'code' in found ? refused([found]) : await sendDeletion(deletion, found);
    } catch (error) {
      assertSourceError(error);
      return resultOfLookup(error, `the ${deletion.what}`);
    } finally {
      context.loaders.forget();
    }
  });
  return await track(action);
}

async function sendDeletion(deletion: Deletion, found: Found): Promise<WriteResult<readonly string[]>> {
  const sent = await sendOnce(async () => {
    await deletion.send(found.rawId);
    return completed(found.globalIds);
  }, '');
  return sent.outcome === 'UNKNOWN' ? await look(deletion, found) : sent;
}

// A record that still exists proves nothing: the service may still be deleting it.
async function look(
  { exists, what }: Deletion,
  { rawId, globalIds }: Found,
): Promise<WriteResult<readonly string[]>> {
  try {
    if (!(await exists(rawId))) return completed(globalIds);
  } catch (error) {
    assertSourceError(error);
  }
  return unknown(
    `Check in a minute whether the legacy surface still lists the ${what}; deleting it again is harmless.`,
  );
}
