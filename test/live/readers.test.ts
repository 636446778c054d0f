import { describe, expect, test, vi } from 'vitest';
import { EventQueue, SlowReaderError } from '../../src/live/event-queue.ts';
import {
  askAndWatch,
  handshakes,
  LOOKING,
  resultRecord,
  saidBy,
  startLive,
  WAYS,
  type LiveGraph,
} from '../support/live.ts';

const INTERVAL_MS = 50;

/** The history was looked through at most once in an interval; every look of these tests reads one page. */
function expectOneLookAnInterval({ sandbox }: LiveGraph): void {
  const looks = sandbox.requests.of(LOOKING).filter(({ owner }) => owner === 'harbour');
  const [first = 0, last = 0] = [looks.at(0)?.at, looks.at(-1)?.at];
  // One more for the two ends, one for a first look that was held up on its way, and one for what the clock rounds.
  expect(looks.length).toBeLessThanOrEqual((last - first) / INTERVAL_MS + 3);
}

describe.each(WAYS)('by %s', (way) => {
  test('twenty who wait for one result share one socket and one look an interval; another credential has its own', async () => {
    const graph = await startLive(way);
    const { contentId, reading } = await askAndWatch(graph, way);
    const others = Array.from({ length: 19 }, (_, index) =>
      index % 2 === 0 ? graph.sse.watch(contentId) : graph.watch(contentId),
    );
    await Promise.all(others.map((one) => one.received(1)));
    await graph.looksAgain(3);
    const theirs = await askAndWatch(graph, way, { as: 'fernlight' });
    await graph.looksAgain(2, 'fernlight');
    graph.sandbox.generations.finish(contentId);
    for (const one of [reading, ...others]) {
      expect(await one.ended()).toEqual({ how: 'complete' });
      expect(one.said).toEqual(['PENDING', 'COMPLETE']);
    }
    expect(theirs.reading.said).toEqual(['PENDING']);
    expect(handshakes(graph)).toBe(way === 'history' ? 0 : 2);
    expectOneLookAnInterval(graph);
  });

  test('a server that closes tells its subscribers to come back, and touches the service no more', async () => {
    const graph = await startLive(way);
    const { contentId, reading } = await askAndWatch(graph, way);
    const sockets = [reading, graph.follow()];
    const streams = [graph.sse.watch(contentId), graph.sse.follow()];
    await Promise.all([streams[0]?.received(1), graph.looksAgain(2)]);
    await graph.close();
    for (const socket of sockets) expect(await socket.ended()).toEqual({ how: 'cut', code: 1012 });
    // No `event: complete`: the stream is not at its end, and its reader is to come back.
    for (const stream of streams) expect(await stream.ended()).toEqual({ how: 'cut' });
    expect([...sockets, ...streams].flatMap(({ said }) => said)).toEqual(['PENDING', 'PENDING']);
    await expect.poll(() => graph.sandbox.openConnections).toBe(0);
    const looks = graph.looks();
    // Another server's looks tell the time.
    const next = await graph.another();
    next.watch('nothing', { as: 'fernlight' });
    await graph.looksAgain(4, 'fernlight');
    expect([graph.looks(), graph.sandbox.push.open('harbour')]).toEqual([looks, 0]);
    graph.sandbox.generations.finish(contentId);
    const again = next.watch(contentId);
    expect(await saidBy(again)).toEqual(['PENDING', 'COMPLETE']);
    const listed = { creditsRemaining: null, createdAt: null, createdAtLocal: expect.any(String) };
    expect(again.events[1]?.generation).toMatchObject(listed);
  });
});

test('a server that closes during a look, or while a socket is being opened, gives them up', async () => {
  const graph = await startLive('WebSocket');
  graph.sandbox.push.refuse(true);
  graph.sandbox.faults.add({ kind: 'never-answer', endpoint: LOOKING, times: Infinity });
  const { reading } = await askAndWatch(graph, 'history');
  await expect.poll(() => graph.looks()).toBe(1);
  await graph.close();
  expect(await reading.ended()).toEqual({ how: 'cut', code: 1012 });
  await expect.poll(() => graph.sandbox.openConnections).toBe(0);
  expect(graph.log.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
});

test('nothing is opened before anybody reads; all is closed when the last has gone, with a goodbye or without, and opened again', async () => {
  const graph = await startLive('WebSocket');
  const { push, generations } = graph.sandbox;
  const { contentId } = await graph.ask();
  await graph.isQuiet();
  expect([graph.looks(), push.open('harbour')]).toEqual([0, 0]);
  const readings = [graph.watch(contentId), graph.sse.watch(contentId), graph.follow(), graph.sse.follow()];
  await Promise.all([readings[0]?.received(1), readings[1]?.received(1), graph.looksAgain(2)]);
  await push.waitForOpen(1, { owner: 'harbour' });
  for (const [index, reading] of readings.entries()) reading[index < 2 ? 'leave' : 'vanish']();
  await push.waitForOpen(0, { owner: 'harbour' });
  await graph.isQuiet();
  const again = graph.watch(contentId);
  await again.received(1);
  generations.finish(contentId);
  expect(await saidBy(again)).toEqual(['PENDING', 'COMPLETE']);
});

/** How many events may wait for a reader that takes none. */
const WAITING = 128;
/** Linux may hold 34 MB of these on their way, and the server keeps 64 MiB of results. */
const text = (index: number): string => `${index} `.padEnd(200_000, 'x');

test('followers that take nothing are hung up on and freed, and get what they missed when they ask', async () => {
  const environment = { AI_POLL_INTERVAL: '1h', MAX_CALLS: '1000', MAX_CALLS_PER_CALLER: '1000' };
  const graph = await startLive('WebSocket', { environment });
  const { push, state } = graph.sandbox;
  const ends = vi.spyOn(EventQueue.prototype, 'end');
  const timesGivenUp = () => ends.mock.calls.filter(([last]) => last instanceof SlowReaderError).length;
  const [socket, stream] = [graph.follow(), graph.sse.follow()];
  await push.waitForOpen(1);
  await graph.ask({ prompt: 'a marker' });
  for (const one of [socket, stream]) {
    await one.received(1);
    one.read(false);
  }
  state.owner('harbour').creditsRemaining = 1_000;
  const asked = await Promise.all(Array.from({ length: WAITING + 172 }, () => graph.ask()));
  const ids = asked.map(({ contentId }) => contentId);
  const { ownerId } = state.owner('harbour');
  for (const [index, contentId] of ids.entries())
    push.send('harbour', resultRecord(contentId, { ownerId, aiResponse: text(index) }));
  await expect.poll(timesGivenUp, { interval: 5 }).toBe(2);
  // A stream is freed whether it is read or not; a socket says why it is closed for two seconds more, unless those have
  // passed on a busy machine.
  for (const [one, ending] of [
    [socket, { how: 'cut', code: expect.toBeOneOf([1013, 1006]) as unknown }],
    [stream, { how: 'cut' }],
  ] as const) {
    one.read(true);
    expect(await one.ended()).toEqual(ending);
    expect(one.events.length).toBeLessThan(ids.length - WAITING);
  }
  await push.waitForOpen(0);
  const again = graph.watch(ids.at(-1) ?? '');
  await again.ended();
  expect(again.events).toMatchObject([{ generation: { status: 'COMPLETE', text: text(ids.length - 1) } }]);
});
