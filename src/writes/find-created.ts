import { journalKeyOf, type JournalKey, type WriteJournal } from '../journal/journal.ts';
import { assertUnreadable } from '../lists/errors.ts';
import type { PagedList } from '../lists/reading.ts';
import { readStill } from '../lists/scan.ts';
import { SourceError } from '../sources/errors.ts';
import { readable } from '../sources/view.ts';
import { completed } from './outcome.ts';

// Searches for what a write of unknown outcome created. A record is its result if it is equal, was not in the list when
// that was read before the write, and cannot be the result of another write of the caller. The time that the
// service shows proves nothing: it has a resolution of a minute. Finding nothing proves nothing either.

/** A record that a search has found. */
interface Found<T> {
  readonly id: string;
  readonly row: T;
}

/** What a search looks for: rows `T`, which become data `D`. */
interface Wanted<T, D> {
  /** Returns the list with nothing read yet. */
  readonly list: () => PagedList<T>;
  /** Texts of which two writes share one if the records of one could be taken for those of the other. */
  readonly marks: readonly string[];
  /** The places that the write fills, each with one record. */
  readonly places: readonly string[];
  /** Returns the place that an equal record fills; null for other records. */
  readonly placeOf: (row: T) => string | null;
  /** Converts the records found, in the order of their places. */
  readonly dataOf: (found: readonly [Found<T>, ...Found<T>[]]) => D;
}

/** A search for what a write created. */
export interface Search<D> {
  /** Texts of which two writes share one if the records of one could be taken for those of the other. */
  readonly marks: readonly string[];
  /**
   * Reads which records exist before the write; null if that cannot be determined.
   *
   * @throws SourceError `unreachable`
   */
  idsBefore(): Promise<readonly string[] | null>;
  /**
   * Searches once; null if the result is not found, or not certain. Throws a SourceError.
   *
   * @param before What `idsBefore` returned; anything else if it was not asked.
   * @param isOnly Whether no other write can have created what was found; asked after the list is read.
   */
  find(before: unknown, isOnly: () => Promise<boolean>): Promise<D | null>;
}

/** Creates a search. */
export function searchFor<T, D>(wanted: Wanted<T, D>): Search<D> {
  const { marks, places, dataOf } = wanted;
  const placeOf = (row: T): string | null => readable(() => wanted.placeOf(row));
  return {
    marks,
    async idsBefore() {
      const list = wanted.list();
      let rows: readonly T[];
      try {
        rows = await readStill(list);
      } catch (error) {
        assertUnreadable(error);
        // Without a connection, the write would certainly not be sent either.
        if (error instanceof SourceError && error.kind === 'unreachable') throw error;
        return null;
      }
      // A record without a readable id would appear to be new once its id can be read.
      if (rows.some((row) => list.keyOf(row) === null && placeOf(row) !== null)) return null;
      return rows.map((row) => list.keyOf(row)).filter((id) => id !== null);
    },
    async find(before, isOnly) {
      if (!Array.isArray(before)) return null;
      const list = wanted.list();
      const known = new Set<unknown>(before);
      const candidates = new Map(places.map((place) => [place, new Map<string, Found<T>>()]));
      for (const row of await readStill(list)) {
        const place = placeOf(row);
        if (place === null) continue;
        const id = list.keyOf(row);
        if (id === null) return null;
        if (!known.has(id)) candidates.get(place)?.set(id, { id, row });
      }
      const found: Found<T>[] = [];
      for (const [only, another] of [...candidates.values()].map((ofPlace) => [...ofPlace.values()])) {
        if (only === undefined || another !== undefined) return null;
        found.push(only);
      }
      const [first, ...others] = found;
      return first !== undefined && (await isOnly()) ? dataOf([first, ...others]) : null;
    },
  };
}

// Which write may be the origin of a new record. It is stored in the journal of keyed writes, so that every process that
// shares it knows, also after a restart. A write that fails to be declared, because Redis is unavailable and it has no
// key, is the only origin that others cannot know of.

/** The origin once several writes may have created the record. It is settled, so that no journal puts one of them back. */
const SEVERAL = { fingerprint: 'several', result: completed(null) } as const;

/** A write as the possible origin of records. */
export class Origin {
  /** A unique name, the same in each look-up of the write. */
  readonly name: string;
  readonly #journal: WriteJournal;
  readonly #keys: readonly JournalKey[];

  /**
   * @param scope hash of the caller's credential
   * @param marks texts of which records share one if they could be taken for each other
   */
  constructor(journal: WriteJournal, scope: string, name: string, marks: readonly string[]) {
    this.name = name;
    this.#journal = journal;
    // A key of a caller contains no space.
    this.#keys = [...new Set(marks)].map((mark) => journalKeyOf(scope, `origin ${mark}`));
  }

  /** Declares the write, before the list is read with which a search compares. Fails as the journal's `begin` does. */
  async declare(startedAt: number): Promise<void> {
    const record = { mutation: 'origin', startedAt, result: null };
    for (const key of this.#keys) {
      const known = await this.#journal.begin(key, { ...record, fingerprint: this.name });
      if (known !== null && known.fingerprint !== this.name)
        await this.#journal.finish(key, { ...record, ...SEVERAL });
    }
  }

  /** Whether no other write can have created the records since it was declared. Fails as `find` does. */
  async isOnly(): Promise<boolean> {
    for (const key of this.#keys)
      if ((await this.#journal.find(key))?.fingerprint !== this.name) return false;
    return true;
  }

  /** Declares that the write creates nothing more, since its outcome is known. */
  async withdraw(): Promise<void> {
    for (const key of this.#keys) await this.#journal.forget(key, this.name);
  }
}
