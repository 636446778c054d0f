import { computed, signal, type ReadonlySignal } from '@preact/signals';
import {
  AccountHealthChanged,
  subscribe,
  walk,
  type AccountHealthChangedSubscription,
  type AccountHealthState,
  type Client,
  type SubscribeOptions,
} from '../../../client/src/index.ts';
import { MoreAccounts, type DeskHomeQuery } from '../documents.ts';
import { present } from '../lib/present.ts';
import { posts } from './queue.ts';

type FirstAccounts = NonNullable<DeskHomeQuery['accounts']>;
type FirstGroups = DeskHomeQuery['accountGroups'];
type HealthEvent = NonNullable<AccountHealthChangedSubscription['accountHealthChanged']>;

/** An account as the page shows it. */
export type Account = NonNullable<FirstAccounts['nodes'][number]>;

/** A group of accounts. */
export interface Group {
  readonly id: string;
  readonly name: string;
  readonly accountIds: ReadonlySet<string>;
}

const list = signal<readonly Account[]>([]);
const groupList = signal<readonly Group[]>([]);
/** States that are known better than from the list, by account. */
const observed = signal<ReadonlyMap<string, AccountHealthState>>(new Map());

/** All accounts, in the service's order. */
export const accounts: ReadonlySignal<typeof list.value> = list;
/** The accounts by id. */
export const accountById = computed(() => new Map(list.value.map((account) => [account.id, account])));
/** The groups of the current surface. */
export const groups: ReadonlySignal<typeof groupList.value> = groupList;
/** The state of each account. */
export const states = computed(() => {
  const byAccount = new Map(list.value.map((account) => [account.id, stateOf(account, observed.value)]));
  // The queue may show it first: both are read from the service separately.
  for (const { account, needsReconnect, isAccountPaused } of posts.value)
    if (account && (needsReconnect || isAccountPaused) && byAccount.get(account.id) === 'HEALTHY')
      byAccount.set(account.id, needsReconnect ? 'NEEDS_RECONNECT' : 'PAUSED');
  return byAccount;
});

function stateOf(account: Account, better: ReadonlyMap<string, AccountHealthState>): AccountHealthState {
  const state = better.get(account.id);
  if (state !== undefined && state !== 'UNKNOWN') return state;
  if (account.isBlocked) return 'BLOCKED';
  if (account.isLocked) return 'LOCKED';
  return account.isPaused ? 'PAUSED' : 'HEALTHY';
}

/** Shows the accounts of the first query, and reads the rest of a long list; those that are shown stay until then. */
export async function showAccounts(client: Client, first: FirstAccounts, found: FirstGroups): Promise<void> {
  const { hasNextPage, endCursor: after } = first.pageInfo;
  const firstPage = present(first.nodes);
  if (!hasNextPage || list.value.length < firstPage.length) list.value = firstPage;
  // The list itself reports every other state.
  const before = [...observed.value].filter(([, state]) => state === 'NEEDS_RECONNECT');
  const members = found?.nodes.flatMap((group) => group?.accounts?.nodes ?? []) ?? [];
  groupList.value = present(found?.nodes ?? []).map(({ id, name, accounts: inside }) => ({
    id,
    name: name ?? 'Unnamed group',
    accountIds: new Set(present(inside?.nodes ?? []).map((member) => member.id)),
  }));
  const ofMembers = present(members).map(
    ({ id, health }) => [id, health.needsReconnect ? 'NEEDS_RECONNECT' : 'UNKNOWN'] as const,
  );
  observed.value = new Map([...before, ...ofMembers]);
  if (!hasNextPage) return;
  const more: Account[] = [];
  for await (const account of walk(client, MoreAccounts, { after }, (result) => result.accounts))
    more.push(account);
  list.value = [...firstPage, ...more];
}

/** Follows the health of the accounts until the signal ends it. */
export async function followHealth(client: Client, options: SubscribeOptions): Promise<void> {
  for await (const result of subscribe(client, AccountHealthChanged, {}, options))
    if (result.accountHealthChanged) apply(result.accountHealthChanged);
}

function apply(event: HealthEvent): void {
  const next = new Map(observed.value);
  for (const { accountId, health } of event.accounts ?? [])
    next.set(accountId, known(health.state, next.get(accountId)));
  const { account, after } = event;
  if (account && after) next.set(account.id, known(after.state, undefined));
  if (account && event.kind === 'LEFT') {
    next.delete(account.id);
    list.value = list.value.filter(({ id }) => id !== account.id);
  }
  if (account && event.kind === 'ADDED' && !accountById.value.has(account.id))
    list.value = [...list.value, { ...NEW, ...account }];
  observed.value = next;
}

const NEW = {
  surface: 'CURRENT',
  isPaused: null,
  isLocked: null,
  isBlocked: null,
} as const;

// A state that the server does not know yet takes nothing back.
function known(state: AccountHealthState, before: AccountHealthState | undefined): AccountHealthState {
  return state === 'UNKNOWN' ? (before ?? state) : state;
}
