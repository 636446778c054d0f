import { describe, expect, test } from 'vitest';
import { only, SOCKETS, startLive, type LiveGraph } from '../support/live.ts';

/** When handshakes came in, in milliseconds after the first. */
function handshakeTimes({ sandbox }: LiveGraph): number[] {
  const times = sandbox.requests.all.filter(({ endpoint }) => endpoint === null).map(({ at }) => at);
  return times.map((at) => at - (times[0] ?? 0));
}

describe.each(SOCKETS)('a push server by %s that turns sockets away', (way) => {
  test('is asked again after growing pauses, while the history brings the result', async () => {
    const graph = await startLive(way);
    graph.sandbox.push.refuse(true);
    const { contentId } = await graph.ask();
    const [reading, follower] = [graph.watch(contentId), graph.follow()];
    await reading.received(1);
    graph.sandbox.generations.finish(contentId);
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
    await expect.poll(() => handshakeTimes(graph).length).toBe(3);
    const [, second = 0, third = 0] = handshakeTimes(graph);
    // Half of 500 ms at least, then half of a second; clocks may round.
    expect(second).toBeGreaterThanOrEqual(245);
    expect(third - second).toBeGreaterThanOrEqual(495);
    expect(follower.ending).toBeNull();
  });
});

describe('the API key', () => {
  const KEYLESS = { header: false, query: false };
  test.each([
    { way: 'socket.io', auth: undefined, opens: true, shown: { ...KEYLESS, header: true } },
    { way: 'socket.io', auth: 'header', opens: true, shown: { ...KEYLESS, header: true } },
    { way: 'socket.io', auth: 'auth', opens: true, shown: KEYLESS },
    { way: 'socket.io', auth: 'query', opens: true, shown: { ...KEYLESS, query: true } },
    { way: 'socket.io', auth: 'header,query', opens: true, shown: { header: true, query: true } },
    { way: 'socket.io', auth: 'message', opens: false, shown: KEYLESS },
    { way: 'socket.io', auth: 'none', opens: false, shown: KEYLESS },
    { way: 'WebSocket', auth: undefined, opens: true, shown: { ...KEYLESS, header: true } },
    { way: 'WebSocket', auth: 'header', opens: true, shown: { ...KEYLESS, header: true } },
    { way: 'WebSocket', auth: 'query', opens: true, shown: { ...KEYLESS, query: true } },
    { way: 'WebSocket', auth: 'message', opens: true, shown: KEYLESS },
    { way: 'WebSocket', auth: 'auth', opens: false, shown: KEYLESS },
    { way: 'WebSocket', auth: 'none', opens: false, shown: KEYLESS },
  ] as const)(
    'by $auth over $way opens the socket: $opens; the result comes',
    async ({ way, auth, opens, shown }) => {
      const graph = await startLive(way, { environment: { AI_SOCKET_AUTH: auth } });
      const { contentId } = await graph.ask();
      const reading = graph.watch(contentId);
      await reading.received(1);
      await expect.poll(() => handshakeTimes(graph).length).toBeGreaterThanOrEqual(1);
      if (opens) await graph.sandbox.push.waitForOpen(1);
      graph.sandbox.generations.finish(contentId, opens ? only(way) : {});
      await reading.ended();
      expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
      expect(graph.sandbox.push.open()).toBe(opens ? 1 : 0);
      const handshake = graph.sandbox.requests.all.find(({ endpoint }) => endpoint === null);
      expect({
        header: handshake?.headers['x-api-key'] === graph.keyOf(),
        query: [...(handshake?.query.values() ?? [])].includes(graph.keyOf()),
      }).toEqual(shown);
      expect(graph.log.join('\n')).not.toContain(graph.keyOf());
      expect(graph.log.length).toBeGreaterThan(0);
    },
  );
});
