import type { AccountRecord } from '../records/account.ts';
import { deleteAccount, deleteAccountGroup, setAccountPaused } from '../writes/account-actions.ts';
import { setAccountsPaused, type AccountResult } from '../writes/several-accounts.ts';
import { Account } from './account.ts';
import { builder, defineInput } from './builder.ts';
import { definePayload, inputOf, typeNameOf, unkeyed, UserError, WriteOutcome } from './write.ts';

// Pausing, resuming and deleting accounts, and deleting groups.

function defineAccountInput(mutation: string) {
  return defineInput(typeNameOf(mutation, 'Input'), `Input for \`${mutation}\`.`, (t) => ({
    accountId: t.id({
      required: true,
      description:
        'ID of an account. An ID of the current surface also works if the legacy surface has the same account; this is checked each time.',
    }),
  }));
}

const ACCOUNT_AFTER =
  'The account after the write, on the surface of the given ID; null if nothing was done or the outcome is unknown.';

/** Defines the mutation that pauses or resumes an account. */
function definePausing(mutation: 'pauseAccount' | 'resumeAccount', description: string) {
  const isPaused = mutation === 'pauseAccount';
  const payload = definePayload<AccountRecord>(mutation, (t) => ({
    account: t.field({ type: Account, description: ACCOUNT_AFTER, resolve: ({ result }) => result.data }),
  }));
  const args = inputOf(defineAccountInput(mutation), `The account to ${isPaused ? 'pause' : 'resume'}.`);
  builder.mutationField(mutation, (t) =>
    t.field({
      type: payload,
      description,
      args,
      resolve: async (_root, { input }, context) =>
        unkeyed(await setAccountPaused(input.accountId, isPaused, context)),
    }),
  );
}

definePausing(
  'pauseAccount',
  'Pauses publishing on an account. Has no effect if the account is already paused.',
);
definePausing(
  'resumeAccount',
  'Resumes publishing on an account. Has no effect if the account is not paused.',
);

const DeleteAccountPayload = definePayload<readonly string[]>('deleteAccount', (t) => ({
  deletedAccountIds: t.idList({
    description:
      'All IDs of the deleted account, for removing it from caches: the given one, then the one on the other surface. An ID of the current surface is included only if the API key of the request can read it. Null unless the account was deleted.',
    resolve: ({ result }) => result.data,
  }),
}));

const DeleteAccountGroupInput = defineInput(
  'DeleteAccountGroupInput',
  'Input for `deleteAccountGroup`.',
  (t) => ({
    accountGroupId: t.id({ required: true, description: 'ID of a group on the legacy surface.' }),
  }),
);

const DeleteAccountGroupPayload = definePayload<readonly string[]>('deleteAccountGroup', (t) => ({
  deletedAccountGroupId: t.id({
    description: 'The given ID; null unless the group was deleted.',
    resolve: ({ result }) => result.data?.[0] ?? null,
  }),
}));

builder.mutationFields((t) => ({
  deleteAccount: t.field({
    type: DeleteAccountPayload,
    description:
      'Deletes an account. Whether its queued posts are also deleted is undocumented by the service.',
    args: inputOf(defineAccountInput('deleteAccount'), 'The account to delete.'),
    resolve: async (_root, { input }, context) => unkeyed(await deleteAccount(input.accountId, context)),
  }),
  deleteAccountGroup: t.field({
    type: DeleteAccountGroupPayload,
    description: 'Deletes a group. What happens to its accounts is undocumented by the service.',
    args: inputOf(DeleteAccountGroupInput, 'The group to delete.'),
    resolve: async (_root, { input }, context) =>
      unkeyed(await deleteAccountGroup(input.accountGroupId, context)),
  }),
}));

// The same action on several accounts, with an outcome for each.

const AccountWriteResult = builder.objectRef<AccountResult>('AccountWriteResult').implement({
  description: 'The result of a write for one of several accounts.',
  fields: (t) => ({
    accountId: t.exposeID('accountId', {
      nullable: false,
      description: 'ID as given in the input; for a member of a group, its ID on the group’s surface.',
    }),
    outcome: t.field({
      type: WriteOutcome,
      nullable: false,
      description: 'Outcome for this account.',
      resolve: ({ result }) => result.outcome,
    }),
    userErrors: t.field({
      type: [UserError],
      nullable: false,
      description:
        'Problems with this account; empty on success. `path` points to its ID or group in the input.',
      resolve: ({ result }) => result.userErrors,
    }),
    account: t.field({ type: Account, description: ACCOUNT_AFTER, resolve: ({ result }) => result.data }),
  }),
});

function defineAccountsInput(mutation: string) {
  return defineInput(
    typeNameOf(mutation, 'Input'),
    `Input for \`${mutation}\`: accounts, groups, or both.`,
    (t) => ({
      accountIds: t.idList({
        description: 'IDs of accounts on either surface. Must be unique; at most 100.',
      }),
      accountGroupIds: t.idList({
        description:
          'IDs of groups on either surface, for all their current members. Each account counts once; at most 100 in total.',
      }),
    }),
  );
}

/** Defines the mutation that pauses or resumes several accounts. */
function definePausingAll(mutation: 'pauseAccounts' | 'resumeAccounts', description: string) {
  const isPaused = mutation === 'pauseAccounts';
  const payload = definePayload<readonly AccountResult[]>(mutation, (t) => ({
    results: t.field({
      type: [AccountWriteResult],
      nullable: false,
      description:
        'One result per account: first `accountIds` in order, then group members. Empty if the input was rejected as a whole. The problems of each result are also in the payload’s `userErrors`.',
      resolve: ({ result }) => result.data ?? [],
    }),
  }));
  const args = inputOf(defineAccountsInput(mutation), `The accounts to ${isPaused ? 'pause' : 'resume'}.`);
  builder.mutationField(mutation, (t) =>
    t.field({
      type: payload,
      description,
      args,
      resolve: async (_root, { input }, context) =>
        unkeyed(await setAccountsPaused(input, isPaused, context)),
    }),
  );
}

definePausingAll(
  'pauseAccounts',
  'Pauses publishing on several accounts. Each account is handled independently; `outcome` is `PARTIAL` if only some succeeded. Has no effect on accounts that are already paused.',
);
definePausingAll(
  'resumeAccounts',
  'Resumes publishing on several accounts. Each account is handled independently; `outcome` is `PARTIAL` if only some succeeded. Has no effect on accounts that are not paused.',
);
