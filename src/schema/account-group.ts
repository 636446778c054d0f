import type { OperationContext } from '../operation/operation.ts';
import { accountOf, type AccountPart } from '../records/account.ts';
import {
  accountGroupOf,
  findAccountGroup,
  readGroup,
  type AccountGroupRecord,
} from '../records/account-group.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import { byText, containsText, ordered, InMemoryList } from '../lists/in-memory-list.ts';
import type { GroupListParams } from '../sources/current/groups.ts';
import { Account, AccountConnection } from './account.ts';
import { decodeGlobalId, given, searchText } from './arguments.ts';
import { builder, defineEnum, defineInput } from './builder.ts';
import { dateTime, serviceId, shown, string } from './data.ts';
import { mapMaybePromise } from './maybe-promise.ts';
import { connect } from './pagination.ts';
import { ONE_STEP, onlyStep, OrderDirection } from './order.ts';
import { SurfaceEnum } from './surface.ts';

export const AccountGroup = builder.objectRef<AccountGroupRecord>('AccountGroup');

AccountGroup.implement({
  description:
    'A group of accounts, as seen on one surface. Fields that the surface does not provide are null.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) =>
    shown(t, {
      id: t.id({
        nullable: false,
        description: 'Globally unique ID, specific to the surface that the group was read from.',
        resolve: ({ surface, groupId }) => encodeGlobalId({ type: 'AccountGroup', surface, rawId: groupId }),
      }),
      surface: t.expose('surface', {
        type: SurfaceEnum,
        nullable: false,
        description: 'Surface that this group was read from.',
      }),
      groupId: t.expose('groupId', {
        type: 'ServiceId',
        nullable: false,
        description: 'The service’s own id for the group.',
      }),
      name: string('Name of the group.'),
      createdAt: dateTime('When the group was created.'),
      companyId: serviceId('The service’s own id for the company.'),
      accounts: t.connection(
        {
          type: Account,
          description:
            'Accounts in the group, in the service’s order; null if the group list does not contain the group.',
          resolve: (group, args, context) =>
            mapMaybePromise(
              readGroup(group, 'accounts', context),
              (rows) => rows && connect(args, members(group, rows), (row) => accountOf(group.surface, row)),
            ),
        },
        AccountConnection,
      ),
    }),
});

function members(group: AccountGroupRecord, rows: readonly AccountPart[]) {
  const { surface, groupId } = group;
  return new InMemoryList<AccountPart>(
    'accounts of a group',
    { surface, groupId },
    { surface, keyOf: (row) => row.loginId, rows: () => rows },
  );
}

const AccountGroupConnection = builder.connectionObject(
  { type: AccountGroup, name: 'AccountGroupConnection', description: 'A connection to a list of groups.' },
  { name: 'AccountGroupEdge', description: 'An edge in a connection.' },
);

const AccountGroupFilter = defineInput('AccountGroupFilter', 'Filters for groups.', (t) => ({
  name: t.string({
    description:
      'Searches by group name (at most 400 characters). The legacy surface matches any part of the name.',
  }),
}));

const AccountGroupOrderField = defineEnum('AccountGroupOrderField', 'Fields that groups can be sorted by.', {
  NAME: 'By group name.',
});

const AccountGroupOrder = defineInput('AccountGroupOrder', 'A sort criterion for groups.', (t) => ({
  field: t.field({ type: AccountGroupOrderField, required: true, description: 'Field to sort by.' }),
  direction: t.field({ type: OrderDirection, defaultValue: 'ASC', description: 'Sort direction.' }),
}));

builder.queryFields((t) => ({
  accountGroups: t.connection(
    {
      type: AccountGroup,
      description:
        'Account groups. Each surface has its own list. Without `surface`, the current surface is read if an API key was sent, otherwise the legacy surface.',
      args: {
        filter: t.arg({ type: AccountGroupFilter, description: 'Filters the groups.' }),
        order: t.arg({ type: AccountGroupOrder, description: ONE_STEP.order }),
        orderBy: t.arg({ type: [AccountGroupOrder], description: ONE_STEP.orderBy }),
        surface: t.arg({ type: SurfaceEnum, description: 'Surface to read from.' }),
      },
      resolve: (_root, { filter, surface, ...args }, context) => {
        const asked = surface ?? context.sources.preferred();
        const params = listParams(filter ?? {}, onlyStep(args));
        if (asked === 'legacy') {
          return connect(args, legacyGroups(params, context), (row) => accountGroupOf('legacy', row));
        }
        return connect(args, context.loaders.groups(params), (row) => accountGroupOf('current', row));
      },
    },
    AccountGroupConnection,
  ),
  accountGroup: t.field({
    type: AccountGroup,
    description:
      'A group by its ID; null if its surface has no such group. Requires a search of the group list.',
    args: { id: t.arg.id({ required: true, description: 'ID of a group.' }) },
    resolve: (_root, { id }, context) => {
      const { surface, rawId } = decodeGlobalId(id, 'id', 'AccountGroup');
      return findAccountGroup(surface, rawId, context);
    },
  }),
}));

function listParams(
  { name }: typeof AccountGroupFilter.$inferInput,
  order: typeof AccountGroupOrder.$inferInput | null,
): GroupListParams {
  return given({
    name: searchText(name, 'filter.name'),
    sortByName: order && (order.direction ?? 'ASC'),
  });
}

function legacyGroups(params: GroupListParams, context: OperationContext) {
  const { name, sortByName } = params;
  return new InMemoryList('legacy groups', params, {
    surface: 'legacy',
    keyOf: (row) => row.groupId,
    rows: async () => {
      const all = await context.loaders.legacyGroups();
      const orders = sortByName === undefined ? [] : [byText('name', sortByName)];
      return containsText(ordered(all, orders), 'name', name);
    },
  });
}
