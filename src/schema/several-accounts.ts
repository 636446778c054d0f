import { setAccountsPaused, type AccountResult } from '../writes/several-accounts.ts';
import { Account } from './account.ts';
import { builder } from './builder.ts';
import { definePayload, unkeyed, UserError, WriteOutcome } from './write.ts';

// The same action on several accounts, with an outcome for each.

const ACCOUNT_IDS = 'IDs of accounts on either surface. Must be unique; at most 100.';
const GROUP_IDS =
  'IDs of groups on either surface, for all their current members. Each account counts once; at most 100 in total.';

const PauseAccountsInput = builder.inputType('PauseAccountsInput', {
  description: 'Input for `pauseAccounts`: accounts, groups, or both.',
  fields: (t) => ({
    accountIds: t.idList({ description: ACCOUNT_IDS }),
    accountGroupIds: t.idList({ description: GROUP_IDS }),
  }),
});

const ResumeAccountsInput = builder.inputType('ResumeAccountsInput', {
  description: 'Input for `resumeAccounts`: accounts, groups, or both.',
  fields: (t) => ({
    accountIds: t.idList({ description: ACCOUNT_IDS }),
    accountGroupIds: t.idList({ description: GROUP_IDS }),
  }),
});

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
    account: t.field({
      type: Account,
      description:
        'The account after the write, on the surface of the given ID; null if nothing was done or the outcome is unknown.',
      resolve: ({ result }) => result.data,
    }),
  }),
});

function defineResultsPayload(name: string) {
  return definePayload<readonly AccountResult[]>(name, { takesKey: false }, (t) => ({
    results: t.field({
      type: [AccountWriteResult],
      nullable: false,
      description:
        'One result per account: first `accountIds` in order, then group members. Empty if the input was rejected as a whole. The problems of each result are also in the payload’s `userErrors`.',
      resolve: ({ result }) => result.data ?? [],
    }),
  }));
}

const PauseAccountsPayload = defineResultsPayload('PauseAccountsPayload');
const ResumeAccountsPayload = defineResultsPayload('ResumeAccountsPayload');

builder.mutationFields((t) => ({
  pauseAccounts: t.field({
    type: PauseAccountsPayload,
    description:
      'Pauses publishing on several accounts. Each account is handled independently; `outcome` is `PARTIAL` if only some succeeded. Has no effect on accounts that are already paused.',
    args: {
      input: t.arg({ type: PauseAccountsInput, required: true, description: 'The accounts to pause.' }),
    },
    resolve: async (_root, { input }, context) => unkeyed(await setAccountsPaused(input, true, context)),
  }),
  resumeAccounts: t.field({
    type: ResumeAccountsPayload,
    description:
      'Resumes publishing on several accounts. Each account is handled independently; `outcome` is `PARTIAL` if only some succeeded. Has no effect on accounts that are not paused.',
    args: {
      input: t.arg({ type: ResumeAccountsInput, required: true, description: 'The accounts to resume.' }),
    },
    resolve: async (_root, { input }, context) => unkeyed(await setAccountsPaused(input, false, context)),
  }),
}));
