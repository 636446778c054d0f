import { assertUnreadable } from '../lists/errors.ts';
import type { PagedList } from '../lists/reading.ts';
import { MAX_SCAN_PAGES, readStill } from '../lists/scan.ts';
import { SourceError } from '../sources/errors.ts';
import { readable } from '../sources/view.ts';
import type { Claims } from './claims.ts';
import type { Attempt } from './keyed-write.ts';

// Searches for what a write of unknown outcome created. A record is its result if it is equal, was not in the list when
// that was read before the write, and cannot be the result of another write known to this process. The time that the
// service shows proves nothing: it has a resolution of a minute. Finding nothing proves nothing either.

const PAGE_SIZE = 50;
/** Number of pages read in a search: the first, then backwards from the last. */
const MAX_PAGES = 5;
/** Maximum number of calls of a search: reading the whole list before the write, each page twice, and its ends after. */
export const SEARCH_CALLS = 2 * MAX_SCAN_PAGES + MAX_PAGES;

/** A record that a search has found. */
interface Found<T> {
  readonly id: string;
  readonly row: T;
}

/** What a search looks for: rows `T` for a write of `S`, which become data `D`. */
interface Wanted<T, S, D> {
  readonly mutation: string;
  /** Returns the list with nothing read yet. */
  readonly list: () => PagedList<T>;
  /** What was to be created. */
  readonly subject: S;
  /** Whether a write of another subject may create records that are equal in the list. */
  readonly isAlike: (other: S) => boolean;
  /** The places that the write fills, each with one record. */
  readonly places: readonly string[];
  /** Returns the place that an equal record fills; null for other records. */
  readonly placeOf: (row: T) => string | null;
  /** Converts the records found, in the order of their places. */
  readonly dataOf: (found: readonly [Found<T>, ...Found<T>[]]) => D;
  /** Returns the ids of what was created. */
  readonly idsOf: (data: D) => readonly string[];
}

/** A search for what a write created. */
export interface Search<D> {
  /** What other writes of the mutation are compared by. */
  readonly subject: unknown;
  /**
   * Reads which records exist before the write; null if that cannot be determined.
   *
   * @throws SourceError `unreachable`
   */
  idsBefore(): Promise<readonly string[] | null>;
  /** Searches once; null if the result is not found, or not certain. Throws a SourceError. */
  find(attempt: Attempt): Promise<D | null>;
  /** Records what the write has created. */
  claim(data: D, attempt: Attempt): void;
}

/** Creates a search. */
export function searchFor<T, S, D>(claims: Claims, wanted: Wanted<T, S, D>): Search<D> {
  const { mutation, subject, isAlike, places, dataOf, idsOf } = wanted;
  const placeOf = (row: T): string | null => readable(() => wanted.placeOf(row));
  const claim = (data: D, attempt: Attempt): void =>
    claims.note(
      idsOf(data).map((id) => nameOf(mutation, id)),
      attempt,
    );
  return {
    subject,
    claim,
    async idsBefore() {
      const list = wanted.list();
      const rows = await unlessUnread(() => readStill(list, () => false));
      // A record without a readable id would appear to be new once its id can be read.
      if (rows?.some((row) => list.keyOf(row) === null && placeOf(row) !== null)) return null;
      return rows?.map((row) => list.keyOf(row)).filter((id) => id !== null) ?? null;
    },
    async find(attempt) {
      if (!Array.isArray(attempt.before)) return null;
      const list = wanted.list();
      const before = new Set<unknown>(attempt.before);
      const candidates = new Map(places.map((place) => [place, new Map<string, Found<T>>()]));
      for (const row of await readEnds(list)) {
        const place = placeOf(row);
        if (place === null) continue;
        const id = list.keyOf(row);
        if (id === null) return null;
        const isNew = !before.has(id) && claims.isFree(nameOf(mutation, id), attempt);
        if (isNew) candidates.get(place)?.set(id, { id, row });
      }
      for (const other of claims.others(mutation, attempt)) if (isAlike(other as S)) return null;
      const found: Found<T>[] = [];
      for (const [only, another] of [...candidates.values()].map((ofPlace) => [...ofPlace.values()])) {
        if (only === undefined || another !== undefined) return null;
        found.push(only);
      }
      const [first, ...others] = found;
      if (first === undefined) return null;
      const data = dataOf([first, ...others]);
      claim(data, attempt);
      return data;
    },
  };
}

/** Returns the name under which a record is claimed. */
export function nameOf(mutation: string, id: string): string {
  return `${mutation} ${id}`;
}

// Without a connection, the write would certainly not be sent either.
async function unlessUnread<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    assertUnreadable(error);
    if (error instanceof SourceError && error.kind === 'unreachable') throw error;
    return null;
  }
}

// New records are at one of the ends, but the service documents for no list at which.
async function readEnds<T>(list: PagedList<T>): Promise<T[]> {
  const first = await list.readPage(1, Math.min(PAGE_SIZE, list.memory.sizes.max), true);
  const rows = [...first.rows];
  const last = Math.ceil(first.total / first.size);
  const end = Math.max(1, last - MAX_PAGES + 1);
  for (let page = last; page > end; page -= 1) {
    rows.push(...(await list.readPage(page, first.size, true)).rows);
  }
  return rows;
}
