import type { Lease } from '../journal/locks.ts';
import { unlessUnread } from '../lists/errors.ts';
import { isSameProfile, labelOf, type AccountRecord } from '../records/account.ts';
import { encodeGlobalId, parseGlobalId, type NodeType } from '../records/global-id.ts';
import { getAccount, withState, type AccountDetail } from '../sources/current/accounts.ts';
import { assertSourceError, SourceError, type Surface } from '../sources/errors.ts';
import {
  deleteLegacyAccount,
  listLegacyAccounts,
  toggleLegacyAccount,
  withLegacyState,
  type LegacyAccount,
} from '../sources/legacy/accounts.ts';
import { byId } from '../sources/legacy/by-id.ts';
import { deleteLegacyGroup, listLegacyGroups } from '../sources/legacy/groups.ts';
import type { ActionContext } from './context.ts';
import {
  completed,
  partial,
  refused,
  resultOfLookup,
  sendOnce,
  unavailable,
  unknown,
  userError,
  type UserError,
  type WriteResult,
} from './outcome.ts';
import { problemOfId } from './problems.ts';

// Actions on an existing account or group, which only the legacy surface offers. They need no key: the record is read
// first, under a lock, so that an action that is repeated finds its work done.

/** Returns the name of the lock that serialises actions on one record, whichever surface its id is of. */
export function lockNameOf(id: string): string {
  const decoded = parseGlobalId(id);
  // Accounts have the same number for every caller and on both surfaces, so the number alone identifies them.
  return decoded ? `${decoded.type} ${decoded.rawId}` : id;
}

/** Finds a record and acts on it while no other action does. A failed look-up is the result: nothing was sent. */
async function actOn<F extends object, D>(
  { writes }: ActionContext,
  { id, what }: { readonly id: string; readonly what: 'account' | 'group' },
  find: () => Promise<F | UserError>,
  act: (found: F, lease: Lease) => WriteResult<D> | Promise<WriteResult<D>>,
): Promise<WriteResult<D>> {
  const action = writes.mutex.run(lockNameOf(id), async (lease) => {
    try {
      const found = await find();
      return 'code' in found ? refused([found]) : await act(found, lease);
    } catch (error) {
      assertSourceError(error);
      return resultOfLookup(error, `the ${what}`);
    }
  });
  return await writes.track(action);
}

/** An account on which the legacy surface can act. */
interface ActionableAccount {
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
async function findActionable(id: string, context: ActionContext): Promise<ActionableAccount | UserError> {
  const path = ['input', 'accountId'];
  const decoded = parseGlobalId(id);
  if (decoded?.type !== 'Account') return wrongId(id, 'Account', path);
  const { surface, rawId: loginId } = decoded;
  const legacy = await legacyAccount(loginId, context);
  const current = surface === 'current' && legacy ? await currentView(loginId, context) : null;
  if (surface === 'current' && !isSameProfile(current?.profileUrl ?? null, legacy?.profileUrl ?? null)) {
    const message =
      'This is only possible on the legacy surface, which has no account with this id and profile URL.';
    return userError('ACCOUNT_NOT_LINKED', message, { path });
  }
  return legacy
    ? { surface, loginId, legacy, current }
    : userError('UNKNOWN_ACCOUNT', `Account ${loginId} was not found on the legacy surface.`, { path });
}

/** Reads the account on the legacy surface; null if there is none. */
async function legacyAccount(loginId: string, { writes }: ActionContext): Promise<LegacyAccount | null> {
  const accounts = await listLegacyAccounts(writes.sources.legacy());
  return byId(accounts, (account) => account.loginId)(loginId);
}

/** Reads the account on the current surface; null if the surface rejects it, and it is therefore not linked. */
async function currentView(loginId: string, { writes }: ActionContext): Promise<AccountDetail | null> {
  try {
    return await getAccount(writes.sources.current(), loginId);
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'rejected') return null;
    throw error;
  }
}

/** Creates the error for an id of a type other than the input needs. */
function wrongId(id: string, type: NodeType, path: readonly string[]): UserError {
  return userError('INVALID_INPUT', problemOfId(id, parseGlobalId(id), { type }), { path });
}

const CHECK_STATE =
  'The service may still be changing it: check the account on the legacy surface in a minute, and try again if necessary.';

const LEASE_LOST = userError(
  'CONFLICT',
  'The server took too long and another request may be changing the account; nothing was sent.',
  { retryable: true },
);

/**
 * Brings an account into the wanted state. The service can only toggle, so the state is read first, toggled only if it
 * differs, and then verified.
 */
export async function setAccountPaused(
  accountId: string,
  isPaused: boolean,
  context: ActionContext,
): Promise<WriteResult<AccountRecord>> {
  const find = () => findActionable(accountId, context);
  return await actOn(context, { id: accountId, what: 'account' }, find, async (account, lease) => {
    const { loginId, legacy: part } = account;
    if (part.isPaused === null) {
      const message = `The legacy surface does not report whether ${labelOf({ loginId, part })} is paused, so nothing was sent.`;
      return refused([unavailable(message)]);
    }
    if (part.isPaused === isPaused) return completed(recordOf(account, isPaused));
    const sent = await sendOnce(async () => {
      // Each attempt needs the lock, since connecting may take longer than it is held.
      if (!lease.isHeld()) return refused([LEASE_LOST]);
      const isPausedNow = await toggleLegacyAccount(context.writes.sources.legacy(), loginId, () =>
        lease.isHeld(),
      );
      const record = recordOf(account, isPausedNow);
      return isPausedNow === isPaused ? completed(record) : partial(record, crossed(account, isPausedNow));
    }, CHECK_STATE);
    if (sent.outcome !== 'UNKNOWN') return sent;
    // A read that fails tells nothing about the write.
    const state = await unlessUnread(async () => (await legacyAccount(loginId, context))?.isPaused);
    // An unchanged account proves nothing: the service may still be performing the toggle.
    return state === isPaused ? completed(recordOf(account, isPaused)) : unknown(CHECK_STATE);
  });
}

function crossed({ loginId, legacy: part }: ActionableAccount, isPaused: boolean): UserError {
  const state = isPaused ? 'paused' : 'running';
  const message = `Somebody else changed ${labelOf({ loginId, part })} at the same time; it is now ${state}. Try again if that is wrong.`;
  return userError('CONFLICT', message);
}

// Uses the account read before the action, with the new state.
function recordOf(
  { surface, loginId, legacy, current }: ActionableAccount,
  isPaused: boolean,
): AccountRecord {
  const part = current === null ? withLegacyState(legacy, isPaused) : withState(current, isPaused);
  return { type: 'Account', surface, loginId, part };
}

/** The record to delete: its raw id, and every global id that it has. */
interface Deleted {
  readonly rawId: string;
  readonly globalIds: readonly string[];
}

/** How records of one kind are deleted. */
interface Deletion {
  readonly id: string;
  readonly what: 'account' | 'group';
  readonly find: () => Promise<Deleted | UserError>;
  readonly send: (rawId: string) => Promise<void>;
  readonly exists: (rawId: string) => Promise<boolean>;
}

async function performDeletion(
  context: ActionContext,
  deletion: Deletion,
): Promise<WriteResult<readonly string[]>> {
  const { what, find, send, exists } = deletion;
  return await actOn(context, deletion, find, async ({ rawId, globalIds }) => {
    const sent = await sendOnce(async () => {
      await send(rawId);
      return completed(globalIds);
    }, '');
    if (sent.outcome !== 'UNKNOWN') return sent;
    // A record that still exists proves nothing: the service may still be deleting it.
    if ((await unlessUnread(() => exists(rawId))) === false) return completed(globalIds);
    return unknown(
      `Check in a minute whether the legacy surface still lists the ${what}; deleting it again is harmless.`,
    );
  });
}

/** Deletes an account. Returns the requested id, then that of the same account on the other surface, if known. */
export async function deleteAccount(
  accountId: string,
  context: ActionContext,
): Promise<WriteResult<readonly string[]>> {
  return await performDeletion(context, {
    id: accountId,
    what: 'account',
    find: async () => {
      const found = await findActionable(accountId, context);
      if ('code' in found) return found;
      const other = await otherSurfaceOf(found, context);
      const otherId = other && encodeGlobalId({ type: 'Account', surface: other, rawId: found.loginId });
      return { rawId: found.loginId, globalIds: otherId === null ? [accountId] : [accountId, otherId] };
    },
    send: (id) => deleteLegacyAccount(context.writes.sources.legacy(), id),
    exists: async (id) => (await legacyAccount(id, context)) !== null,
  });
}

// An account on the current surface was already matched to its legacy one. For a legacy one, the current account is
// read if the caller has access, and silently omitted otherwise.
async function otherSurfaceOf(
  { surface, loginId, legacy }: ActionableAccount,
  context: ActionContext,
): Promise<Surface | null> {
  if (surface === 'current') return 'legacy';
  const isLinked = await unlessUnread(async () => {
    const current = await currentView(loginId, context);
    return isSameProfile(current?.profileUrl ?? null, legacy.profileUrl);
  });
  return isLinked === true ? 'current' : null;
}

/** Deletes a group. Returns the requested id. */
export async function deleteAccountGroup(
  groupId: string,
  context: ActionContext,
): Promise<WriteResult<readonly string[]>> {
  const legacy = () => context.writes.sources.legacy();
  const exists = async (id: string) =>
    byId(await listLegacyGroups(legacy()), (group) => group.groupId)(id) !== null;
  return await performDeletion(context, {
    id: groupId,
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
