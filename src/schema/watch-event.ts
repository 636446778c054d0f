import type { OperationContext } from '../operation/operation.ts';
import type { Item } from '../watch/observation.ts';
import type { Told } from '../watch/watches.ts';

// Shared by the events of both watched lists.

/** Passes an event to the resolvers. Data read for one event is stale by the next. */
export function told<R>(event: Told<R> | Error, _args: unknown, context: OperationContext): Told<R> {
  context.renew();
  if (event instanceof Error) throw event;
  return event;
}

/** Returns when the read that showed it began. */
export function observedAt<R>({ event }: Told<R>): Date {
  return new Date(event.now.observedAt);
}

/** Returns the records of the list that match the filter, in its order. */
export function wantedItems<R>({ event: { now }, isWanted }: Told<R>): readonly Item<R>[] {
  const known = wantedOf.get(now)?.get(isWanted);
  if (known !== undefined) return known as readonly Item<R>[];
  const items = [...now.items.values()].filter(isWanted);
  wantedOf.set(now, (wantedOf.get(now) ?? new WeakMap()).set(isWanted, items));
  return items;
}

/** The matching records of an observation by filter, cached because many of its events need them. */
const wantedOf = new WeakMap<object, WeakMap<object, readonly unknown[]>>();

/** Returns when the list was last read before the change. */
export function lastSeenAt<R>({ event }: Told<R>): Date | null {
  return event.lastSeenAt === null ? null : new Date(event.lastSeenAt);
}

/** Returns the record of an event, as it is now or was last seen; null if the event covers the whole list. */
export function itemOf<R>({ event }: Told<R>): Item<R> | null {
  if ('after' in event) return event.after;
  return 'before' in event ? event.before : null;
}

/** Returns whether an event covers the whole list rather than one change. */
export function isWhole<R>({ event }: Told<R>): boolean {
  return event.kind === 'SNAPSHOT' || event.kind === 'RESYNCED';
}
