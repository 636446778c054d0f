/** What is compared of a record: the values of its fields as JSON. A field that could not be read is absent. */
export type Facts = Readonly<Record<string, string>>;

/** One record of a watched list, as a reading showed it. */
export interface Item<R> {
  readonly key: string;
  readonly record: R;
  readonly facts: Facts;
}

/** What one reading of a watched list showed. */
export interface Observation<R> {
  /** When the reading began, in epoch milliseconds. */
  readonly observedAt: number;
  /** By their keys, in the service's order. */
  readonly items: ReadonlyMap<string, Item<R>>;
}

/** What a reading gave: what the list holds, and how many of its rows have a key that could not be read. */
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
 * What a reading says, with what it leaves open filled in from before: fields that could not be read now, and records
 * that are not there, where rows without a readable key may be they; no more of those than there are such rows, the last
 * ones of the list.
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

/** How two observations differ: what left first, then what changed, then what came, each in the list's order. */
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

/** The names of the fields that both know and that differ. */
export function differingFacts(before: Facts, after: Facts): string[] {
  return Object.keys(after).filter((name) => before[name] !== undefined && before[name] !== after[name]);
}
