import { describe, expect, test } from 'vitest';
import {
  letWaitsEnd,
  LOOKING,
  MAX_WAIT_MS,
  only,
  skipTime,
  startLive,
  WAYS,
  waysAreOpen,
} from '../support/live.ts';

const OUTAGES = [
  ['answers 503', { kind: 'status', status: 503 }],
  ['cuts connections', { kind: 'reset-before-headers' }],
  ['answers something else', { kind: 'malformed-json' }],
] as const;

describe.each(WAYS)('by %s, a generation that never finishes', (way) => {
  test('expires, and ends its streams', async () => {
    const graph = await startLive(way);
    const follower = graph.follow();
    await graph.ask({ prompt: 'a marker' });
    await follower.received(1);
    const { contentId } = await graph.ask();
    const [socket, sse] = [graph.watch(contentId), graph.sse.watch(contentId)];
    await Promise.all([socket.received(1), sse.received(1)]);
    letWaitsEnd();
    for (const reading of [socket, sse]) {
      expect(await reading.ended()).toEqual({ how: 'complete' });
      expect(reading.events).toMatchObject([
        { generation: { status: 'PENDING' } },
        { generation: { contentId, status: 'EXPIRED', text: null, prompt: 'slowly, never' }, errors: [] },
      ]);
    }
    await follower.received(2);
    expect(follower.said).toEqual(['COMPLETE', 'EXPIRED']);
  });
});

test('a generation that expired leaves nothing running', async () => {
  const graph = await startLive('WebSocket');
  const { contentId } = await graph.ask();
  const reading = graph.watch(contentId);
  await Promise.all([reading.received(1), graph.sandbox.push.waitForOpen(1)]);
  letWaitsEnd();
  await reading.ended();
  await graph.sandbox.push.waitForOpen(0);
  await graph.isQuiet();
});

test('a result that is there only at the last moment is delivered', async () => {
  // The second look is the last: it comes when somebody else begins to wait.
  const graph = await startLive('history', { environment: { AI_POLL_INTERVAL: '1h' } });
  const [found, missing] = [await graph.ask(), await graph.ask()];
  const readings = [graph.watch(found.contentId), graph.watch(missing.contentId)] as const;
  await graph.looksAgain(1);
  graph.sandbox.generations.finish(found.contentId);
  await Promise.all(readings.map((reading) => reading.received(1)));
  letWaitsEnd();
  graph.watch('another');
  for (const reading of readings) await reading.ended();
  expect(readings.map(({ said }) => said)).toEqual([
    ['PENDING', 'COMPLETE'],
    ['PENDING', 'EXPIRED'],
  ]);
  expect(graph.looks()).toBeLessThanOrEqual(3);
});

test('a client that comes back does not have to wait longer than one that stayed', async () => {
  const graph = await startLive('history');
  const { contentId } = await graph.ask();
  for (let times = 0; times < 3; times += 1) {
    const reading = graph.watch(contentId);
    await Promise.all([reading.received(1), graph.looksAgain(2)]);
    reading.vanish();
  }
  skipTime(MAX_WAIT_MS / 2);
  const last = graph.watch(contentId);
  await Promise.all([last.received(1), graph.looksAgain(2)]);
  expect(last.said).toEqual(['PENDING']);
  skipTime(MAX_WAIT_MS / 2);
  await last.ended();
  expect(last.said).toEqual(['PENDING', 'EXPIRED']);
});

test('one who comes to a generation that was given up, while others are looked for, is looked for too', async () => {
  const graph = await startLive('history');
  const { sandbox } = graph;
  const { contentId } = await graph.ask();
  const first = graph.watch(contentId);
  await first.received(1);
  letWaitsEnd();
  await first.ended();
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
    const graph = await startLive('WebSocket');
    graph.sandbox.push.refuse(true);
    const { contentId } = await graph.ask();
    const fault = graph.sandbox.faults.add({ ...outage, endpoint: LOOKING, times: Infinity });
    const reading = graph.watch(contentId);
    await reading.received(1);
    await expect.poll(() => fault.hits).toBeGreaterThan(1);
    letWaitsEnd();
    expect(await reading.ended()).toEqual({ how: 'complete' });
    expect(reading.said).toEqual(['PENDING', 'EXPIRED']);
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
  const graph = await startLive('socket.io');
  const { contentId } = await graph.ask();
  const reading = graph.watch(contentId);
  await Promise.all([reading.received(1), graph.sandbox.push.waitForOpen(1)]);
  await graph.sandbox.close();
  letWaitsEnd();
  expect(await reading.ended()).toEqual({ how: 'complete' });
  expect(reading.said).toEqual(['PENDING', 'EXPIRED']);
  expect((await graph.query('{ surfaces { isConfigured } }')).data.surfaces).toHaveLength(2);
});
