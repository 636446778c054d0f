import { accountOf, findAccount } from '../records/account.ts';
import { Account, AccountConnection } from './account.ts';
import { AccountFilter, AccountOrder, currentAccounts, legacyAccounts } from './account-list.ts';
import { builder } from './builder.ts';
import { decodeGlobalId } from './global-id.ts';
import { connect } from './pagination.ts';
import { SurfaceEnum } from './surface.ts';

// Queries for accounts: one by its id, or a filtered and sorted list.

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
        const narrowed = { filter, orderBy };
        if (asked === 'legacy') {
          return connect(window, legacyAccounts(narrowed, context), (row) => accountOf('legacy', row));
        }
        return connect(window, currentAccounts(narrowed, context), (row) => accountOf('current', row));
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
