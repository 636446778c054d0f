import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { cases } from '../support/depth.ts';
import { sideBySide, isRedisHere, type RedisServer } from '../support/redis.ts';
import { jsonOf, send } from '../support/http.ts';
import {
  startShared,
  type SharedLive,
  type SharedOptions,
  type SharingServer,
} from '../support/shared-live.ts';
import { EXAMPLES, KEYED, KEYED_CALLS } from '../support/writes.ts';

// While Redis is not to be used, a server does everything but writes with a key, and heals when it is back.

// Redis is to count as away within a second.
const SOON_AWAY = { REDIS_COMMAND_TIMEOUT: '1s' };
const LONG = { timeout: 180_000 };
const ROUNDS = cases(2, 24);
const MOST_CONNECTIONS = 4;

/** A way in which Redis is not to be used, and back. */
interface Outage {
  readonly begin: (shared: SharedLive) => Promise<unknown> | void;
  readonly end: (shared: SharedLive) => Promise<unknown> | void;
}

const proxies = ({ servers }: SharedLive) => servers.map(({ proxy }) => proxy);

/** Tells Redis what it may do when it is out of memory. */
const setPolicy = ({ client }: RedisServer, policy: string) =>
  client.config('SET', 'maxmemory-policy', policy);

/** Redis that is there, but does not do what it is asked. */
const UNWILLING: Readonly<Record<string, Outage>> = {
  'is a replica': {
    begin: ({ redis }) => redis.client.call('REPLICAOF', '127.0.0.1', '1'),
    end: ({ redis }) => redis.client.call('REPLICAOF', 'NO', 'ONE'),
  },
  'is out of memory': {
    begin: ({ redis }) => redis.client.config('SET', 'maxmemory', '1'),
    end: ({ redis }) => redis.client.config('SET', 'maxmemory', '0'),
  },
  'may evict keys': {
    begin: ({ redis }) => setPolicy(redis, 'volatile-ttl'),
    end: ({ redis }) => setPolicy(redis, 'noeviction'),
  },
  'wants a password': {
    async begin({ redis }) {
      await redis.client.config('SET', 'requirepass', 'x');
      await redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    },
    end: ({ redis }) => redis.client.config('SET', 'requirepass', ''),
  },
};

/** Redis that can't be reached, or not in time. */
const SILENT: Readonly<Record<string, Outage>> = {
  'is down': { begin: ({ redis }) => redis.stop(), end: ({ redis }) => redis.start() },
  'is frozen': { begin: ({ redis }) => redis.freeze(), end: ({ redis }) => redis.thaw() },
  'is behind a black hole': {
    begin: (shared) => proxies(shared).forEach((proxy) => proxy.mute()),
    end: (shared) => proxies(shared).forEach((proxy) => proxy.restore()),
  },
  'answers two seconds late': {
    begin: (shared) => proxies(shared).forEach((proxy) => proxy.delay(2_000)),
    end: (shared) => proxies(shared).forEach((proxy) => proxy.restore()),
  },
};

/** Operations without a key, each of which is to succeed. */
function operationsOf(server: SharingServer): readonly (() => Promise<unknown>)[] {
  const succeed = async (name: 'createDraft' | 'pauseAccount' | 'resumeAccount'): Promise<void> => {
    const account = EXAMPLES.pauseAccount;
    const payload = await server.write(name, name === 'createDraft' ? EXAMPLES.createDraft : account);
    expect(payload.outcome, JSON.stringify(payload)).toBe('COMPLETED');
  };
  return [
    () => succeed('pauseAccount'),
    () => succeed('resumeAccount'),
    () => succeed('createDraft'),
    () => server.ask({ prompt: 'quickly' }),
    async () => {
      const { data, errors } = await server.query('{ accounts(first: 3) { nodes { id loginId } } }');
      expect(errors).toBeUndefined();
      expect(data.accounts.nodes).toHaveLength(3);
    },
  ];
}

/** Everything that needs no agreement between processes succeeds, whether Redis answers or not. */
async function expectServed(server: SharingServer): Promise<void> {
  for (const operation of operationsOf(server)) await operation();
}

/** Every mutation with a key is refused, and nothing of it is sent. */
async function expectRefused(server: SharingServer, { sandbox }: SharedLive): Promise<void> {
  for (const name of KEYED) {
    const before = sandbox.requests.count(KEYED_CALLS[name]);
    const input = { ...EXAMPLES[name], idempotencyKey: `refused ${name}`.replace(' ', '-') };
    const refusal = { code: 'IDEMPOTENCY_UNAVAILABLE', retryable: true };
    expect(await server.write(name, input)).toMatchObject({
      outcome: 'REJECTED',
      replayed: false,
      userErrors: [refusal],
    });
    expect(sandbox.requests.count(KEYED_CALLS[name]), name).toBe(before);
  }
}

/** What was refused succeeds once Redis is back, and is sent once however often it is asked for. */
async function expectHealed(server: SharingServer, { sandbox }: SharedLive): Promise<void> {
  await server.redisIs('connected');
  const before = sandbox.requests.count(KEYED_CALLS.createDraft);
  const input = { ...EXAMPLES.createDraft, idempotencyKey: 'refused-createDraft' };
  const create = async () => await server.write('createDraft', input);
  await expect.poll(create, { interval: 100 }).toMatchObject({ outcome: 'COMPLETED' });
  await expect.poll(create).toMatchObject({ outcome: 'COMPLETED', replayed: true });
  expect(sandbox.requests.count(KEYED_CALLS.createDraft)).toBe(before + 1);
}

/** A server whose Redis goes away and comes back, with subscribers who wait for results all the while. */
async function runOutage({ begin, end }: Outage): Promise<void> {
  const shared = await startShared({ servers: 1, environment: SOON_AWAY });
  const { sandbox, servers } = shared;
  const [server] = servers as [SharingServer];
  await server.redisIs('connected');
  const follower = server.follow();
  const waitedFor = await server.ask();
  const early = server.watch(waitedFor.contentId);
  await early.received(1);

  await begin(shared);
  // Redis answers nobody before the end of the outage: whatever succeeds here does not wait for it.
  await expectServed(server);
  await expectRefused(server, shared);
  await server.redisIs('degraded');
  const askedLater = await server.ask();
  const late = server.watch(askedLater.contentId);
  await late.received(1);
  for (const { contentId } of [waitedFor, askedLater]) sandbox.generations.finish(contentId);
  for (const reading of [early, late]) {
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  }
  const told = () => follower.events.map(({ generation }) => generation.contentId as string);
  await expect.poll(told).toEqual(expect.arrayContaining([waitedFor.contentId, askedLater.contentId]));
  await expectServed(server);

  await end(shared);
  await expectHealed(server, shared);
  const last = await server.ask({ prompt: 'quickly' });
  await expect.poll(told).toContain(last.contentId);
  expect(new Set(told()).size, 'told once each').toBe(told().length);
}

const runAll = (outages: Readonly<Record<string, Outage>>) =>
  sideBySide(
    Object.fromEntries(Object.entries(outages).map(([how, outage]) => [how, () => runOutage(outage)])),
  );

test.runIf(isRedisHere)(
  'while Redis is down, frozen, unreachable or too slow, all but writes with a key is served, and it heals',
  LONG,
  () => runAll(SILENT),
);

test.runIf(isRedisHere)(
  'while Redis is a replica, out of memory, may evict keys or wants a password, all but writes with a key is served, and it heals',
  LONG,
  () => runAll(UNWILLING),
);

const start: Outage['end'] = ({ redis }) => redis.start();

/** Starts a server with a Redis that is not to be used, which it finds once that is over. */
async function expectFound(
  options: SharedOptions,
  problem: string | null,
  end: Outage['end'],
): Promise<void> {
  const shared = await startShared({ servers: 1, environment: SOON_AWAY, ...options });
  const [server] = shared.servers as [SharingServer];
  const state = { status: 'ready', redis: 'degraded', ...(problem ? { redisProblem: problem } : {}) };
  expect(jsonOf(await send(`${server.url}/ready`))).toMatchObject(state);
  if (problem) expect(server.log.join('\n')).toContain(problem);
  await expectServed(server);
  await expectRefused(server, shared);
  await end(shared);
  await expectHealed(server, shared);
}

test.runIf(isRedisHere)(
  'a server starts without a Redis, or with one that may evict keys, says why, and finds it when it can be used',
  LONG,
  async () => {
    const away: SharedOptions = { before: (redis) => redis.stop() };
    const evicting: SharedOptions = {
      before: async (redis) => void (await setPolicy(redis, 'volatile-lru')),
    };
    await sideBySide({
      'is not there': () => expectFound({ ...away, isDirect: true }, null, start),
      'is behind a proxy that takes connections and ends them': () => expectFound(away, null, start),
      'may evict keys': () =>
        expectFound(evicting, 'maxmemory-policy is volatile-lru, not noeviction', ({ redis }) =>
          setPolicy(redis, 'noeviction'),
        ),
    });
  },
);

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
  readonly begin: (shared: SharedLive) => unknown;
  readonly end: (shared: SharedLive) => unknown;
}

const closeAll = ({ redis }: SharedLive): unknown =>
  redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
const restore = ({ servers }: SharedLive): void => servers.forEach(({ proxy }) => proxy.restore());

const FLAPPING: Readonly<Record<string, Flapping>> = {
  'closes its connections': { begin: closeAll, end: () => undefined },
  'takes connections and loses them': {
    begin: ({ servers }) => servers.forEach(({ proxy }) => proxy.mute()),
    async end(shared) {
      restore(shared);
      await closeAll(shared);
    },
  },
  'is away for long': {
    async begin({ servers }) {
      const [{ proxy }] = servers as [SharingServer];
      const before = proxy.turnedAway;
      proxy.cut();
      await expect.poll(() => proxy.turnedAway - before).toBeGreaterThan(cases(4, 12));
    },
    end: restore,
  },
};

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
  LONG,
  async () => {
    const seen = warnings();
    await sideBySide(
      Object.fromEntries(
        Object.entries(FLAPPING).map(([how, flapping]) => [how, () => expectNothingLeft(flapping)]),
      ),
    );
    expect(seen).toEqual([]);
  },
);
