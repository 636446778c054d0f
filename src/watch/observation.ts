import { differingFields, type Facts } from './facts.ts';

/** One record of a watched list in a reading. */
export interface Item<R> {
  readonly key: string;
  readonly record: R;
  readonly facts: Facts;
  /** The account that it is, or belongs to, by login id; null if it was never readable. */
  readonly accountId?: string | null;
  /** True if the reading did not show it, but may have shown it as a row without a readable key. */
  readonly isInDoubt?: true;
}

/** The contents of a watched list in one reading. */
export interface Observation<R> {
  /** When the reading started, in epoch milliseconds. */
  readonly observedAt: number;
  /** By key, in the service's order. */
  readonly items: ReadonlyMap<string, Item<R>>;
  /** The rows whose key could not be read. */
  readonly unreadable: readonly Facts[];
}

/** The result of a reading: the items of the list, and the rows whose key could not be read. */
export interface ReadItems<R> {
  readonly items: readonly Item<R>[];
  readonly unreadable: readonly Facts[];
}

/** A difference between two observations. */
export type Change<R> =
  | { readonly kind: 'ADDED'; readonly after: Item<R> }
  | {
      readonly kind: 'CHANGED';
      readonly before: Item<R>;
      readonly after: Item<R>;
      /** The names of the fields that differ. */
      readonly fields: readonly string[];
    }
  | { readonly kind: 'LEFT'; readonly before: Item<R> };

/**
 * Completes a reading from the previous observation: what could not be read now of its records, and every missing record
 * that may be one of the rows without a readable key. A row that was there before, beside the record, is not the record,
 * unless the two look alike.
 */
export function observe<R>(
  before: Observation<R> | null,
  { items, unreadable }: ReadItems<R>,
  observedAt: number,
): Observation<R> {
  const known = new Map<string, Item<R>>();
  for (const item of items) {
    const earlier = before?.items.get(item.key);
    const facts = { ...earlier?.facts, ...item.facts };
    known.set(item.key, { ...item, facts, accountId: item.accountId ?? earlier?.accountId ?? null });
  }
  const hasNew = hasMore(unreadable, before?.unreadable ?? []);
  for (const [key, item] of before?.items ?? []) {
    const isPossible = ({ facts, isInDoubt }: Item<R>): boolean =>
      hasNew || isInDoubt === true || unreadable.some((row) => differingFields(facts, row).length === 0);
    if (!known.has(key) && unreadable.length > 0 && isPossible(item))
      known.set(key, { ...item, isInDoubt: true });
  }
  return { observedAt, items: known, unreadable };
}

/** Whether some rows are not among earlier ones. */
function hasMore(rows: readonly Facts[], earlier: readonly Facts[]): boolean {
  const left = earlier.map((row) => JSON.stringify(row));
  return rows.some((row) => {
    const place = left.indexOf(JSON.stringify(row));
    return place === -1 || left.splice(place, 1).length === 0;
  });
}

/** Whether a reading shows exactly the items of an observation, in their order, by their keys. */
export function hasSameKeys(keys: readonly (string | null)[], { items }: Observation<unknown>): boolean {
  const known = [...items.keys()];
  return keys.length === known.length && keys.every((key, index) => key === known[index]);
}

/** Returns the differences between two observations: removed, changed, then added records, each in list order. */
export function changesBetween<R>(before: Observation<R>, after: Observation<R>): Change<R>[] {
  const left: Change<R>[] = [];
  for (const [key, item] of before.items)
    if (!after.items.has(key)) left.push({ kind: 'LEFT', before: item });
  const changed: Change<R>[] = [];
  const added: Change<R>[] = [];
  for (const [key, item] of after.items) {
    const earlier = before.items.get(key);
    if (earlier === undefined) added.push({ kind: 'ADDED', after: item });
    else {
      const fields = differingFields(earlier.facts, item.facts);
      if (fields.length > 0) changed.push({ kind: 'CHANGED', before: earlier, after: item, fields });
    }
  }
  return [...left, ...changed, ...added];
}

/** An event for a watcher of a list. */
export type WatchEvent<R> =
  | {
      /** `SNAPSHOT`: the contents when watching starts. `RESYNCED`: the contents after a gap. */
      readonly kind: 'SNAPSHOT' | 'RESYNCED';
      readonly now: Observation<R>;
      /** When the list was last read before the gap, in epoch milliseconds; null at the start. */
      readonly lastSeenAt: number | null;
      /** Whether the changes during the gap follow one by one after this event. */
      readonly isFollowedByChanges: boolean;
    }
  | (Change<R> & {
      readonly now: Observation<R>;
      /** When the observation compared with was made, in epoch milliseconds. */
      readonly lastSeenAt: number;
    });

/** With more differences than this between two readings, the whole list is reported again. */
const MAX_CHANGES = 500;
/** After this many failed readings in a row, the next successful one is reported as a gap. */
const GAP_READINGS = 3;

/** Returns the events of an observation for a watcher who knows the previous one, after so many failed readings. */
export function eventsOf<R>(
  before: Observation<R>,
  now: Observation<R>,
  { changes, failures }: { readonly changes: readonly Change<R>[]; readonly failures: number },
): WatchEvent<R>[] {
  const lastSeenAt = before.observedAt;
  const isTooMuch = changes.length > MAX_CHANGES;
  const told = isTooMuch ? [] : changes.map((change) => ({ ...change, now, lastSeenAt }));
  if (!isTooMuch && failures < GAP_READINGS) return told;
  return [{ kind: 'RESYNCED', now, lastSeenAt, isFollowedByChanges: !isTooMuch }, ...told];
}

/** Returns the first event of a new watcher. */
export function snapshotOf<R>(now: Observation<R>): WatchEvent<R> {
  return { kind: 'SNAPSHOT', now, lastSeenAt: null, isFollowedByChanges: false };
}
