import { describe, expect, test } from 'vitest';
import {
  askAndWatch,
  askHeld,
  letWaitsEnd,
  LOOKING,
  only,
  resultRecord,
  saidBy,
  SOCKETS,
  startLive,
  WAYS,
  waysAreOpen,
  type LiveGraph,
} from '../support/live.ts';

// Who gets which text: ids may coincide, and a socket may carry the results of others.

const THEIRS = 'A text that belongs to somebody else.';
const SECRET = 'sk-live-0123456789abcdef';

/** Pushes a text to the first owner, as one of an owner's. */
function pushText(
  { sandbox }: LiveGraph,
  contentId: string,
  aiResponse: string,
  owner: 'harbour' | 'fernlight' = 'fernlight',
): void {
  const { ownerId } = sandbox.state.owner(owner);
  sandbox.push.send('harbour', resultRecord(contentId, { ownerId, aiResponse }));
}

describe.each(SOCKETS)('a socket by %s that carries what belongs to another owner', (way) => {
  test('does not show it to those who wait for the same id, who get their own text', async () => {
    const graph = await startLive(way);
    const follower = graph.follow();
    await waysAreOpen(graph, way);
    const { contentId, reading } = await askAndWatch(graph, way);
    pushText(graph, contentId, THEIRS);
    graph.sandbox.generations.finish(contentId, { history: false });
    await follower.received(1);
    expect(await saidBy(reading)).toEqual(['PENDING', 'COMPLETE']);
    expect(reading.events[1]?.generation.text).toContain('no model was asked');
    expect(JSON.stringify([reading.events, follower.events])).not.toContain(THEIRS);
    // One without an owner is believed.
    const next = await askAndWatch(graph, way);
    graph.sandbox.push.send('harbour', resultRecord(next.contentId, { aiResponse: 'Ours.' }));
    await next.reading.ended();
    expect(next.reading.events[1]?.generation.text).toBe('Ours.');
  });

  test('does not show it to one who waits for the other owner’s id', async () => {
    const graph = await startLive(way);
    const theirs = await graph.ask({ as: 'fernlight' });
    const curious = graph.watch(theirs.contentId);
    await curious.received(1);
    const { contentId, reading } = await askAndWatch(graph, way);
    for (const owner of ['fernlight', 'harbour'] as const) pushText(graph, theirs.contentId, THEIRS, owner);
    graph.sandbox.generations.finish(theirs.contentId);
    graph.sandbox.generations.finish(contentId, { history: false });
    expect(await saidBy(reading)).toEqual(['PENDING', 'COMPLETE']);
    letWaitsEnd();
    expect(await saidBy(curious)).toEqual(['PENDING', 'EXPIRED']);
    for (const { generation } of curious.events)
      expect(generation).toMatchObject({ text: null, prompt: null });
  });

  test('does not put it in the place of what comes before the call that asked for it has answered', async () => {
    const graph = await startLive(way);
    const follower = graph.follow();
    await waysAreOpen(graph, way);
    const marker = await graph.ask();
    const { contentId, release } = await askHeld(graph);
    pushText(graph, contentId, 'Ours.', 'harbour');
    pushText(graph, contentId, THEIRS);
    graph.sandbox.generations.finish(marker.contentId);
    await follower.received(1);
    release();
    await follower.received(2);
    expect(follower.events[1]?.generation).toMatchObject({ contentId, text: 'Ours.' });
  });

  test('shows no secret of a message, and no key, in any event or line of the log, whatever happens to it', async () => {
    const AI_SOCKET_AUTH = way === 'socket.io' ? 'header,auth,query,message' : 'header,query,message';
    const graph = await startLive(way, { environment: { AI_SOCKET_AUTH, LOG_LEVEL: 'debug' } });
    const { faults, push, state } = graph.sandbox;
    const { contentId, reading } = await askAndWatch(graph, way);
    const { ownerId } = state.owner('harbour');
    const changes = {
      ownerId,
      accessToken: SECRET,
      aiResponse: 'Say it aloud.',
      tone: { apiKey: SECRET },
    };
    push.send('harbour', resultRecord(contentId, changes));
    await reading.ended();
    expect(reading.events[1]?.generation).toMatchObject({ text: 'Say it aloud.', tone: null });
    expect(reading.events[1]?.errors[0]?.extensions).toEqual({
      code: 'UPSTREAM_MALFORMED',
      surface: 'CURRENT',
      retryable: false,
      requestId: expect.any(String),
    });
    const next = await askAndWatch(graph, way);
    const readings = [next.reading, graph.follow(), graph.sse.watch(next.contentId)];
    await readings[2]?.received(1);
    push.refuse(true);
    push.kill();
    await push.waitForOpen(0);
    push.refuse(false);
    await push.waitForOpen(1);
    faults.add({ kind: 'status', status: 401, endpoint: LOOKING, times: Infinity });
    for (const one of readings) await one.ended();
    await graph.close();
    const said = JSON.stringify([graph.log, [reading, ...readings].map(({ events }) => events)]);
    for (const secret of [SECRET, graph.keyOf()]) expect(said).not.toContain(secret);
    // The same look finds what is there.
    for (const shown of ['CREDENTIAL_REJECTED', next.contentId]) expect(said).toContain(shown);
  });
});

test.each(WAYS)('by %s, a text is never shown to another credential that knows its id', async (way) => {
  const graph = await startLive(way);
  const { contentId } = await graph.ask();
  const thief = graph.watch(contentId, { as: 'fernlight' });
  const owner = graph.watch(contentId);
  await Promise.all([thief.received(1), owner.received(1), waysAreOpen(graph, way, 'harbour')]);
  graph.sandbox.generations.finish(contentId, only(way));
  expect(await saidBy(owner)).toEqual(['PENDING', 'COMPLETE']);
  const late = graph.sse.watch(contentId, { as: 'fernlight' });
  await late.received(1);
  letWaitsEnd();
  for (const reading of [thief, late]) {
    expect(await saidBy(reading)).toEqual(['PENDING', 'EXPIRED']);
    for (const { generation } of reading.events)
      expect(generation).toMatchObject({ text: null, prompt: null, ownerId: null, creditsRemaining: null });
  }
});
