import type { OperationContext } from '../operation/operation.ts';
import type { AccountRecord } from '../records/account.ts';
import { factsOf, permissionOf, type PermittedPart } from '../records/account-permission.ts';
import { readsAccount } from './account-cost.ts';
import { builder } from './builder.ts';

const PermissionState = builder.enumType('PermissionState', {
  description:
    'Whether access to one part of an account is granted. The service’s list of accounts and its detail of one account state different facts about it; all of them count.',
  values: {
    GRANTED: { description: 'The service grants it, and nothing denies it.' },
    DENIED: {
      description: 'The service denies it, in its list, or for the permission or the task in its detail.',
    },
    UNKNOWN: { description: 'Unknown: the surface does not report it, or could not be asked.' },
  } as const,
});

/** Returns the resolver of one permission's state, and its cost. */
function stateOf(part: PermittedPart) {
  return {
    type: PermissionState,
    nullable: false,
    resolve: (account: AccountRecord, _args: object, context: OperationContext) =>
      permissionOf(account, part, context),
    ...readsAccount(...factsOf(part)),
  } as const;
}

export const AccountPermissions = builder.objectRef<AccountRecord>('AccountPermissions').implement({
  description: 'What may be done on an account. The legacy surface does not tell.',
  fields: (t) => ({
    publishing: t.field({ description: 'Sharing posts.', ...stateOf('publishing') }),
    inbox: t.field({ description: 'The social inbox.', ...stateOf('inbox') }),
    analytics: t.field({ description: 'Analytics of the page.', ...stateOf('analytics') }),
  }),
});
