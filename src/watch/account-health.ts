import { readStill } from '../lists/scan.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { accountOf, type AccountRecord, type HealthFlags } from '../records/account.ts';
import { accountListItem, type AccountListItem } from '../sources/current/accounts.ts';
import type { GroupMember } from '../sources/current/groups.ts';
import { SourceError } from '../sources/errors.ts';
import { readable, wireOf } from '../sources/view.ts';
import { hasSameKeys, type Item, type Observation } from './observation.ts';
import type { WatchedList } from './observer.ts';

// The watched health of the accounts. The account list states whether an account is paused, locked or blocked; only the
// groups (for their members) and the details (one call each) state whether it needs to be reconnected. So a reading
// takes the account list, the groups, and the details of a few accounts without a group, in turn.

/** Number of details per reading. */
export const DETAILS_PER_READING = 5;

/** An account and its observed health. */
export interface ObservedAccount {
  readonly account: AccountRecord;
  readonly flags: HealthFlags;
  /** When its detail was last read, in epoch milliseconds; null if a group states what the list does not. */
  readonly detailedAt: number | null;
}

/** The accounts of the current surface, each with its health. */
export const watchedAccountHealth: WatchedList<ObservedAccount> = {
  name: 'account health',
  async read({ loaders, before }) {
    const isKnown = (rows: readonly AccountListItem[]): boolean =>
      before !== null && hasSameKeys(rows.map(keyOf), before);
    const rows = await readStill(loaders.accounts({}), isKnown);
    const parts = rows.filter((row) => keyOf(row) !== null);
    const observed = await Promise.all(parts.map((part) => observedIn(part, loaders, before)));
    await detail(observed.filter(isOpen), loaders);
    // Without its id, a row may be any account: flags say too little.
    const unreadable = rows.slice(parts.length).map(() => ({}));
    return { items: observed.map(itemOf), unreadable };
  },
  pack: ({ record: { account, flags, detailedAt } }) => ({ wire: wireOf(account.part), flags, detailedAt }),
  unpack(packed, onDrift) {
    const { wire, flags, detailedAt } = packed as PackedAccount;
    const part = accountListItem(wire, { surface: 'current', endpoint: 'GET /accounts/list', onDrift });
    if (keyOf(part) === null) return null;
    return itemOf({ account: accountOf('current', part), flags, detailedAt });
  },
};

const keyOf = (row: AccountListItem): string | null => readable(() => row.loginId);

type PackedAccount = Pick<ObservedAccount, 'flags' | 'detailedAt'> & { readonly wire: unknown };
type Draft = { -readonly [K in keyof ObservedAccount]: ObservedAccount[K] };

function itemOf(record: ObservedAccount): Item<ObservedAccount> {
  const { loginId } = record.account;
  const flags = Object.entries(record.flags).map(([name, flag]) => [name, JSON.stringify(flag)] as const);
  return { key: loginId, record, facts: Object.fromEntries(flags), accountId: loginId };
}

async function observedIn(
  part: AccountListItem,
  { groupMember }: Loaders,
  before: Observation<ObservedAccount> | null,
): Promise<Draft> {
  const account = accountOf('current', part);
  const earlier = before?.items.get(account.loginId)?.record;
  const member = await memberIn(groupMember, account.loginId);
  const told = member && readable(() => member.needsReconnect);
  const flags = {
    isBlocked: readable(() => part.isBlocked) ?? earlier?.flags.isBlocked ?? null,
    isLocked:
      readable(() => part.isLocked) ??
      (member && readable(() => member.isLocked)) ??
      earlier?.flags.isLocked ??
      null,
    needsReconnect: told ?? earlier?.flags.needsReconnect ?? null,
    isPaused: readable(() => part.isPaused) ?? earlier?.flags.isPaused ?? null,
  };
  return { account, flags, detailedAt: told === null ? (earlier?.detailedAt ?? 0) : null };
}

/** Null also if the account may be one that a damaged group hides: its details are then read. */
async function memberIn(members: Loaders['groupMember'], loginId: string): Promise<GroupMember | null> {
  try {
    return await members.load(loginId);
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'malformed') return null;
    throw error;
  }
}

const isOpen = ({ detailedAt }: ObservedAccount): boolean => detailedAt !== null;

// Reads the details that are oldest.
async function detail(open: readonly Draft[], { accountDetail }: Loaders): Promise<void> {
  const turn = open.toSorted((one, other) => Number(one.detailedAt) - Number(other.detailedAt));
  await Promise.all(
    turn.slice(0, DETAILS_PER_READING).map(async (observed) => {
      observed.detailedAt = Date.now();
      const needsReconnect = await reconnectFlag(observed.account.loginId, accountDetail);
      if (needsReconnect !== null) observed.flags = { ...observed.flags, needsReconnect };
    }),
  );
}

async function reconnectFlag(loginId: string, details: Loaders['accountDetail']): Promise<boolean | null> {
  try {
    return (await details.load(loginId)).needsReconnect;
  } catch (error) {
    // The other accounts can be reported; this one will have another turn.
    if (error instanceof SourceError && error.kind !== 'unauthenticated') return null;
    throw error;
  }
}
