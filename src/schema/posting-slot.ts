import type { OperationContext } from '../operation/operation.ts';
import { findAccount, type AccountRecord } from '../records/account.ts';
import { currentMembersOf, findAccountGroup } from '../records/account-group.ts';
import { freeSlotsOf } from '../records/posting-slots.ts';
import { instantOf } from '../service-time.ts';
import { isOnCalendar } from '../sources/wall-clock.ts';
import { Account } from './account.ts';
import { AccountGroup } from './account-group.ts';
import { currentIdOf } from './arguments.ts';
import { builder } from './builder.ts';
import { InputError } from './errors.ts';

// Free times in the posting schedules of accounts: of one, of several, or of the members of a group.

const PostingSlot = builder.objectRef<string>('PostingSlot').implement({
  description: 'A free time in the posting schedules of one or more accounts.',
  fields: (t) => ({
    scheduledAtLocal: t.field({
      type: 'LocalDateTime',
      nullable: false,
      description: 'Date and time on the service’s clock, as `createPost` accepts it.',
      resolve: (local) => local,
    }),
    scheduledAt: t.field({
      type: 'DateTime',
      description: 'Instant of `scheduledAtLocal`; null unless the operator has set `SERVICE_TIME_ZONE`.',
      resolve: (local, _args, { serviceTimeZone }) =>
        serviceTimeZone === null ? null : instantOf(local, serviceTimeZone),
    }),
  }),
});

const DEFAULT_SLOTS = 5;
const MAX_SLOTS = 50;
/** Maximum number of accounts with common slots, because the schedule of each takes a call. */
const MAX_ACCOUNTS = 100;
const loginIdOf = currentIdOf('Account', 'has no posting schedules');
const groupIdOf = currentIdOf('AccountGroup', 'has no posting schedules');
/** How many fields of a result take as long as finding slots. */
const SLOTS_WEIGHT = 50;

interface SlotArguments {
  readonly count?: number | null | undefined;
  readonly afterLocal?: string | null | undefined;
}

const SLOT_ARGUMENTS = builder.args((t) => ({
  count: t.int({ defaultValue: DEFAULT_SLOTS, description: 'Number of slots to return (1–50).' }),
  afterLocal: t.field({
    type: 'LocalDateTime',
    description:
      'Only slots after this time on the service’s clock. Required unless the operator has set `SERVICE_TIME_ZONE`, in which case it defaults to now and earlier times are ignored.',
  }),
}));

builder.objectField(Account, 'nextFreeSlots', (t) =>
  t.field({
    type: [PostingSlot],
    description:
      'The next times in the posting schedule at which the account has no queued post. Computed by this server from `postingSchedule` and up to 2,000 queued posts; the service may place posts differently. Times are on the service’s clock. Empty if the schedule has no times; null if there is no schedule, as on the legacy surface.',
    args: SLOT_ARGUMENTS,
    resolve: (account, args, context) =>
      account.surface === 'legacy' ? null : nextFreeSlots([account], slotsWanted(args, context), context),
    extensions: { weight: SLOTS_WEIGHT },
  }),
);

builder.objectField(AccountGroup, 'nextFreeSlots', (t) =>
  t.field({
    type: [PostingSlot],
    description:
      'The next times that are free for all members of the group (at most 100), as in `Query.freeSlots`. Null if no member has a schedule, as on the legacy surface.',
    args: SLOT_ARGUMENTS,
    resolve: async (group, args, context) => {
      const wanted = slotsWanted(args, context);
      const members = await currentMembersOf(group, context);
      return members && nextFreeSlots(members, wanted, context);
    },
    extensions: { weight: SLOTS_WEIGHT },
  }),
);

interface CommonArguments extends SlotArguments {
  readonly accountIds?: readonly string[] | null | undefined;
  readonly accountGroupIds?: readonly string[] | null | undefined;
}

builder.queryField('freeSlots', (t) =>
  t.field({
    type: [PostingSlot],
    description:
      'The next times in the posting schedules of all given accounts at which none of them has a queued post. Accounts without posting times only contribute their queued posts. Computed like `Account.nextFreeSlots`. Empty if the schedules have no time in common; null if no account has a schedule.',
    args: {
      accountIds: t.arg.idList({ description: 'IDs of accounts on the current surface.' }),
      accountGroupIds: t.arg.idList({
        description:
          'IDs of groups on the current surface, for all their members; at most 100 accounts in all.',
      }),
      ...SLOT_ARGUMENTS,
    },
    resolve: async (_root, args, context) => {
      const wanted = slotsWanted(args, context);
      return nextFreeSlots(await accountsGiven(args, context), wanted, context);
    },
    extensions: { weight: SLOTS_WEIGHT },
  }),
);

/** Reads the accounts. Throws an InputError if there are none, too many, or one that cannot have slots. */
async function accountsGiven(
  { accountIds, accountGroupIds }: CommonArguments,
  context: OperationContext,
): Promise<AccountRecord[]> {
  context.calls.list(accountIds);
  context.calls.list(accountGroupIds);
  const loginIds = (accountIds ?? []).map((id, index) => loginIdOf(id, `accountIds[${index}]`));
  const groupIds = (accountGroupIds ?? []).map((id, index) => groupIdOf(id, `accountGroupIds[${index}]`));
  if (loginIds.length + groupIds.length === 0)
    throw new InputError('accountIds or accountGroupIds must contain at least one ID.');
  checkCount(new Set(loginIds).size);
  const [accounts, groups] = await Promise.all([
    Promise.all(loginIds.map((loginId) => findAccount('current', loginId, context))),
    Promise.all(groupIds.map((groupId) => findAccountGroup('current', groupId, context))),
  ]);
  const members = await Promise.all(
    groups.map(async (group, index) =>
      found(group && (await currentMembersOf(group, context)), `accountGroupIds[${index}]`),
    ),
  );
  return [...accounts.map((account, index) => found(account, `accountIds[${index}]`)), ...members.flat()];
}

function found<T>(record: T | null, argument: string): T {
  if (record === null) throw new InputError(`${argument} does not exist.`);
  return record;
}

async function nextFreeSlots(
  accounts: readonly AccountRecord[],
  wanted: ReturnType<typeof slotsWanted>,
  context: OperationContext,
): Promise<string[] | null> {
  const unique = [...new Map(accounts.map((account) => [account.loginId, account])).values()];
  checkCount(unique.length);
  return await freeSlotsOf(unique, { ...wanted, nowMs: Date.now() }, context);
}

function checkCount(accounts: number): void {
  if (accounts > MAX_ACCOUNTS)
    throw new InputError(`Too many accounts: ${accounts} (maximum ${MAX_ACCOUNTS}).`);
}

function slotsWanted({ count, afterLocal }: SlotArguments, { serviceTimeZone }: OperationContext) {
  const wanted = { count: count ?? DEFAULT_SLOTS, after: afterLocal ?? null };
  if (wanted.count < 1 || wanted.count > MAX_SLOTS)
    throw new InputError(`count must be from 1 to ${MAX_SLOTS}.`);
  if (wanted.after === null && serviceTimeZone === null)
    throw new InputError(
      'afterLocal is required, because SERVICE_TIME_ZONE is not configured and the time on the service’s clock is unknown.',
    );
  if (wanted.after !== null && !isOnCalendar(wanted.after))
    throw new InputError('afterLocal is not a date on the calendar.');
  return wanted;
}
