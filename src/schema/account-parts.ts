import type { OperationContext } from '../operation/operation.ts';
import { readAccount, type AccountRecord } from '../records/account.ts';
import { networkOf } from '../records/network.ts';
import type { ScheduleSlots } from '../sources/current/accounts.ts';
import { SourceError } from '../sources/errors.ts';
import { readable, reportUnfamiliar } from '../sources/view.ts';
import { builder, defineEnum } from './builder.ts';
import { field, nonNull, serviceId, shown, string } from './data.ts';

export const SocialNetwork = defineEnum('SocialNetwork', 'The network that an account belongs to.', {
  FACEBOOK: 'Facebook accounts.',
  X: 'X accounts (`twitter` in the service).',
  LINKEDIN: 'LinkedIn accounts, such as `linkedin-pages`.',
  INSTAGRAM: 'Instagram accounts.',
  PINTEREST: 'Pinterest accounts.',
  GOOGLE_BUSINESS: 'Google Business accounts (`gmb` in the service).',
  YOUTUBE: 'YouTube accounts.',
  TUMBLR: 'Tumblr accounts.',
  TIKTOK: 'TikTok accounts.',
  UNKNOWN: 'A network that this version does not recognise; see `platformCode`.',
});

export const LinkShortener = builder.objectRef<AccountRecord>('LinkShortener').implement({
  description: 'The link shortener of an account.',
  fields: (t) =>
    shown(t, {
      shortenerId: serviceId('The service’s own id for the shortener.'),
      code: string('Code of the kind of shortener.', 'shortenerCode'),
      name: string('Name of the shortener.', 'shortenerName'),
    }),
});

const Weekday = defineEnum('Weekday', 'A day of the week.', {
  MONDAY: ['monday', 'Monday (`Mon` in the service).'],
  TUESDAY: ['tuesday', 'Tuesday (`Tue` in the service).'],
  WEDNESDAY: ['wednesday', 'Wednesday (`Wed` in the service).'],
  THURSDAY: ['thursday', 'Thursday (`Thu` in the service).'],
  FRIDAY: ['friday', 'Friday (`Fri` in the service).'],
  SATURDAY: ['saturday', 'Saturday (`Sat` in the service).'],
  SUNDAY: ['sunday', 'Sunday (`Sun` in the service).'],
});

interface ScheduleDay {
  readonly day: keyof ScheduleSlots;
  readonly times: readonly string[];
}

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

export const PostingScheduleDay = builder.objectRef<ScheduleDay>('PostingScheduleDay').implement({
  description: 'Posting schedule of one day of the week.',
  fields: (t) =>
    shown(t, {
      day: nonNull(field(Weekday, 'Day of the week.')),
      times: nonNull(field(['LocalTime'], 'Times of day, earliest first.')),
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

/** Returns the network of a platform code; undefined if there is none, or it is unknown. */
export function knownNetworkOf(code: unknown) {
  const network = typeof code === 'string' ? networkOf(code) : 'UNKNOWN';
  return network === 'UNKNOWN' ? undefined : network;
}

/** Returns the network of an account, derived from its `platformCode`, which every part has. */
export function networkOfAccount({ part }: AccountRecord) {
  const code = readable(() => part.platformCode);
  const network = networkOf(code);
  if (code !== null && network === 'UNKNOWN') reportUnfamiliar(part, 'platformCode');
  return network;
}

const NO_SHORTENER = '0';

/** Returns the account if it has a link shortener, else null. Malformed data only fails the field it belongs to. */
export async function shortenerOf(account: AccountRecord, _args: object, context: OperationContext) {
  try {
    const id = await readAccount(account, 'shortenerId', context);
    if (id !== null && id !== NO_SHORTENER) return account;
    return (await readAccount(account, 'shortenerCode', context)) === null ? null : account;
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'malformed') return account;
    throw error;
  }
}
