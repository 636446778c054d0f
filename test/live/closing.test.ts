import { describe, expect, test } from 'vitest';
import { startLive, WAYS, waysAreOpen } from '../support/live.ts';

describe.each(WAYS)('a server that closes while results by %s are waited for', (way) => {
  test('sends its subscribers away to come back, and touches the service no more', async () => {
    const graph = await startLive(way);
    const { contentId } = await graph.ask();
    const sockets = [graph.watch(contentId), graph.follow()];
    const streams = [graph.sse.watch(contentId), graph.sse.follow()];
    await Promise.all([sockets[0]?.received(1), streams[0]?.received(1), graph.looksAgain(2)]);
    await waysAreOpen(graph, way);
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
  });
});

test('a server that closes during a look, or while a socket is being opened, gives them up', async () => {
  const graph = await startLive('WebSocket');
  graph.sandbox.push.refuse(true);
  graph.sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /openai/historyList', times: Infinity });
  const { contentId } = await graph.ask();
  const reading = graph.watch(contentId);
  await Promise.all([reading.received(1), graph.looksAgain(1)]);
  await graph.close();
  expect(await reading.ended()).toEqual({ how: 'cut', code: 1012 });
  await expect.poll(() => graph.sandbox.openConnections).toBe(0);
  expect(graph.log.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
});

test('a reader that is hung up on by the end of the server can be served by the next one', async () => {
  const graph = await startLive('history');
  const { contentId } = await graph.ask();
  const reading = graph.sse.watch(contentId);
  await reading.received(1);
  await graph.close();
  graph.sandbox.generations.finish(contentId);
  const next = await graph.another();
  const again = next.watch(contentId);
  await again.ended();
  expect(again.said).toEqual(['PENDING', 'COMPLETE']);
  expect(again.events[1]?.generation).toMatchObject({ creditsRemaining: null, createdAt: null });
  expect(again.events[1]?.generation.createdAtLocal).not.toBeNull();
});
