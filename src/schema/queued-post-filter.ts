import type { OperationContext } from '../operation/operation.ts';
import { narrowedQueue, type QueueNarrowing } from '../records/narrowed-queue.ts';
import { isOnCalendar, localOf } from '../service-time.ts';
import type { QueuedPost } from '../sources/current/posts.ts';
import { builder } from './builder.ts';
import { InputError } from './errors.ts';
import { loginIdOf } from './global-id.ts';
import type { NarrowedList } from './list-cost.ts';
import { notEmpty } from './not-empty.ts';
import { searchText } from './search-text.ts';
import { SocialNetwork } from './social-network.ts';

// Filters of the queue: the service searches by title; everything else is done here over the whole queue.

export const QueuedPostFilter = builder.inputType('QueuedPostFilter', {
  description:
    'Narrows the queue; a post is listed if all parts apply to it. The service itself searches titles only: for every other part the whole queue is read, up to 2,000 posts, once for all fields of an operation. A longer queue is `SCAN_LIMIT_REACHED`, and a post that does not show what is asked for in a form that can be read fails the list, so that no post is left out silently.',
  fields: (t) => ({
    title: t.string({
      description:
        'Searches by post title, for up to 400 characters. How the service matches titles is not documented.',
    }),
    accountIds: t.idList({
      description: 'Posts of these accounts: ids of `Account`s of the current surface, at least one.',
    }),
    networks: t.field({
      type: [SocialNetwork],
      description: 'Posts of accounts of these networks, at least one.',
    }),
    text: t.string({
      description: 'Posts whose title or text contains this text of up to 400 characters, ignoring case.',
    }),
    scheduledFromLocal: t.field({
      type: 'LocalDateTime',
      description:
        'Posts at this time of the service’s own clock or later, as in `QueuedPost.scheduledAtLocal`. A post for which the service shows no time at all is not among them.',
    }),
    scheduledUntilLocal: t.field({
      type: 'LocalDateTime',
      description: 'Posts before this time of the service’s own clock; one at this very time is left out.',
    }),
    scheduledFrom: t.field({
      type: 'DateTime',
      description:
        'In place of `scheduledFromLocal`, at an instant; only if the operator has set `SERVICE_TIME_ZONE`. Times are compared by the service’s clock, to the minute.',
    }),
    scheduledUntil: t.field({
      type: 'DateTime',
      description:
        'In place of `scheduledUntilLocal`, at an instant; only if the operator has set `SERVICE_TIME_ZONE`.',
    }),
  }),
});

export type QueueFilter = typeof QueuedPostFilter.$inferInput;

/**
 * Lists the queue, narrowed by a filter, and to some accounts if `loginIds` are given. Throws an InputError for an
 * unusable filter.
 */
export function queueOf(
  filter: QueueFilter | null | undefined,
  context: OperationContext,
  loginIds?: readonly string[],
): NarrowedList<QueuedPost> {
  const params = filter?.title == null ? {} : { title: searchText(filter.title, 'filter.title') };
  const source = context.loaders.queue(params);
  const narrowing = narrowingOf(filter ?? {}, context, loginIds);
  if (Object.keys(narrowing).length === 0) return { list: source, source: null };
  return { list: narrowedQueue(params, narrowing, context), source };
}

function narrowingOf(
  filter: QueueFilter,
  context: OperationContext,
  of: readonly string[] | undefined,
): QueueNarrowing {
  const { accountIds, networks, text } = filter;
  const named = accountIds == null ? undefined : loginIdsOf(accountIds);
  const loginIds = of && named ? of.filter((loginId) => named.includes(loginId)) : (of ?? named);
  const from = boundOf('scheduledFrom', filter, context);
  const until = boundOf('scheduledUntil', filter, context);
  return {
    ...(loginIds === undefined ? {} : { loginIds }),
    ...(networks == null ? {} : { networks: notEmpty(networks, 'filter.networks') }),
    ...(text == null || text === '' ? {} : { text: searchText(text, 'filter.text') }),
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
  };
}

function loginIdsOf(accountIds: readonly string[]): readonly string[] {
  return notEmpty(accountIds, 'filter.accountIds').map((id, index) =>
    loginIdOf(id, `filter.accountIds[${index}]`, 'shows no queue'),
  );
}

const MINUTE_MS = 60_000;

function boundOf(
  name: 'scheduledFrom' | 'scheduledUntil',
  filter: QueueFilter,
  { serviceTimeZone }: OperationContext,
): string | undefined {
  const { [name]: instant, [`${name}Local` as const]: local } = filter;
  if (local != null && !isOnCalendar(local))
    throw new InputError(`filter.${name}Local is not a day of the calendar.`);
  if (instant == null) return local ?? undefined;
  if (local != null) throw new InputError(`filter.${name} cannot be combined with filter.${name}Local.`);
  if (serviceTimeZone === null)
    throw new InputError(
      `filter.${name} needs SERVICE_TIME_ZONE, which this server was not told; use filter.${name}Local.`,
    );
  // Posts are due at whole minutes: any at or after an instant is at or after the next whole minute.
  return localOf(new Date(Math.ceil(instant.getTime() / MINUTE_MS) * MINUTE_MS), serviceTimeZone);
}
