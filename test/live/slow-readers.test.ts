import { describe, expect, test } from 'vitest';
import { only, resultRecord, startLive, watching, waysAreOpen, type LiveGraph } from '../support/live.ts';
import { askForEvents } from '../support/live-reading.ts';

/** Asks for so many texts that never finish by themselves. */
async function askFor(graph: LiveGraph, count: number): Promise<string[]> {
  graph.sandbox.state.owner('harbour').creditsRemaining = count;
  const asked = await Promise.all(Array.from({ length: count }, () => graph.ask()));
  return asked.map(({ contentId }) => contentId);
}

/** A text so long that what the systems between take by themselves holds few. */
const text = (index: number): string => `${index} `.padEnd(300_000, 'x');

/** More than may wait for one reader that takes none. */
const MANY = 150;

describe.each(['WebSocket', 'history'] as const)('by %s', (way) => {
  test('a follower that reads gets all of many results that come at the same moment', async () => {
    // One page of the history may hold all of them.
    const environment = { CURRENT_MAX_PAGE_SIZE: '1000' };
    const graph = await startLive(way, { environment, sandbox: { quirks: { maxLimit: null } } });
    const followers = [graph.follow(), graph.sse.follow()];
    await waysAreOpen(graph, way);
    const ids = await askFor(graph, MANY);
    for (const contentId of ids) graph.sandbox.generations.finish(contentId, only(way));
    for (const follower of followers) {
      await follower.received(MANY);
      expect(new Set(follower.events.map(({ generation }) => generation.contentId))).toEqual(new Set(ids));
      expect(follower.ending).toBeNull();
    }
  });
});

test('a follower that takes nothing is hung up on and freed, and gets what it missed when it asks', async () => {
  const graph = await startLive('WebSocket', { environment: { AI_POLL_INTERVAL: '1h' } });
  const { sandbox } = graph;
  const [socket, sse] = [graph.follow(), graph.sse.follow()];
  await graph.ask({ prompt: 'a marker' });
  for (const follower of [socket, sse]) {
    await follower.received(1);
    follower.read(false);
  }
  const ids = await askFor(graph, 200);
  const { ownerId } = sandbox.state.owner('harbour');
  for (const [index, contentId] of ids.entries())
    sandbox.push.send('harbour', resultRecord(contentId, { ownerId, aiResponse: text(index) }));
  await sandbox.push.waitForOpen(0);
  for (const follower of [socket, sse]) follower.read(true);
  expect(await socket.ended()).toEqual({ how: 'cut', code: 1013 });
  expect(await sse.ended()).toEqual({ how: 'cut' });
  for (const follower of [socket, sse]) expect(follower.events.length).toBeLessThan(100);
  const again = graph.watch(ids.at(-1) ?? '');
  await again.ended();
  expect(again.events).toMatchObject([{ generation: { status: 'COMPLETE', text: text(199) } }]);
});

test('a hundred streams of server-sent events that are cut early, late or never read leave nothing', async () => {
  const graph = await startLive('socket.io');
  const { contentId } = await graph.ask();
  const calls = Array.from({ length: 100 }, () =>
    askForEvents(graph.url, watching(contentId), graph.keyOf()),
  );
  for (const [index, call] of calls.entries()) {
    call.on('error', () => undefined);
    // Cut before it is answered, with its answer, or after some time in which it is not read.
    if (index % 3 === 0) call.on('finish', () => call.destroy());
    else call.on('response', (answer) => (index % 3 === 1 ? call.destroy() : answer.pause()));
  }
  await expect.poll(() => calls.filter(({ destroyed }) => destroyed).length).toBe(67);
  await graph.sandbox.push.waitForOpen(1);
  for (const call of calls) call.destroy();
  await graph.sandbox.push.waitForOpen(0);
  await graph.isQuiet();
});
