import { describe, expect, test } from 'vitest';
import { clientOf } from '../../packages/sandbox/test/running-sandbox.ts';
import type { Quirks } from '../../packages/sandbox/src/quirks.ts';
import { encodeGlobalId } from '../../src/records/global-id.ts';
import {
  askAndWatch,
  askHeld,
  following,
  ASKING,
  letWaitsEnd,
  only,
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

const TEXT = expect.stringContaining('no model was asked');
const LOOK_UP = `query ($id: ID!) {
  aiGeneration(id: $id) { contentId status text }
  node(id: $id) { ... on AiGeneration { contentId status text } }
}`;

const idsOf = ({ events }: Reading): string[] => events.map(({ generation }) => generation.contentId);

/** Looks a generation up in both ways, which say the same. */
async function lookUp(graph: LiveGraph, id: string, as?: 'fernlight'): Promise<unknown> {
  const { data } = await graph.query(LOOK_UP, { id }, as ? { as } : {});
  expect(data.node).toEqual(data.aiGeneration);
  return data.aiGeneration;
}

describe.each(WAYS)('by %s, a result', (way) => {
  test('reaches those who wait for it and ends their streams, and is there for others later without a look', async () => {
    const graph = await startLive(way);
    const question = { idempotencyKey: 'k' };
    const { id, contentId, reading } = await askAndWatch(graph, way, question);
    const sse = graph.sse.watch(contentId);
    await sse.received(1);
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
    expect(graph.looks()).toBe(looks);
    // A replay of the write and look-ups show it too, but not to others.
    expect(await graph.ask(question)).toMatchObject(complete);
    expect(await lookUp(graph, id)).toEqual(complete);
    expect(await lookUp(graph, id, 'fernlight')).toBeNull();
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
    expect(await saidBy(graph.watch(held.contentId))).toEqual(['COMPLETE']);
  });

  test('that comes again and again is delivered once', async () => {
    const graph = await startLive(way);
    const follower = graph.follow();
    await waysAreOpen(graph, way);
    const next = await graph.ask();
    const { contentId, reading } = await askAndWatch(graph, way);
    graph.sandbox.generations.finish(contentId, { pushes: 3 });
    graph.sandbox.generations.deliver(contentId);
    expect(await saidBy(reading)).toEqual(['PENDING', 'COMPLETE']);
    graph.sandbox.generations.deliver(contentId);
    graph.sandbox.generations.finish(next.contentId);
    await follower.received(2);
    expect(idsOf(follower)).toEqual([contentId, next.contentId]);
  });

  test('is delivered once to a client that comes back before and after it, after a snapshot', async () => {
    const graph = await startLive(way);
    const { contentId, reading: first } = await askAndWatch(graph, way);
    first.vanish();
    const second = graph.watch(contentId);
    await second.received(1);
    second.leave();
    const third = graph.watch(contentId);
    await third.received(1);
    graph.sandbox.generations.finish(contentId, only(way));
    await third.ended();
    const fourth = graph.watch(contentId);
    await fourth.ended();
    expect([first, second, third, fourth].map(({ said }) => said)).toEqual([
      ['PENDING'],
      ['PENDING'],
      ['PENDING', 'COMPLETE'],
      ['COMPLETE'],
    ]);
  });
});

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
});

describe('the history', () => {
  test('brings a result that came while nobody waited, with the instant and the credits that the call said', async () => {
    const graph = await startLive('history');
    const { id, contentId } = await graph.ask();
    // Before the history lists it, it is pending, not missing.
    expect(await lookUp(graph, id)).toEqual({ contentId, status: 'PENDING', text: null });
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

  test('brings the whole of a text, which is null until then, whatever the call answers in its place', async () => {
    const graph = await startLive('history');
    for (const pendingAiResponse of [
      'empty',
      'null',
      'absent',
      'partial',
    ] satisfies Quirks['pendingAiResponse'][]) {
      Object.assign(graph.sandbox.quirks, { pendingAiResponse });
      const { contentId, reading } = await askAndWatch(graph, 'history');
      const generation = graph.sandbox.generations.pending('harbour').at(-1);
      graph.sandbox.generations.finish(contentId);
      await reading.ended();
      const texts = reading.events.map((event): unknown => event.generation.text);
      expect(texts, pendingAiResponse).toEqual([null, generation?.aiResponse]);
    }
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
    expect(idsOf(follower)[1]).toBe(last.contentId);
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
});

/** Follows over both transports. */
async function follow(graph: LiveGraph, way: Way): Promise<readonly [Reading, Reading]> {
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

describe.each(WAYS)('followers by %s', (way) => {
  test('receive each generation once, slow or not, and none for a replay under an idempotency key', async () => {
    const graph = await startLive(way);
    const followers = await follow(graph, way);
    const [quick, slow] = [{ prompt: 'quickly', idempotencyKey: 'quick' }, { idempotencyKey: 'slow' }];
    const atOnce = await graph.ask(quick);
    expect((await graph.ask(quick)).contentId).toBe(atOnce.contentId);
    const pending = await graph.ask(slow);
    expect((await graph.ask(slow)).contentId).toBe(pending.contentId);
    const pushes = way === 'history' ? 0 : 2;
    graph.sandbox.generations.finish(pending.contentId, { ...only(way), pushes });
    for (const follower of followers) await follower.received(3);
    expect((await graph.ask(slow)).contentId).toBe(pending.contentId);
    const last = await graph.ask({ prompt: 'the last' });
    for (const follower of followers) {
      await follower.received(4);
      expect(idsOf(follower).slice(1)).toEqual([atOnce, pending, last].map(({ contentId }) => contentId));
      expect(new Set(follower.said)).toEqual(new Set(['COMPLETE']));
      expect(follower.ending).toBeNull();
    }
  });

  test('receive nothing that another owner asked for, or that was asked for elsewhere', async () => {
    const graph = await startLive(way);
    const { sandbox } = graph;
    const [follower] = await follow(graph, way);
    const theirs = graph.follow({ as: 'fernlight' });
    await waysAreOpen(graph, way, 'fernlight');
    const foreign = await graph.ask({ as: 'fernlight' });
    const content = { content: 'slowly, never', tone: 'Dry' };
    const direct = await clientOf(sandbox).post('/openai/response', content);
    expect(sandbox.requests.count(ASKING)).toBe(3);
    const ours = await graph.ask();
    for (const contentId of [foreign.contentId, String(direct.at('response.contentId')), ours.contentId])
      sandbox.generations.finish(contentId);
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

test('a follower is told once that a generation is given up, however often others ask for it, and of its text', async () => {
  const graph = await startLive('history');
  const follower = graph.follow();
  const { id, contentId } = await graph.ask();
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

// A socket that has no use for any other key is closed with it.
describe.each([
  ['WebSocket', readOverSocket, { how: 'cut', code: 4401 }],
  ['server-sent events', readOverSse, { how: 'complete' }],
] as const)('over %s', (_name, read, endOfRejected) => {
  test('a wrong id and a missing key are refused, and nothing is opened for them', async () => {
    const graph = await startLive('WebSocket');
    const otherIds = (['Account', 'LibraryItem'] as const).map((type) =>
      encodeGlobalId({ type, surface: 'current', rawId: '410201' }),
    );
    const wrong = ['rubbish', '', ...otherIds].map((id) => ({ ...watching('x'), variables: { id } }));
    const requestId = expect.any(String);
    for (const [operation, key, extensions] of [
      ...wrong.map((one) => [one, graph.keyOf(), { code: 'BAD_USER_INPUT', requestId }] as const),
      ...[watching('abc'), following].map(
        (one) => [one, '', { code: 'CREDENTIAL_MISSING', surface: 'CURRENT', requestId }] as const,
      ),
    ]) {
      const ending = await read(graph.url, operation, key).ended();
      expect(ending, JSON.stringify(operation)).toMatchObject({ how: 'refused', errors: [{ extensions }] });
    }
    expect(graph.sandbox.requests.all).toEqual([]);
  });

  test('a key that the service rejects ends the stream, with an id that the log has too', async () => {
    const graph = await startLive('WebSocket');
    const reading = read(graph.url, watching('abc'), 'nobody');
    expect(await reading.ended()).toEqual(endOfRejected);
    expect(reading.said).toEqual(['PENDING', 'CREDENTIAL_REJECTED']);
    expect(reading.events[1]?.errors).toMatchObject([
      { path: ['aiGenerationUpdated'], extensions: { surface: 'CURRENT', retryable: false } },
    ]);
    const requestId = reading.events[1]?.errors[0]?.extensions['requestId'];
    const lines = graph.log.map((line) => JSON.parse(line) as { requestId?: string; code?: string });
    const codes = lines.filter((line) => line.requestId === requestId).flatMap(({ code }) => code ?? []);
    expect(codes).toEqual(['CREDENTIAL_REJECTED']);
  });

  test('a server without the current surface says so', async () => {
    const environment = { CURRENT_API_URL: undefined, LEGACY_API_URL: 'http://127.0.0.1:9' };
    const graph = await startLive('history', { environment });
    expect(await read(graph.url, watching('abc'), graph.keyOf()).ended()).toMatchObject({
      how: 'refused',
      errors: [{ extensions: { code: 'SURFACE_NOT_CONFIGURED' } }],
    });
  });
});
