import type { Redis } from 'ioredis';

const REMOVE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** Removes a value if it is still the given one, not another's. */
export async function removeOwnValue(client: Redis, key: string, value: string): Promise<void> {
  await client.eval(REMOVE, 1, key, value);
}
