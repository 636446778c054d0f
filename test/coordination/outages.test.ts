import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { cases } from '../support/depth.ts';
import { jsonOf, send } from '../support/http.ts';
import {
  idsIn,
  startShared,
  type SharedLive,
  type SharedOptions,
  type SharingServer,
} from '../support/live.ts';
import { sideBySide, isRedisHere } from '../support/redis.ts';
import { EXAMPLES, KEYED, KEYED_CALLS, type KeyedName } from '../support/writes.ts';

// While Redis is not to be used, a server does everything but writes with a key, and heals when it is back.

const LONG = { timeout: 180_000 };
const ROUNDS = cases(2, 24);
const MOST_CONNECTIONS = 4;

/** A server for which Redis counts as away within a second. */
async function startOne(options: SharedOptions = {}) {
  const environment = { REDIS_COMMAND_TIMEOUT: '1s' };
  const shared = await startShared({ servers: 1, environment, ...options });
  return { ...shared, server: shared.servers[0] as SharingServer };
}

type Change = (shared: SharedLive) => unknown;
/** A way in which Redis is not to be used, and back. */
type Outage = readonly [begin: Change, end: Change];

const redisDoes =
  (command: string, ...values: readonly string[]): Change =>
  async ({ redis }) =>
    await redis.client.call(command, ...values);
const setting = (name: string, value: string): Change => redisDoes('CONFIG', 'SET', name, value);
const closeAll = redisDoes('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
const start: Change = ({ redis }) => redis.start();
const restore: Change = ({ servers }) => servers.forEach(({ proxy }) => proxy.restore());
const mute: Change = ({ servers }) => servers.forEach(({ proxy }) => proxy.mute());

const SILENT: Readonly<Record<string, Outage>> = {
  'is down': [({ redis }) => redis.stop(), start],
  'is frozen': [({ redis }) => redis.freeze(), ({ redis }) => redis.thaw()],
  'is behind a black hole': [mute, restore],
  'answers two seconds late': [({ servers }) => servers.forEach(({ proxy }) => proxy.delay(2_000)), restore],
};

const UNWILLING: Readonly<Record<string, Outage>> = {
  'is a replica': [redisDoes('REPLICAOF', '127.0.0.1', '1'), redisDoes('REPLICAOF', 'NO', 'ONE')],
  'is out of memory': [setting('maxmemory', '1'), setting('maxmemory', '0')],
  'may evict keys': [setting('maxmemory-policy', 'volatile-ttl'), setting('maxmemory-policy', 'noeviction')],
  'wants a password': [
    async (shared) => {
      await setting('requirepass', 'x')(shared);
      await closeAll(shared);
    },
    setting('requirepass', ''),
  ],
};

/** Everything that needs no agreement between processes succeeds, whether Redis answers or not. */
async function expectServed(server: SharingServer): Promise<void> {
  for (const name of ['pauseAccount', 'resumeAccount', 'createDraft'] as const) {
    const input = name === 'createDraft' ? EXAMPLES.createDraft : EXAMPLES.pauseAccount;
    expect(await server.write(name, input)).toMatchObject({ outcome: 'COMPLETED' });
  }
  await server.ask({ prompt: 'quickly' });
  const { data, errors } = await server.query('{ accounts(first: 3) { nodes { id loginId } } }');
  expect(errors).toBeUndefined();
  expect(data.accounts.nodes).toHaveLength(3);
}

async function expectRefused(
  server: SharingServer,
  { sandbox }: SharedLive,
  names: readonly KeyedName[] = KEYED,
): Promise<void> {
  for (const name of names) {
    const before = sandbox.requests.count(KEYED_CALLS[name]);
    expect(await server.write(name, { ...EXAMPLES[name], idempotencyKey: `refused-${name}` })).toMatchObject({
      outcome: 'REJECTED',
      replayed: false,
      userErrors: [{ code: 'IDEMPOTENCY_UNAVAILABLE', retryable: true }],
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
  await expect.poll(create, { interval: 250 }).toMatchObject({ outcome: 'COMPLETED' });
  await expect.poll(create).toMatchObject({ outcome: 'COMPLETED', replayed: true });
  expect(sandbox.requests.count(KEYED_CALLS.createDraft)).toBe(before + 1);
}

/** A server whose Redis goes away and comes back, with subscribers who wait for results all the while. */
async function runOutage([begin, end]: Outage): Promise<void> {
  const { server, ...shared } = await startOne();
  await server.redisIs('connected');
  const follower = server.follow();
  const waitedFor = await server.ask();
  const early = server.watch(waitedFor.contentId);
  await early.received(1);

  await begin(shared);
  // Redis answers nobody before the end of the outage: whatever succeeds here does not wait for it.
  await expectRefused(server, shared);
  await server.redisIs('degraded');
  await expectRefused(server, shared, ['createDraft']);
  await expectServed(server);
  const askedLater = await server.ask();
  const late = server.watch(askedLater.contentId);
  await late.received(1);
  for (const { contentId } of [waitedFor, askedLater]) shared.sandbox.generations.finish(contentId);
  for (const reading of [early, late]) {
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  }
  await expect
    .poll(() => idsIn(follower))
    .toEqual(expect.arrayContaining([waitedFor.contentId, askedLater.contentId]));

  await end(shared);
  await expectHealed(server, shared);
  const last = await server.ask({ prompt: 'quickly' });
  await expect.poll(() => idsIn(follower)).toContain(last.contentId);
  const told = idsIn(follower);
  expect(new Set(told).size, 'told once each').toBe(told.length);
}

test.runIf(isRedisHere).each([
  ['is down, frozen, unreachable or too slow', SILENT],
  ['is a replica, out of memory, may evict keys or wants a password', UNWILLING],
])('while Redis %s, all but writes with a key is served, and it heals', LONG, (_how, outages) =>
  sideBySide(outages, runOutage),
);

/** A Redis that is not to be used when a server starts: how it is set up, what the server says of it, and its end. */
const AT_THE_START: Readonly<Record<string, readonly [SharedOptions, problem: string | null, end: Change]>> =
  {
    'is not there': [{ before: (redis) => redis.stop(), isDirect: true }, null, start],
    'is behind a proxy that ends its connections': [{ before: (redis) => redis.stop() }, null, start],
    'may evict keys': [
      { before: async ({ client }) => void (await client.config('SET', 'maxmemory-policy', 'volatile-lru')) },
      'maxmemory-policy is volatile-lru, not noeviction',
      setting('maxmemory-policy', 'noeviction'),
    ],
  };

test.runIf(isRedisHere)(
  'a server starts without a Redis, or with one that may evict keys, says why, and finds it when it can be used',
  LONG,
  () =>
    sideBySide(AT_THE_START, async ([options, problem, end]) => {
      const { server, ...shared } = await startOne(options);
      const state = { status: 'ready', redis: 'degraded', ...(problem ? { redisProblem: problem } : {}) };
      expect(jsonOf(await send(`${server.url}/ready`))).toMatchObject(state);
      if (problem) expect(server.log.join('\n')).toContain(problem);
      await expectServed(server);
      await expectRefused(server, shared, ['createDraft']);
      await end(shared);
      await expectHealed(server, shared);
    }),
);

const isOfInterest = (line: string): boolean =>
  !/ lua\]/.test(line) && /spg:(?:write|turn):|a marker|^\+OK/.test(line);

test.runIf(isRedisHere)(
  'a write with a key costs two commands to Redis, and so does one that takes turns',
  async () => {
    const { server, redis } = await startOne();
    await server.redisIs('connected');
    const socket = connect(redis.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const commands: string[] = [];
    createInterface(socket).on('line', (line) => isOfInterest(line) && commands.push(line));
    socket.write('MONITOR\r\n');
    await expect.poll(() => commands).toContain('+OK');
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

const FLAPPING: Readonly<Record<string, Outage>> = {
  'closes its connections': [closeAll, () => undefined],
  'takes connections and loses them': [
    mute,
    async (shared) => {
      restore(shared);
      await closeAll(shared);
    },
  ],
  'is away for long': [
    async ({ servers }) => {
      const [{ proxy }] = servers as [SharingServer];
      const before = proxy.turnedAway;
      proxy.cut();
      await expect.poll(() => proxy.turnedAway - before).toBeGreaterThan(cases(4, 12));
    },
    restore,
  ],
};

async function expectNothingLeft([begin, end]: Outage): Promise<void> {
  const { server, ...shared } = await startOne();
  const follower = server.follow();
  const { contentId } = await server.ask();
  for (let round = 0; round < ROUNDS; round += 1) {
    await server.redisIs('connected');
    const before = server.timesAway();
    await begin(shared);
    await expect.poll(() => server.timesAway()).toBeGreaterThan(before);
    await server.ask({ prompt: 'quickly' });
    await end(shared);
    const clients = String(await shared.redis.client.call('CLIENT', 'LIST', 'TYPE', 'normal'));
    // One of them is the test's own.
    expect(clients.trim().split('\n').length - 1).toBeLessThanOrEqual(MOST_CONNECTIONS);
  }
  expect(server.proxy.mostOpen).toBeLessThanOrEqual(MOST_CONNECTIONS);
  await expectHealed(server, shared);
  shared.sandbox.generations.finish(contentId);
  await expect.poll(() => idsIn(follower)).toContain(contentId);
}

test.runIf(isRedisHere)(
  'a Redis that comes and goes all the time leaves no connection and no listener behind',
  LONG,
  async () => {
    const warnings: string[] = [];
    const note = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    await sideBySide(FLAPPING, expectNothingLeft);
    expect(warnings).toEqual([]);
  },
);
