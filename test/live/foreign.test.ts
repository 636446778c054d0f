import { describe, expect, test } from 'vitest';
import {
  askHeld,
  letWaitsEnd,
  only,
  resultRecord,
  SOCKETS,
  startLive,
  WAYS,
  waysAreOpen,
} from '../support/live.ts';

const THEIRS = 'A text that belongs to somebody else.';

describe.each(SOCKETS)('a socket by %s that carries what belongs to another owner', (way) => {
  test('does not show it to one who waits for the same id, for which the owner’s own text is told', async () => {
    const graph = await startLive(way);
    const { sandbox } = graph;
    const { contentId } = await graph.ask();
    const [watcher, follower] = [graph.watch(contentId), graph.follow()];
    await Promise.all([watcher.received(1), sandbox.push.waitForOpen(1)]);
    const { ownerId } = sandbox.state.owner('fernlight');
    sandbox.push.send('harbour', resultRecord(contentId, { ownerId, aiResponse: THEIRS }));
    sandbox.generations.finish(contentId, { history: false });
    await Promise.all([watcher.ended(), follower.received(1)]);
    expect(watcher.said).toEqual(['PENDING', 'COMPLETE']);
    expect(watcher.events[1]?.generation.text).toContain('no model was asked');
    expect(JSON.stringify([watcher.events, follower.events])).not.toContain(THEIRS);
  });

  test('is believed where the owner is the same, or is not said', async () => {
    const graph = await startLive(way);
    const { sandbox } = graph;
    for (const changes of [{ ownerId: sandbox.state.owner('harbour').ownerId }, {}]) {
      const { contentId } = await graph.ask();
      const watcher = graph.watch(contentId);
      await Promise.all([watcher.received(1), sandbox.push.waitForOpen(1)]);
      sandbox.push.send('harbour', resultRecord(contentId, { ...changes, aiResponse: 'Ours.' }));
      await watcher.ended();
      expect(watcher.events[1]?.generation.text).toBe('Ours.');
    }
  });

  test('does not show it to one who waits for the other owner’s id', async () => {
    const graph = await startLive(way);
    const { sandbox } = graph;
    const [theirs, ours] = [await graph.ask({ as: 'fernlight' }), await graph.ask()];
    const [curious, honest] = [graph.watch(theirs.contentId), graph.watch(ours.contentId)];
    await Promise.all([curious.received(1), honest.received(1), sandbox.push.waitForOpen(1)]);
    for (const ownerId of [sandbox.state.owner('fernlight').ownerId, sandbox.state.owner('harbour').ownerId])
      sandbox.push.send('harbour', resultRecord(theirs.contentId, { ownerId, aiResponse: THEIRS }));
    sandbox.generations.finish(theirs.contentId);
    sandbox.generations.finish(ours.contentId, { history: false });
    await honest.ended();
    letWaitsEnd();
    await curious.ended();
    expect(honest.said).toEqual(['PENDING', 'COMPLETE']);
    expect(curious.said).toEqual(['PENDING', 'EXPIRED']);
    expect(curious.events.map(({ generation }) => generation.text)).toEqual([null, null]);
    expect(curious.events.map(({ generation }) => generation.prompt)).toEqual([null, null]);
  });

  test('does not take the place of what comes before the call that asked for it has answered', async () => {
    const graph = await startLive(way);
    const { sandbox } = graph;
    const follower = graph.follow();
    await sandbox.push.waitForOpen(1);
    const marker = await graph.ask();
    const { contentId, release } = await askHeld(graph);
    const [ownerId, otherId] = [
      sandbox.state.owner('harbour').ownerId,
      sandbox.state.owner('fernlight').ownerId,
    ];
    sandbox.push.send('harbour', resultRecord(contentId, { ownerId, aiResponse: 'Ours.' }));
    sandbox.push.send('harbour', resultRecord(contentId, { ownerId: otherId, aiResponse: THEIRS }));
    sandbox.generations.finish(marker.contentId);
    await follower.received(1);
    release();
    await follower.received(2);
    expect(follower.events[1]?.generation).toMatchObject({ contentId, text: 'Ours.' });
  });

  test('does not tell a follower what the same owner asked for elsewhere', async () => {
    const graph = await startLive(way);
    const { sandbox } = graph;
    const follower = graph.follow();
    await sandbox.push.waitForOpen(1);
    const [elsewhere] = sandbox.state.owner('harbour').addHistory(1);
    sandbox.push.send('harbour', resultRecord(elsewhere?.contentId ?? ''));
    const { contentId } = await graph.ask();
    sandbox.generations.finish(contentId);
    await follower.received(1);
    expect(follower.events.map(({ generation }) => generation.contentId)).toEqual([contentId]);
  });
});

describe.each(WAYS)('by %s, another credential', (way) => {
  test('never gets the text of a generation whose id it knows, whoever asks first', async () => {
    const graph = await startLive(way);
    const { contentId } = await graph.ask();
    const [thief, owner] = [graph.watch(contentId, { as: 'fernlight' }), graph.watch(contentId)];
    await Promise.all([thief.received(1), owner.received(1), waysAreOpen(graph, way, 'harbour')]);
    graph.sandbox.generations.finish(contentId, only(way));
    await owner.ended();
    expect(owner.said).toEqual(['PENDING', 'COMPLETE']);
    const late = graph.sse.watch(contentId, { as: 'fernlight' });
    await late.received(1);
    letWaitsEnd();
    await Promise.all([thief.ended(), late.ended()]);
    for (const { said, events } of [thief, late]) {
      expect(said).toEqual(['PENDING', 'EXPIRED']);
      for (const { generation } of events)
        expect(generation).toMatchObject({ text: null, prompt: null, ownerId: null, creditsRemaining: null });
    }
  });
});

test('nor can another credential look it up, in the same process', async () => {
  const LOOK_UP = 'query ($id: ID!) { aiGeneration(id: $id) { status text } }';
  const graph = await startLive('WebSocket');
  const { id, contentId } = await graph.ask();
  const owner = graph.watch(contentId);
  await Promise.all([owner.received(1), graph.sandbox.push.waitForOpen(1)]);
  graph.sandbox.generations.finish(contentId, { history: false });
  await owner.ended();
  expect((await graph.query(LOOK_UP, { id })).data.aiGeneration).toMatchObject({ status: 'COMPLETE' });
  expect((await graph.query(LOOK_UP, { id }, { as: 'fernlight' })).data).toEqual({ aiGeneration: null });
});
