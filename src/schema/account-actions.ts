import type { AccountRecord } from '../records/account.ts';
import { deleteAccount, deleteAccountGroup } from '../writes/delete.ts';
import { setAccountPaused } from '../writes/set-account-paused.ts';
import { Account } from './account.ts';
import { accountsNamed } from './account-cost.ts';
import { builder } from './builder.ts';
import { costs, costsCalls, type ResultSet, type PlannedField } from './cost.ts';
import { definePayload, unkeyed } from './write.ts';

const ACCOUNT_ID =
  'The id of an `Account`. An id of the current surface also works if the legacy surface has the same account; this is checked each time.';

const PauseAccountInput = builder.inputType('PauseAccountInput', {
  description: 'Which account to pause.',
  fields: (t) => ({ accountId: t.id({ required: true, description: ACCOUNT_ID }) }),
});

const ResumeAccountInput = builder.inputType('ResumeAccountInput', {
  description: 'Which account to resume.',
  fields: (t) => ({ accountId: t.id({ required: true, description: ACCOUNT_ID }) }),
});

const DeleteAccountInput = builder.inputType('DeleteAccountInput', {
  description: 'Which account to delete.',
  fields: (t) => ({ accountId: t.id({ required: true, description: ACCOUNT_ID }) }),
});

const DeleteAccountGroupInput = builder.inputType('DeleteAccountGroupInput', {
  description: 'Which group to delete.',
  fields: (t) => ({
    accountGroupId: t.id({
      required: true,
      description: 'The id of an `AccountGroup` of the legacy surface.',
    }),
  }),
});

function defineStatePayload(name: string) {
  return definePayload<AccountRecord>(name, { takesKey: false }, (t) => ({
    account: t.field({
      type: Account,
      description:
        'The account as it is now, on the surface that its id belongs to; null if nothing was done or the outcome is unknown.',
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
      nullable: { list: true, items: false },
      description:
        'Every id of the account, for caches: first the one that was asked for, then that of the same account on the other surface, which is gone with it. An id of the current surface is there only if the call carried an API key that shows it. Null unless the account is gone.',
      resolve: ({ result }) => result.data,
    }),
  }),
);

const DeleteAccountGroupPayload = definePayload<readonly string[]>(
  'DeleteAccountGroupPayload',
  { takesKey: false },
  (t) => ({
    deletedAccountGroupId: t.id({
      description: 'The id that was asked for; null unless the group is gone.',
      resolve: ({ result }) => result.data?.[0] ?? null,
    }),
  }),
);

builder.mutationFields((t) => ({
  pauseAccount: t.field({
    type: PauseAccountPayload,
    description: 'Sets an account to paused. Asking for an account that is paused already does nothing.',
    args: { input: t.arg({ type: PauseAccountInput, required: true, description: 'Which account.' }) },
    resolve: async (_root, { input }, context) =>
      unkeyed(await setAccountPaused(input.accountId, true, context)),
    ...costs(accountActionCost),
  }),
  resumeAccount: t.field({
    type: ResumeAccountPayload,
    description:
      'Sets an account to running again. Asking for an account that is running already does nothing.',
    args: { input: t.arg({ type: ResumeAccountInput, required: true, description: 'Which account.' }) },
    resolve: async (_root, { input }, context) =>
      unkeyed(await setAccountPaused(input.accountId, false, context)),
    ...costs(accountActionCost),
  }),
  deleteAccount: t.field({
    type: DeleteAccountPayload,
    description:
      'Deletes an account. What becomes of posts that wait to be published on it, the service does not document.',
    args: { input: t.arg({ type: DeleteAccountInput, required: true, description: 'Which account.' }) },
    resolve: async (_root, { input }, context) => unkeyed(await deleteAccount(input.accountId, context)),
    ...costs(accountActionCost),
  }),
  deleteAccountGroup: t.field({
    type: DeleteAccountGroupPayload,
    description: 'Deletes a group. What becomes of its accounts, the service does not document.',
    args: { input: t.arg({ type: DeleteAccountGroupInput, required: true, description: 'Which group.' }) },
    resolve: async (_root, { input }, context) =>
      unkeyed(await deleteAccountGroup(input.accountGroupId, context)),
    // The group, the write, and a read of its result.
    ...costsCalls(3),
  }),
}));

/** What an action on one account may call: the account on both surfaces, the write, and a read of its result. */
export const ACTION_CALLS = 4;

function accountActionCost({
  args,
  place,
  tally,
}: PlannedField<{ readonly input: { readonly accountId: string } }>): ResultSet[] {
  tally.add(place, ACTION_CALLS);
  return accountsNamed([args.input.accountId]);
}
