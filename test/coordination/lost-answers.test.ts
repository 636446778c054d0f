import { expect, test } from 'vitest';
import { isRedisHere } from '../support/redis.ts';
import { startShared, type SharingServer } from '../support/shared-live.ts';
import { EXAMPLES } from '../support/writes.ts';

// A post that is found after a lost response is the result of one write only, whichever instance sent it.

const CREATE = 'POST /posts/create';

const create = async (server: SharingServer, idempotencyKey: string) =>
  await server.write('createPost', { ...EXAMPLES.createPost, idempotencyKey });

test.runIf(isRedisHere)('two instances never report one post for two writes', async () => {
  const { sandbox, servers } = await startShared({
    environment: { READ_BEFORE_WRITES: 'on', REDIS_COMMAND_TIMEOUT: '5s' },
  });
  const [one, other] = servers as [SharingServer, SharingServer];
  for (const server of servers) await server.redisIs('connected');
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  expect((await create(one, 'order-1')).outcome).toBe('UNKNOWN');
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'done' });
  expect((await create(other, 'order-2')).outcome).toBe('UNKNOWN');
  expect((await create(one, 'order-1')).outcome).toBe('UNKNOWN');
  expect(sandbox.requests.count(CREATE)).toBe(2);
});
