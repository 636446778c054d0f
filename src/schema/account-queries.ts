import type { OperationContext } from '../operation/operation.ts';
import { byNumber, byText, containsText, ordered, InMemoryList } from '../lists/in-memory-list.ts';
import type { WindowArguments } from '../lists/window.ts';
import { accountOf, findAccount } from '../records/account.ts';
import type { AccountListParams } from '../sources/current/accounts.ts';
import type { Surface } from '../sources/errors.ts';
import { Account, AccountConnection } from './account.ts';
import { addAccounts, listedPart } from './account-cost.ts';
import { builder } from './builder.ts';
import { costs, type ResultSet, type PlannedField } from './cost.ts';
import { InputError } from './errors.ts';
import { decodeGlobalId } from './global-id.ts';
import { addLegacyWindow, addWindow } from './list-cost.ts';
import { connect } from './pagination.ts';
import { OrderDirection } from './order.ts';
import { SurfaceEnum } from './surface.ts';

// How accounts are found: one by its id, or a list of them, narrowed and in order.

const AccountFilter = builder.inputType('AccountFilter', {
  description:
    'Narrows a list of accounts. How the service combines several filters is not documented; the legacy surface takes only `displayName`.',
  fields: (t) => ({
    displayName: t.string({
      description:
        'Searches by account name: on the current surface as the service does, on the legacy surface for a part of the name.',
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
      description: 'A filter text that the service does not document, passed on as it is.',
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

const AccountOrder = builder.inputType('AccountOrder', {
  description: 'One step of an order of accounts.',
  fields: (t) => ({
    field: t.field({ type: AccountOrderField, required: true, description: 'What to order by.' }),
    direction: t.field({ type: OrderDirection, description: 'Which end comes first; `ASC` if left out.' }),
  }),
});

type Filter = typeof AccountFilter.$inferInput;
type Order = typeof AccountOrder.$inferInput;

builder.queryFields((t) => ({
  accounts: t.connection(
    {
      type: Account,
      description:
        'The connected accounts. Each surface has its own list. Without `surface`, the current surface answers if an API key was sent, otherwise the legacy surface.',
      args: {
        filter: t.arg({ type: AccountFilter, description: 'Which accounts to list.' }),
        orderBy: t.arg({
          type: [AccountOrder],
          description: 'In which order, step by step; the service’s own if left out.',
        }),
        surface: t.arg({ type: SurfaceEnum, description: 'Which surface to ask.' }),
      },
      resolve: (_root, { filter, orderBy, surface, ...window }, context) => {
        const asked = surface ?? context.sources.preferred();
        if (asked === 'legacy') {
          return connect(window, legacyAccounts(filter ?? {}, orderBy ?? [], context), (row) =>
            accountOf('legacy', row),
          );
        }
        return connect(window, currentAccounts({ filter, orderBy }, context), (row) =>
          accountOf('current', row),
        );
      },
      ...costs(accountsCost),
    },
    AccountConnection,
  ),
  account: t.field({
    type: Account,
    description: 'One account by its id; null if its surface has no such account.',
    args: { id: t.arg.id({ required: true, description: 'The id of an `Account`.' }) },
    resolve: (_root, { id }, context) => {
      const { surface, rawId } = decodeGlobalId(id, 'id', 'Account');
      return findAccount(surface, rawId, context);
    },
    ...costs<{ readonly id: string }>(({ args, tally }) => addAccounts(tally, [args.id])),
  }),
}));

interface ListArguments extends WindowArguments {
  readonly filter?: Filter | null | undefined;
  readonly orderBy?: readonly Order[] | null | undefined;
  readonly surface?: Surface | null | undefined;
}

function currentAccounts({ filter, orderBy }: ListArguments, context: OperationContext) {
  return context.loaders.accounts(listParams(filter ?? {}, orderBy ?? []));
}

function accountsCost({ args, context, tally }: PlannedField<ListArguments>): ResultSet[] {
  const asked = args.surface ?? context.sources.preferred();
  const shown = { args, type: 'Account', part: listedPart(asked) } as const;
  if (asked === 'legacy') return addLegacyWindow(tally, 'legacy accounts', shown);
  return addWindow(tally, currentAccounts(args, context), shown);
}

const SORT_FIELDS = { LOGIN_ID: 'loginId', DISPLAY_NAME: 'displayName' } as const;

function listParams(filter: Filter, orderBy: readonly Order[]): AccountListParams {
  const { displayName, accountGroupIds, platformIds, clientId, teamIds, multiFilter } = filter;
  return {
    ...(displayName == null ? {} : { name: displayName }),
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
    ...(multiFilter == null ? {} : { multiFilter }),
    ...(orderBy.length === 0
      ? {}
      : { sortBy: orderBy.map(({ field, direction }) => [SORT_FIELDS[field], direction ?? 'ASC'] as const) }),
  };
}

function notEmpty<T>(values: readonly T[], argument: string): readonly T[] {
  if (values.length === 0) throw new InputError(`${argument} is empty; leave it out to list all.`);
  return values;
}

function currentGroupId(id: string, index: number): string {
  const argument = `filter.accountGroupIds[${index}]`;
  const { surface, rawId } = decodeGlobalId(id, argument, 'AccountGroup');
  if (surface === 'legacy') throw new InputError(`${argument} is a group of the legacy surface.`);
  return withoutComma(rawId, argument);
}

// The service takes such lists as one text with commas between, and has no way to write a comma inside.
function withoutComma(value: string, argument: string): string {
  if (value.includes(',')) throw new InputError(`${argument} holds a comma, which the service can't take.`);
  return value;
}

function legacyAccounts(
  { displayName, ...others }: Filter,
  orderBy: readonly Order[],
  context: OperationContext,
) {
  const foreign = Object.entries(others).find(([, value]) => value != null);
  if (foreign)
    throw new InputError(
      `filter.${foreign[0]} is not known on the legacy surface; it takes only filter.displayName.`,
    );
  const orders = orderBy.map(({ field, direction }) =>
    field === 'LOGIN_ID'
      ? byNumber('loginId', direction ?? 'ASC')
      : byText('displayName', direction ?? 'ASC'),
  );
  return new InMemoryList(
    'legacy accounts',
    { displayName, orderBy },
    {
      surface: 'legacy',
      keyOf: (row) => row.loginId,
      rows: async () => {
        const all = await context.loaders.legacyAccounts();
        return ordered(containsText(all, 'displayName', displayName), orders, all);
      },
    },
  );
}
