import type { OperationContext } from '../operation/operation.ts';
import type { PagedList } from '../lists/reading.ts';
import { narrowedQueue, type QueueNarrowing } from '../records/narrowed-queue.ts';
import { getOrInsertComputed } from '../remember.ts';
import { localOf } from '../service-time.ts';
import { isOnCalendar } from '../sources/wall-clock.ts';
import type { QueuedPost } from '../sources/current/posts.ts';
import { SocialNetwork } from './account-parts.ts';
import { currentIdOf, distinct, eachOf, given, searchText } from './arguments.ts';
import { builder, defineEnum, defineInput } from './builder.ts';
import { InputError } from './errors.ts';
import { OrderDirection } from './order.ts';

// Filters and orders of the queue: the service searches by title; everything else is done here over the whole queue.

const QueuedPostFilter = defineInput(
  'QueuedPostFilter',
  'Filters for the queue, all of which must match. The service itself searches only titles; for every other filter, the whole queue is read (up to 2,000 posts, otherwise `SCAN_LIMIT_REACHED`), once per operation. If a filtered field is unreadable on any post, the list fails rather than omitting that post.',
  (t) => ({
    title: t.string({
      description:
        'Searches by title (at most 400 characters). How titles are matched is undocumented by the service.',
    }),
    accountIds: t.idList({ description: 'IDs of accounts on the current surface (at least one).' }),
    networks: t.field({
      type: [SocialNetwork],
      description: 'Posts of accounts on these networks (at least one).',
    }),
    text: t.string({
      description: 'Posts whose title or text contains this text (at most 400 characters), ignoring case.',
    }),
    scheduledFromLocal: t.field({
      type: 'LocalDateTime',
      description:
        'Posts scheduled at or after this time on the service’s clock. Posts without a time do not match.',
    }),
    scheduledUntilLocal: t.field({
      type: 'LocalDateTime',
      description: 'Posts scheduled before this time on the service’s clock.',
    }),
    scheduledFrom: t.field({
      type: 'DateTime',
      description:
        'Same as `scheduledFromLocal`, as an instant with one-minute precision. Requires the operator to set `SERVICE_TIME_ZONE`.',
    }),
    scheduledUntil: t.field({
      type: 'DateTime',
      description:
        'Same as `scheduledUntilLocal`, as an instant. Requires the operator to set `SERVICE_TIME_ZONE`.',
    }),
  }),
);

const QueuedPostOrderField = defineEnum(
  'QueuedPostOrderField',
  'Fields that queued posts can be sorted by.',
  {
    SCHEDULED_AT:
      'By `QueuedPost.scheduledAtLocal`. Posts without a readable time come last in both directions.',
  },
);

const QueuedPostOrder = defineInput(
  'QueuedPostOrder',
  'A sort criterion for queued posts. Ties keep queue order.',
  (t) => ({
    field: t.field({ type: QueuedPostOrderField, required: true, description: 'Field to sort by.' }),
    direction: t.field({ type: OrderDirection, defaultValue: 'ASC', description: 'Sort direction.' }),
  }),
);

/** Defines the arguments of a list of queued posts. */
export function queueArguments(filter: string) {
  return builder.args((t) => ({
    filter: t.field({ type: QueuedPostFilter, description: filter }),
    orderBy: t.field({
      type: [QueuedPostOrder],
      description:
        'Sort order. The service cannot sort its queue, so this server reads it all (up to 2,000 posts, otherwise `SCAN_LIMIT_REACHED`) and sorts it. Defaults to queue order.',
    }),
  }));
}

type QueueFilter = typeof QueuedPostFilter.$inferInput;

/** The arguments of a list of queued posts. */
interface QueueArguments {
  readonly filter?: QueueFilter | null | undefined;
  readonly orderBy?: readonly (typeof QueuedPostOrder.$inferInput)[] | null | undefined;
}

/**
 * Lists the queue, narrowed and sorted by arguments, and narrowed to some accounts if `loginIds` are given. Throws an
 * InputError for an unusable filter.
 */
export function queueOf(
  { filter, orderBy }: QueueArguments,
  context: OperationContext,
  loginIds?: readonly string[],
): PagedList<QueuedPost> {
  const params = given({ title: searchText(filter?.title, 'filter.title') });
  const source = context.loaders.queue(params);
  // There is one field to sort by, so only the first criterion decides.
  const [order] = orderBy ?? [];
  const narrowing = {
    ...narrowingOf(filter ?? {}, context, loginIds),
    ...given({ byTime: order && (order.direction ?? 'ASC') }),
  };
  if (Object.keys(narrowing).length === 0) return source;
  return narrowedQueue(params, narrowing, context);
}

function narrowingOf(
  filter: QueueFilter,
  context: OperationContext,
  of: readonly string[] | undefined,
): QueueNarrowing {
  const { accountIds, networks, text } = filter;
  const named = accountIds && loginIdsIn(accountIds);
  return given({
    loginIds: of && named ? of.filter((loginId) => named.has(loginId)) : (of ?? (named && [...named])),
    networks: distinct(networks, 'filter.networks'),
    text: text === '' ? null : searchText(text, 'filter.text'),
    from: boundOf('scheduledFrom', filter, context),
    until: boundOf('scheduledUntil', filter, context),
  });
}

/** The login ids of lists of ids: an operation may pass a list of thousands to hundreds of fields. */
const loginIds = new WeakMap<readonly string[], ReadonlySet<string>>();

function loginIdsIn(accountIds: readonly string[]): ReadonlySet<string> {
  return getOrInsertComputed(
    loginIds,
    accountIds,
    () => new Set(eachOf(accountIds, 'filter.accountIds', currentIdOf('Account', 'has no queue'))),
  );
}

const MINUTE_MS = 60_000;
/** Sorts after every wall-clock time. */
const AFTER_ALL = '~';

function boundOf(
  name: 'scheduledFrom' | 'scheduledUntil',
  filter: QueueFilter,
  { serviceTimeZone }: OperationContext,
): string | undefined {
  const { [name]: instant, [`${name}Local` as const]: local } = filter;
  if (local != null && !isOnCalendar(local))
    throw new InputError(`filter.${name}Local is not a date on the calendar.`);
  if (instant == null) return local ?? undefined;
  if (local != null) throw new InputError(`filter.${name} cannot be combined with filter.${name}Local.`);
  if (serviceTimeZone === null)
    throw new InputError(
      `filter.${name} requires SERVICE_TIME_ZONE, which is not configured; use filter.${name}Local.`,
    );
  // Posts are due at whole minutes: any at or after an instant is at or after the next whole minute.
  const bound = localOf(new Date(Math.ceil(instant.getTime() / MINUTE_MS) * MINUTE_MS), serviceTimeZone);
  // A year of five digits begins with a plus sign, which sorts before all other years.
  return bound.startsWith('+') ? AFTER_ALL : bound;
}
