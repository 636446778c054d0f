import type { Redis } from 'ioredis';
import { hash } from '../../journal/journal.ts';

/** Returns the key of a value in Redis, of bounded length. Names of callers are hashes already. */
export function keyOf(kind: string, ...parts: readonly string[]): string {
  return `spg:${kind}:${hash(parts).toString('base64url')}`;
}

const IF_OWN = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call(ARGV[2], KEYS[1], unpack(ARGV, 3))`;

/** Runs a command on a key if its value is still the given one, not another's; returns 0 otherwise. */
export function ifOwn(redis: Redis, key: string, value: string, ...command: string[]): Promise<unknown> {
  return redis.eval(IF_OWN, 1, key, value, ...command);
}
