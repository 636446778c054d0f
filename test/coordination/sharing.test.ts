import { createHash } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hashOf } from '../../src/journal/journal.ts';
import { begin, CALLBACK, freshCode, oauthEnvironment } from '../support/connect.ts';
import { leaksIn } from '../support/leaks.ts';
import {
  idsIn,
  LOOKING,
  SOCKETS,
  startShared,
  type Reading,
  type SharedLive,
  type SharedOptions,
  type SharingServer,
} from '../support/live.ts';
import { listenIn, sideBySide, isRedisHere, REDIS_SECRET, type RedisServer } from '../support/redis.ts';
import { EXAMPLES, idOf, KEYED } from '../support/writes.ts';

// Two servers before one sandbox, which agree through one Redis.

const CREATE = 'POST /posts/create';
// Redis is to count as away within a second.
const SOON_AWAY = { REDIS_COMMAND_TIMEOUT: '1s' };

async function startTwo(options: SharedOptions = {}) {
  const shared = await startShared(options);
  const [one, other] = shared.servers as [SharingServer, SharingServer];
  return { ...shared, one, other };
}

type Two = Awaited<ReturnType<typeof startTwo>>;

const idsOf = (...all: readonly { readonly contentId: string }[]): string[] =>
  all.map(({ contentId }) => contentId).toSorted();
const quickly = { prompt: 'quickly' };

async function complete(...readings: readonly Reading[]): Promise<void> {
  for (const reading of readings) {
    expect(await reading.ended()).toEqual({ how: 'complete' });
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  }
}

/** A reading that begins when the result may be there already, and tells it once. */
async function tellsOnce(reading: Reading): Promise<void> {
  await reading.ended();
  expect(reading.said.at(-1)).toBe('COMPLETE');
  expect(reading.said.filter((status) => status === 'COMPLETE')).toHaveLength(1);
}

async function areConnected({ servers }: SharedLive): Promise<void> {
  for (const server of servers) await server.redisIs('connected');
}

const TOLD: Readonly<Record<string, () => Promise<void>>> = {
  async 'to those who wait for it, who follow, who leave and who come back'() {
    const { sandbox, one, other } = await startTwo();
    const followers = [one.follow(), other.follow()];
    const quick = await one.ask(quickly);
    for (const follower of followers) await follower.received(1);
    const asked = [await one.ask(), await other.ask()];
    const readings = asked.flatMap(({ contentId }) => [one.watch(contentId), other.watch(contentId)]);
    for (const reading of readings) await reading.received(1);
    for (const { contentId } of asked) sandbox.generations.finish(contentId);
    await complete(...readings);

    const moving = await one.ask();
    const first = one.watch(moving.contentId);
    await first.received(1);
    first.vanish();
    const second = other.watch(moving.contentId);
    await second.received(1);
    second.leave();
    const third = one.watch(moving.contentId);
    await third.received(1);
    sandbox.generations.finish(moving.contentId);
    await complete(third);
    expect([first.said, second.said]).toEqual([['PENDING'], ['PENDING']]);

    const marker = await other.ask(quickly);
    for (const follower of followers) {
      await expect.poll(() => idsIn(follower)).toContain(marker.contentId);
      expect(idsIn(follower).toSorted()).toEqual(idsOf(quick, ...asked, moving, marker));
      expect(new Set(follower.said)).toEqual(new Set(['COMPLETE']));
    }

    // Where its result is there already, the other needs no history for it.
    sandbox.faults.add({ kind: 'status', status: 503, endpoint: LOOKING, times: Infinity });
    for (const { contentId } of [quick, moving])
      for (const server of [other, one]) {
        const reading = server.watch(contentId);
        await tellsOnce(reading);
        expect(reading.events.at(-1)?.generation.text).toContain('The sandbox made this text');
      }
  },

  async 'as given up by both once it was waited for long enough'() {
    const maxWaitMs = 1_000;
    const { one, other } = await startTwo({ environment: { AI_RESULT_MAX_WAIT: `${maxWaitMs}ms` } });
    const followers = [one.follow(), other.follow()];
    const startedAt = Date.now();
    const { contentId } = await one.ask();
    for (const reading of [one.watch(contentId), other.watch(contentId)]) {
      expect(await reading.ended()).toEqual({ how: 'complete' });
      // A busy machine may take longer to subscribe than the result is waited for.
      expect(reading.said.filter((status) => status !== 'PENDING')).toEqual(['EXPIRED']);
    }
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(maxWaitMs - 20);
    const marker = await other.ask(quickly);
    for (const follower of followers) {
      await expect.poll(() => idsIn(follower)).toContain(marker.contentId);
      expect(follower.said).toEqual(['EXPIRED', 'COMPLETE']);
    }
  },

  async 'and not again to those who follow later, when Redis has forgotten everything'() {
    const shared = await startTwo();
    const { redis, one, other } = shared;
    const witness = other.follow({ as: 'fernlight' });
    const { contentId } = await one.ask(quickly);
    // What comes after it shows that the other server has heard of it.
    const hear = async () => await one.ask({ as: 'fernlight', ...quickly }).then(() => witness.events.length);
    await expect.poll(hear, { interval: 200 }).toBeGreaterThan(0);
    const follower = other.follow();
    const early = await one.ask(quickly);
    await follower.received(1);
    await redis.stop();
    await redis.start();
    await areConnected(shared);
    const marker = await one.ask(quickly);
    await expect.poll(() => idsIn(follower)).toContain(marker.contentId);
    expect(idsIn(follower)).not.toContain(contentId);
    expect(idsIn(follower).toSorted()).toEqual(idsOf(early, marker));
  },
};

test.runIf(isRedisHere)('what one server was asked for is told by the other, once', () =>
  sideBySide(TOLD, (run) => run()),
);

const looksAgain = async (server: SharingServer): Promise<void> => {
  const before = server.looks();
  await expect.poll(() => server.looks()).toBeGreaterThan(before + 1);
};

test.runIf(isRedisHere)(
  'the history is read for all by the server whose turn it is, and by the other when that one’s reader leaves, or it ends',
  async () => {
    const INTERVAL_MS = 100;
    const environment = { AI_POLL_INTERVAL: `${INTERVAL_MS}ms` };
    const { sandbox, one, other } = await startTwo({ environment });
    const asked = [await one.ask(), await one.ask(), await other.ask()];
    const [a, b, c] = asked.map(({ contentId }) => contentId) as [string, string, string];
    const readings = [one.watch(a), other.watch(a), other.watch(b), one.watch(c)];
    other.follow();
    await Promise.all(readings.map((reading) => reading.received(1)));
    await expect.poll(() => one.looks() + other.looks()).toBeGreaterThan(5);
    for (const contentId of [a, b, c]) sandbox.generations.finish(contentId);
    await complete(...readings);
    const times = sandbox.requests.of(LOOKING).map(({ at }) => at);
    const tookMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
    expect(times.length).toBeLessThanOrEqual(tookMs / INTERVAL_MS + 3);

    const { contentId } = await one.ask();
    const { contentId: another } = await other.ask();
    const first = one.watch(contentId);
    await first.received(1);
    const second = other.watch(another);
    await second.received(1);
    first.leave();
    await looksAgain(other);
    const third = one.watch(contentId);
    await third.received(1);
    await other.close();
    await looksAgain(one);
    sandbox.generations.finish(contentId);
    await complete(third);
  },
);

test.runIf(isRedisHere).each(SOCKETS)(
  'what comes by %s to one server counts where another was asked for it, and is read there, too',
  async (way) => {
    const { sandbox, one, other } = await startTwo({ way });
    const [follower, { contentId }] = [other.follow(), await one.ask()];
    const reading = other.watch(contentId);
    await Promise.all([reading.received(1), sandbox.push.waitForOpen(1, { owner: 'harbour' })]);
    sandbox.generations.finish(contentId, { history: false });
    await complete(reading);
    await follower.received(1);
    expect(idsIn(follower)).toEqual([contentId]);
    const later = one.watch(contentId);
    await later.ended();
    expect(later.said.at(-1)).toBe('COMPLETE');
    const query = 'query ($id: ID!) { node(id: $id) { ... on AiGeneration { status } } }';
    for (const server of [other, one]) {
      const { data } = await server.query(query, { id: idOf('AiGeneration', 'current', contentId) });
      expect(data.node).toEqual({ status: 'COMPLETE' });
    }
  },
);

/** Cuts the second server off from Redis until it counts as away there, and for some time more. */
async function cutOff({ other }: Two, forMs = 0): Promise<void> {
  other.proxy.cut();
  // On a busy machine it may have counted as away before.
  await other.redisIs('degraded');
  await after(forMs);
  other.proxy.restore();
}

async function expectNothingLost(breakOff: (shared: Two) => Promise<void>): Promise<void> {
  const shared = await startTwo({ environment: SOON_AWAY });
  const { sandbox, one, other } = shared;
  const follower = other.follow();
  const before = await one.ask(quickly);
  await follower.received(1);
  const [early, late, afterwards] = [await one.ask(), await one.ask(), await one.ask()];
  const readings = [early, late, afterwards].map(({ contentId }) => other.watch(contentId));
  for (const reading of readings) await reading.received(1);
  const over = breakOff(shared);
  sandbox.generations.finish(early.contentId);
  const quickMeanwhile = await one.ask(quickly);
  const slowMeanwhile = await one.ask();
  const last = other.watch(slowMeanwhile.contentId);
  await last.received(1);
  sandbox.generations.finish(slowMeanwhile.contentId);
  await over;
  sandbox.generations.finish(late.contentId);
  await areConnected(shared);
  sandbox.generations.finish(afterwards.contentId);
  await complete(...readings, last);
  const marker = await one.ask(quickly);
  const all = idsOf(before, early, late, afterwards, quickMeanwhile, slowMeanwhile, marker);
  await expect.poll(() => idsIn(follower).toSorted()).toEqual(all);
  expect(new Set(follower.said)).toEqual(new Set(['COMPLETE']));
}

/** Without the history, what came to one server while the other was cut off is told there afterwards. */
async function expectToldAfterwards(way: (typeof SOCKETS)[number]): Promise<void> {
  const shared = await startTwo({ way, environment: SOON_AWAY });
  const { sandbox, one, other } = shared;
  const reading = one.watch((await one.ask()).contentId);
  const { contentId } = await one.ask();
  const [here, there] = [one.watch(contentId), other.watch(contentId)];
  await Promise.all([here.received(1), there.received(1), reading.received(1)]);
  await sandbox.push.waitForOpen(2, { owner: 'harbour' });
  other.proxy.cut();
  sandbox.push.refuse(true);
  sandbox.push.kill();
  await sandbox.push.waitForOpen(0);
  await other.redisIs('degraded');
  // Only the one that is not cut off hears of it.
  const quick = await one.ask(quickly);
  const follower = other.follow();
  other.proxy.restore();
  await areConnected(shared);
  sandbox.push.refuse(false);
  await sandbox.push.waitForOpen(2, { owner: 'harbour' });
  sandbox.generations.finish(contentId, { history: false });
  await complete(here, there);
  await follower.received(1);
  expect(idsIn(follower)).toContain(contentId);
  expect(new Set(idsIn(follower)).size).toBe(idsIn(follower).length);
  expect(quick.status).toBe('COMPLETE');
}

const BREAKS: Readonly<Record<string, (shared: Two) => Promise<void>>> = {
  'cut off for a moment': (shared) => cutOff(shared),
  // Longer than a reading of the news may take.
  'cut off for four seconds': (shared) => cutOff(shared, 4_000),
  async 'restarted empty'({ redis }) {
    await redis.stop();
    await redis.start();
  },
};

test.runIf(isRedisHere)(
  'while Redis is cut off or restarted empty, no result is lost that the other server asked for, and each is told once',
  { timeout: 180_000 },
  async () => {
    await Promise.all([
      sideBySide(BREAKS, expectNothingLost),
      sideBySide(Object.fromEntries(SOCKETS.map((way) => [way, way])), expectToldAfterwards),
    ]);
  },
);

const outcomeOf = async (server: SharingServer, idempotencyKey: string): Promise<string> =>
  (await server.write('createPost', { ...EXAMPLES.createPost, idempotencyKey })).outcome;

// A post that is found after a lost response is the result of one write only, whichever instance sent it.
test.runIf(isRedisHere)('two instances never report one post for two writes', async () => {
  const shared = await startTwo({ environment: { READ_BEFORE_WRITES: 'on', REDIS_COMMAND_TIMEOUT: '5s' } });
  const { sandbox, one, other } = shared;
  await areConnected(shared);
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  expect(await outcomeOf(one, 'order-1')).toBe('UNKNOWN');
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'done' });
  expect(await outcomeOf(other, 'order-2')).toBe('UNKNOWN');
  expect(await outcomeOf(one, 'order-1')).toBe('UNKNOWN');
  expect(sandbox.requests.count(CREATE)).toBe(2);
});

test.runIf(isRedisHere)(
  'a lost post that another instance has found keeps no later one from being found',
  async () => {
    const shared = await startTwo({ environment: { READ_BEFORE_WRITES: 'on', REDIS_COMMAND_TIMEOUT: '5s' } });
    const { sandbox, one, other } = shared;
    await areConnected(shared);
    const lose = () => sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'done' });
    lose();
    sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /posts/queued', skip: 1 });
    expect(await outcomeOf(one, 'order-1')).toBe('UNKNOWN');
    expect(await outcomeOf(other, 'order-1')).toBe('COMPLETED');
    lose();
    expect(await outcomeOf(other, 'order-2')).toBe('COMPLETED');
  },
);

/** Reads, writes, waits for texts, and lets somebody in; returns the state of that authorisation. */
async function useAll({ sandbox, one, other }: Two): Promise<string> {
  const [follower, asked] = [one.follow(), await other.ask()];
  const reading = one.watch(asked.contentId);
  await reading.received(1);
  await one.query('{ accounts(first: 5) { nodes { id } } queuedPosts(first: 5) { nodes { text } } }');
  for (const name of KEYED.filter((each) => each !== 'generateAiText')) {
    const input = { ...EXAMPLES[name], idempotencyKey: `the-key-of-${name}` };
    // A machine that is too busy may keep Redis from answering in time.
    await expect.poll(async () => (await one.write(name, input)).outcome).toBe('COMPLETED');
  }
  await other.write('pauseAccount', EXAMPLES.pauseAccount);
  const { state } = await begin({ url: one.url }, `${one.url}/connect?redirected`);
  const code = await freshCode(sandbox);
  await one.write('exchangeAuthorizationCode', { code, redirectUri: CALLBACK });
  sandbox.generations.finish(asked.contentId);
  await reading.ended();
  await follower.received(1);
  return state;
}

const codeAt = async (server: SharingServer): Promise<unknown> =>
  (await server.query('{ accounts(first: 1) { nodes { id } } }')).errors?.[0]?.extensions['code'];

/** One server is told to pause, and the other calls the service no more. */
async function expectPausesShared({ sandbox, one, other }: Two): Promise<void> {
  const endpoint = 'GET /accounts/list';
  sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '20' }, endpoint });
  expect(await codeAt(one)).toBe('RATE_LIMITED');
  await expect.poll(() => codeAt(other)).toBe('RATE_LIMITED');
  const before = sandbox.requests.count(endpoint);
  expect(await codeAt(other)).toBe('RATE_LIMITED');
  expect(sandbox.requests.count(endpoint)).toBe(before);
}

async function dumpOf({ client }: RedisServer): Promise<string> {
  const read: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => client.get(key),
    hash: (key) => client.hgetall(key),
    zset: (key) => client.zrange(key, 0, -1),
    stream: (key) => client.xrange(key, '-', '+'),
  };
  const values = [];
  for (const key of await client.keys('*')) {
    const type = await client.type(key);
    values.push([key, await read[type]?.(key)]);
  }
  return JSON.stringify(values);
}

/** Hashes of what is secret, made without the secret of the servers: whoever guesses one could see that it is right. */
const hashesOf = (secrets: readonly string[]): string[] =>
  secrets.flatMap((secret) =>
    (['hex', 'base64', 'base64url'] as const).map((form) => createHash('sha256').update(secret).digest(form)),
  );

test.runIf(isRedisHere)(
  'Redis holds and passes on pauses, but no credential and no name of a caller',
  async () => {
    const shared = await startTwo({ environment: oauthEnvironment() });
    const { sandbox, redis } = shared;
    const messages = await listenIn(redis);
    const state = await useAll(shared);
    await expectPausesShared(shared);
    await expect.poll(() => messages.length).toBeGreaterThan(5);
    const texts = [await dumpOf(redis), ...messages];
    const secrets = sandbox.secrets.all();
    expect(secrets.length).toBeGreaterThan(50);
    expect(leaksIn(texts, [...secrets, ...hashesOf(secrets), state, REDIS_SECRET])).toEqual([]);
    expect(texts.join(' ')).not.toMatch(/the-key-of/);

    const [{ apiKey, accessToken }] = sandbox.owners;
    const names = [hashOf([REDIS_SECRET, 'current', apiKey]), hashOf([REDIS_SECRET, 'legacy', accessToken])];
    expect(leaksIn(texts, names)).toEqual([]);
  },
);
