import type { GenericFieldRef } from '@pothos/core';
import type { OperationContext } from '../operation/operation.ts';
import { getOrInsertComputed } from '../remember.ts';
import type { Item } from '../watch/observation.ts';
import type { Told } from '../watch/watches.ts';
import { currentIdOf } from './arguments.ts';
import { defineInput, type Types } from './builder.ts';
import { InputError } from './errors.ts';

// Shared by subscriptions, above all by those to the watched lists.

/** Passes an event of a subscription to the resolvers. Data read for one event is stale by the next. */
export function told<E>(event: E | Error, _args: unknown, context: OperationContext): E {
  context.renew();
  if (event instanceof Error) throw event;
  return event;
}

/**
 * Defines what every event says of the polls that show it.
 *
 * @param records what the list contains
 * @param latest what may show a change later than the next poll
 */
export function pollFields<R>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, Told<R>>,
  records: string,
  latest: string,
): Record<'observedAt' | 'lastSeenAt' | 'totalCount', GenericFieldRef> {
  return {
    observedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'Start of the poll that this event is based on.',
      resolve: ({ event }) => new Date(event.now.observedAt),
    }),
    lastSeenAt: t.field({
      type: 'DateTime',
      description: `Start of the previous poll. The change happened between then and \`observedAt\`, or earlier if only ${latest} it. For \`RESYNCED\`, the last successful poll; null for \`SNAPSHOT\`.`,
      resolve: ({ event: { lastSeenAt } }) => (lastSeenAt === null ? null : new Date(lastSeenAt)),
    }),
    totalCount: t.int({
      nullable: false,
      description: `Number of ${records} that match the filter.`,
      resolve: (one) => wantedItems(one).length,
    }),
  };
}

/** Returns the records of the list that match the filter, in its order. */
export function wantedItems<R>({ event: { now }, isWanted }: Told<R>): readonly Item<R>[] {
  const byFilter = getOrInsertComputed(wantedOf, now, () => new WeakMap<object, readonly unknown[]>());
  const items = getOrInsertComputed(byFilter, isWanted, () => [...now.items.values()].filter(isWanted));
  return items as readonly Item<R>[];
}

/** The matching records of an observation by filter, cached because many of its events need them. */
const wantedOf = new WeakMap<object, WeakMap<object, readonly unknown[]>>();

/** Returns the record of an event, as it is now or was last seen; null if the event covers the whole list. */
export function itemOf<R>({ event }: Told<R>): Item<R> | null {
  if ('after' in event) return event.after;
  return 'before' in event ? event.before : null;
}

/** Returns whether an event covers the whole list rather than one change. */
export function isWhole<R>({ event }: Told<R>): boolean {
  return event.kind === 'SNAPSHOT' || event.kind === 'RESYNCED';
}

/** The filter of both watched lists. */
export const WatchFilter = defineInput('WatchFilter', 'Filters for the watched accounts and posts.', (t) => ({
  accountIds: t.idList({ description: 'IDs of accounts on the current surface (at most 100).' }),
}));

const MAX_ACCOUNTS = 100;
const everything = (): true => true;
const loginIdOf = currentIdOf('Account', 'cannot be watched');

/** Returns the predicate of a watch filter. Throws an InputError if an id is not an account id. */
export function wantedBy(
  filter: typeof WatchFilter.$inferInput | null | undefined,
): (item: Item<unknown>) => boolean {
  const accountIds = filter?.accountIds;
  if (accountIds == null) return everything;
  if (accountIds.length === 0 || accountIds.length > MAX_ACCOUNTS)
    throw new InputError(`filter.accountIds must contain 1 to ${MAX_ACCOUNTS} IDs.`);
  const wanted = new Set(accountIds.map((id, index) => loginIdOf(id, `filter.accountIds[${index}]`)));
  return ({ accountId }) => wanted.has(accountId ?? '');
}
