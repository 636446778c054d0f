import { MAX_ACCOUNTS } from '../writes/several-accounts.ts';
import { setAccountsPaused, type AccountResult } from '../writes/set-accounts-paused.ts';
import { Account } from './account.ts';
import { accountsNamed, memberPart } from './account-cost.ts';
import { ACTION_CALLS } from './account-actions.ts';
import { builder } from './builder.ts';
import { costs, type PlannedField, type ResultSet } from './cost.ts';
import { addLegacy, addScan } from './list-cost.ts';
import { definePayload, unkeyed, UserError, WriteOutcome } from './write.ts';

// The same action on several accounts, with an outcome for each.

const ACCOUNT_IDS =
  'Ids of `Account`s, of either surface as with one account; each account once, 100 at most.';
const GROUP_IDS =
  'Ids of `AccountGroup`s, of either surface: all accounts that they hold now. An account that is named before, or is in several of them, counts once; all together are 100 at most.';

const PauseAccountsInput = builder.inputType('PauseAccountsInput', {
  description: 'Which accounts to pause: by their ids, by groups, or both.',
  fields: (t) => ({
    accountIds: t.idList({ description: ACCOUNT_IDS }),
    accountGroupIds: t.idList({ description: GROUP_IDS }),
  }),
});

const ResumeAccountsInput = builder.inputType('ResumeAccountsInput', {
  description: 'Which accounts to resume: by their ids, by groups, or both.',
  fields: (t) => ({
    accountIds: t.idList({ description: ACCOUNT_IDS }),
    accountGroupIds: t.idList({ description: GROUP_IDS }),
  }),
});

const AccountWriteResult = builder.objectRef<AccountResult>('AccountWriteResult').implement({
  description: 'What became of one of several accounts.',
  fields: (t) => ({
    accountId: t.exposeID('accountId', {
      nullable: false,
      description: 'The id that the account was named by; of one of a group, its id on the group’s surface.',
    }),
    outcome: t.field({
      type: WriteOutcome,
      nullable: false,
      description: 'The outcome for this account.',
      resolve: ({ result }) => result.outcome,
    }),
    userErrors: t.field({
      type: [UserError],
      nullable: { list: false, items: false },
      description: 'The problems with this account; empty if it was done. `path` leads to what named it.',
      resolve: ({ result }) => result.userErrors,
    }),
    account: t.field({
      type: Account,
      description:
        'The account as it is now, on the surface that its id belongs to; null if nothing was done or the outcome is unknown.',
      resolve: ({ result }) => result.data,
    }),
  }),
});

function defineResultsPayload(name: string) {
  return definePayload<readonly AccountResult[]>(name, { takesKey: false }, (t) => ({
    results: t.field({
      type: [AccountWriteResult],
      nullable: { list: false, items: false },
      description:
        'One for each account, in the order of `accountIds`, then those of the groups; empty if the input was refused as a whole. Its problems are in `userErrors` of the payload as well.',
      resolve: ({ result }) => result.data ?? [],
    }),
  }));
}

const PauseAccountsPayload = defineResultsPayload('PauseAccountsPayload');
const ResumeAccountsPayload = defineResultsPayload('ResumeAccountsPayload');

const HOW =
  'Each account is tried, whatever becomes of the others, and `outcome` is `PARTIAL` where they differ and something was done. Asking again is harmless: it does nothing to accounts that are as wanted.';

builder.mutationFields((t) => ({
  pauseAccounts: t.field({
    type: PauseAccountsPayload,
    description: `Sets several accounts to paused. ${HOW}`,
    args: { input: t.arg({ type: PauseAccountsInput, required: true, description: 'Which accounts.' }) },
    resolve: async (_root, { input }, context) => unkeyed(await setAccountsPaused(input, true, context)),
    ...costs(severalCost),
  }),
  resumeAccounts: t.field({
    type: ResumeAccountsPayload,
    description: `Sets several accounts to running again. ${HOW}`,
    args: { input: t.arg({ type: ResumeAccountsInput, required: true, description: 'Which accounts.' }) },
    resolve: async (_root, { input }, context) => unkeyed(await setAccountsPaused(input, false, context)),
    ...costs(severalCost),
  }),
}));

interface SeveralArguments {
  readonly input: typeof PauseAccountsInput.$inferInput;
}

function severalCost({ args, place, tally }: PlannedField<SeveralArguments>): ResultSet[] {
  const { accountIds, accountGroupIds } = args.input;
  const named = accountsNamed(accountIds ?? []);
  const isByGroup = (accountGroupIds ?? []).length > 0;
  tally.add(place, ACTION_CALLS * (isByGroup ? MAX_ACCOUNTS : Math.min(named.length, MAX_ACCOUNTS)));
  if (!isByGroup) return named;
  addLegacy(tally, 'legacy groups');
  addScan(tally, 'groups');
  // Their accounts were either read in full or through the legacy surface.
  const members = { type: 'Account', name: `members of ${place}`, count: MAX_ACCOUNTS };
  return [...named, { ...members, part: 'detailed' }, { ...members, part: memberPart('legacy') }];
}
