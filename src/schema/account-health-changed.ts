import { encodeGlobalId } from '../records/global-id.ts';
import { type HealthFlags, healthOfFlags, type HealthState } from '../records/account.ts';
import type { ObservedAccount } from '../watch/account-health.ts';
import type { Told } from '../watch/watches.ts';
import { Account } from './account.ts';
import { AccountHealthState } from './account-health.ts';
import { builder, defineEnum } from './builder.ts';
import { boolean, field, int, nonNull, shown } from './data.ts';
import { isWhole, itemOf, pollFields, told, wantedItems, WatchFilter, wantedBy } from './watch-event.ts';

// Changes in account health, detected by reading the account list, the groups and details in turn.

const AccountHealthEventKind = defineEnum('AccountHealthEventKind', 'Types of account health events.', {
  SNAPSHOT: 'The health of all accounts when the subscription starts; always the first event.',
  ADDED: 'An account appeared in the list.',
  HEALTH_CHANGED: 'The health of an account changed; see `before` and `after`.',
  LEFT: 'An account disappeared from the list.',
  RESYNCED: 'The health of all accounts, sent after failed polls or too many changes to report individually.',
});

const HealthFlag = defineEnum('AccountHealthFlag', 'Flags that determine the health of an account.', {
  IS_BLOCKED: ['isBlocked', 'The account is blocked. Read from the account list.'],
  IS_LOCKED: ['isLocked', 'The account is locked. Read from the account list and from groups.'],
  NEEDS_RECONNECT: [
    'needsReconnect',
    'The account must be reconnected. Read from groups for their members, and for other accounts from details (five per poll, in rotation).',
  ],
  IS_PAUSED: ['isPaused', 'Publishing is paused. Read from the account list.'],
});

const ObservedHealth = builder.objectRef<HealthFlags>('ObservedHealth').implement({
  description:
    'Health of an account, as known from polling. For full details, use `Account.health`, which makes one call per account.',
  fields: (t) =>
    shown(t, {
      state: t.field({
        type: AccountHealthState,
        nullable: false,
        description: 'Overall state; `UNKNOWN` if a deciding flag is unknown.',
        resolve: healthOfFlags,
      }),
      isBlocked: boolean('Whether the account list flags the account as blocked.'),
      isLocked: boolean('Whether the account list or a group flags the account as locked.'),
      needsReconnect: boolean('Whether the account must be reconnected.'),
      isPaused: boolean('Whether the account list flags the account as paused.'),
      unknownFlags: t.field({
        type: [HealthFlag],
        nullable: false,
        description: 'Flags whose values are unknown.',
        resolve: (flags) => FLAGS.filter((name) => flags[name] === null),
      }),
    }),
});

const FLAGS = ['isBlocked', 'isLocked', 'needsReconnect', 'isPaused'] as const;

interface StateCount {
  readonly state: HealthState;
  readonly count: number;
}

const AccountHealthCount = builder.objectRef<StateCount>('AccountHealthCount').implement({
  description: 'Number of accounts in one state.',
  fields: (t) =>
    shown(t, {
      state: nonNull(field(AccountHealthState, 'State that these accounts share.')),
      count: nonNull(int('Number of accounts in this state.')),
    }),
});

const ObservedAccountRef = builder.objectRef<ObservedAccount>('ObservedAccount').implement({
  description: 'An account and its health as known from polling.',
  fields: (t) =>
    shown(t, {
      accountId: t.id({
        nullable: false,
        description: 'Same as `account.id`.',
        resolve: ({ account }) => idOf(account.loginId),
      }),
      account: field(Account, 'The account, as returned by the account list.'),
      health: nonNull(field(ObservedHealth, 'Health of the account.', 'flags')),
    }),
});

const AccountHealthEvent = builder.objectRef<Told<ObservedAccount>>('AccountHealthEvent');

AccountHealthEvent.implement({
  description: 'A change in the health of an account, detected by comparing two polls.',
  fields: (t) => ({
    kind: t.field({
      type: AccountHealthEventKind,
      nullable: false,
      description: 'Type of the event.',
      resolve: ({ event }) => (event.kind === 'CHANGED' ? ('HEALTH_CHANGED' as const) : event.kind),
    }),
    ...pollFields(t, 'accounts', 'the details show'),
  }),
});

// All accounts, or the one that changed.
builder.objectFields(AccountHealthEvent, (t) => ({
  stateCounts: t.field({
    type: [AccountHealthCount],
    nullable: false,
    description: 'Number of matching accounts in each state. States without accounts are omitted.',
    resolve: stateCounts,
  }),
  accountIds: t.idList({
    description: 'IDs of all accounts, in the service’s order. Only for `SNAPSHOT` and `RESYNCED`.',
    resolve: (one) => (isWhole(one) ? wantedItems(one).map(({ key }) => idOf(key)) : null),
  }),
  accounts: t.field({
    type: [ObservedAccountRef],
    description:
      'All accounts with their health, in the service’s order. Only for `SNAPSHOT` and `RESYNCED`.',
    resolve: (one) => (isWhole(one) ? wantedItems(one).map(({ record }) => record) : null),
  }),
  account: t.field({
    type: Account,
    description:
      'The account, as returned by the account list; for `LEFT`, as last seen. Null for `SNAPSHOT` and `RESYNCED`.',
    resolve: (one) => itemOf(one)?.record.account ?? null,
  }),
  before: t.field({
    type: ObservedHealth,
    description: 'Health as last seen. Only for `HEALTH_CHANGED` and `LEFT`.',
    resolve: ({ event }) => ('before' in event ? event.before.record.flags : null),
  }),
  after: t.field({
    type: ObservedHealth,
    description: 'Current health. Only for `ADDED` and `HEALTH_CHANGED`.',
    resolve: ({ event }) => ('after' in event ? event.after.record.flags : null),
  }),
  isFollowedByChanges: t.boolean({
    description: 'Whether the changes since the last poll follow as separate events. Only for `RESYNCED`.',
    resolve: ({ event }) => (event.kind === 'RESYNCED' ? event.isFollowedByChanges : null),
  }),
}));

function stateCounts(one: Told<ObservedAccount>): StateCount[] {
  const counts = new Map<StateCount['state'], number>();
  for (const { record } of wantedItems(one)) {
    const state = healthOfFlags(record.flags);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return [...counts].map(([state, count]) => ({ state, count }));
}

function idOf(loginId: string): string {
  return encodeGlobalId({ type: 'Account', surface: 'current', rawId: loginId });
}

builder.subscriptionField('accountHealthChanged', (t) =>
  t.field({
    type: AccountHealthEvent,
    description:
      'The health of the accounts on the current surface, followed by each change. The server polls the service every few seconds, less often while nothing changes (see the `WATCH_INTERVAL` setting). All subscribers with the same API key share one poll.',
    args: { filter: t.arg({ type: WatchFilter, description: 'Filters the accounts.' }) },
    subscribe: (_root, { filter }, context) => context.watches.accountHealth(wantedBy(filter)),
    resolve: told<Told<ObservedAccount>>,
  }),
);
