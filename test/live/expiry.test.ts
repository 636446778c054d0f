import { describe, expect, test } from 'vitest';
import { LOOKING, only, startLive, WAYS, waysAreOpen } from '../support/live.ts';

const WAIT = { AI_RESULT_MAX_WAIT: '300ms' };
const OUTAGES = [
  ['answers 503', { kind: 'status', status: 503 }],
  ['cuts connections', { kind: 'reset-before-headers' }],
  ['answers something else', { kind: 'malformed-json' }],
] as const;

describe.each(WAYS)('by %s, a generation that never finishes', (way) => {
  test('expires, and ends its streams', async () => {
    const graph = await startLive(way, { environment: WAIT });
    const { contentId } = await graph.ask();
    const begun = Date.now();
    const [socket, sse, follower] = [graph.watch(contentId), graph.sse.watch(contentId), graph.follow()];
    for (const reading of [socket, sse]) {
      expect(await reading.ended()).toEqual({ how: 'complete' });
      expect(reading.events).toMatchObject([
        { generation: { status: 'PENDING' } },
        { generation: { contentId, status: 'EXPIRED', text: null, prompt: 'slowly, never' }, errors: [] },
      ]);
    }
    expect(Date.now() - begun).toBeGreaterThan(200);
    await follower.received(1);
    expect(follower.said).toEqual(['EXPIRED']);
  });
});

test('a generation that expired leaves nothing running', async () => {
  const graph = await startLive('WebSocket', { environment: WAIT });
  const { contentId } = await graph.ask();
  const reading = graph.watch(contentId);
  await Promise.all([reading.ended(), graph.sandbox.push.waitForOpen(1)]);
  await graph.sandbox.push.waitForOpen(0);
  await graph.isQuiet();
});

test('a result that is there only at the last moment is delivered', async () => {
  // The second look is the last.
  const graph = await startLive('history', { environment: { ...WAIT, AI_POLL_INTERVAL: '1h' } });
  const [found, missing] = [await graph.ask(), await graph.ask()];
  const readings = [graph.watch(found.contentId), graph.watch(missing.contentId)] as const;
  await graph.looksAgain(1);
  graph.sandbox.generations.finish(found.contentId);
  for (const reading of readings) await reading.ended();
  expect(readings.map(({ said }) => said)).toEqual([
    ['PENDING', 'COMPLETE'],
    ['PENDING', 'EXPIRED'],
  ]);
  expect(graph.looks()).toBeLessThanOrEqual(3);
});

test('a client that comes back does not have to wait longer than one that stayed', async () => {
  const maxWaitMs = 1_000;
  const graph = await startLive('history', { environment: { AI_RESULT_MAX_WAIT: `${maxWaitMs}ms` } });
  const { contentId } = await graph.ask();
  const askedAt = Date.now();
  for (let times = 0; times < 3; times += 1) {
    const reading = graph.watch(contentId);
    await Promise.all([reading.received(1), graph.looksAgain(2)]);
    reading.vanish();
  }
  const cameBackAt = Date.now();
  const last = graph.watch(contentId);
  await last.ended();
  expect(last.said).toEqual(['PENDING', 'EXPIRED']);
  expect(Date.now() - askedAt).toBeGreaterThanOrEqual(maxWaitMs - 20);
  expect(Date.now() - cameBackAt).toBeLessThan(maxWaitMs - 20);
});

test('one who comes to a generation that was given up, while others are looked for, is looked for too', async () => {
  const graph = await startLive('history', { environment: WAIT });
  const { sandbox } = graph;
  const { contentId } = await graph.ask();
  await graph.watch(contentId).ended();
  sandbox.generations.finish(contentId);
  const other = graph.watch('unheard-of');
  await other.received(1);
  await graph.looksAgain(1);
  // The next look is under way, for the other one, when the text is asked for again.
  const slow = sandbox.faults.add({ kind: 'delay', ms: 150, endpoint: LOOKING });
  await expect.poll(() => slow.hits).toBe(1);
  const again = graph.watch(contentId);
  await again.ended();
  expect(again.said).toEqual(['COMPLETE']);
});

describe.each(OUTAGES)('a service that %s', (_name, outage) => {
  test('all the while lets a generation expire', async () => {
    const graph = await startLive('WebSocket', { environment: WAIT });
    graph.sandbox.push.refuse(true);
    const { contentId } = await graph.ask();
    const fault = graph.sandbox.faults.add({ ...outage, endpoint: LOOKING, times: Infinity });
    const reading = graph.watch(contentId);
    expect(await reading.ended()).toEqual({ how: 'complete' });
    expect(reading.said).toEqual(['PENDING', 'EXPIRED']);
    expect(fault.hits).toBeGreaterThan(1);
  });

  test('for a while is asked on until it answers', async () => {
    const graph = await startLive('history');
    const { contentId } = await graph.ask();
    graph.sandbox.generations.finish(contentId);
    const fault = graph.sandbox.faults.add({ ...outage, endpoint: LOOKING, times: 3 });
    const reading = graph.watch(contentId);
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
    expect(fault.remaining).toBe(0);
  });
});

describe.each(WAYS)('by %s', (way) => {
  test('a key that is revoked ends those who wait with it, within an interval', async () => {
    const graph = await startLive(way);
    const { contentId } = await graph.ask();
    const theirs = await graph.ask({ as: 'fernlight' });
    const readings = [graph.watch(contentId), graph.sse.watch(contentId), graph.follow()];
    const other = graph.watch(theirs.contentId, { as: 'fernlight' });
    await Promise.all([readings[0]?.received(1), readings[1]?.received(1), other.received(1)]);
    await waysAreOpen(graph, way, 'harbour');
    graph.sandbox.faults.add({
      kind: 'status',
      status: 401,
      endpoint: LOOKING,
      owner: 'harbour',
      times: Infinity,
    });
    for (const reading of readings) {
      await reading.ended();
      expect(reading.said.at(-1)).toBe('CREDENTIAL_REJECTED');
      expect(reading.events.at(-1)?.errors).toMatchObject([
        { extensions: { surface: 'CURRENT', retryable: false, requestId: expect.any(String) } },
      ]);
    }
    expect(readings.map(({ ending }) => ending)).toEqual([
      { how: 'cut', code: 4401 },
      { how: 'complete' },
      { how: 'cut', code: 4401 },
    ]);
    graph.sandbox.generations.finish(theirs.contentId, only(way));
    await other.ended();
    expect(other.said).toEqual(['PENDING', 'COMPLETE']);
  });
});

test('a service that is gone lets a generation expire, and takes nobody with it', async () => {
  const graph = await startLive('socket.io', { environment: WAIT });
  const { contentId } = await graph.ask();
  const reading = graph.watch(contentId);
  await Promise.all([reading.received(1), graph.sandbox.push.waitForOpen(1)]);
  await graph.sandbox.close();
  expect(await reading.ended()).toEqual({ how: 'complete' });
  expect(reading.said).toEqual(['PENDING', 'EXPIRED']);
  expect((await graph.query('{ surfaces { isConfigured } }')).data.surfaces).toHaveLength(2);
});
