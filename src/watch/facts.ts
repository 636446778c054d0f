import stableStringify from 'safe-stable-stringify';
import { assertSourceError } from '../sources/errors.ts';
import { fieldsOf, SourceRecord } from '../sources/view.ts';

/**
 * The compared values of a record as JSON, by field: what the graph shows, however the service spells it. A nested
 * record, or each entry of a map, has a fact for each of its own fields, so that one that cannot be read does not hide
 * changes of the others. A field that could not be read is absent.
 */
export type Facts = Readonly<Record<string, string>>;

/** Separates the steps of the path to a nested field. */
const STEP = '\0';

/** Reads facts, each by the name of the field that shows it. */
export function factsOf<V>(readers: Readonly<Record<string, (from: V) => unknown>>, from: V): Facts {
  const facts: Record<string, string> = {};
  for (const [name, read] of Object.entries(readers)) addFact(facts, name, () => read(from));
  return facts;
}

function addFact(facts: Record<string, string>, path: string, read: () => unknown): void {
  try {
    const value = read() ?? null;
    if (value instanceof Map) {
      const entries: ReadonlyMap<string, unknown> = value;
      facts[path] = JSON.stringify([...entries.keys()].toSorted().map((key) => ({ key })));
      for (const [key, entry] of entries) addFact(facts, path + STEP + key, () => entry);
    } else if (value instanceof SourceRecord) {
      facts[path] = '{}';
      for (const [name, readField] of fieldsOf(value)) addFact(facts, path + STEP + name, readField);
    } else facts[path] = stableStringify(value) ?? 'null';
  } catch (error) {
    assertSourceError(error);
  }
}

/** Returns the names of the fields that two records show differently; fields that only one of them shows are ignored. */
export function differingFields(before: Facts, after: Facts): string[] {
  const paths = Object.keys(after).filter(
    (path) => before[path] !== undefined && before[path] !== after[path],
  );
  return [...new Set(paths.map((path) => path.split(STEP)[0] ?? path))];
}

/** Removes the query of a URL: signatures differ each time, but what they give access to does not. */
export function withoutQuery(address: string | null): string | null {
  return address === null ? null : address.replace(/[?#].*$/s, '');
}
