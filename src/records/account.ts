import type { RecordContext } from './context.ts';
import { NETWORKS, networkOf } from './network.ts';
import { unlessUnread } from '../lists/errors.ts';
import type { ById } from '../loaders/loaders.ts';
import { accountDetail, accountListItem } from '../sources/current/accounts.ts';
import type { AccountDetail, AccountListItem } from '../sources/current/accounts.ts';
import { groupMember, type GroupMember } from '../sources/current/groups.ts';
import type { QueuedAccount } from '../sources/current/posts.ts';
import { idOf, SourceError, type Surface } from '../sources/errors.ts';
import { readable } from '../sources/view.ts';
import type { LegacyAccount } from '../sources/legacy/accounts.ts';

/** Part of an account: the fields included in one endpoint's response. */
export type AccountPart = AccountListItem | AccountDetail | GroupMember | QueuedAccount | LegacyAccount;

/** An account on one surface: the part that was read; fields that it lacks are read when they are needed. */
export interface AccountRecord {
  readonly type: 'Account';
  readonly surface: Surface;
  readonly loginId: string;
  readonly part: AccountPart;
}

type Known = AccountListItem & AccountDetail & GroupMember & QueuedAccount & LegacyAccount;
/** All fields of an account that any part has. */
export type AccountFields = {
  readonly [
    K in keyof AccountListItem | keyof AccountDetail | keyof GroupMember | keyof LegacyAccount
  ]: Known[K];
};
export type AccountField = keyof AccountFields;

/** Creates the record of an account from a part. Throws a SourceError `malformed` if the part has no id. */
export function accountOf(surface: Surface, part: AccountPart): AccountRecord {
  return { type: 'Account', surface, loginId: idOf(part.loginId, surface, 'an account'), part };
}

/**
 * Returns the name of an account for people: its display name; if that is blank or unreadable, its network and id. Every
 * part contains what is needed, so it requires no call and never fails.
 */
export function labelOf({ loginId, part }: Pick<AccountRecord, 'loginId' | 'part'>): string {
  const name = readable(() => part.displayName);
  if (name !== null && name.trim() !== '') return name;
  const network = networkOf(readable(() => part.platformCode));
  return network === 'UNKNOWN' ? `Account ${loginId}` : `${NETWORKS[network].label} account ${loginId}`;
}

/**
 * Reads a field of an account: from the part, or else from its detail (one call per account), or else from the account
 * list or the groups (one scan each for all accounts). Null if the account's surface does not have the field.
 */
export function readAccount<K extends AccountField>(
  account: AccountRecord,
  name: K,
  context: RecordContext,
): AccountFields[K] | null | Promise<AccountFields[K] | null> {
  // Fields that the part's kind has are null if missing, never undefined.
  const known = fieldOf(account.part, name);
  if (known !== undefined) return known;
  const part = partWith(account, name, context);
  return part && part.then((loaded) => (loaded && fieldOf(loaded, name)) ?? null);
}

/** Loads a part of an account that has a field; null if the account's surface has none. */
export function partWith(
  { surface, loginId }: AccountRecord,
  name: AccountField,
  context: RecordContext,
): Promise<AccountPart | null> | null {
  return surface === 'legacy' ? null : (sourceOf(name, context)?.load(loginId) ?? null);
}

function fieldOf<K extends AccountField>(part: AccountPart, name: K): AccountFields[K] | undefined {
  return (part as Partial<AccountFields>)[name];
}

function sourceOf(name: AccountField, { loaders }: RecordContext): ById<AccountPart | null> | null {
  if (name in accountDetail.fields) return loaders.accountDetail;
  if (name in accountListItem.fields) return loaders.accountListItem;
  return name in groupMember.fields ? loaders.groupMember : null;
}

/** Reads an account by its login id; null if the surface provably has no account with this id. */
export async function findAccount(
  surface: Surface,
  loginId: string,
  context: RecordContext,
): Promise<AccountRecord | null> {
  if (surface === 'legacy') {
    const found = await context.loaders.legacyAccount(loginId);
    return found ? accountOf('legacy', found) : null;
  }
  try {
    const part = await context.loaders.accountDetail.load(loginId);
    return { type: 'Account', surface, loginId, part };
  } catch (error) {
    // The response for an unknown id is undocumented, so a rejection alone proves nothing.
    const mayBeAbsent = error instanceof SourceError && error.kind === 'rejected';
    if (mayBeAbsent && (await context.loaders.accountListItem.load(loginId)) === null) return null;
    throw error;
  }
}

/** The same account on the other surface, or null: the ids must agree and the profile URLs must agree. */
export async function counterpartOf(
  account: AccountRecord,
  context: RecordContext,
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

/** Whether two profile URLs are equal apart from scheme, `www.`, a trailing slash and the case of the host. */
export function isSameProfile(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && profileName(one) === profileName(other);
}

function profileName(url: string): string {
  const { host, pathname, search, hash } = new URL(url);
  return host.replace(/^www\./, '') + pathname.replace(/\/$/, '') + search + hash;
}

/** The flags of an account's health with the states that they mean, worst first; the first that is set is used. */
export const HEALTH_FLAGS = [
  ['isDeleted', 'DELETED'],
  ['isBlocked', 'BLOCKED'],
  ['isLocked', 'LOCKED'],
  ['needsReconnect', 'NEEDS_RECONNECT'],
  ['isPaused', 'PAUSED'],
] as const;
/** The health states of an account. */
export const HEALTH_STATES = [...HEALTH_FLAGS.map(([, state]) => state), 'HEALTHY', 'UNKNOWN'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

type HealthFlag = (typeof HEALTH_FLAGS)[number][0];

/** Returns the first state whose flag is set; null if the flag of a worse state is unknown. */
function worstState(flagOf: (name: HealthFlag) => boolean | null): HealthState | null {
  for (const [name, state] of HEALTH_FLAGS) {
    const isSet = flagOf(name);
    if (isSet === null) return null;
    if (isSet) return state;
  }
  return 'HEALTHY';
}

/**
 * Returns the health state of an account. The detail is read only if the flags of the part are not sufficient; an
 * account in a list or a group counts as not deleted until its detail says otherwise. `UNKNOWN` if the surface does not
 * state it or could not be read.
 */
export function healthOf(account: AccountRecord, context: RecordContext): HealthState | Promise<HealthState> {
  const { surface, part } = account;
  if (surface === 'legacy') return flagIn(part, 'isPaused') ? 'PAUSED' : 'UNKNOWN';
  const isDetail = 'isDeleted' in part;
  const state = worstState((name) => (name === 'isDeleted' && !isDetail ? false : flagIn(part, name)));
  return state === null || (state === 'HEALTHY' && !isDetail) ? healthInFull(account, context) : state;
}

async function healthInFull(
  { loginId, part }: AccountRecord,
  { loaders }: RecordContext,
): Promise<HealthState> {
  const detail = await unlessUnread(() => loaders.accountDetail.load(loginId));
  return (detail && worstState((name) => flagIn(detail, name) ?? flagIn(part, name))) ?? 'UNKNOWN';
}

/** Reads a flag of a part; null if the part does not have it or it is damaged. */
function flagIn(part: AccountPart, name: HealthFlag): boolean | null {
  return readable(() => fieldOf(part, name) ?? null);
}

/** The flags in a list that determine an account's health; null if unknown. */
export type HealthFlags = Readonly<Record<Exclude<HealthFlag, 'isDeleted'>, boolean | null>>;

/** Returns the state of a listed account according to its flags; `UNKNOWN` if a decisive flag is unknown. */
export function healthOfFlags(flags: HealthFlags): HealthState {
  return worstState((name) => (name === 'isDeleted' ? false : flags[name])) ?? 'UNKNOWN';
}
