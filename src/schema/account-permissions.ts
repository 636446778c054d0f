import type { OperationContext } from '../operation/operation.ts';
import type { AccountRecord } from '../records/account.ts';
import { factsOf, permissionOf, type PermittedPart } from '../records/account-permission.ts';
import { readsAccount } from './account-cost.ts';
import { builder } from './builder.ts';

const PermissionState = builder.enumType('PermissionState', {
  description:
    'Whether access to a part of an account is granted, according to both the account list and the account’s details.',
  values: {
    GRANTED: { description: 'Granted, and denied nowhere.' },
    DENIED: {
      description: 'Denied in the list, or by the permission or the task in the details.',
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
