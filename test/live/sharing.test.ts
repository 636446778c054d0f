import { expect, test, describe } from 'vitest';
import { startLive, WAYS, watching, waysAreOpen, type LiveGraph } from '../support/live.ts';
import { readAllOverSocket, type Reading } from '../support/live-reading.ts';

const INTERVAL_MS = 50;

/** Handshakes of push sockets that came in. */
const handshakes = ({ sandbox }: LiveGraph): number =>
  sandbox.requests.all.filter(({ endpoint }) => endpoint === null).length;

/** The history was looked through at most once in an interval; every look of these tests reads one page. */
function expectOneLookAnInterval({ sandbox }: LiveGraph): void {
  const times = sandbox.requests.of('GET /openai/historyList').map(({ at }) => at);
  const [first = 0, last = 0] = [times.at(0), times.at(-1)];
  // One more for the two ends, one for a first look that was held up on its way, and one for what the clock rounds.
  expect(times.length).toBeLessThanOrEqual((last - first) / INTERVAL_MS + 3);
}

async function allEnd(readings: readonly Reading[]): Promise<void> {
  for (const reading of readings) expect(await reading.ended()).toEqual({ how: 'complete' });
}

describe.each(WAYS)('by %s', (way) => {
  test('twenty who wait for one result share one socket and one look an interval', async () => {
    const graph = await startLive(way);
    const { contentId } = await graph.ask();
    const readings = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? graph.watch(contentId) : graph.sse.watch(contentId),
    );
    await Promise.all(readings.map((reading) => reading.received(1)));
    await waysAreOpen(graph, way);
    await graph.looksAgain(3);
    graph.sandbox.generations.finish(contentId);
    await allEnd(readings);
    for (const { said } of readings) expect(said).toEqual(['PENDING', 'COMPLETE']);
    expect(handshakes(graph)).toBe(way === 'history' ? 0 : 1);
    expectOneLookAnInterval(graph);
  });

  test('each credential has its own', async () => {
    const graph = await startLive(way);
    const owners = ['harbour', 'fernlight'] as const;
    for (const as of owners) {
      const { contentId } = await graph.ask({ as });
      const readings = [
        graph.watch(contentId, { as }),
        graph.follow({ as }),
        graph.sse.watch(contentId, { as }),
      ];
      await Promise.all([readings[0]?.received(1), readings[2]?.received(1), graph.looksAgain(2, as)]);
    }
    if (way === 'history') return;
    for (const owner of owners) await graph.sandbox.push.waitForOpen(1, { owner });
    expect(handshakes(graph)).toBe(2);
  });
});

describe.each(['WebSocket', 'history'] as const)('by %s', (way) => {
  test('all is closed when the last one has gone, with a goodbye or without', async () => {
    const graph = await startLive(way);
    const { contentId } = await graph.ask();
    const stays = graph.follow({ as: 'fernlight' });
    await waysAreOpen(graph, way);
    const readings = [graph.watch(contentId), graph.sse.watch(contentId), graph.follow(), graph.sse.follow()];
    await Promise.all([readings[0]?.received(1), readings[1]?.received(1), graph.looksAgain(2)]);
    await waysAreOpen(graph, way, 'harbour');
    for (const [index, reading] of readings.entries()) reading[index < 2 ? 'leave' : 'vanish']();
    await graph.sandbox.push.waitForOpen(0, { owner: 'harbour' });
    await graph.isQuiet();
    expect(stays.ending).toBeNull();
    expect(graph.sandbox.push.open('fernlight')).toBe(way === 'history' ? 0 : 1);
  });
});

test('twenty who wait for twenty results, on one connection, share them too', async () => {
  const graph = await startLive('WebSocket');
  const asked = await Promise.all(Array.from({ length: 20 }, () => graph.ask()));
  const readings = readAllOverSocket(
    graph.url,
    asked.map(({ contentId }) => watching(contentId)),
    graph.keyOf(),
  );
  await Promise.all(readings.map((reading) => reading.received(1)));
  await graph.sandbox.push.waitForOpen(1);
  await graph.looksAgain(3);
  for (const { contentId } of asked) graph.sandbox.generations.finish(contentId);
  await allEnd(readings);
  for (const [index, { said, events }] of readings.entries()) {
    expect(said).toEqual(['PENDING', 'COMPLETE']);
    expect(events[1]?.generation.contentId).toBe(asked[index]?.contentId);
  }
  expect(handshakes(graph)).toBe(1);
  expectOneLookAnInterval(graph);
});

test('nothing is opened or read before anybody subscribes, however much is asked for', async () => {
  const graph = await startLive('WebSocket');
  const { contentId } = await graph.ask();
  await graph.ask({ prompt: 'quickly' });
  await graph.isQuiet();
  expect(graph.looks()).toBe(0);
  expect(graph.sandbox.push.open('harbour')).toBe(0);
  const reading = graph.watch(contentId);
  await reading.received(1);
  await graph.sandbox.push.waitForOpen(1, { owner: 'harbour' });
  await graph.looksAgain(1);
});

test('those who come and go without a pause are served by one socket, and leave nothing behind', async () => {
  const graph = await startLive('socket.io');
  const { contentId } = await graph.ask();
  for (let round = 0; round < 15; round += 1) {
    const reading = round % 3 === 0 ? graph.sse.watch(contentId) : graph.watch(contentId);
    await reading.received(1);
    if (round % 2 === 0) reading.leave();
    else reading.vanish();
  }
  expect(handshakes(graph)).toBe(1);
  await graph.sandbox.push.waitForOpen(0);
  // One connection for calls is kept for a while, whoever made them.
  await expect.poll(() => graph.sandbox.openConnections).toBeLessThanOrEqual(1);
});
