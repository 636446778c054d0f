import { describe, expect, test } from 'vitest';
import { clientOf } from '../../packages/sandbox/test/running-sandbox.ts';
import { ASKING, letWaitsEnd, only, startLive, WAYS, waysAreOpen, type LiveGraph } from '../support/live.ts';
import type { Reading } from '../support/live-reading.ts';

const idsOf = ({ events }: Reading): string[] => events.map(({ generation }) => generation.contentId);

/** Follows over both transports. */
async function follow(graph: LiveGraph, way: (typeof WAYS)[number]): Promise<readonly [Reading, Reading]> {
  const followers = [graph.follow(), graph.sse.follow()] as const;
  await waysAreOpen(graph, way);
  // A marker shows that both are there: whoever comes later is not told of it.
  const { contentId } = await graph.ask({ prompt: 'a marker' });
  for (const follower of followers) {
    await follower.received(1);
    expect(idsOf(follower)).toEqual([contentId]);
  }
  return followers;
}

describe.each(WAYS)('those who follow by %s', (way) => {
  test('are told of each generation, slow or not, once', async () => {
    const graph = await startLive(way);
    const followers = await follow(graph, way);
    const atOnce = await graph.ask({ prompt: 'quickly' });
    const slow = await graph.ask();
    graph.sandbox.generations.finish(slow.contentId, {
      ...only(way),
      ...(way === 'history' ? {} : { pushes: 2 }),
    });
    for (const follower of followers) await follower.received(3);
    const last = await graph.ask({ prompt: 'quickly' });
    for (const follower of followers) {
      await follower.received(4);
      expect(idsOf(follower).slice(1)).toEqual([atOnce.contentId, slow.contentId, last.contentId]);
      expect(new Set(follower.said)).toEqual(new Set(['COMPLETE']));
      expect(follower.ending).toBeNull();
    }
  });

  test('are not told of a replay under an idempotency key', async () => {
    const graph = await startLive(way);
    const [follower] = await follow(graph, way);
    const quick = { prompt: 'quickly', idempotencyKey: 'quick' };
    const slow = { prompt: 'slowly, never', idempotencyKey: 'slow' };
    const { contentId } = await graph.ask(quick);
    expect((await graph.ask(quick)).contentId).toBe(contentId);
    const pending = await graph.ask(slow);
    expect((await graph.ask(slow)).contentId).toBe(pending.contentId);
    graph.sandbox.generations.finish(pending.contentId);
    await follower.received(3);
    expect((await graph.ask(slow)).contentId).toBe(pending.contentId);
    await graph.ask({ prompt: 'the last' });
    await follower.received(4);
    expect(new Set(idsOf(follower)).size).toBe(4);
    expect(follower.events).toHaveLength(4);
  });

  test('are not told of what another owner asked for, nor of what was asked for elsewhere', async () => {
    const graph = await startLive(way);
    const { sandbox } = graph;
    const [follower] = await follow(graph, way);
    const theirs = graph.follow({ as: 'fernlight' });
    await waysAreOpen(graph, way, 'fernlight');
    const foreign = await graph.ask({ as: 'fernlight' });
    const direct = await clientOf(sandbox).post('/openai/response', {
      content: 'slowly, never',
      tone: 'Dry',
    });
    expect(sandbox.requests.count(ASKING)).toBe(3);
    sandbox.generations.finish(foreign.contentId);
    sandbox.generations.finish(String(direct.at('response.contentId')));
    const ours = await graph.ask();
    sandbox.generations.finish(ours.contentId);
    await Promise.all([follower.received(2), theirs.received(1)]);
    expect(idsOf(follower).slice(1)).toEqual([ours.contentId]);
    expect(idsOf(theirs)).toEqual([foreign.contentId]);
    graph.spentElsewhere(1);
  });
});

test('a follower gets no snapshot of what is pending, but its result', async () => {
  const graph = await startLive('history');
  const { contentId } = await graph.ask();
  const follower = graph.follow();
  await graph.looksAgain(2);
  expect(follower.events).toEqual([]);
  graph.sandbox.generations.finish(contentId);
  await follower.received(1);
  expect(follower.events).toMatchObject([{ generation: { contentId, status: 'COMPLETE' } }]);
});

test('a follower is told once that a generation is given up, however often others ask for it again', async () => {
  const graph = await startLive('history');
  const follower = graph.follow();
  const { contentId } = await graph.ask();
  await graph.looksAgain(1);
  letWaitsEnd();
  await follower.received(1);
  for (let times = 0; times < 3; times += 1) {
    const again = graph.watch(contentId);
    await again.ended();
    expect(again.said).toEqual(['EXPIRED']);
  }
  graph.sandbox.generations.finish(contentId);
  await graph.watch(contentId).ended();
  await follower.received(2);
  expect(follower.said).toEqual(['EXPIRED', 'COMPLETE']);
});
