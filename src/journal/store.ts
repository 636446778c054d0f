import { createHash } from 'node:crypto';
import type * as Level from 'classic-level';
import { load } from '../load.ts';

type Database = Level.ClassicLevel;

/** A change of one record: its new text, or null to remove it. */
export interface Change {
  readonly id: string;
  readonly text: string | null;
}

/** The location of a store, and the format of its records. */
export interface StorePlace {
  readonly path: string;
  /** A name for the format of its records; a store with another format is not opened. */
  readonly format: string;
}

/** Thrown if the records are not as they were written. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
}

/** Thrown if the store was created for another format. */
export class StoreOfAnotherFormat extends Error {
  override readonly name = 'StoreOfAnotherFormat';
  readonly format: string;

  constructor(format: string) {
    super('another format');
    this.format = format;
  }
}

const PREFIX = 'record ';
/** The end of all keys with the prefix. */
const PREFIX_END = 'record!';
const STATE = 'state';
const FORMAT = 'format';

/** The number of records and the sum of their checksums, which reveal records that the database has lost. */
interface State {
  readonly count: number;
  readonly sum: number;
}

const EMPTY: State = { count: 0, sum: 0 };
const CHECK_BYTES = 6;
const CHECK_LIMIT = 2 ** (8 * CHECK_BYTES);

function checkOf(id: string, text: string): number {
  return createHash('sha256').update(`${id} ${text}`).digest().readUIntBE(0, CHECK_BYTES);
}

function plus({ count, sum }: State, check: number): State {
  return { count: count + 1, sum: (sum + check) % CHECK_LIMIT };
}

function minus({ count, sum }: State, check: number): State {
  return { count: count - 1, sum: (sum - check + CHECK_LIMIT) % CHECK_LIMIT };
}

/**
 * Opens the store in a folder, creating it if it is missing unless `createIfMissing` is false, and reads all of it.
 *
 * @throws StoreDamaged if a record is missing or changed, StoreOfAnotherFormat, and whatever the database throws
 */
export async function openStore(
  { path, format }: StorePlace,
  createIfMissing = true,
): Promise<{ readonly store: Store; readonly records: ReadonlyMap<string, string> }> {
  const { ClassicLevel } = load('classic-level') as typeof Level;
  const database: Database = new ClassicLevel(path);
  await database.open({ createIfMissing });
  try {
    const told = await database.get(FORMAT);
    if (told !== undefined && told !== format) throw new StoreOfAnotherFormat(told);
    const records = await recordsIn(database);
    if (told === undefined && records.size > 0) throw new StoreDamaged('its format is missing');
    const store = new Store(database, records);
    await store.check(await database.get(STATE));
    if (told === undefined) await database.put(FORMAT, format, { sync: true });
    return { store, records };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function recordsIn(database: Database): Promise<Map<string, string>> {
  const records = new Map<string, string>();
  for await (const [key, text] of database.iterator({ gt: PREFIX, lt: PREFIX_END }))
    records.set(key.slice(PREFIX.length), text);
  return records;
}

interface Waiting {
  readonly changes: readonly Change[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Records by id, in a folder used by one process. */
export class Store {
  readonly #database: Database;
  readonly #checks = new Map<string, number>();
  #state = EMPTY;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;
  /** The error of the first failed write: the database may contain part of it, so nothing more is written. */
  #failure: unknown = null;

  constructor(database: Database, records: ReadonlyMap<string, string>) {
    this.#database = database;
    for (const [id, text] of records) this.#count(id, checkOf(id, text));
  }

  /** @throws StoreDamaged unless the records are those that were written */
  check(told: string | undefined): Promise<void> {
    if ((told ?? JSON.stringify(EMPTY)) === JSON.stringify(this.#state)) return Promise.resolve();
    const reason = `its ${this.#state.count} records are not those that were written`;
    return Promise.reject(new StoreDamaged(reason));
  }

  /**
   * Resolves when all the changes are on disk, where they appear all or not at all. Changes that arrive during a write
   * share the next one. After a failure every write fails, and the store must be reopened.
   */
  write(changes: readonly Change[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ changes, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Closes the store after pending changes are written. */
  async close(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
    await this.#database.close();
  }

  async #writeAll(): Promise<void> {
    // Changes made in the same turn are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      try {
        await this.#writeTogether(waiting.flatMap(({ changes }) => changes));
        for (const { resolve } of waiting) resolve();
      } catch (error) {
        for (const { reject } of waiting) reject(error);
      }
    }
    this.#writing = null;
  }

  async #writeTogether(changes: readonly Change[]): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    const batch = this.#database.batch();
    for (const { id, text } of changes) {
      this.#count(id, text === null ? null : checkOf(id, text));
      if (text === null) batch.del(PREFIX + id);
      else batch.put(PREFIX + id, text);
    }
    batch.put(STATE, JSON.stringify(this.#state));
    try {
      await batch.write({ sync: true });
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  #count(id: string, check: number | null): void {
    const before = this.#checks.get(id);
    if (before !== undefined) this.#state = minus(this.#state, before);
    if (check === null) {
      this.#checks.delete(id);
      return;
    }
    this.#checks.set(id, check);
    this.#state = plus(this.#state, check);
  }
}
