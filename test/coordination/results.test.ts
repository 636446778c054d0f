import { describe, expect, test } from 'vitest';
import type { Reading } from '../support/live-reading.ts';
import { idOfGeneration, LOOKING, SOCKETS } from '../support/live.ts';
import { isRedisHere } from '../support/redis.ts';
import { startShared, type SharedOptions, type SharingServer } from '../support/shared-live.ts';

const told = ({ events }: Reading): string[] =>
  events.map(({ generation }) => generation.contentId as string);

async function startTwo(options: SharedOptions = {}) {
  const shared = await startShared(options);
  const [one, other] = shared.servers as [SharingServer, SharingServer];
  return { ...shared, one, other };
}

async function endsWith(reading: Reading, said: readonly string[]): Promise<void> {
  expect(await reading.ended()).toEqual({ how: 'complete' });
  expect(reading.said).toEqual(said);
}

describe.runIf(isRedisHere)('what one server was asked for', () => {
  test('is told by the other, to those who wait for it and to those who follow, once', async () => {
    const { sandbox, one, other } = await startTwo();
    const followers = [one.follow(), other.follow()];
    const quick = await one.ask({ prompt: 'quickly' });
    for (const follower of followers) await follower.received(1);
    const asked = [await one.ask(), await other.ask()];
    const readings = asked.flatMap(({ contentId }) => [one.watch(contentId), other.watch(contentId)]);
    for (const reading of readings) await reading.received(1);
    for (const { contentId } of asked) sandbox.generations.finish(contentId);
    for (const reading of readings) await endsWith(reading, ['PENDING', 'COMPLETE']);
    const marker = await other.ask({ prompt: 'quickly' });
    for (const follower of followers) {
      await expect.poll(() => told(follower)).toContain(marker.contentId);
      const all = [quick, ...asked, marker].map(({ contentId }) => contentId);
      expect(told(follower).toSorted()).toEqual(all.toSorted());
      expect(new Set(follower.said)).toEqual(new Set(['COMPLETE']));
    }
  });

  test('is told by the other without the history, where its result is there already', async () => {
    const { sandbox, one, other } = await startTwo();
    const quick = await one.ask({ prompt: 'quickly' });
    const slow = await one.ask();
    const first = one.watch(slow.contentId);
    await first.received(1);
    sandbox.generations.finish(slow.contentId);
    await first.ended();
    sandbox.faults.add({ kind: 'status', status: 503, endpoint: LOOKING, times: Infinity });
    for (const { contentId } of [quick, slow]) {
      const reading = other.watch(contentId);
      await reading.ended();
      expect(reading.said.at(-1)).toBe('COMPLETE');
      expect(reading.said.filter((status) => status === 'COMPLETE')).toHaveLength(1);
      expect(reading.events.at(-1)?.generation.text).toContain('The sandbox made this text');
    }
  });

  test('is told to those who leave one server and come to the other, before and after', async () => {
    const { sandbox, one, other } = await startTwo();
    const { contentId } = await one.ask();
    const first = one.watch(contentId);
    await first.received(1);
    first.vanish();
    const second = other.watch(contentId);
    await second.received(1);
    second.leave();
    const third = one.watch(contentId);
    await third.received(1);
    sandbox.generations.finish(contentId);
    await endsWith(third, ['PENDING', 'COMPLETE']);
    for (const server of [other, one, other]) {
      const again = server.watch(contentId);
      await again.ended();
      expect(again.said.at(-1)).toBe('COMPLETE');
      expect(again.said.filter((status) => status === 'COMPLETE')).toHaveLength(1);
    }
    expect([first.said, second.said]).toEqual([['PENDING'], ['PENDING']]);
  });

  test('is given up by both once it was waited for long enough, and told once', async () => {
    const maxWaitMs = 1_000;
    const { one, other } = await startTwo({ environment: { AI_RESULT_MAX_WAIT: `${maxWaitMs}ms` } });
    const followers = [one.follow(), other.follow()];
    const startedAt = Date.now();
    const { contentId } = await one.ask();
    const readings = [one.watch(contentId), other.watch(contentId)];
    for (const reading of readings) {
      expect(await reading.ended()).toEqual({ how: 'complete' });
      // A busy machine may take longer to subscribe than the result is waited for.
      expect(reading.said.filter((status) => status !== 'PENDING')).toEqual(['EXPIRED']);
    }
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(maxWaitMs - 20);
    const marker = await other.ask({ prompt: 'quickly' });
    for (const follower of followers) {
      await expect.poll(() => told(follower)).toContain(marker.contentId);
      expect(follower.said).toEqual(['EXPIRED', 'COMPLETE']);
    }
  });

  test('and is over is not told of again to those who follow later, when Redis has forgotten everything', async () => {
    const { redis, one, other } = await startTwo();
    const witness = other.follow({ as: 'fernlight' });
    const { contentId } = await one.ask({ prompt: 'quickly' });
    // What comes after it shows that the other server has heard of it.
    const hear = async () =>
      await one.ask({ as: 'fernlight', prompt: 'quickly' }).then(() => witness.events.length);
    await expect.poll(hear, { interval: 200 }).toBeGreaterThan(0);
    const follower = other.follow();
    const early = await one.ask({ prompt: 'quickly' });
    await follower.received(1);
    await redis.stop();
    await redis.start();
    for (const server of [one, other]) await server.redisIs('connected');
    const marker = await one.ask({ prompt: 'quickly' });
    await expect.poll(() => told(follower)).toContain(marker.contentId);
    expect(told(follower)).not.toContain(contentId);
    expect(told(follower).toSorted()).toEqual([early.contentId, marker.contentId].toSorted());
  });
});

const INTERVAL_MS = 100;
const POLLED = { environment: { AI_POLL_INTERVAL: `${INTERVAL_MS}ms` } };

describe.runIf(isRedisHere)('the history', () => {
  test('is read for all by the server whose turn it is, at most once in an interval', async () => {
    const { sandbox, one, other } = await startTwo(POLLED);
    const asked = [await one.ask(), await one.ask(), await other.ask()];
    const [a, b, c] = asked.map(({ contentId }) => contentId) as [string, string, string];
    const readings = [one.watch(a), other.watch(a), other.watch(b), one.watch(c), other.follow()];
    await Promise.all(readings.slice(0, 4).map((reading) => reading.received(1)));
    await expect.poll(() => one.looks() + other.looks()).toBeGreaterThan(5);
    for (const contentId of [a, b, c]) sandbox.generations.finish(contentId);
    for (const reading of readings.slice(0, 4)) await endsWith(reading, ['PENDING', 'COMPLETE']);
    const times = sandbox.requests.of(LOOKING).map(({ at }) => at);
    const tookMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
    expect(times.length).toBeLessThanOrEqual(tookMs / INTERVAL_MS + 3);
  });

  test('is read on by the other when the one who read leaves, or ends', async () => {
    const { sandbox, one, other } = await startTwo(POLLED);
    const { contentId } = await one.ask();
    const asked = await other.ask();
    const first = one.watch(contentId);
    await expect.poll(() => one.looks()).toBeGreaterThan(0);
    const second = other.watch(asked.contentId);
    await second.received(1);
    first.leave();
    await expect.poll(() => other.looks()).toBeGreaterThan(1);
    const third = one.watch(contentId);
    await third.received(1);
    await other.close();
    const before = one.looks();
    await expect.poll(() => one.looks()).toBeGreaterThan(before + 1);
    sandbox.generations.finish(contentId);
    await endsWith(third, ['PENDING', 'COMPLETE']);
  });
});

describe.runIf(isRedisHere).each(SOCKETS)('what comes by %s', (way) => {
  test('to one server counts where another was asked for it', async () => {
    const { sandbox, one, other } = await startTwo({ way });
    const [follower, { contentId }] = [other.follow(), await one.ask()];
    const reading = other.watch(contentId);
    await Promise.all([reading.received(1), sandbox.push.waitForOpen(1, { owner: 'harbour' })]);
    sandbox.generations.finish(contentId, { history: false });
    await endsWith(reading, ['PENDING', 'COMPLETE']);
    await follower.received(1);
    expect(told(follower)).toEqual([contentId]);
    const later = one.watch(contentId);
    await later.ended();
    expect(later.said.at(-1)).toBe('COMPLETE');
  });

  test('to one server is read at the one that was asked, too', async () => {
    const { sandbox, one, other } = await startTwo({ way });
    const { contentId } = await one.ask();
    const reading = other.watch(contentId);
    await Promise.all([reading.received(1), sandbox.push.waitForOpen(1, { owner: 'harbour' })]);
    sandbox.generations.finish(contentId, { history: false });
    await reading.ended();
    const variables = { id: idOfGeneration(contentId) };
    const query = 'query ($id: ID!) { node(id: $id) { ... on AiGeneration { status } } }';
    for (const server of [other, one]) {
      const { data } = await server.query(query, variables);
      expect(data.node).toEqual({ status: 'COMPLETE' });
    }
  });
});
