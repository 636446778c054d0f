import { hash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as Level from 'classic-level';

type Database = Level.ClassicLevel;

/** The location of a store, and the format of its records. */
interface StorePlace {
  readonly path: string;
  /** A name for the format of its records. */
  readonly format: string;
  /** Earlier formats that can also be read; a store of any other format is not opened. */
  readonly earlierFormats?: readonly string[];
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

/** Thrown by a store that has failed to write, until it is repaired. */
export class DiskUnavailable extends Error {
  override readonly name = 'DiskUnavailable';
}

const PREFIX = 'record ';
/** The end of all keys with the prefix. */
const PREFIX_END = 'record!';
/** Begins the ids of indexes, which earlier formats stored beside the records. No hash begins with it. */
const INDEX = '!';
const STATE = 'state';
const FORMAT = 'format';
const CHECK_LIMIT = 2 ** 48;

/** Whether an error means that another process holds the store. */
export function isLocked(error: unknown): boolean {
  return codesOf(error).includes('LEVEL_LOCKED');
}

/** Returns the codes of an error and of its causes. */
export function codesOf(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [];
  return [...('code' in error ? [error.code] : []), ...codesOf(error.cause)];
}

/**
 * Opens the store in a folder, creating it if it is missing, and reads each record once.
 *
 * @throws StoreDamaged if a record is missing or changed, StoreOfAnotherFormat, and whatever the database throws
 */
export async function openStore(
  place: StorePlace,
  visit: (id: string, text: string) => void = () => undefined,
): Promise<Store> {
  return new Store(place, await load(place, visit));
}

/** A database that was read. */
interface Loaded {
  readonly database: Database;
  readonly checksums: Checksums;
}

async function load(place: StorePlace, visit: (id: string, text: string) => void): Promise<Loaded> {
  const { format, earlierFormats = [] } = place;
  const database = await openDatabase(place.path);
  try {
    const found = await database.get(FORMAT);
    if (found !== undefined && ![format, ...earlierFormats].includes(found))
      throw new StoreOfAnotherFormat(found);
    if (await hasDroppedRecords(place.path)) {
      // The database has already removed the log, so that only this shows the damage next time.
      await database.put(STATE, 'damaged', { sync: true });
      throw new StoreDamaged('a part of its log could not be read');
    }
    const checksums = new Checksums();
    const obsolete: string[] = [];
    for await (const [key, text] of database.iterator({ gt: PREFIX, lt: PREFIX_END })) {
      const id = key.slice(PREFIX.length);
      checksums.set(id, text);
      if (id.startsWith(INDEX)) obsolete.push(id);
      else visit(id, text);
    }
    if (found === undefined && checksums.count > 0) throw new StoreDamaged('its format is missing');
    if (((await database.get(STATE)) ?? new Checksums().state) !== checksums.state)
      throw new StoreDamaged(`its ${checksums.count} records are not those that were written`);
    if (found !== format) {
      for (const id of obsolete) checksums.set(id, null);
      const removals = obsolete.map((id) => ({ type: 'del', key: PREFIX + id }) as const);
      const puts = Object.entries({ [FORMAT]: format, [STATE]: checksums.state });
      await database.batch(
        [...removals, ...puts.map(([key, value]) => ({ type: 'put', key, value }) as const)],
        { sync: true },
      );
    }
    return { database, checksums };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openDatabase(path: string): Promise<Database> {
  const { ClassicLevel } = await import('classic-level');
  // The database would otherwise start empty beside its remaining files.
  const isNew = !existsSync(path) || readdirSync(path).length === 0;
  const database: Database = new ClassicLevel(path);
  try {
    await database.open({ createIfMissing: isNew });
    return database;
  } catch (error) {
    // Another process may be creating it at the moment.
    if (isNew || isLocked(error)) throw error;
    if (!existsSync(join(path, 'CURRENT'))) throw new StoreDamaged('the file CURRENT is missing');
    // The database reports this like a folder that may not be written.
    const isIncomplete = error instanceof Error && /No such file/.test(String(error.cause));
    throw isIncomplete ? new StoreDamaged('one of its files is missing') : error;
  }
}

/**
 * Whether the database has dropped a damaged part of its log: it goes on with what was written before, whose sum is right,
 * and only its messages tell. `LOG.old` has those of the time before, in case the process was killed then.
 */
async function hasDroppedRecords(path: string): Promise<boolean> {
  const messages = ['LOG', 'LOG.old'].map((name) => readFile(join(path, name), 'utf8').catch(() => ''));
  return (await Promise.all(messages)).some((text) => text.includes(': dropping '));
}

/** The checksums of all records. Their number and sum reveal records that the database has lost. */
class Checksums {
  readonly #ofRecords = new Map<string, number>();
  #sum = 0;

  get count(): number {
    return this.#ofRecords.size;
  }

  /** The number and the sum, as stored. */
  get state(): string {
    return JSON.stringify({ count: this.count, sum: this.#sum });
  }

  /** Notes that a record has a text, or that it is removed. */
  set(id: string, text: string | null): void {
    const before = this.#ofRecords.get(id) ?? 0;
    let check = 0;
    if (text === null) this.#ofRecords.delete(id);
    else {
      check = Number.parseInt(hash('sha256', `${id} ${text}`).slice(0, 12), 16);
      this.#ofRecords.set(id, check);
    }
    this.#sum = (this.#sum - before + check + CHECK_LIMIT) % CHECK_LIMIT;
  }
}

/** New texts by id; null for records to be removed. */
type Changes = Map<string, string | null>;

/**
 * Texts by id, in a folder used by one process. Changes are written in batches, of which either all are on disk or none.
 * After a write that fails, the changes are kept and can still be read, and nothing is written until `repair`.
 */
export class Store {
  readonly #place: StorePlace;
  /** Another one after each repair. */
  #database: Promise<Database>;
  #checksums: Checksums;
  #queued: Changes = new Map();
  #writing: Changes = new Map();
  /** The write that takes what is queued, and the one that is running. */
  #next: Promise<void> | null = null;
  #running: Promise<void> = Promise.resolve();
  #isBroken = false;

  constructor(place: StorePlace, { database, checksums }: Loaded) {
    this.#place = place;
    this.#database = Promise.resolve(database);
    this.#checksums = checksums;
  }

  /** True from a failed write until the store is repaired. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Returns a record, as last set. */
  async get(id: string): Promise<string | undefined> {
    const changes = [this.#queued, this.#writing].find((some) => some.has(id));
    if (changes !== undefined) return changes.get(id) ?? undefined;
    return await (await this.#database).get(PREFIX + id);
  }

  /** Queues a change for the next write; null removes the record. */
  set(id: string, text: string | null): void {
    this.#queued.set(id, text);
  }

  /**
   * Resolves when all queued changes are on disk. Those that are queued during a write share the next one.
   *
   * @throws DiskUnavailable, and whatever the database throws; the changes stay queued
   */
  flush(): Promise<void> {
    this.#next ??= this.#flushAfter(this.#running);
    return this.#next;
  }

  /**
   * Reopens the database after a failed write, and writes what is queued. It writes even if nothing is, which shows that
   * the disk can be written.
   */
  async repair(): Promise<void> {
    const reopening = this.#reopen();
    // Reads wait for it.
    this.#database = reopening.then(({ database }) => database);
    this.#database.catch(() => undefined);
    this.#checksums = (await reopening).checksums;
    do await this.#write();
    while (this.#queued.size > 0);
    this.#isBroken = false;
  }

  /** Closes the store after pending writes have ended. */
  async close(): Promise<void> {
    await this.#next?.catch(() => undefined);
    await this.#running;
    await this.#closeDatabase();
  }

  async #reopen(): Promise<Loaded> {
    await this.#closeDatabase();
    return await load(this.#place, () => undefined);
  }

  // A repair may have failed to open it.
  async #closeDatabase(): Promise<void> {
    const database = await this.#database.catch(() => null);
    await database?.close();
  }

  async #flushAfter(running: Promise<void>): Promise<void> {
    await running;
    const writing = this.#isBroken ? Promise.reject(new DiskUnavailable()) : this.#write();
    this.#next = null;
    this.#running = writing.catch(() => undefined);
    await writing;
  }

  async #write(): Promise<void> {
    this.#writing = this.#queued;
    this.#queued = new Map();
    try {
      const changes = Array.from(this.#writing, ([id, text]) => {
        this.#checksums.set(id, text);
        const key = PREFIX + id;
        return text === null ? ({ type: 'del', key } as const) : ({ type: 'put', key, value: text } as const);
      });
      const state = { type: 'put', key: STATE, value: this.#checksums.state } as const;
      const database = await this.#database;
      await database.batch([...changes, state], { sync: true });
    } catch (error) {
      this.#isBroken = true;
      this.#queued = new Map([...this.#writing, ...this.#queued]);
      throw error;
    } finally {
      this.#writing = new Map();
    }
  }
}
