import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { cases } from '../support/depth.ts';
import { expectHealed, expectRefused, expectServed } from '../support/outages.ts';
import { isRedisHere, type RedisServer } from '../support/redis.ts';
import { startShared, type SharedLive, type SharingServer } from '../support/shared-live.ts';
import { EXAMPLES } from '../support/writes.ts';

// Redis is to count as away within a second.
const SOON_AWAY = { REDIS_COMMAND_TIMEOUT: '1s' };
const ROUNDS = cases(4, 24);
const MOST_CONNECTIONS = 4;

test.runIf(isRedisHere).each([
  ['itself', true],
  ['behind a proxy that takes connections and ends them', false],
])('a server starts without Redis, and finds it when it comes, %s', async (_name, isDirect) => {
  const shared = await startShared({
    servers: 1,
    isDirect,
    environment: SOON_AWAY,
    before: (redis) => redis.stop(),
  });
  const [server] = shared.servers as [SharingServer];
  expect(await server.redis()).toBe('degraded');
  await expectServed(server);
  await expectRefused(server, shared);
  await shared.redis.start();
  await expectHealed(server, shared);
});

const isOfInterest = (line: string): boolean =>
  !/ lua\]/.test(line) && /spg:(?:write|turn):|a marker|^\+OK/.test(line);

/** The commands about writes with a key and about turns that Redis gets from now on. */
async function monitor({ port }: RedisServer): Promise<string[]> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const commands: string[] = [];
  createInterface(socket).on('line', (line) => {
    if (isOfInterest(line)) commands.push(line);
  });
  socket.write('MONITOR\r\n');
  await expect.poll(() => commands).toContain('+OK');
  return commands;
}

test.runIf(isRedisHere)(
  'a write with a key costs two commands to Redis, and so does one that takes turns',
  async () => {
    const { servers, redis } = await startShared({ servers: 1, environment: SOON_AWAY });
    const [server] = servers as [SharingServer];
    await server.redisIs('connected');
    const commands = await monitor(redis);
    const commandsOf = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
      commands.length = 0;
      await run();
      const marker = `a marker ${randomUUID()}`;
      await redis.client.echo(marker);
      await expect.poll(() => commands.some((text) => text.includes(marker))).toBe(true);
      return commands.filter((text) => !text.includes(marker));
    };
    const draft = { ...EXAMPLES.createDraft, idempotencyKey: randomUUID() };
    expect(await commandsOf(() => server.write('createDraft', draft))).toHaveLength(2);
    expect(await commandsOf(() => server.write('pauseAccount', EXAMPLES.pauseAccount))).toHaveLength(2);
  },
);

/** Warnings of this process, from now on. */
function warnings(): readonly string[] {
  const seen: string[] = [];
  const note = ({ name, message }: Error): void => void seen.push(`${name}: ${message}`);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  return seen;
}

interface Flapping {
  readonly how: string;
  readonly begin: (shared: SharedLive) => unknown;
  readonly end: (shared: SharedLive) => unknown;
}

const closeAll = ({ redis }: SharedLive): unknown =>
  redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
const restore = ({ servers }: SharedLive): void => servers.forEach(({ proxy }) => proxy.restore());

const FLAPPING: readonly Flapping[] = [
  {
    how: 'is cut off and back',
    begin: ({ servers }) => servers.forEach(({ proxy }) => proxy.cut()),
    end: restore,
  },
  { how: 'closes its connections', begin: closeAll, end: () => undefined },
  {
    how: 'takes connections and loses them',
    begin: ({ servers }) => servers.forEach(({ proxy }) => proxy.mute()),
    async end(shared) {
      restore(shared);
      await closeAll(shared);
    },
  },
  {
    how: 'is away for long',
    async begin({ servers }) {
      const [{ proxy }] = servers as [SharingServer];
      const before = proxy.turnedAway;
      proxy.cut();
      await expect.poll(() => proxy.turnedAway - before).toBeGreaterThan(cases(4, 12));
    },
    end: restore,
  },
];

async function expectNothingLeft({ begin, end }: Flapping): Promise<void> {
  const shared = await startShared({ servers: 1, environment: SOON_AWAY });
  const [server] = shared.servers as [SharingServer];
  const follower = server.follow();
  const { contentId } = await server.ask();
  for (let round = 0; round < ROUNDS; round += 1) {
    await server.redisIs('connected');
    const before = server.logged('Redis unavailable');
    await begin(shared);
    await expect.poll(() => server.logged('Redis unavailable')).toBeGreaterThan(before);
    await server.ask({ prompt: 'quickly' });
    await end(shared);
    const clients = String(await shared.redis.client.call('CLIENT', 'LIST', 'TYPE', 'normal'));
    // One of them is the test's own.
    expect(clients.trim().split('\n').length - 1).toBeLessThanOrEqual(MOST_CONNECTIONS);
  }
  expect(server.proxy.mostOpen).toBeLessThanOrEqual(MOST_CONNECTIONS);
  await expectHealed(server, shared);
  shared.sandbox.generations.finish(contentId);
  await expect
    .poll(() => follower.events.map(({ generation }) => generation.contentId as string))
    .toContain(contentId);
}

test.runIf(isRedisHere)(
  'a Redis that comes and goes all the time leaves no connection and no listener behind',
  { timeout: 180_000 },
  async () => {
    const seen = warnings();
    // Each has a Redis of its own, and waits most of the time.
    const results = await Promise.allSettled(FLAPPING.map(expectNothingLeft));
    const failures = results.flatMap((result, index) =>
      result.status === 'rejected' ? [[FLAPPING[index]?.how, String(result.reason)]] : [],
    );
    expect(failures).toEqual([]);
    expect(seen).toEqual([]);
  },
);
