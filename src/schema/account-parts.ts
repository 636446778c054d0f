import type { AccountRecord } from '../records/account.ts';
import type { ScheduleSlots } from '../sources/current/accounts.ts';
import { reading } from './account-field.ts';
import { builder } from './builder.ts';

export const LinkShortener = builder.objectRef<AccountRecord>('LinkShortener').implement({
  description: 'A link shortener of an account.',
  fields: (t) => ({
    shortenerId: t.field({
      type: 'ServiceId',
      description: 'The service’s own id of it.',
      ...reading('shortenerId'),
    }),
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
  description: 'The schedule slots of one day of the week.',
  fields: (t) => ({
    day: t.expose('day', { type: Weekday, nullable: false, description: 'When in the week.' }),
    times: t.field({
      type: ['LocalTime'],
      nullable: { list: false, items: false },
      description: 'The times, earliest first. The service states no time zone.',
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
