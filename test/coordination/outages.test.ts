import { describe, test } from 'vitest';
import { runOutages, SILENT, UNWILLING } from '../support/outages.ts';
import { isRedisHere } from '../support/redis.ts';

const LONG = { timeout: 180_000 };

describe.runIf(isRedisHere)('while Redis', () => {
  test(
    'is down, frozen, unreachable or too slow, all but writes with a key is served, and it heals',
    LONG,
    async () => {
      await runOutages(SILENT);
    },
  );

  test(
    'is a replica, out of memory, may evict keys or wants a password, all but writes with a key is served, and it heals',
    LONG,
    async () => {
      await runOutages(UNWILLING);
    },
  );
});
