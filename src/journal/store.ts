import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
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

/** Reads and changes of records that take effect together. */
export interface Transaction {
  get(id: string): Promise<string | undefined>;
  /** Reads records that will be needed, all at once. */
  load(ids: readonly string[]): Promise<void>;
  /** Stores a record; null removes it. */
  set(id: string, text: string | null): void;
  /**
   * Returns the texts of the first records whose ids begin with `prefix` and are less than `end`. Records that other
   * transactions of the same batch have added may be missing.
   */
  first(limit: number, prefix: string, end?: string): Promise<string[]>;
}

const PREFIX = 'record ';
/** The end of all keys with the prefix. */
const PREFIX_END = 'record!';
const STATE = 'state';
const FORMAT = 'format';
/** Follows every character of an id. */
const LAST = '\uFFFF';

/** The number of records and the sum of their checksums, which reveal records that the database has lost. */
interface State {
  readonly count: number;
  readonly sum: number;
}

const EMPTY: State = { count: 0, sum: 0 };
const CHECK_BYTES = 6;
const CHECK_LIMIT = 2 ** (8 * CHECK_BYTES);

function changed({ count, sum }: State, by: 1 | -1, id: string, text: string): State {
  const check = createHash('sha256').update(`${id} ${text}`).digest().readUIntBE(0, CHECK_BYTES);
  return { count: count + by, sum: (sum + by * check + CHECK_LIMIT) % CHECK_LIMIT };
}

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
  const { format, earlierFormats = [] } = place;
  const database = await openDatabase(place.path);
  try {
    const found = await database.get(FORMAT);
    if (found !== undefined && ![format, ...earlierFormats].includes(found))
      throw new StoreOfAnotherFormat(found);
    let state = EMPTY;
    for await (const [key, text] of database.iterator({ gt: PREFIX, lt: PREFIX_END })) {
      const id = key.slice(PREFIX.length);
      state = changed(state, 1, id, text);
      visit(id, text);
    }
    if (found === undefined && state.count > 0) throw new StoreDamaged('its format is missing');
    if (((await database.get(STATE)) ?? JSON.stringify(EMPTY)) !== JSON.stringify(state))
      throw new StoreDamaged(`its ${state.count} records are not those that were written`);
    if (found !== format) await database.put(FORMAT, format, { sync: true });
    return new Store(database, state);
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
    const isDamaged = !isNew && !isLocked(error) && !existsSync(join(path, 'CURRENT'));
    throw isDamaged ? new StoreDamaged('the file CURRENT is missing') : error;
  }
}

type Changes = Map<string, string | null>;
/** Records as they are on disk; undefined for those that are not there. */
type Reads = Map<string, string | undefined>;

interface Waiting {
  /** Returns a function that reports its result. */
  readonly run: (transaction: Transaction) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
  readonly isProof: boolean;
}

/** Records by id, in a folder used by one process. Only the database holds them; nothing is kept in memory. */
export class Store {
  readonly #database: Database;
  #state: State;
  #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;
  /** The error of the first failed write: the database may contain part of it, so nothing more is written. */
  #failure: unknown = null;

  constructor(database: Database, state = EMPTY) {
    this.#database = database;
    this.#state = state;
  }

  /** True after a failed write: every further one fails, and the store must be reopened. */
  get isBroken(): boolean {
    return this.#failure !== null;
  }

  /** Returns a record as it is on disk. */
  get(id: string): Promise<string | undefined> {
    return this.#database.get(PREFIX + id);
  }

  /**
   * Runs transactions one after another. Resolves when the changes are on disk, where they appear all or not at all; a
   * transaction that throws changes nothing. Those that arrive during a write share the next one.
   *
   * @param options.isProof - Writes even without changes, which shows that the disk can be written.
   */
  run<T>(
    transaction: (records: Transaction) => Promise<T>,
    { isProof = false }: { readonly isProof?: boolean } = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = async (records: Transaction) => {
        const result = await transaction(records);
        return () => resolve(result);
      };
      this.#waiting.push({ run, reject, isProof });
      this.#working ??= this.#work();
    });
  }

  /** Closes the store after pending transactions have ended. */
  async close(): Promise<void> {
    while (this.#working !== null) await this.#working;
    await this.#database.close();
  }

  async #work(): Promise<void> {
    // Transactions of the same turn are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#runAll(this.#waiting.splice(0));
    this.#working = null;
  }

  async #runAll(waiting: readonly Waiting[]): Promise<void> {
    const changes: Changes = new Map();
    const reads: Reads = new Map();
    const ready: { readonly report: () => void; readonly reject: (error: unknown) => void }[] = [];
    let isProof = false;
    for (const { run, reject, isProof: isOne } of waiting) {
      try {
        if (this.isBroken) throw this.#failure;
        const own: Changes = new Map();
        const report = await run(this.#transaction({ changes, reads }, own));
        for (const [id, text] of own) changes.set(id, text);
        ready.push({ report, reject });
        isProof ||= isOne;
      } catch (error) {
        reject(error);
      }
    }
    try {
      if (changes.size > 0 || isProof) await this.#write(changes, reads);
      for (const { report } of ready) report();
    } catch (error) {
      for (const { reject } of ready) reject(error);
    }
  }

  #transaction(
    { changes, reads }: { readonly changes: Changes; readonly reads: Reads },
    own: Changes,
  ): Transaction {
    const pending = (id: string) => (own.has(id) ? own.get(id) : changes.get(id));
    return {
      get: async (id) => {
        const text = pending(id);
        if (text !== undefined) return text ?? undefined;
        await this.#load([id], reads);
        return reads.get(id);
      },
      load: (ids) => this.#load(ids, reads),
      set: (id, text) => void own.set(id, text),
      first: async (limit, prefix, end = prefix + LAST) => {
        const texts: string[] = [];
        for await (const [key, text] of this.#database.iterator({ gte: PREFIX + prefix, lt: PREFIX + end })) {
          if (pending(key.slice(PREFIX.length)) === null) continue;
          if (texts.push(text) === limit) break;
        }
        return texts;
      },
    };
  }

  // Each read of the database wakes a thread, so records are read together, and once.
  async #load(ids: readonly string[], reads: Reads): Promise<void> {
    const unread = ids.filter((id) => !reads.has(id));
    if (unread.length === 0) return;
    const texts = await this.#database.getMany(unread.map((id) => PREFIX + id));
    for (const [index, id] of unread.entries()) reads.set(id, texts[index]);
  }

  async #write(changes: Changes, reads: Reads): Promise<void> {
    try {
      await this.#load([...changes.keys()], reads);
      let state = this.#state;
      const batch = this.#database.batch();
      for (const [id, text] of changes) {
        const old = reads.get(id);
        if (old !== undefined) state = changed(state, -1, id, old);
        if (text !== null) state = changed(state, 1, id, text);
        if (text === null) batch.del(PREFIX + id);
        else batch.put(PREFIX + id, text);
      }
      batch.put(STATE, JSON.stringify(state));
      await batch.write({ sync: true });
      this.#state = state;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}
