import type { OperationContext } from '../operation/operation.ts';
import type { Item } from '../watch/observation.ts';
import type { Told } from '../watch/watches.ts';

// What the events of both watched lists have in common.

/** An event as a resolver gets it. What was read for one event is old by the next one. */
export function told<R>(event: Told<R> | Error, _args: unknown, context: OperationContext): Told<R> {
  context.renew();
  if (event instanceof Error) throw event;
  return event;
}

/** When the reading began that showed it. */
export function observedAt<R>({ event }: Told<R>): Date {
  return new Date(event.now.observedAt);
}

/** The records of the list that are wanted, in its order. */
export function wantedItems<R>({ event: { now }, isWanted }: Told<R>): readonly Item<R>[] {
  const known = wantedOf.get(now)?.get(isWanted);
  if (known !== undefined) return known as readonly Item<R>[];
  const items = [...now.items.values()].filter(isWanted);
  wantedOf.set(now, (wantedOf.get(now) ?? new WeakMap()).set(isWanted, items));
  return items;
}

/** The wanted records of an observation, which many events of it ask for, by who wants them. */
const wantedOf = new WeakMap<object, WeakMap<object, readonly unknown[]>>();

/** When the list was last read before what the event tells. */
export function lastSeenAt<R>({ event }: Told<R>): Date | null {
  return event.lastSeenAt === null ? null : new Date(event.lastSeenAt);
}

/** The record that an event is about, as it is now, or was when it was last seen; null where the event is about all. */
export function itemOf<R>({ event }: Told<R>): Item<R> | null {
  if ('after' in event) return event.after;
  return 'before' in event ? event.before : null;
}

/** Whether an event gives all there is, rather than one difference. */
export function isWhole<R>({ event }: Told<R>): boolean {
  return event.kind === 'SNAPSHOT' || event.kind === 'RESYNCED';
}
