import type { AccountRecord } from '../records/account.ts';
import { deleteAccount, deleteAccountGroup, setAccountPaused } from '../writes/account-actions.ts';
import { Account } from './account.ts';
import { builder } from './builder.ts';
import { definePayload, unkeyed } from './write.ts';

const ACCOUNT_ID =
  'ID of an account. An ID of the current surface also works if the legacy surface has the same account; this is checked each time.';

const PauseAccountInput = builder.inputType('PauseAccountInput', {
  description: 'Input for `pauseAccount`.',
  fields: (t) => ({ accountId: t.id({ required: true, description: ACCOUNT_ID }) }),
});

const ResumeAccountInput = builder.inputType('ResumeAccountInput', {
  description: 'Input for `resumeAccount`.',
  fields: (t) => ({ accountId: t.id({ required: true, description: ACCOUNT_ID }) }),
});

const DeleteAccountInput = builder.inputType('DeleteAccountInput', {
  description: 'Input for `deleteAccount`.',
  fields: (t) => ({ accountId: t.id({ required: true, description: ACCOUNT_ID }) }),
});

const DeleteAccountGroupInput = builder.inputType('DeleteAccountGroupInput', {
  description: 'Input for `deleteAccountGroup`.',
  fields: (t) => ({
    accountGroupId: t.id({
      required: true,
      description: 'ID of a group on the legacy surface.',
    }),
  }),
});

function defineStatePayload(name: string) {
  return definePayload<AccountRecord>(name, { takesKey: false }, (t) => ({
    account: t.field({
      type: Account,
      description:
        'The account after the write, on the surface of the given ID; null if nothing was done or the outcome is unknown.',
      resolve: ({ result }) => result.data,
    }),
  }));
}

const PauseAccountPayload = defineStatePayload('PauseAccountPayload');
const ResumeAccountPayload = defineStatePayload('ResumeAccountPayload');

const DeleteAccountPayload = definePayload<readonly string[]>(
  'DeleteAccountPayload',
  { takesKey: false },
  (t) => ({
    deletedAccountIds: t.idList({
      description:
        'All IDs of the deleted account, for removing it from caches: the given one, then the one on the other surface. An ID of the current surface is included only if the API key of the request can read it. Null unless the account was deleted.',
      resolve: ({ result }) => result.data,
    }),
  }),
);

const DeleteAccountGroupPayload = definePayload<readonly string[]>(
  'DeleteAccountGroupPayload',
  { takesKey: false },
  (t) => ({
    deletedAccountGroupId: t.id({
      description: 'The given ID; null unless the group was deleted.',
      resolve: ({ result }) => result.data?.[0] ?? null,
    }),
  }),
);

builder.mutationFields((t) => ({
  pauseAccount: t.field({
    type: PauseAccountPayload,
    description: 'Pauses publishing on an account. Has no effect if the account is already paused.',
    args: {
      input: t.arg({ type: PauseAccountInput, required: true, description: 'The account to pause.' }),
    },
    resolve: async (_root, { input }, context) =>
      unkeyed(await setAccountPaused(input.accountId, true, context)),
  }),
  resumeAccount: t.field({
    type: ResumeAccountPayload,
    description: 'Resumes publishing on an account. Has no effect if the account is not paused.',
    args: {
      input: t.arg({ type: ResumeAccountInput, required: true, description: 'The account to resume.' }),
    },
    resolve: async (_root, { input }, context) =>
      unkeyed(await setAccountPaused(input.accountId, false, context)),
  }),
  deleteAccount: t.field({
    type: DeleteAccountPayload,
    description:
      'Deletes an account. Whether its queued posts are also deleted is undocumented by the service.',
    args: {
      input: t.arg({ type: DeleteAccountInput, required: true, description: 'The account to delete.' }),
    },
    resolve: async (_root, { input }, context) => unkeyed(await deleteAccount(input.accountId, context)),
  }),
  deleteAccountGroup: t.field({
    type: DeleteAccountGroupPayload,
    description: 'Deletes a group. What happens to its accounts is undocumented by the service.',
    args: {
      input: t.arg({ type: DeleteAccountGroupInput, required: true, description: 'The group to delete.' }),
    },
    resolve: async (_root, { input }, context) =>
      unkeyed(await deleteAccountGroup(input.accountGroupId, context)),
    // The group, the write, and a read of its result.
  }),
}));

/** What an action on one account may call: the account on both surfaces, the write, and a read of its result. */
export const ACTION_CALLS = 4;
