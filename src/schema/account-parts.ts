import { readAccount, type AccountRecord } from '../records/account.ts';
import { mapMaybePromise } from '../records/maybe-promise.ts';
import type { ScheduleSlots } from '../sources/current/accounts.ts';
import { readsAccount } from './account-cost.ts';
import { reading } from './account-field.ts';
import { builder } from './builder.ts';

/** One part of an account that access is granted to, with the fields that tell. */
interface PermissionRecord {
  readonly account: AccountRecord;
  readonly granted: 'isInboxGranted' | 'isAnalyticsGranted' | null;
  readonly access: 'publishingAccess' | 'inboxAccess' | 'analyticsAccess';
}

const Permission = builder.objectRef<PermissionRecord>('Permission').implement({
  description:
    'Access to one part of an account. The service’s list and its detail tell different facts of it.',
  fields: (t) => ({
    isGranted: t.boolean({
      description: 'What the list of accounts says; null for publishing, of which it says nothing.',
      resolve: ({ account, granted }, _args, context) => granted && readAccount(account, granted, context),
      ...readsAccount('isInboxGranted'),
    }),
    hasPermission: t.boolean({
      description: 'What the account’s detail says of the permission.',
      resolve: ({ account, access }, _args, context) =>
        mapMaybePromise(readAccount(account, access, context), (known) => known?.hasPermission ?? null),
      ...readsAccount('publishingAccess'),
    }),
    hasTask: t.boolean({
      description: 'What the account’s detail says of the task.',
      resolve: ({ account, access }, _args, context) =>
        mapMaybePromise(readAccount(account, access, context), (known) => known?.hasTask ?? null),
      ...readsAccount('publishingAccess'),
    }),
  }),
});

export const AccountPermissions = builder.objectRef<AccountRecord>('AccountPermissions').implement({
  description: 'What may be done with an account; the legacy side does not know.',
  fields: (t) => ({
    publishing: t.field({
      type: Permission,
      description: 'Sharing posts.',
      resolve: (account) => permissionOf(account, null, 'publishingAccess'),
    }),
    inbox: t.field({
      type: Permission,
      description: 'Reading and answering messages.',
      resolve: (account) => permissionOf(account, 'isInboxGranted', 'inboxAccess'),
    }),
    analytics: t.field({
      type: Permission,
      description: 'Reading figures.',
      resolve: (account) => permissionOf(account, 'isAnalyticsGranted', 'analyticsAccess'),
    }),
  }),
});

function permissionOf(
  account: AccountRecord,
  granted: PermissionRecord['granted'],
  access: PermissionRecord['access'],
): PermissionRecord | null {
  return account.surface === 'current' ? { account, granted, access } : null;
}

export const LinkShortener = builder.objectRef<AccountRecord>('LinkShortener').implement({
  description: 'What shortens the links in an account’s posts.',
  fields: (t) => ({
    id: t.id({ description: 'The service’s own id of it.', ...reading('shortenerId') }),
    code: t.string({
      description: 'The service’s own code for its kind.',
      ...reading('shortenerCode'),
    }),
    name: t.string({ description: 'What the service calls it.', ...reading('shortenerName') }),
  }),
});

const Weekday = builder.enumType('Weekday', {
  description: 'A day of the week.',
  values: {
    MONDAY: { value: 'monday', description: 'The first day of the week in this graph.' },
    TUESDAY: { value: 'tuesday', description: 'The second day.' },
    WEDNESDAY: { value: 'wednesday', description: 'The third day.' },
    THURSDAY: { value: 'thursday', description: 'The fourth day.' },
    FRIDAY: { value: 'friday', description: 'The fifth day.' },
    SATURDAY: { value: 'saturday', description: 'The sixth day.' },
    SUNDAY: { value: 'sunday', description: 'The seventh day.' },
  } as const,
});

interface ScheduleDay {
  readonly day: keyof ScheduleSlots;
  readonly times: readonly string[];
}

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

export const PostingScheduleDay = builder.objectRef<ScheduleDay>('PostingScheduleDay').implement({
  description: 'When queued posts go out on one day of the week.',
  fields: (t) => ({
    day: t.expose('day', { type: Weekday, nullable: false, description: 'When in the week.' }),
    times: t.field({
      type: ['LocalTime'],
      nullable: { list: false, items: false },
      description: 'The times, earliest first, by the service’s own clock.',
      resolve: ({ times }) => times,
    }),
  }),
});

/** The days of a schedule from Monday to Sunday, with their times in order. */
export function scheduleDays(slots: ScheduleSlots | null): ScheduleDay[] | null {
  if (slots === null) return null;
  return DAYS.flatMap((day) => {
    const times = slots[day];
    return times === null ? [] : [{ day, times: times.toSorted() }];
  });
}
