import { encodeGlobalId } from '../records/global-id.ts';
import type { HealthFlags } from '../records/account.ts';
import { healthOfFlags } from '../records/account.ts';
import { DETAILS_PER_READING, observedHealth, type ObservedAccount } from '../watch/account-health.ts';
import type { Told } from '../watch/watches.ts';
import { AccountHealthState } from './account-health.ts';
import { Account } from './account.ts';
import { builder } from './builder.ts';
import { costs } from './cost.ts';
import { addScan } from './list-cost.ts';
import { isWhole, itemOf, lastSeenAt, observedAt, told, wantedItems } from './watch-event.ts';
import { WatchFilter, wantedBy } from './watch-filter.ts';

// Changes in account health, detected by reading the account list, the groups and details in turn.

const AccountHealthEventKind = builder.enumType('AccountHealthEventKind', {
  description: 'What an event of the accounts’ health tells.',
  values: {
    SNAPSHOT: { description: 'The health of all accounts when the watching begins; always the first event.' },
    ADDED: { description: 'An account that the list did not show before.' },
    HEALTH_CHANGED: { description: 'An account whose health is different; `before` and `after` say how.' },
    LEFT: { description: 'An account that the list does not show any more.' },
    RESYNCED: {
      description:
        'The health of all accounts after a time in which it could not be read, or in which more changed than is told one by one.',
    },
  } as const,
});

const HealthFlag = builder.enumType('AccountHealthFlag', {
  description: 'What the service marks an account with.',
  values: {
    IS_BLOCKED: { value: 'isBlocked' as const, description: 'Told by the account list.' },
    IS_LOCKED: { value: 'isLocked' as const, description: 'Told by the account list and the groups.' },
    NEEDS_RECONNECT: {
      value: 'needsReconnect' as const,
      description:
        'Told by the groups for their members; for other accounts by their details, of which a reading takes five, in turn.',
    },
    IS_PAUSED: { value: 'isPaused' as const, description: 'Told by the account list.' },
  },
});

const ObservedHealth = builder.objectRef<HealthFlags>('ObservedHealth').implement({
  description:
    'The health of an account as far as watching knows it. `Account.health` asks the service for the rest, at one call an account.',
  fields: (t) => ({
    state: t.field({
      type: AccountHealthState,
      nullable: false,
      description: 'The state in one word; `UNKNOWN` where a flag that decides is not known.',
      resolve: healthOfFlags,
    }),
    isBlocked: t.boolean({
      description: 'Whether the account list marks it as blocked.',
      resolve: (flags) => flags.isBlocked,
    }),
    isLocked: t.boolean({
      description: 'Whether the account list or a group marks it as locked.',
      resolve: (flags) => flags.isLocked,
    }),
    needsReconnect: t.boolean({
      description: 'Whether it requires reconnection.',
      resolve: (flags) => flags.needsReconnect,
    }),
    isPaused: t.boolean({
      description: 'Whether the account list marks it as paused.',
      resolve: (flags) => flags.isPaused,
    }),
    unknownFlags: t.field({
      type: [HealthFlag],
      nullable: false,
      description: 'The flags that are not known.',
      resolve: (flags) => FLAGS.filter((name) => flags[name] === null),
    }),
  }),
});

const FLAGS = ['isBlocked', 'isLocked', 'needsReconnect', 'isPaused'] as const;

interface StateCount {
  readonly state: ReturnType<typeof observedHealth>;
  readonly count: number;
}

const AccountHealthCount = builder.objectRef<StateCount>('AccountHealthCount').implement({
  description: 'How many accounts are in a state.',
  fields: (t) => ({
    state: t.expose('state', {
      type: AccountHealthState,
      nullable: false,
      description: 'What its accounts have in common.',
    }),
    count: t.exposeInt('count', { nullable: false, description: 'How many accounts have that state.' }),
  }),
});

const AccountHealthEvent = builder.objectRef<Told<ObservedAccount>>('AccountHealthEvent');

AccountHealthEvent.implement({
  description: 'A change in the health of an account, seen by comparing two readings.',
  fields: (t) => ({
    kind: t.field({
      type: AccountHealthEventKind,
      nullable: false,
      description: 'What the event tells.',
      resolve: ({ event }) => (event.kind === 'CHANGED' ? ('HEALTH_CHANGED' as const) : event.kind),
    }),
    observedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the reading began that showed it.',
      resolve: observedAt,
    }),
    lastSeenAt: t.field({
      type: 'DateTime',
      description:
        'When the reading before began: the change happened between the two, or before it where only the detail tells. Of `RESYNCED`, the last reading that succeeded; of `SNAPSHOT`, null.',
      resolve: lastSeenAt,
    }),
    totalCount: t.int({
      nullable: false,
      description: 'How many accounts there are now, of those that the filter lets through.',
      resolve: (one) => wantedItems(one).length,
    }),
    stateCounts: t.field({
      type: [AccountHealthCount],
      nullable: false,
      description: 'How many of them are in which state; states without an account are left out.',
      resolve: stateCounts,
    }),
    accountIds: t.idList({
      nullable: { list: true, items: false },
      description:
        'Of `SNAPSHOT` and `RESYNCED`: the ids of all accounts, in the service’s order; otherwise null.',
      resolve: (one) => (isWhole(one) ? wantedItems(one).map(({ key }) => idOf(key)) : null),
    }),
    account: t.field({
      type: Account,
      description:
        'The account as its list shows it; of `LEFT`, as it was last seen. Null in `SNAPSHOT` and `RESYNCED`.',
      resolve: (one) => itemOf(one)?.record.account ?? null,
      ...costs(() => [{ type: 'Account', part: 'listed', name: 'event', count: 1 }]),
    }),
    before: t.field({
      type: ObservedHealth,
      description: 'Of `HEALTH_CHANGED` and `LEFT`: its health as it was last seen; otherwise null.',
      resolve: ({ event }) => ('before' in event ? event.before.record.flags : null),
    }),
    after: t.field({
      type: ObservedHealth,
      description: 'Of `ADDED` and `HEALTH_CHANGED`: its health now; otherwise null.',
      resolve: ({ event }) => ('after' in event ? event.after.record.flags : null),
    }),
    isFollowedByChanges: t.boolean({
      description:
        'Of `RESYNCED`: whether the differences to what was last seen follow one by one. Otherwise null.',
      resolve: ({ event }) => (event.kind === 'RESYNCED' ? event.isFollowedByChanges : null),
    }),
  }),
});

function stateCounts(one: Told<ObservedAccount>): StateCount[] {
  const counts = new Map<StateCount['state'], number>();
  for (const { record } of wantedItems(one)) {
    const state = observedHealth(record);
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
      'The health of the accounts of the current surface, and then each change, until you leave. The service pushes nothing: its lists are read every few seconds, once for all who watch with the same API key, and less often while nothing changes (see the setting `WATCH_INTERVAL`).',
    args: { filter: t.arg({ type: WatchFilter, description: 'Which accounts to hear of.' }) },
    subscribe: (_root, { filter }, context) =>
      context.watches.accountHealth(wantedBy<ObservedAccount>(filter, ({ account }) => account.loginId)),
    resolve: told<ObservedAccount>,
    ...costs(({ tally }) => {
      addScan(tally, 'accounts');
      addScan(tally, 'groups');
      tally.add('details of watched accounts', DETAILS_PER_READING);
    }),
  }),
);
