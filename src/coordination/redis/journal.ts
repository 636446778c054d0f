import { randomUUID } from 'node:crypto';
import { createBoundedCache } from '../../bounded-cache.ts';
import { isWriteRecord, KEPT_MS, type WriteRecord, type WriteJournal } from '../../journal/journal.ts';
import { together } from './connection.ts';
import { keyOf } from './key.ts';
import type { RedisLink, Return, RunNow } from './link.ts';
import { removeOwnValue } from './own-value.ts';
import { EPOCH_KEY, KEEPS_KEYS, MAX_CLOCK_ERROR_MS, RedisAway } from './state.ts';

/** Larger results are not stored: their writes then have an unknown outcome. */
const MAX_RECORD_CHARS = 256 * 1024;
/** Writes of this process that are kept to be stored again in a Redis that has lost its data. */
const REMEMBERED = { maxEntries: 20_000, maxSize: 16 * 1024 * 1024, ttl: KEPT_MS } as const;
/** How long processes may restore an empty Redis before writes with a key are sent, in milliseconds. */
const TELLING_MS = 3_000;
/** Redis may have lost what was stored this long before it became unavailable, in milliseconds. */
const UNSAFE_MS = 30_000;
const AT_ONCE = 200;

const EMPTY = new RedisAway('Redis was empty a moment ago', { mayHaveArrived: false });

/** A record as stored in Redis; the attempt distinguishes it from an equal one of another process. */
interface Kept {
  readonly attempt: string;
  readonly record: WriteRecord;
}

// A different epoch means that Redis has just been emptied. Its policy may have changed since the last heartbeat, and its
// clock may have jumped, which lets keys expire.
const BEGIN = `
if not (${KEEPS_KEYS}) then return 0 end
local time = redis.call('TIME')
if math.abs(time[1] * 1000 - ARGV[4]) > ${MAX_CLOCK_ERROR_MS} then return 0 end
if redis.call('GET', KEYS[2]) ~= ARGV[3] then return 0 end
local known = redis.call('GET', KEYS[1])
if known then return known end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false`;

/** Stores writes with a key in Redis for all processes, each for 24 hours. `begin` and `find` fail without Redis. */
export function createRedisJournal(link: RedisLink): WriteJournal {
  const own = createOwnWrites();
  // Other processes may not have restored an empty Redis yet.
  const beSure = (): void => {
    if (link.ageMs < TELLING_MS) throw EMPTY;
  };
  const remove = async (id: string, text: string): Promise<void> => {
    own.forget(id, text);
    await link.deliver(`forget ${text}`, (client) => removeOwnValue(client, keyOf('write', id), text));
  };
  link.beforeReturn((run, redis) => own.tellAgain(run, redis));
  return {
    async find({ id }) {
      beSure();
      return recordIn(await link.run((client) => client.get(keyOf('write', id))));
    },
    async begin({ id }, record) {
      beSure();
      const text = textOf({ attempt: randomUUID(), record });
      const { epoch } = link;
      try {
        const known = await link.run((client) =>
          client.eval(BEGIN, 2, keyOf('write', id), EPOCH_KEY, text, KEPT_MS, epoch, link.redisNow),
        );
        if (known === 0) throw EMPTY;
        if (known === null) own.remember(id, text);
        return recordIn(known);
      } catch (error) {
        // Nothing will be sent, but the record may have been stored.
        if (error instanceof RedisAway && error.mayHaveArrived) await remove(id, text);
        throw error;
      }
    },
    async finish({ id }, record) {
      const text = textOf({ attempt: '', record });
      if (text.length > MAX_RECORD_CHARS) return;
      own.remember(id, text);
      const finish = (client: Parameters<Parameters<typeof link.run>[0]>[0]) =>
        client.set(keyOf('write', id), text, 'PX', KEPT_MS);
      await link.deliver(`finish ${id}`, finish, text.length);
    },
    async forget({ id }) {
      const text = own.find(id);
      if (text !== undefined) await remove(id, text);
    },
  };
}

interface OwnWrite {
  readonly text: string;
  /** When it was stored, as a `performance.now` time. */
  readonly at: number;
}

// The writes of this process, as stored in Redis.
function createOwnWrites() {
  const writes = createBoundedCache<OwnWrite>({
    ...REMEMBERED,
    sizeOf: ({ text }) => text.length,
  });
  return {
    find: (id: string): string | undefined => writes.get(id)?.text,
    remember: (id: string, text: string): void => void writes.set(id, { text, at: performance.now() }),
    forget(id: string, text: string): void {
      if (writes.peek(id)?.text === text) writes.delete(id);
    },
    // Restores only missing records: what others have stored since takes precedence.
    async tellAgain(run: RunNow, { hasForgotten, fellAt }: Return): Promise<void> {
      const since = hasForgotten ? Number.NEGATIVE_INFINITY : fellAt - UNSAFE_MS;
      const ids = [...writes.entries()].filter(([, { at }]) => at >= since).map(([id]) => id);
      for (let first = 0; first < ids.length; first += AT_ONCE) {
        await run((client) => {
          const commands = client.pipeline();
          for (const id of ids.slice(first, first + AT_ONCE)) {
            const text = writes.peek(id)?.text;
            const leftMs = Math.ceil(writes.getRemainingTTL(id));
            if (text !== undefined && leftMs > 0) commands.set(keyOf('write', id), text, 'PX', leftMs, 'NX');
          }
          return together(commands);
        });
      }
    },
  };
}

function textOf(kept: Kept): string {
  return JSON.stringify(kept);
}

// An unreadable record may be a write that happened, so nothing is sent.
function recordIn(text: unknown): WriteRecord | null {
  if (typeof text !== 'string') return null;
  const { record } = JSON.parse(text) as Partial<Kept>;
  if (!isWriteRecord(record)) throw new Error('a write stored in Redis is corrupt');
  return record;
}
