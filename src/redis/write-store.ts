import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { KEPT_MS, type WriteRecord, type WriteStore } from '../writes/idempotency.ts';
import { keyOf } from './key.ts';
import { RedisAway } from './state.ts';
import type { RedisLink } from './link.ts';

/** A larger result is not kept: its write then reads as one of unknown outcome. */
const MAX_RECORD_CHARS = 256 * 1024;
/** What this process remembers of its own writes, to tell it again to a Redis that has forgotten everything. */
const REMEMBERED = { max: 20_000, maxSize: 16 * 1024 * 1024, ttl: KEPT_MS } as const;
/** How long the processes have to tell it again before a write with a key is sent, in milliseconds. */
const TELLING_MS = 2_000;

/** A record as it lies in Redis; the attempt tells it from an equal one of another process. */
interface Kept {
  readonly attempt: string;
  readonly record: WriteRecord;
}

const BEGIN = `
local known = redis.call('GET', KEYS[1])
if known then return known end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false`;

const FORGET = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** Remembers writes with a key in Redis, for all processes, each for 24 hours. `begin` and `find` fail while it is away. */
export function createRedisWriteStore(link: RedisLink): WriteStore {
  const own = new LRUCache<string, string>({ ...REMEMBERED, sizeCalculation: (text) => text.length });
  let sureAt = Number.NEGATIVE_INFINITY;
  const ask = async <T>(...command: Parameters<typeof link.run<T>>): Promise<T> => {
    if (performance.now() < sureAt) throw new RedisAway('what it forgot is being told again');
    return await link.run(...command);
  };
  const remove = async (id: string, text: string): Promise<void> => {
    if (own.get(id) === text) own.delete(id);
    await link.deliver(`forget ${text}`, (client) => client.eval(FORGET, 1, keyOf('write', id), text));
  };
  link.onReturn(({ hasForgotten }) => {
    if (!hasForgotten) return;
    sureAt = performance.now() + TELLING_MS;
    for (const [id, text] of own.entries())
      void link.deliver(`again ${id}`, (client) => client.set(keyOf('write', id), text, 'PX', KEPT_MS, 'NX'));
  });
  return {
    async find(id) {
      return recordIn(await ask((client) => client.get(keyOf('write', id))));
    },
    async begin(id, record) {
      const text = textOf({ attempt: randomUUID(), record });
      try {
        const known = await ask((client) => client.eval(BEGIN, 1, keyOf('write', id), text, KEPT_MS));
        if (known === null) own.set(id, text);
        return recordIn(known);
      } catch (error) {
        // It may stand there all the same, and nothing is going to be sent.
        await remove(id, text);
        throw error;
      }
    },
    async finish(id, record) {
      const text = textOf({ attempt: '', record });
      if (text.length > MAX_RECORD_CHARS) return;
      own.set(id, text);
      await link.deliver(`finish ${id}`, (client) => client.set(keyOf('write', id), text, 'PX', KEPT_MS));
    },
    async forget(id) {
      const text = own.get(id);
      if (text !== undefined) await remove(id, text);
    },
  };
}

function textOf(kept: Kept): string {
  return JSON.stringify(kept);
}

function recordIn(text: unknown): WriteRecord | null {
  return typeof text === 'string' ? (JSON.parse(text) as Kept).record : null;
}
