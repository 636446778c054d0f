import { describe, expect, test } from 'vitest';
import { clientOf } from '../../packages/sandbox/test/running-sandbox.ts';
import {
  askAndWatch,
  askHeld,
  following,
  idsIn,
  letWaitsEnd,
  only,
  resultRecord,
  saidBy,
  SOCKETS,
  startLive,
  WAYS,
  watching,
  waysAreOpen,
  type LiveGraph,
  type Way,
  readOverSocket,
  readOverSse,
  type Reading,
} from '../support/live.ts';
import { account, idOf } from '../support/writes.ts';

const TEXT = expect.stringContaining('no model was asked');
const LOOK_UP = `query ($id: ID!) {
  aiGeneration(id: $id) { contentId status text }
  node(id: $id) { ... on AiGeneration { contentId status text } }
}`;

/** Looks a generation up in both ways, which say the same. */
async function lookUp(graph: LiveGraph, id: string, as?: 'fernlight'): Promise<unknown> {
  const { data } = await graph.query(LOOK_UP, { id }, as ? { as } : {});
  expect(data.node).toEqual(data.aiGeneration);
  return data.aiGeneration;
}

async function follow(graph: LiveGraph, way: Way): Promise<readonly [Reading, Reading]> {
  const followers = [graph.follow(), graph.sse.follow()] as const;
  await waysAreOpen(graph, way);
  // A marker shows that both are there: whoever comes later is not told of it.
  const { contentId } = await graph.ask({ prompt: 'a marker' });
  for (const follower of followers) {
    await follower.received(1);
    expect(idsIn(follower)).toEqual([contentId]);
  }
  return followers;
}

describe.each(WAYS)('by %s, a result', (way) => {
  test('reaches those who wait for it, ends their streams, and is there for others later without a look', async () => {
    const graph = await startLive(way);
    const question = { idempotencyKey: 'k' };
    const { id, contentId, reading } = await askAndWatch(graph, way, question);
    const sse = graph.sse.watch(contentId);
    await sse.received(1);
    const gone = graph.watch(contentId);
    await gone.received(1);
    gone.vanish();
    expect(await graph.ask(question)).toMatchObject({ contentId, status: 'PENDING', text: null });
    graph.sandbox.generations.finish(contentId, only(way));
    const complete = { contentId, status: 'COMPLETE', text: TEXT };
    for (const one of [reading, sse]) {
      expect(await one.ended()).toEqual({ how: 'complete' });
      expect(one.events).toMatchObject([
        { generation: { contentId, status: 'PENDING', text: null }, errors: [] },
        { generation: complete, errors: [] },
      ]);
    }
    const looks = graph.looks();
    for (const late of [graph.watch(contentId), graph.sse.watch(contentId)]) {
      expect(await late.ended()).toEqual({ how: 'complete' });
      expect(late.events).toMatchObject([{ generation: complete }]);
    }
    expect([graph.looks(), gone.said]).toEqual([looks, ['PENDING']]);
    // A replay of the write and look-ups show it too, but not to others.
    expect(await graph.ask(question)).toMatchObject(complete);
    expect(await lookUp(graph, id)).toEqual(complete);
    expect(await lookUp(graph, id, 'fernlight')).toBeNull();
  });

  test('is never shown to another credential that knows its id', async () => {
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

  test('may come before the answer of the call that asked for it', async () => {
    const graph = await startLive(way);
    const follower = graph.follow();
    await waysAreOpen(graph, way);
    const { contentId } = await graph.ask();
    const held = await askHeld(graph);
    // The way keeps the order: what came before the second has been taken in.
    for (const id of [held.contentId, contentId]) graph.sandbox.generations.finish(id, only(way));
    await follower.received(1);
    held.release();
    expect(await held.answered).toMatchObject({ contentId: held.contentId, status: 'PENDING' });
    await follower.received(2);
    expect(follower.events.map(({ generation }) => generation)).toMatchObject([
      { contentId, status: 'COMPLETE' },
      { contentId: held.contentId, status: 'COMPLETE', text: TEXT },
    ]);
    expect(await saidBy(graph.watch(held.contentId))).toEqual(['COMPLETE']);
  });

  test('is received once by followers, however often it comes, and only where it was asked for with their key here', async () => {
    const graph = await startLive(way);
    const { generations } = graph.sandbox;
    const followers = await follow(graph, way);
    const theirs = graph.follow({ as: 'fernlight' });
    await waysAreOpen(graph, way, 'fernlight');
    const foreign = await graph.ask({ as: 'fernlight' });
    const content = { content: 'slowly, never', tone: 'Dry' };
    const direct = await clientOf(graph.sandbox).post('/openai/response', content);
    graph.credits.spent += 1;
    const [quick, slow] = [{ prompt: 'quickly', idempotencyKey: 'quick' }, { idempotencyKey: 'slow' }];
    const atOnce = await graph.ask(quick);
    expect((await graph.ask(quick)).contentId).toBe(atOnce.contentId);
    const pending = await graph.ask(slow);
    expect((await graph.ask(slow)).contentId).toBe(pending.contentId);
    for (const contentId of [foreign.contentId, String(direct.at('response.contentId'))])
      generations.finish(contentId);
    generations.finish(pending.contentId, { ...only(way), pushes: way === 'history' ? 0 : 3 });
    await Promise.all(followers.map((follower) => follower.received(3)));
    generations.deliver(pending.contentId);
    expect((await graph.ask(slow)).contentId).toBe(pending.contentId);
    const last = await graph.ask({ prompt: 'the last' });
    for (const follower of followers) {
      await follower.received(4);
      expect(idsIn(follower).slice(1)).toEqual([atOnce, pending, last].map(({ contentId }) => contentId));
      expect(new Set(follower.said)).toEqual(new Set(['COMPLETE']));
      expect(follower.ending).toBeNull();
    }
    await theirs.received(1);
    expect(idsIn(theirs)).toEqual([foreign.contentId]);
  });
});

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

describe.each(SOCKETS)('a socket by %s', (way) => {
  test('that is cut while a result is waited for loses nothing: it is in the history, and the socket comes back', async () => {
    const graph = await startLive(way);
    const { generations, push } = graph.sandbox;
    const [meanwhile, afterwards] = [await askAndWatch(graph, way), await askAndWatch(graph, way)];
    push.refuse(true);
    push.kill();
    await push.waitForOpen(0);
    generations.finish(meanwhile.contentId);
    expect(await saidBy(meanwhile.reading)).toEqual(['PENDING', 'COMPLETE']);
    push.refuse(false);
    await push.waitForOpen(1);
    generations.finish(afterwards.contentId, { history: false });
    expect(await saidBy(afterwards.reading)).toEqual(['PENDING', 'COMPLETE']);
  });

  test('brings a result with all that it and the call said', async () => {
    const graph = await startLive(way);
    const prompt = 'slowly, never: rain';
    const { contentId, reading } = await askAndWatch(graph, way, { prompt, tone: 'Dry' });
    const [generation] = graph.sandbox.generations.pending('harbour');
    graph.sandbox.generations.finish(contentId, { history: false });
    await reading.ended();
    const { ownerId, companyId } = graph.sandbox.state.owner('harbour');
    const shared = {
      contentId,
      prompt,
      tone: 'Dry',
      originCode: 'post',
      template: null,
      ownerId: String(ownerId),
      companyId: String(companyId),
      creditsRemaining: 179,
      createdAt: new Date(generation?.createdAt ?? 0).toISOString(),
      createdAtLocal: null,
    };
    const { input, output } = generation?.tokens ?? { input: 0, output: 0 };
    expect(output).toBeGreaterThan(0);
    const tokenUsage = { input, output, total: input + output };
    expect(reading.events.map((event) => event.generation)).toMatchObject([
      { ...shared, status: 'PENDING', text: null, tokenUsage: { input, output: 0, total: input } },
      { ...shared, status: 'COMPLETE', text: generation?.aiResponse, tokenUsage },
    ]);
  });

  test('does not show what belongs to another owner to those who wait for the same id, who get their own text', async () => {
    const graph = await startLive(way);
    const follower = graph.follow();
    await waysAreOpen(graph, way);
    const { contentId, reading } = await askAndWatch(graph, way);
    pushText(graph, contentId, THEIRS);
    graph.sandbox.generations.finish(contentId, { history: false });
    await follower.received(1);
    expect(await saidBy(reading)).toEqual(['PENDING', 'COMPLETE']);
    expect(reading.events[1]?.generation.text).toEqual(TEXT);
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

  test('shows no secret of a message, and no key, in any event or line of the log', async () => {
    const AI_SOCKET_AUTH = way === 'socket.io' ? 'header,auth,query,message' : 'header,query,message';
    const graph = await startLive(way, { environment: { AI_SOCKET_AUTH, LOG_LEVEL: 'debug' } });
    const { push, state } = graph.sandbox;
    const { contentId, reading } = await askAndWatch(graph, way);
    const { ownerId } = state.owner('harbour');
    const secrets = { accessToken: SECRET, tone: { apiKey: SECRET } };
    push.send('harbour', resultRecord(contentId, { ownerId, aiResponse: 'Say it aloud.', ...secrets }));
    await reading.ended();
    expect(reading.events[1]?.generation).toMatchObject({ text: 'Say it aloud.', tone: null });
    expect(reading.events[1]?.errors[0]?.extensions).toEqual({
      code: 'UPSTREAM_MALFORMED',
      surface: 'CURRENT',
      retryable: false,
      requestId: expect.any(String),
    });
    await graph.close();
    const said = JSON.stringify([graph.log, reading.events]);
    for (const secret of [SECRET, graph.keyOf()]) expect(said).not.toContain(secret);
    // The same look finds what is there.
    for (const shown of ['UPSTREAM_MALFORMED', contentId]) expect(said).toContain(shown);
  });
});

describe('the history', () => {
  test('brings a result that came while nobody waited, with the instant and the credits that the call said', async () => {
    const graph = await startLive('history');
    const { id, contentId } = await graph.ask();
    // Before the history lists it, it is pending, not missing.
    expect(await lookUp(graph, id)).toEqual({ contentId, status: 'PENDING', text: null });
    const follower = graph.follow();
    await graph.looksAgain(2);
    // A follower gets no snapshot of what is pending, but its result.
    expect(follower.events).toEqual([]);
    follower.leave();
    await graph.isQuiet();
    const [generation] = graph.sandbox.generations.pending('harbour');
    graph.sandbox.generations.finish(contentId);
    expect(await lookUp(graph, id)).toEqual({ contentId, status: 'COMPLETE', text: TEXT });
    const reading = graph.watch(contentId);
    expect(await saidBy(reading)).toEqual(['PENDING', 'COMPLETE']);
    expect(reading.events[1]?.generation).toMatchObject({
      text: generation?.aiResponse,
      creditsRemaining: 179,
      createdAt: new Date(generation?.createdAt ?? 0).toISOString(),
      createdAtLocal: null,
      tokenUsage: generation?.tokens,
    });
  });

  test('brings a text that was asked for elsewhere, which is pending for its readers and missing for others', async () => {
    const graph = await startLive('history');
    const unknown = graph.watch('unheard-of');
    const [told] = await unknown.received(1);
    expect(await lookUp(graph, told?.generation.id)).toBeNull();
    const [follower] = await follow(graph, 'history');
    const [elsewhere] = graph.sandbox.state.owner('harbour').addHistory(1);
    const contentId = elsewhere?.contentId ?? '';
    const reading = graph.watch(contentId);
    expect(await reading.ended()).toEqual({ how: 'complete' });
    // Followers are told only of what was asked for here.
    const last = await graph.ask({ prompt: 'the last' });
    await follower.received(2);
    expect(idsIn(follower)[1]).toBe(last.contentId);
    expect(reading.events.map(({ generation }) => generation)).toMatchObject([
      { contentId, status: 'PENDING', prompt: null, text: null, createdAt: null, createdAtLocal: null },
      {
        contentId,
        status: 'COMPLETE',
        text: 'Answered elsewhere.',
        createdAt: null,
        createdAtLocal: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/),
        creditsRemaining: null,
      },
    ]);
  });

  test('brings the text of one that was given up, which followers were told once, however often it was asked for', async () => {
    const graph = await startLive('history');
    // It was asked for before anybody followed.
    const { id, contentId } = await graph.ask();
    const follower = graph.follow();
    await graph.looksAgain(1);
    letWaitsEnd();
    await follower.received(1);
    for (let times = 0; times < 3; times += 1)
      expect(await saidBy(graph.watch(contentId))).toEqual(['EXPIRED']);
    expect(await lookUp(graph, id)).toMatchObject({ status: 'EXPIRED', text: null });
    graph.sandbox.generations.finish(contentId);
    const again = graph.watch(contentId);
    expect(await saidBy(again)).toEqual(['COMPLETE']);
    expect(again.events).toMatchObject([{ generation: { text: TEXT } }]);
    await follower.received(2);
    expect(follower.said).toEqual(['EXPIRED', 'COMPLETE']);
  });
});

test.each([
  ['WebSocket', readOverSocket],
  ['server-sent events', readOverSse],
] as const)(
  'over %s, a wrong id and a missing key are refused, and nothing is opened for them',
  async (_name, read) => {
    const requestId = expect.any(String);
    const graph = await startLive('WebSocket');
    const ids = ['rubbish', '', account(), idOf('LibraryItem', 'current', '410201')];
    const wrong = ids.map((id) => ({ ...watching('x'), variables: { id } }));
    const missing = { code: 'CREDENTIAL_MISSING', surface: 'CURRENT', requestId };
    for (const [operation, key, extensions] of [
      ...wrong.map((one) => [one, graph.keyOf(), { code: 'BAD_USER_INPUT', requestId }] as const),
      ...[watching('abc'), following].map((one) => [one, '', missing] as const),
    ]) {
      const ending = await read(graph.url, operation, key).ended();
      expect(ending, JSON.stringify(operation)).toMatchObject({ how: 'refused', errors: [{ extensions }] });
    }
    expect(graph.sandbox.requests.all).toEqual([]);
  },
);
