import { describe, expect, test } from 'vitest';
import { letWaitsEnd, only, SOCKETS, startLive, WAYS, waysAreOpen } from '../support/live.ts';

const BOTH = `query ($id: ID!) {
  aiGeneration(id: $id) { contentId status text }
  node(id: $id) { ... on AiGeneration { contentId status text } }
}`;
const TEXT = expect.stringContaining('no model was asked');

describe('a generation that was asked for here', () => {
  test('is pending, not missing, before the history lists it', async () => {
    const graph = await startLive('history');
    const { id, contentId } = await graph.ask();
    const pending = { contentId, status: 'PENDING', text: null };
    expect((await graph.query(BOTH, { id })).data).toEqual({ aiGeneration: pending, node: pending });
    graph.sandbox.generations.finish(contentId);
    const complete = { contentId, status: 'COMPLETE', text: TEXT };
    expect((await graph.query(BOTH, { id })).data).toEqual({ aiGeneration: complete, node: complete });
  });

  test('is missing to others, and one that was asked for elsewhere is missing to all', async () => {
    const graph = await startLive('history');
    const { id } = await graph.ask();
    const missing = { aiGeneration: null, node: null };
    expect((await graph.query(BOTH, { id }, { as: 'fernlight' })).data).toEqual(missing);
    const watched = graph.watch('asked-for-elsewhere');
    const [told] = await watched.received(1);
    expect((await graph.query(BOTH, { id: told?.generation.id })).data).toEqual(missing);
  });

  test('is expired to those who look it up when it was given up', async () => {
    const graph = await startLive('history');
    const { id, contentId } = await graph.ask();
    const reading = graph.watch(contentId);
    await reading.received(1);
    letWaitsEnd();
    await reading.ended();
    expect((await graph.query(BOTH, { id })).data.aiGeneration).toMatchObject({
      status: 'EXPIRED',
      text: null,
    });
  });

  test.each(SOCKETS)('and came by %s only is shown to those who look it up', async (way) => {
    const graph = await startLive(way);
    const { id, contentId } = await graph.ask();
    const reading = graph.watch(contentId);
    await Promise.all([reading.received(1), graph.sandbox.push.waitForOpen(1)]);
    graph.sandbox.generations.finish(contentId, { history: false });
    await reading.ended();
    const complete = { contentId, status: 'COMPLETE', text: TEXT };
    expect((await graph.query(BOTH, { id })).data).toEqual({ aiGeneration: complete, node: complete });
  });
});

describe.each(WAYS)('a replay of a generation whose text comes by %s', (way) => {
  test('shows the text once it is there, and spends nothing', async () => {
    const graph = await startLive(way);
    const question = { idempotencyKey: 'k', prompt: 'slowly, never' };
    const { contentId } = await graph.ask(question);
    expect(await graph.ask(question)).toMatchObject({ contentId, status: 'PENDING', text: null });
    const reading = graph.watch(contentId);
    await Promise.all([reading.received(1), waysAreOpen(graph, way)]);
    graph.sandbox.generations.finish(contentId, only(way));
    await reading.ended();
    expect(await graph.ask(question)).toMatchObject({ contentId, status: 'COMPLETE', text: TEXT });
  });
});
