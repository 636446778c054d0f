import type { Redis } from 'ioredis';

const REMOVE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** Takes a value away if it is still the one that was put there, and not another's. */
export async function removeOwnValue(client: Redis, key: string, value: string): Promise<void> {
  await client.eval(REMOVE, 1, key, value);
}
