import { describe, expect, test, vi } from 'vitest';
import { eachCase } from '../support/cases.ts';
import {
  askAndWatch,
  handshakes,
  letWaitsEnd,
  LOOKING,
  MAX_WAIT_MS,
  only,
  resultRecord,
  saidBy,
  skipTime,
  startLive,
  waysAreOpen,
} from '../support/live.ts';

// When the history is read, and which of its pages, has tests of its own in test/sources.

test('the next look comes soon when there is a reason', async () => {
  const environment = { AI_POLL_INTERVAL: '1h', AI_RESULT_MAX_WAIT: '24h' };
  const graph = await startLive('WebSocket', { environment });
  const { push } = graph.sandbox;
  const readings = [graph.follow(), graph.watch('elsewhere')];
  await Promise.all([readings[1]?.received(1), push.waitForOpen(1), graph.looksAgain(1)]);
  const cut = (): void => {
    push.refuse(true);
    push.kill();
  };
  const tellOfAnother = () => push.send('harbour', resultRecord('elsewhere'));
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now');
  let hours = 0;
  await eachCase<readonly [string, () => unknown]>(
    [
      ['somebody else comes', () => graph.watch('unheard-of')],
      ['something is asked for that is followed', () => graph.ask()],
      ['the socket tells of what was asked for elsewhere', tellOfAnother],
      ['the socket is cut, before it is open again', cut],
    ],
    async ([, happen]) => {
      // The next look may come from now on, but its timer runs for another hour.
      hours += 2;
      clock.mockImplementation(() => now() + hours * 3_600_000);
      const looked = graph.looksAgain(1);
      await happen();
      await looked;
    },
  );
  // That the socket still refuses to open is no reason.
  skipTime(2 * 3_600_000);
  const [looks, tries] = [graph.looks(), handshakes(graph)];
  await expect.poll(() => handshakes(graph)).toBeGreaterThan(tries + 1);
  expect(graph.looks()).toBe(looks);
});

test('a record that the history lists before its text is there is pending until it is', async () => {
  const graph = await startLive('history', { sandbox: { quirks: { pendingInHistory: true } } });
  const { contentId, reading } = await askAndWatch(graph, 'history');
  await graph.looksAgain(3);
  expect(reading.said).toEqual(['PENDING']);
  graph.sandbox.generations.finish(contentId);
  expect(await saidBy(reading)).toEqual(['PENDING', 'COMPLETE']);
});

describe.each(['WebSocket', 'history'] as const)('by %s', (way) => {
  test('a generation that never finishes expires, ends its streams, and leaves nothing running', async () => {
    const graph = await startLive(way);
    const follower = graph.follow();
    await graph.ask({ prompt: 'a marker' });
    await follower.received(1);
    const { contentId, reading } = await askAndWatch(graph, way);
    const sse = graph.sse.watch(contentId);
    await sse.received(1);
    letWaitsEnd();
    for (const one of [reading, sse]) {
      expect(await one.ended()).toEqual({ how: 'complete' });
      expect(one.events).toMatchObject([
        { generation: { status: 'PENDING' } },
        { generation: { contentId, status: 'EXPIRED', text: null, prompt: 'slowly, never' }, errors: [] },
      ]);
    }
    await follower.received(2);
    expect(follower.said).toEqual(['COMPLETE', 'EXPIRED']);
    follower.leave();
    await graph.sandbox.push.waitForOpen(0);
    await graph.isQuiet();
  });

  test('a key that is revoked ends those who wait with it, within an interval', async () => {
    const graph = await startLive(way);
    const theirs = await askAndWatch(graph, way, { as: 'fernlight' });
    const { contentId, reading } = await askAndWatch(graph, way);
    const readings = [reading, graph.sse.watch(contentId), graph.follow()];
    await readings[1]?.received(1);
    await waysAreOpen(graph, way, 'harbour');
    const revoked = { kind: 'status', status: 401, endpoint: LOOKING, owner: 'harbour' } as const;
    graph.sandbox.faults.add({ ...revoked, times: Infinity });
    const extensions = { surface: 'CURRENT', retryable: false, requestId: expect.any(String) };
    for (const one of readings) {
      await one.ended();
      expect(one.said.at(-1)).toBe('CREDENTIAL_REJECTED');
      const [error] = one.events.at(-1)?.errors ?? [];
      expect(error).toMatchObject({ path: [expect.any(String)], extensions });
      const logged = graph.log.filter((line) => line.includes(String(error?.extensions['requestId'])));
      expect(logged.filter((line) => line.includes('"code":"CREDENTIAL_REJECTED"'))).toHaveLength(1);
    }
    // A socket that has no use for any other key is closed with it.
    const shutOut = { how: 'cut', code: 4401 };
    expect(readings.map(({ ending }) => ending)).toEqual([shutOut, { how: 'complete' }, shutOut]);
    graph.sandbox.generations.finish(theirs.contentId, only(way));
    expect(await saidBy(theirs.reading)).toEqual(['PENDING', 'COMPLETE']);
  });
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
  expect(await saidBy(last)).toEqual(['PENDING', 'EXPIRED']);
});
