import { expect, test } from 'vitest';
import { problemOfRedis } from '../../src/coordination/redis/link.ts';
import { expectHealed, expectRefused, expectServed } from '../support/outages.ts';
import { send, jsonOf } from '../support/raw-http.ts';
import { isRedisHere, startRedis, type RedisServer } from '../support/redis.ts';
import { startShared, type SharingServer } from '../support/shared-live.ts';
import { EXAMPLES } from '../support/writes.ts';

// A Redis that may evict keys forgets which writes were done, and so is not used.

const CREATE = 'POST /posts/create';
const setPolicy = ({ client }: RedisServer, policy: string) =>
  client.config('SET', 'maxmemory-policy', policy);

test.runIf(isRedisHere)(
  'every policy but noeviction is a problem, whether memory is limited or not',
  async () => {
    const redis = await startRedis();
    const problem = () => problemOfRedis({ url: redis.url, commandTimeoutMs: 30_000 });
    expect(await problem()).toBeNull();
    for (const scope of ['allkeys', 'volatile'])
      for (const order of ['lru', 'lfu', 'random', ...(scope === 'volatile' ? ['ttl'] : [])])
        for (const maxmemory of ['0', '1gb']) {
          await redis.client.config('SET', 'maxmemory', maxmemory);
          await setPolicy(redis, `${scope}-${order}`);
          expect(await problem()).toBe(`maxmemory-policy is ${scope}-${order}, not noeviction`);
        }
  },
);

test.runIf(isRedisHere)('a user who may not read the policy is a problem', async () => {
  const redis = await startRedis();
  const { client, port } = redis;
  const problemWith = async (...rules: readonly string[]) => {
    await client.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>of-the-tests', '~spg:*', ...rules);
    const url = `redis://app:of-the-tests@127.0.0.1:${port}`;
    return await problemOfRedis({ url, commandTimeoutMs: 30_000 });
  };
  expect(await problemWith('+@all', '-@dangerous')).toBe('NOPERM');
  expect(await problemWith('+@all', '-@dangerous', '+info')).toBeNull();
});

test.runIf(isRedisHere)('a server that finds such a Redis continues alone, and says why', async () => {
  const shared = await startShared({
    servers: 1,
    environment: { REDIS_COMMAND_TIMEOUT: '1s', LOG_LEVEL: 'warn' },
    before: async (redis) => void (await setPolicy(redis, 'volatile-lru')),
  });
  const [server] = shared.servers as [SharingServer];
  expect(jsonOf(await send(`${server.url}/ready`))).toMatchObject({
    status: 'ready',
    redis: 'degraded',
    redisProblem: 'maxmemory-policy is volatile-lru, not noeviction',
  });
  expect(server.log.join('\n')).toContain('maxmemory-policy is volatile-lru, not noeviction');
  await expectServed(server);
  await expectRefused(server, shared);
  await setPolicy(shared.redis, 'noeviction');
  await expectHealed(server, shared);
});

/** Fills the memory with expiring keys of another program until Redis has evicted a key. */
async function fillUntilEvicted({ client }: RedisServer, key: string): Promise<void> {
  const fill = async () => {
    const commands = client.pipeline();
    for (let count = 0; count < 500; count += 1)
      commands.set(`other:${Math.random()}`, 'x'.repeat(1_000), 'EX', 3_600);
    await commands.exec();
    return await client.exists(key);
  };
  await expect.poll(fill, { interval: 1 }).toBe(0);
}

test.runIf(isRedisHere)('a key whose record was evicted is never sent again', async () => {
  const { redis, sandbox, servers } = await startShared({ environment: { REDIS_COMMAND_TIMEOUT: '5s' } });
  const [one, other] = servers as [SharingServer, SharingServer];
  for (const server of servers) await server.redisIs('connected');
  const input = { ...EXAMPLES.createPost, idempotencyKey: 'order-1' };
  expect(await one.write('createPost', input)).toMatchObject({ outcome: 'COMPLETED', replayed: false });
  const [record = ''] = await redis.client.keys('spg:write:*');
  await redis.client.config('SET', 'maxmemory', '4mb');
  await setPolicy(redis, 'volatile-lru');
  await fillUntilEvicted(redis, record);
  // Whether this server has noticed the policy already or not.
  const refusal = { outcome: 'REJECTED', userErrors: [{ code: 'IDEMPOTENCY_UNAVAILABLE' }] };
  expect(await other.write('createPost', input)).toMatchObject(refusal);
  for (const server of servers) await server.redisIs('degraded');
  expect(await other.write('createPost', input)).toMatchObject(refusal);
  // The instance that sent it remembers it.
  await redis.client.config('SET', 'maxmemory', '0');
  await setPolicy(redis, 'noeviction');
  for (const server of servers) await server.redisIs('connected');
  const again = async () => await other.write('createPost', input);
  await expect.poll(again, { interval: 100 }).toMatchObject({ outcome: 'COMPLETED', replayed: true });
  expect(sandbox.requests.count(CREATE)).toBe(1);
});
