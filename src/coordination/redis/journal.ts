import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createBoundedCache } from '../../bounded-cache.ts';
import { asWriteRecord, finished, isSettled, isForgettable } from '../../journal/journal.ts';
import type { JournalKey, WriteJournal, WriteRecord } from '../../journal/journal.ts';
import { ifOwn, keyOf } from './connection.ts';
import { EPOCH_KEY, KEEPS_KEYS, MAX_CLOCK_ERROR_MS, mayHaveRun } from './link.ts';
import type { RedisLink, RunNow } from './link.ts';

/** Larger results are not stored: their writes then have an unknown outcome. */
const MAX_RECORD_CHARS = 256 * 1024;
/** Writes of this process that are kept to be stored again in a Redis that has lost its data. */
const REMEMBERED = { maxEntries: 20_000, maxSize: 16 * 1024 * 1024 } as const;
/** How long processes may restore what Redis has lost before writes with a key are sent, in milliseconds. */
const RESTORING_MS = 3_000;
const AT_ONCE = 200;
/** Exists while a process still has more to restore. */
const RESTORING_KEY = 'spg:restoring';

// A different epoch means that Redis may just have lost its data. Its policy may have changed since the last heartbeat,
// and its clock may have jumped, which lets keys expire.
const BEGIN = `
if not (${KEEPS_KEYS}) then return 0 end
local time = redis.call('TIME')
if math.abs(time[1] * 1000 - ARGV[4]) > ${MAX_CLOCK_ERROR_MS} then return 0 end
if redis.call('GET', KEYS[2]) ~= ARGV[3] then return 0 end
local known = redis.call('GET', KEYS[1])
if known then return known end
if redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false`;

/** The beginning of a settled record as stored. */
const SETTLED = '{"isSettled":true,';
const FINISH_UNSETTLED = `
local known = redis.call('GET', KEYS[1])
if known and string.sub(known, 1, ${SETTLED.length}) == '${SETTLED}' then return known end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false`;

const RESTORE_SETTLED = `
local known = redis.call('GET', KEYS[1])
local isSettled = known and string.sub(known, 1, ${SETTLED.length}) == '${SETTLED}'
if isSettled and redis.call('PTTL', KEYS[1]) >= tonumber(ARGV[2]) then return end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`;

/** Stores writes in Redis for all processes. `begin` and `find` fail without Redis. */
export class RedisJournal implements WriteJournal {
  readonly #link: RedisLink;
  readonly #keptMs: number;
  /** The writes of this process, as stored in Redis. */
  readonly #own;

  /** @param keptMs How long a write is remembered, in milliseconds. */
  constructor(link: RedisLink, keptMs: number) {
    this.#link = link;
    this.#keptMs = keptMs;
    this.#own = createBoundedCache<string>({ ...REMEMBERED, ttl: keptMs, sizeOf: ({ length }) => length });
    link.onLoss((run) => this.#restore(run));
  }

  async find({ id }: JournalKey): Promise<WriteRecord | null> {
    this.#assertRestored();
    const [known, restoring] = await this.#link.run((redis) => redis.mget(keyOf('write', id), RESTORING_KEY));
    if (known === null && restoring !== null) throw new Error(NOT_RESTORED);
    return recordIn(known);
  }

  async begin({ id }: JournalKey, record: WriteRecord): Promise<WriteRecord | null> {
    this.#assertRestored();
    const text = JSON.stringify({ attempt: randomUUID(), record });
    const { epoch, redisNow } = this.#link;
    let known: unknown;
    try {
      known = await this.#link.run((redis) =>
        redis.eval(
          BEGIN,
          3,
          keyOf('write', id),
          EPOCH_KEY,
          RESTORING_KEY,
          text,
          this.#keptMs,
          epoch,
          redisNow,
        ),
      );
    } catch (error) {
      // Nothing will be sent, but the record may have been stored.
      if (mayHaveRun(error)) await this.#remove(id, text);
      throw error;
    }
    if (known === 0) throw new Error(NOT_RESTORED);
    if (known === null) this.#own.set(id, text);
    return recordIn(known);
  }

  async finish({ id }: JournalKey, record: WriteRecord): Promise<WriteRecord> {
    const kept = finished(recordIn(this.#own.get(id)), record);
    const text = isSettled(kept) ? SETTLED + JSON.stringify({ record }).slice(1) : JSON.stringify({ record });
    if (kept !== record || text.length > MAX_RECORD_CHARS) return kept;
    this.#own.set(id, text);
    let settled: WriteRecord | null = null;
    const finish = async (redis: Redis): Promise<void> => {
      if (isSettled(record)) await redis.set(keyOf('write', id), text, 'PX', this.#keptMs);
      else settled = recordIn(await redis.eval(FINISH_UNSETTLED, 1, keyOf('write', id), text, this.#keptMs));
    };
    await this.#link.deliver(`finish ${id}`, finish, text.length);
    return settled ?? record;
  }

  async forget({ id }: JournalKey, fingerprint?: string): Promise<void> {
    const isMeant = (text: string | null): boolean => isForgettable(recordIn(text), fingerprint);
    const own = this.#own.get(id);
    if (own !== undefined) {
      if (isMeant(own)) await this.#remove(id, own);
      return;
    }
    // Another process has begun it.
    const key = keyOf('write', id);
    await this.#link.deliver(`forget ${id}`, async (redis) => {
      const text = await redis.get(key);
      if (text !== null && isMeant(text)) await ifOwn(redis, key, text, 'DEL');
    });
  }

  // Other processes may not have restored what Redis has lost yet.
  #assertRestored(): void {
    if (this.#link.ageMs < RESTORING_MS) throw new Error(NOT_RESTORED);
  }

  async #remove(id: string, text: string): Promise<void> {
    if (this.#own.peek(id) === text) this.#own.delete(id);
    await this.#link.deliver(`forget ${text}`, (redis) => ifOwn(redis, keyOf('write', id), text, 'DEL'));
  }

  // Restores missing records. What others have stored takes precedence, unless only ours is settled, or ours is newer.
  async #restore(run: RunNow): Promise<void> {
    const ids = [...this.#own.keys()];
    for (let first = 0; first < ids.length; first += AT_ONCE) {
      const part = ids.slice(first, first + AT_ONCE);
      await run(async (redis) => {
        const commands = redis.pipeline();
        if (first + AT_ONCE < ids.length) commands.set(RESTORING_KEY, '', 'PX', RESTORING_MS);
        for (const id of part) {
          const text = this.#own.peek(id);
          const leftMs = Math.ceil(this.#own.getRemainingTTL(id));
          if (text === undefined || leftMs <= 0) continue;
          if (text.startsWith(SETTLED)) commands.eval(RESTORE_SETTLED, 1, keyOf('write', id), text, leftMs);
          else commands.set(keyOf('write', id), text, 'PX', leftMs, 'NX');
        }
        for (const [error] of (await commands.exec()) ?? []) if (error !== null) throw error;
      });
    }
  }
}

const NOT_RESTORED = 'Redis may have lost its data a moment ago';

function recordIn(text: unknown): WriteRecord | null {
  if (typeof text !== 'string') return null;
  const { record } = JSON.parse(text) as { readonly record?: unknown };
  return asWriteRecord(record);
}
