import type { OperationContext } from '../operation/operation.ts';
import type { AccountRecord } from '../records/account.ts';
import { factsOf, permissionOf, type PermittedPart } from '../records/account-permission.ts';
import { readsAccount } from './account-cost.ts';
import { builder } from './builder.ts';

const PermissionState = builder.enumType('PermissionState', {
  description:
    'Whether a permission on an account is granted, according to the account list and the account’s details.',
  values: {
    GRANTED: { description: 'Granted in at least one source and denied in none.' },
    DENIED: {
      description: 'Denied by the account list, or by a permission or task in the account’s details.',
    },
    UNKNOWN: { description: 'Unknown: not reported by the surface, or it could not be read.' },
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
  description: 'Permissions on an account. Not reported by the legacy surface.',
  fields: (t) => ({
    publishing: t.field({ description: 'Permission to share posts.', ...stateOf('publishing') }),
    inbox: t.field({ description: 'Access to the social inbox.', ...stateOf('inbox') }),
    analytics: t.field({ description: 'Access to page analytics.', ...stateOf('analytics') }),
  }),
});
