import { differingFields, type Facts } from './facts.ts';

/** One record of a watched list in a reading. */
export interface Item<R> {
  readonly key: string;
  readonly record: R;
  readonly facts: Facts;
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
  readonly unreadable?: readonly Facts[];
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
 * Completes a reading from the previous observation: fields that could not be read now, and every missing record that
 * may be one of the rows without a readable key. A row that was there before, beside the record, is not the record,
 * unless the two look alike.
 */
export function observe<R>(
  before: Observation<R> | null,
  { items, unreadable }: ReadItems<R>,
  observedAt: number,
): Observation<R> {
  const known = new Map<string, Item<R>>();
  for (const item of items) {
    const facts = { ...before?.items.get(item.key)?.facts, ...item.facts };
    known.set(item.key, { ...item, facts });
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
    else changed.push(...changeOf(earlier, item));
  }
  return [...left, ...changed, ...added];
}

function changeOf<R>(before: Item<R>, after: Item<R>): Change<R>[] {
  const fields = differingFields(before.facts, after.facts);
  return fields.length === 0 ? [] : [{ kind: 'CHANGED', before, after, fields }];
}
