import { describe, test } from 'vitest';
import { runOutage, UNWILLING } from '../support/outages.ts';
import { isRedisHere } from '../support/redis.ts';

describe.runIf(isRedisHere).each(UNWILLING)('Redis that %s', (_name, outage) => {
  test('slows nothing, refuses writes with a key, and heals', { timeout: 40_000 }, () => runOutage(outage));
});
