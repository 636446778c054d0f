import type { OperationContext } from '../operation/operation.ts';
import { byNumber, byText, containsText, ordered, InMemoryList } from '../lists/in-memory-list.ts';
import { narrowAccounts, type AccountNarrowing } from '../records/narrowed-accounts.ts';
import type { AccountListItem, AccountListParams } from '../sources/current/accounts.ts';
import { AccountHealthState } from './account-health.ts';
import { builder } from './builder.ts';
import { InputError } from './errors.ts';
import { decodeGlobalId } from './global-id.ts';
import type { NarrowedList } from './list-cost.ts';
import { notEmpty } from './not-empty.ts';
import { OrderDirection } from './order.ts';
import { searchText } from './search-text.ts';
import { SocialNetwork } from './social-network.ts';

// Lists of accounts: the service filters and sorts where it can, and the rest is done here.

export const AccountFilter = builder.inputType('AccountFilter', {
  description:
    'Narrows a list of accounts. How the service combines several filters of its own is not documented. `networks`, `isPaused` and `healthStates` are applied here, to the whole of what the service lists, up to 2,000 accounts; a longer list is `SCAN_LIMIT_REACHED`, and an account that does not show what is asked for in a form that can be read fails the list, so that none is left out silently. The legacy surface takes these three and `displayName`.',
  fields: (t) => ({
    displayName: t.string({
      description:
        'Searches by account name, for up to 400 characters: on the current surface as the service does, on the legacy surface for a part of the name.',
    }),
    accountGroupIds: t.idList({ description: 'Ids of `AccountGroup`s of the current surface.' }),
    platformIds: t.intList({ description: 'Kinds of account, as in `Account.platformId`.' }),
    clientId: t.field({
      type: 'ServiceId',
      description: 'The service’s own id of a client; its meaning is not documented.',
    }),
    teamIds: t.field({
      type: ['ServiceId'],
      description: 'The service’s own ids of teams; their meaning is not documented.',
    }),
    multiFilter: t.string({
      description:
        'A filter text of up to 400 characters that the service does not document, passed on as it is.',
    }),
    networks: t.field({
      type: [SocialNetwork],
      description: 'Accounts of these networks, at least one, as in `Account.network`.',
    }),
    isPaused: t.boolean({
      description:
        'Only accounts that are paused, or only those that are not. One of which the service says neither is in neither list.',
    }),
    healthStates: t.field({
      type: [AccountHealthState],
      description:
        'Accounts whose `health.state` is one of these, at least one. Whether an account is paused, blocked or locked is taken from the list; everything else only its details tell, at one call an account and for up to 100 accounts: more are `SCAN_LIMIT_REACHED`. A detail that cannot be read fails the list unless `UNKNOWN` is among the states. The legacy surface knows `PAUSED` and `UNKNOWN` only.',
    }),
  }),
});

const AccountOrderField = builder.enumType('AccountOrderField', {
  description: 'What accounts can be ordered by.',
  values: {
    LOGIN_ID: { description: 'The service’s own id.' },
    DISPLAY_NAME: { description: 'The account’s name.' },
  } as const,
});

export const AccountOrder = builder.inputType('AccountOrder', {
  description: 'One step of an order of accounts.',
  fields: (t) => ({
    field: t.field({ type: AccountOrderField, required: true, description: 'What to order by.' }),
    direction: t.field({ type: OrderDirection, description: 'Which end comes first; `ASC` if left out.' }),
  }),
});

type Filter = typeof AccountFilter.$inferInput;
type Order = typeof AccountOrder.$inferInput;

/** The filter and order of a list of accounts. */
export interface AccountSelection {
  readonly filter?: Filter | null | undefined;
  readonly orderBy?: readonly Order[] | null | undefined;
}

/** Lists accounts of the current surface. Throws an InputError for an unusable filter. */
export function currentAccounts(
  { filter, orderBy }: AccountSelection,
  context: OperationContext,
): NarrowedList<AccountListItem> {
  const params = listParams(filter ?? {}, orderBy ?? []);
  const narrowing = narrowingOf(filter ?? {});
  const source = context.loaders.accounts(params);
  if (Object.keys(narrowing).length === 0) return { list: source, source: null };
  const list = new InMemoryList(
    'narrowed accounts',
    { ...params, ...narrowing },
    {
      surface: 'current',
      keyOf: (row: AccountListItem) => row.loginId,
      rows: async () =>
        narrowAccounts('current', await context.loaders.whole(source), { narrowing, context }),
    },
  );
  return { list, source };
}

function narrowingOf({ networks, isPaused, healthStates }: Filter): AccountNarrowing {
  return {
    ...(networks == null ? {} : { networks: notEmpty(networks, 'filter.networks') }),
    ...(isPaused == null ? {} : { isPaused }),
    ...(healthStates == null ? {} : { healthStates: notEmpty(healthStates, 'filter.healthStates') }),
  };
}

const SORT_FIELDS = { LOGIN_ID: 'loginId', DISPLAY_NAME: 'displayName' } as const;

function listParams(filter: Filter, orderBy: readonly Order[]): AccountListParams {
  const { displayName, accountGroupIds, platformIds, clientId, teamIds, multiFilter } = filter;
  return {
    ...(displayName == null ? {} : { name: searchText(displayName, 'filter.displayName') }),
    ...(accountGroupIds == null
      ? {}
      : { groupIds: notEmpty(accountGroupIds.map(currentGroupId), 'filter.accountGroupIds') }),
    ...(platformIds == null ? {} : { platformIds: notEmpty(platformIds, 'filter.platformIds') }),
    ...(clientId == null ? {} : { clientId }),
    ...(teamIds == null
      ? {}
      : {
          teamIds: notEmpty(
            teamIds.map((id, index) => withoutComma(id, `filter.teamIds[${index}]`)),
            'filter.teamIds',
          ),
        }),
    ...(multiFilter == null ? {} : { multiFilter: searchText(multiFilter, 'filter.multiFilter') }),
    ...(orderBy.length === 0
      ? {}
      : { sortBy: orderBy.map(({ field, direction }) => [SORT_FIELDS[field], direction ?? 'ASC'] as const) }),
  };
}

function currentGroupId(id: string, index: number): string {
  const argument = `filter.accountGroupIds[${index}]`;
  const { surface, rawId } = decodeGlobalId(id, argument, 'AccountGroup');
  if (surface === 'legacy') throw new InputError(`${argument} is a group of the legacy surface.`);
  return withoutComma(rawId, argument);
}

// The service takes such lists as comma-separated text and has no way to escape a comma.
function withoutComma(value: string, argument: string): string {
  if (value.includes(',')) throw new InputError(`${argument} holds a comma, which the service can't take.`);
  return value;
}

/** Lists accounts of the legacy surface, filtered and sorted here. Throws an InputError for a filter that it lacks. */
export function legacyAccounts({ filter, orderBy }: AccountSelection, context: OperationContext) {
  const { displayName, networks, isPaused, healthStates, ...others } = filter ?? {};
  const foreign = Object.entries(others).find(([, value]) => value != null);
  if (foreign)
    throw new InputError(
      `filter.${foreign[0]} is not known on the legacy surface; it takes displayName, networks, isPaused and healthStates.`,
    );
  const narrowing = narrowingOf({ networks, isPaused, healthStates });
  const part = displayName == null ? null : searchText(displayName, 'filter.displayName');
  return new InMemoryList(
    'legacy accounts',
    { displayName, orderBy: orderBy ?? [], ...narrowing },
    {
      surface: 'legacy',
      keyOf: (row) => row.loginId,
      rows: async () => {
        const all = await context.loaders.legacyAccounts();
        const found = ordered(containsText(all, 'displayName', part), ordersOf(orderBy ?? []), all);
        return narrowAccounts('legacy', found, { narrowing, context });
      },
    },
  );
}

function ordersOf(orderBy: readonly Order[]) {
  return orderBy.map(({ field, direction }) =>
    field === 'LOGIN_ID'
      ? byNumber('loginId', direction ?? 'ASC')
      : byText('displayName', direction ?? 'ASC'),
  );
}
