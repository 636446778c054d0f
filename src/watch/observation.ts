/** The compared values of a record: its fields as JSON. A field that could not be read is absent. */
export type Facts = Readonly<Record<string, string>>;

/** One record of a watched list in a reading. */
export interface Item<R> {
  readonly key: string;
  readonly record: R;
  readonly facts: Facts;
}

/** The contents of a watched list in one reading. */
export interface Observation<R> {
  /** When the reading started, in epoch milliseconds. */
  readonly observedAt: number;
  /** By key, in the service's order. */
  readonly items: ReadonlyMap<string, Item<R>>;
}

/** The result of a reading: the items of the list, and the number of rows whose key could not be read. */
export interface ReadItems<R> {
  readonly items: readonly Item<R>[];
  readonly unreadableRows: number;
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
 * Completes a reading from the previous observation: fields that could not be read now, and missing records that may be
 * among the rows without a readable key. At most as many records as there are such rows are kept, the last ones of the
 * list.
 */
export function observe<R>(
  before: Observation<R> | null,
  { items, unreadableRows }: ReadItems<R>,
  observedAt: number,
): Observation<R> {
  const known = new Map<string, Item<R>>();
  for (const item of items) {
    const facts = { ...before?.items.get(item.key)?.facts, ...item.facts };
    known.set(item.key, { ...item, facts });
  }
  const missing = [...(before?.items ?? [])].filter(([key]) => !known.has(key));
  const held = unreadableRows === 0 ? [] : missing.slice(-unreadableRows);
  return { observedAt, items: new Map([...known, ...held]) };
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
  const fields = differingFacts(before.facts, after.facts);
  return fields.length === 0 ? [] : [{ kind: 'CHANGED', before, after, fields }];
}

/** Returns the names of the fields that both contain and that differ. */
export function differingFacts(before: Facts, after: Facts): string[] {
  return Object.keys(after).filter((name) => before[name] !== undefined && before[name] !== after[name]);
}
