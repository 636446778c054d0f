import type { OperationContext } from '../operation/operation.ts';
import type { AccountRecord } from '../records/account.ts';
import { freeSlotsOf } from '../records/free-slots.ts';
import { instantOf, isOnCalendar } from '../service-time.ts';
import { Account } from './account.ts';
import { accountsIn, addField } from './account-cost.ts';
import { builder } from './builder.ts';
import { costs, type CostTally, type PlannedField, type ResultSet } from './cost.ts';
import { InputError } from './errors.ts';
import { addWhole } from './list-cost.ts';

// Free times in the posting schedules of accounts.

const PostingSlot = builder.objectRef<string>('PostingSlot').implement({
  description: 'A time in the posting schedule of an account.',
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
/** How many fields of a result take as long as finding a slot. */
const FIELDS_PER_SLOT = 5;

interface SlotArguments {
  readonly count?: number | null | undefined;
  readonly afterLocal?: string | null | undefined;
}

builder.objectField(Account, 'nextFreeSlots', (t) =>
  t.field({
    type: [PostingSlot],
    nullable: { list: true, items: false },
    description:
      'The next times in the posting schedule that are not taken by a queued post of the account. Computed by this server from `postingSchedule` and up to 2,000 queued posts; the service may place posts differently. Times are on the service’s clock. Empty if the schedule has no times; null if there is no schedule, as on the legacy surface.',
    args: {
      count: t.arg.int({ defaultValue: DEFAULT_SLOTS, description: 'Number of slots to return (1–50).' }),
      afterLocal: t.arg({
        type: 'LocalDateTime',
        description:
          'Only slots after this time on the service’s clock. Required unless the operator has set `SERVICE_TIME_ZONE`, in which case it defaults to now and earlier times are ignored.',
      }),
    },
    resolve: (account, args, context) => nextFreeSlots(account, args, context),
    ...costs(({ sets, args, context, tally }: PlannedField<SlotArguments>) =>
      accountsIn(sets).map((account) => addSlots(account, { args, context, tally })),
    ),
  }),
);

function nextFreeSlots(account: AccountRecord, args: SlotArguments, context: OperationContext) {
  if (account.surface === 'legacy') return null;
  const wanted = slotsWanted(args, context);
  return freeSlotsOf(account, { ...wanted, nowMs: context.writes.now() }, context);
}

function slotsWanted({ count, afterLocal }: SlotArguments, { serviceTimeZone }: OperationContext) {
  const wanted = { count: count ?? DEFAULT_SLOTS, after: afterLocal ?? null };
  if (wanted.count < 1 || wanted.count > MAX_SLOTS)
    throw new InputError(`count must be from 1 to ${MAX_SLOTS}.`);
  if (wanted.after === null && serviceTimeZone === null)
    throw new InputError(
      'afterLocal is needed: without SERVICE_TIME_ZONE, which this server was not told, it is not known what time it is by the service’s clock.',
    );
  if (wanted.after !== null && !isOnCalendar(wanted.after))
    throw new InputError('afterLocal is not a day of the calendar.');
  return wanted;
}

function addSlots(
  account: ResultSet,
  {
    args,
    context,
    tally,
  }: { readonly args: SlotArguments; readonly context: OperationContext; readonly tally: CostTally },
): ResultSet {
  const slots = { type: 'PostingSlot', part: 'whole', name: `${account.name} slots ${JSON.stringify(args)}` };
  if (account.part === 'legacy') return { ...slots, count: 0 };
  const { count } = slotsWanted(args, context);
  addField(tally, account, 'scheduleSlots');
  addWhole(tally, context.loaders.queue({}));
  return { ...slots, count: account.count * count * FIELDS_PER_SLOT };
}
