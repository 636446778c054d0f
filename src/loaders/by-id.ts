import DataLoader from 'dataloader';
import type { PagedList } from '../lists/reading.ts';
import { scanFor } from '../lists/scan.ts';

/** Reads records by id. Simultaneous requests are batched, and each record is read once. */
export interface ById<T> {
  load(id: string): Promise<T>;
}

/** Caches promises itself, because DataLoader's own cache would create another promise for each hit. */
export class CachedLoader<T> implements ById<T> {
  readonly #batches: DataLoader<string, T>;
  readonly #records = new Map<string, Promise<T>>();

  constructor(loadAll: (ids: readonly string[]) => Promise<readonly (T | Error)[]>) {
    this.#batches = new DataLoader(loadAll, { cache: false });
  }

  load(id: string): Promise<T> {
    const known = this.#records.get(id);
    if (known !== undefined) return known;
    const record = this.#batches.load(id);
    this.#records.set(id, record);
    return record;
  }
}

/** Loads records by searching for them in their list. */
export function searching<T>(list: PagedList<T>): ById<T | null> {
  return new CachedLoader((ids) => scanFor(list, ids));
}

/** Loads records one by one. */
export function loading<T>(load: (id: string) => Promise<T>): ById<T> {
  const loadOrError = async (id: string): Promise<T | Error> => {
    try {
      return await load(id);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  return new CachedLoader((ids) => Promise.all(ids.map(loadOrError)));
}
