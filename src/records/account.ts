import type { OperationContext } from '../context.ts';
import { accountDetail, accountListItem } from '../sources/current/accounts.ts';
import type { AccountDetail, AccountListItem } from '../sources/current/accounts.ts';
import { groupMember, type GroupMember } from '../sources/current/groups.ts';
import type { QueuedAccount } from '../sources/current/posts.ts';
import { SourceError, type Surface } from '../sources/errors.ts';
import type { LegacyAccount } from '../sources/legacy/accounts.ts';

/** A part of an account: what one place of the service shows of it. */
export type AccountPart = AccountListItem | AccountDetail | GroupMember | QueuedAccount | LegacyAccount;

/** An account as one surface shows it: the parts in hand; what they lack is read when a field needs it. */
export interface AccountRecord {
  readonly type: 'Account';
  readonly surface: Surface;
  readonly loginId: string;
  readonly parts: readonly AccountPart[];
}

type Known = AccountListItem & AccountDetail & GroupMember & QueuedAccount & LegacyAccount;
/** Everything that some part says of an account. */
export type AccountFields = {
  readonly [
    K in keyof AccountListItem | keyof AccountDetail | keyof GroupMember | keyof LegacyAccount
  ]: Known[K];
};
export type AccountField = keyof AccountFields;

/** The account that a part shows. Throws a SourceError `malformed` where the part has no id. */
export function accountOf(surface: Surface, part: AccountPart): AccountRecord {
  const { loginId } = part;
  if (loginId === null) throw new SourceError('malformed', surface, 'an account without an id');
  return { type: 'Account', surface, loginId, parts: [part] };
}

/** True when a field can be answered from the parts in hand. */
export function isInHand(account: AccountRecord, name: AccountField): boolean {
  return account.parts.some((part) => name in part);
}

/**
 * A field of an account: from the parts in hand, else from its detail (one call for each account), else from the
 * account list or the groups (one scan each for all accounts). Null where the account's surface does not know the field.
 */
export function readAccount<K extends AccountField>(
  account: AccountRecord,
  name: K,
  context: OperationContext,
): AccountFields[K] | null | Promise<AccountFields[K] | null> {
  const part = account.parts.find((candidate) => name in candidate);
  if (part) return valueOf(part, name);
  if (account.surface === 'legacy') return null;
  if (name in accountDetail.fields) return readFrom(context.loaders.accountDetail, account, name);
  if (name in accountListItem.fields) return readFrom(context.loaders.accountListItem, account, name);
  if (name in groupMember.fields) return readFrom(context.loaders.groupMember, account, name);
  return null;
}

async function readFrom<K extends AccountField>(
  loader: { load(loginId: string): Promise<AccountPart | null> },
  account: AccountRecord,
  name: K,
): Promise<AccountFields[K] | null> {
  const part = await loader.load(account.loginId);
  return part === null ? null : valueOf(part, name);
}

function valueOf<K extends AccountField>(part: AccountPart, name: K): AccountFields[K] | null {
  return (part as AccountFields)[name] ?? null;
}

/** Reads an account by its login id; null when it is proven that the surface has none of that id. */
export async function findAccount(
  surface: Surface,
  loginId: string,
  context: OperationContext,
): Promise<AccountRecord | null> {
  if (surface === 'legacy') {
    const found = await context.loaders.legacyAccount(loginId);
    return found ? accountOf('legacy', found) : null;
  }
  try {
    const part = await context.loaders.accountDetail.load(loginId);
    return { type: 'Account', surface, loginId, parts: [part] };
  } catch (error) {
    // What the service answers for an unknown id is not documented, so a refusal proves nothing by itself.
    const mayBeAbsent = error instanceof SourceError && error.kind === 'rejected';
    if (mayBeAbsent && (await context.loaders.accountListItem.load(loginId)) === null) return null;
    throw error;
  }
}

/** The same account on the other surface, or null: the ids must agree and the profile URLs must agree. */
export async function counterpartOf(
  account: AccountRecord,
  context: OperationContext,
): Promise<AccountRecord | null> {
  const other: Surface = account.surface === 'current' ? 'legacy' : 'current';
  const part =
    other === 'legacy'
      ? await context.loaders.legacyAccount(account.loginId)
      : await context.loaders.accountListItem.load(account.loginId);
  if (!part) return null;
  const profileUrl = await readAccount(account, 'profileUrl', context);
  return isSameProfile(profileUrl, part.profileUrl) ? accountOf(other, part) : null;
}

/** True when two profile URLs agree but for scheme, `www.`, a trailing slash and the case of the host. */
export function isSameProfile(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && profileName(one) === profileName(other);
}

function profileName(url: string): string {
  const { host, pathname, search, hash } = new URL(url);
  return host.replace(/^www\./, '') + pathname.replace(/\/$/, '') + search + hash;
}

/** The states of an account's health, worst first; the first that applies counts. */
export type HealthState =
  'DELETED' | 'BLOCKED' | 'LOCKED' | 'NEEDS_RECONNECT' | 'PAUSED' | 'HEALTHY' | 'UNKNOWN';

const HEALTH_FLAGS = [
  ['isDeleted', 'DELETED'],
  ['isBlocked', 'BLOCKED'],
  ['isLocked', 'LOCKED'],
  ['needsReconnect', 'NEEDS_RECONNECT'],
  ['isPaused', 'PAUSED'],
] as const satisfies readonly (readonly [AccountField, HealthState])[];

/**
 * The state of an account's health. The detail is read only where the flags in hand leave it open; an account that a
 * list or a group shows counts as not deleted until its detail says otherwise. `UNKNOWN` where the surface can't tell or
 * could not be asked.
 */
export async function healthOf(account: AccountRecord, context: OperationContext): Promise<HealthState> {
  if (account.surface === 'legacy')
    return (await flagOf(account, 'isPaused', context)) ? 'PAUSED' : 'UNKNOWN';
  return (await healthInHand(account, context)) ?? (await healthInFull(account, context));
}

type HealthFlag = (typeof HEALTH_FLAGS)[number][0];

// The worst state that the flags in hand prove, as long as no flag of a worse one is open.
async function healthInHand(account: AccountRecord, context: OperationContext): Promise<HealthState | null> {
  for (const [name, state] of HEALTH_FLAGS) {
    if (name === 'isDeleted' && !isInHand(account, name)) continue;
    const isSet = isInHand(account, name) ? await flagOf(account, name, context) : null;
    if (isSet === null) return null;
    if (isSet) return state;
  }
  return isInHand(account, 'isDeleted') ? 'HEALTHY' : null;
}

async function healthInFull(account: AccountRecord, context: OperationContext): Promise<HealthState> {
  const detail = await quietly(() => context.loaders.accountDetail.load(account.loginId));
  if (detail === null) return 'UNKNOWN';
  const full = { ...account, parts: [detail] };
  for (const [name, state] of HEALTH_FLAGS) {
    const isSet = (await flagOf(full, name, context)) ?? (await inHandFlag(account, name, context));
    if (isSet === null) return 'UNKNOWN';
    if (isSet) return state;
  }
  return 'HEALTHY';
}

async function inHandFlag(
  account: AccountRecord,
  name: HealthFlag,
  context: OperationContext,
): Promise<boolean | null> {
  return isInHand(account, name) ? await flagOf(account, name, context) : null;
}

async function flagOf(
  account: AccountRecord,
  name: HealthFlag,
  context: OperationContext,
): Promise<boolean | null> {
  return await quietly(async () => await readAccount(account, name, context));
}

async function quietly<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}
