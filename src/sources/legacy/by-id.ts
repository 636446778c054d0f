import { SourceError } from '../errors.ts';
import { readable } from '../view.ts';

/**
 * Finds a record of a list by its id: the first one with it, or null if there is none. Throws a SourceError `malformed` if
 * a record without a readable id may be the one.
 */
export type Find<T> = (id: string) => T | null;

/** Indexes the records of a list of the legacy surface, which has no look-up of its own. */
export function byId<T>(records: readonly T[], idOf: (record: T) => string | null): Find<T> {
  const index = new Map<string | null, T>();
  for (const record of records) {
    const id = readable(() => idOf(record));
    if (!index.has(id)) index.set(id, record);
  }
  return (id) => {
    const found = index.get(id) ?? null;
    if (found === null && index.has(null))
      throw new SourceError('malformed', 'legacy', 'a record without a readable id');
    return found;
  };
}
