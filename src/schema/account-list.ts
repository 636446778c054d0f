import type { OperationContext } from '../operation/operation.ts';
import type { PagedList } from '../lists/reading.ts';
import { byNumber, byText, containsText, ordered, InMemoryList } from '../lists/in-memory-list.ts';
import { accountOf, findAccount } from '../records/account.ts';
import { narrowAccounts, type AccountNarrowing } from '../records/narrowed-accounts.ts';
import type { AccountListItem, AccountListParams } from '../sources/current/accounts.ts';
import { Account, AccountConnection } from './account.ts';
import { AccountHealthState } from './account-health.ts';
import { SocialNetwork } from './account-parts.ts';
import {
  currentIdOf,
  decodeGlobalId,
  distinct,
  eachOf,
  given,
  searchText,
  withoutComma,
} from './arguments.ts';
import { builder, defineEnum, defineInput } from './builder.ts';
import { InputError } from './errors.ts';
import { OrderDirection } from './order.ts';
import { connect } from './pagination.ts';
import { SurfaceEnum } from './surface.ts';

// Queries for accounts: one by its id, or a list. The service filters and sorts where it can, and the rest is done here.

const AccountFilter = defineInput(
  'AccountFilter',
  'Filters for accounts. `networks`, `isPaused` and `healthStates` are applied by this server to the whole list (up to 2,000 accounts, otherwise `SCAN_LIMIT_REACHED`). If a filtered field is unreadable on any account, the list fails rather than omitting that account. The legacy surface supports these three and `displayName`. How the service’s own filters combine is undocumented by the service.',
  (t) => ({
    displayName: t.string({
      description:
        'Searches by account name (at most 400 characters). The legacy surface matches any part of the name.',
    }),
    accountGroupIds: t.idList({ description: 'IDs of groups on the current surface.' }),
    platformIds: t.intList({ description: 'Accounts of these kinds, by `Account.platformId`.' }),
    clientId: t.field({ type: 'ServiceId', description: 'Id of a client. Undocumented by the service.' }),
    teamIds: t.field({ type: ['ServiceId'], description: 'Ids of teams. Undocumented by the service.' }),
    multiFilter: t.string({
      description: 'Passed to the service unchanged (at most 400 characters). Undocumented by the service.',
    }),
    networks: t.field({ type: [SocialNetwork], description: 'Accounts on these networks (at least one).' }),
    isPaused: t.boolean({
      description:
        'If true, only paused accounts; if false, only accounts that are not paused. Accounts without a reported state match neither.',
    }),
    healthStates: t.field({
      type: [AccountHealthState],
      description:
        'Accounts in one of these states (at least one). Whether an account is paused, blocked or locked is known from the list; other states require one call per account, for up to 100 accounts (otherwise `SCAN_LIMIT_REACHED`). If a detail cannot be read, the list fails unless `UNKNOWN` is included. The legacy surface reports only `PAUSED` and `UNKNOWN`.',
    }),
  }),
);

const AccountOrderField = defineEnum('AccountOrderField', 'Fields that accounts can be sorted by.', {
  LOGIN_ID: 'By the service’s own id.',
  DISPLAY_NAME: 'By account name.',
});

const AccountOrder = defineInput('AccountOrder', 'A sort criterion for accounts.', (t) => ({
  field: t.field({ type: AccountOrderField, required: true, description: 'Field to sort by.' }),
  direction: t.field({ type: OrderDirection, defaultValue: 'ASC', description: 'Sort direction.' }),
}));

type Filter = typeof AccountFilter.$inferInput;
type Order = typeof AccountOrder.$inferInput;

/** Lists accounts of the current surface. Throws an InputError for an unusable filter. */
function currentAccounts(
  filter: Filter,
  orderBy: readonly Order[],
  context: OperationContext,
): PagedList<AccountListItem> {
  context.calls.list(filter.accountGroupIds);
  const params = listParams(filter, orderBy);
  const narrowing = narrowingOf(filter);
  const source = context.loaders.accounts(params);
  if (Object.keys(narrowing).length === 0) return source;
  return new InMemoryList(
    'narrowed accounts',
    { ...params, ...narrowing },
    {
      surface: 'current',
      keyOf: (row: AccountListItem) => row.loginId,
      rows: async () =>
        narrowAccounts('current', await context.loaders.whole(source), { narrowing, context }),
    },
  );
}

function narrowingOf({ networks, isPaused, healthStates }: Filter): AccountNarrowing {
  return given({
    networks: distinct(networks, 'filter.networks'),
    isPaused,
    healthStates: distinct(healthStates, 'filter.healthStates'),
  });
}

const SORT_FIELDS = { LOGIN_ID: 'loginId', DISPLAY_NAME: 'displayName' } as const;

function listParams(filter: Filter, orderBy: readonly Order[]): AccountListParams {
  const { displayName, accountGroupIds, platformIds, clientId, teamIds, multiFilter } = filter;
  return given({
    name: searchText(displayName, 'filter.displayName'),
    groupIds: eachOf(accountGroupIds, 'filter.accountGroupIds', (id, argument) =>
      withoutComma(groupIdOf(id, argument), argument),
    ),
    platformIds: distinct(platformIds, 'filter.platformIds'),
    clientId,
    teamIds: eachOf(teamIds, 'filter.teamIds', withoutComma),
    multiFilter: searchText(multiFilter, 'filter.multiFilter'),
    sortBy:
      orderBy.length === 0
        ? null
        : orderBy.map(({ field, direction }) => [SORT_FIELDS[field], direction ?? 'ASC'] as const),
  });
}

const groupIdOf = currentIdOf('AccountGroup', 'has its own groups; use one of the current surface');

/** Lists accounts of the legacy surface, filtered and sorted here. Throws an InputError for a filter that it lacks. */
function legacyAccounts(filter: Filter, orderBy: readonly Order[], context: OperationContext) {
  const { displayName, networks, isPaused, healthStates, ...others } = filter;
  const foreign = Object.entries(others).find(([, value]) => value != null);
  if (foreign)
    throw new InputError(
      `filter.${foreign[0]} is not supported on the legacy surface; use displayName, networks, isPaused or healthStates.`,
    );
  const narrowing = narrowingOf({ networks, isPaused, healthStates });
  const params = listParams({ displayName }, orderBy);
  return new InMemoryList(
    'legacy accounts',
    // Cursors of earlier versions were made with these names.
    { ...given({ displayName }), orderBy: params.sortBy ?? [], ...narrowing },
    {
      surface: 'legacy',
      keyOf: (row) => row.loginId,
      rows: async () => {
        const all = await context.loaders.legacyAccounts();
        const found = containsText(ordered(all, ordersOf(params)), 'displayName', params.name);
        return narrowAccounts('legacy', found, { narrowing, context });
      },
    },
  );
}

function ordersOf({ sortBy = [] }: AccountListParams) {
  return sortBy.map(([name, direction]) =>
    name === 'loginId' ? byNumber(name, direction) : byText(name, direction),
  );
}

builder.queryFields((t) => ({
  accounts: t.connection(
    {
      type: Account,
      description:
        'Connected accounts. Each surface has its own list. Without `surface`, the current surface is read if an API key was sent, otherwise the legacy surface.',
      args: {
        filter: t.arg({ type: AccountFilter, description: 'Filters the accounts.' }),
        orderBy: t.arg({
          type: [AccountOrder],
          description: 'Sort criteria, most significant first. Defaults to the service’s own order.',
        }),
        surface: t.arg({ type: SurfaceEnum, description: 'Surface to read from.' }),
      },
      resolve: (_root, { filter, orderBy, surface, ...window }, context) => {
        const asked = surface ?? context.sources.preferred();
        const selection = [filter ?? {}, orderBy ?? [], context] as const;
        if (asked === 'legacy') {
          return connect(window, legacyAccounts(...selection), (row) => accountOf('legacy', row));
        }
        return connect(window, currentAccounts(...selection), (row) => accountOf('current', row));
      },
    },
    AccountConnection,
  ),
  account: t.field({
    type: Account,
    description: 'An account by its ID; null if its surface has no such account.',
    args: { id: t.arg.id({ required: true, description: 'ID of an account.' }) },
    resolve: (_root, { id }, context) => {
      const { surface, rawId } = decodeGlobalId(id, 'id', 'Account');
      return findAccount(surface, rawId, context);
    },
  }),
}));
