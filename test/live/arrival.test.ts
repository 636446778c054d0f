import { describe, expect, test } from 'vitest';
import { askHeld, letWaitsEnd, only, SOCKETS, startLive, WAYS, waysAreOpen } from '../support/live.ts';

const TEXT = expect.stringContaining('no model was asked');

describe.each(WAYS)('by %s, a result', (way) => {
  test('reaches those who wait for it, and ends their stream', async () => {
    const graph = await startLive(way);
    const { contentId } = await graph.ask();
    const [socket, sse] = [graph.watch(contentId), graph.sse.watch(contentId)];
    await Promise.all([socket.received(1), sse.received(1), waysAreOpen(graph, way)]);
    graph.sandbox.generations.finish(contentId, only(way));
    for (const reading of [socket, sse]) {
      expect(await reading.ended()).toEqual({ how: 'complete' });
      expect(reading.events).toMatchObject([
        { generation: { contentId, status: 'PENDING', text: null }, errors: [] },
        { generation: { contentId, status: 'COMPLETE', text: TEXT }, errors: [] },
      ]);
    }
  });

  test('may come before the answer of the call that asked for it', async () => {
    const graph = await startLive(way);
    const follower = graph.follow();
    await waysAreOpen(graph, way);
    const { contentId } = await graph.ask();
    const held = await askHeld(graph);
    graph.sandbox.generations.finish(held.contentId, only(way));
    // The way keeps the order: what came before this has been taken in.
    graph.sandbox.generations.finish(contentId, only(way));
    await follower.received(1);
    held.release();
    expect(await held.answered).toMatchObject({ contentId: held.contentId, status: 'PENDING' });
    await follower.received(2);
    expect(follower.events.map(({ generation }) => generation)).toMatchObject([
      { contentId, status: 'COMPLETE' },
      { contentId: held.contentId, status: 'COMPLETE', text: TEXT },
    ]);
    const late = graph.watch(held.contentId);
    await late.ended();
    expect(late.said).toEqual(['COMPLETE']);
  });

  test('that has come is told at once to those who subscribe later, and costs no look', async () => {
    const graph = await startLive(way);
    const { contentId } = await graph.ask();
    const first = graph.watch(contentId);
    await Promise.all([first.received(1), waysAreOpen(graph, way)]);
    graph.sandbox.generations.finish(contentId, only(way));
    await first.ended();
    const looks = graph.looks();
    for (const late of [graph.watch(contentId), graph.sse.watch(contentId)]) {
      expect(await late.ended()).toEqual({ how: 'complete' });
      expect(late.events).toMatchObject([{ generation: { status: 'COMPLETE', text: TEXT } }]);
    }
    expect(graph.looks()).toBe(looks);
  });

  test('that comes while nobody waits is there for the next who does', async () => {
    const graph = await startLive(way);
    const { contentId } = await graph.ask();
    graph.sandbox.generations.finish(contentId);
    const reading = graph.watch(contentId);
    expect(await reading.ended()).toEqual({ how: 'complete' });
    expect(reading.events).toMatchObject([
      { generation: { status: 'PENDING' } },
      { generation: { status: 'COMPLETE', text: TEXT } },
    ]);
  });

  test('that comes again and again is told once', async () => {
    const graph = await startLive(way);
    const follower = graph.follow();
    await waysAreOpen(graph, way);
    const [{ contentId }, next] = [await graph.ask(), await graph.ask()];
    const watcher = graph.watch(contentId);
    await watcher.received(1);
    graph.sandbox.generations.finish(contentId, { pushes: 3 });
    graph.sandbox.generations.deliver(contentId);
    await watcher.ended();
    graph.sandbox.generations.deliver(contentId);
    graph.sandbox.generations.finish(next.contentId);
    await follower.received(2);
    expect(watcher.said).toEqual(['PENDING', 'COMPLETE']);
    expect(follower.events.map(({ generation }) => generation.contentId)).toEqual([
      contentId,
      next.contentId,
    ]);
  });

  test('that comes after it was given up is found by those who ask again', async () => {
    const graph = await startLive(way);
    const { contentId } = await graph.ask();
    const first = graph.watch(contentId);
    await first.received(1);
    letWaitsEnd();
    await first.ended();
    expect(first.said).toEqual(['PENDING', 'EXPIRED']);
    const stillNot = graph.watch(contentId);
    await stillNot.ended();
    expect(stillNot.said).toEqual(['EXPIRED']);
    graph.sandbox.generations.finish(contentId);
    const again = graph.watch(contentId);
    expect(await again.ended()).toEqual({ how: 'complete' });
    expect(again.events).toMatchObject([{ generation: { status: 'COMPLETE', text: TEXT } }]);
  });

  test('that only the history holds is found there', async () => {
    const graph = await startLive(way);
    const { contentId } = await graph.ask();
    const reading = graph.watch(contentId);
    await reading.received(1);
    graph.sandbox.generations.finish(contentId, { pushes: 0 });
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  });
});

describe.each(SOCKETS)('a socket by %s that is cut while a result is waited for', (way) => {
  test('loses nothing: what came meanwhile is in the history, and the socket comes back', async () => {
    const graph = await startLive(way);
    const { sandbox } = graph;
    const [meanwhile, afterwards] = [await graph.ask(), await graph.ask()];
    const [first, second] = [graph.watch(meanwhile.contentId), graph.watch(afterwards.contentId)];
    await Promise.all([first.received(1), second.received(1), sandbox.push.waitForOpen(1)]);
    sandbox.push.refuse(true);
    sandbox.push.kill();
    await sandbox.push.waitForOpen(0);
    sandbox.generations.finish(meanwhile.contentId);
    await first.ended();
    expect(first.said).toEqual(['PENDING', 'COMPLETE']);
    sandbox.push.refuse(false);
    await sandbox.push.waitForOpen(1);
    sandbox.generations.finish(afterwards.contentId, { history: false });
    await second.ended();
    expect(second.said).toEqual(['PENDING', 'COMPLETE']);
  });
});
