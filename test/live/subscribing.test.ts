import { describe, expect, test } from 'vitest';
import { encodeGlobalId } from '../../src/records/global-id.ts';
import type { Quirks } from '../../packages/sandbox/src/quirks.ts';
import { only, SOCKETS, startLive, WAYS, watching, waysAreOpen } from '../support/live.ts';
import { readOverSocket, readOverSse } from '../support/live-reading.ts';

// A socket that has no use for any other key is closed with it.
const TRANSPORTS = [
  ['WebSocket', readOverSocket, { how: 'cut', code: 4401 }],
  ['server-sent events', readOverSse, { how: 'complete' }],
] as const;

describe.each(SOCKETS)('a result by %s', (way) => {
  test('has all that the call answered and the socket brought', async () => {
    const graph = await startLive(way);
    const { contentId } = await graph.ask({ prompt: 'slowly, never: rain', tone: 'Dry' });
    const reading = graph.watch(contentId);
    await Promise.all([reading.received(1), graph.sandbox.push.waitForOpen(1)]);
    const [generation] = graph.sandbox.generations.pending('harbour');
    graph.sandbox.generations.finish(contentId, { history: false });
    await reading.ended();
    const shared = {
      contentId,
      prompt: 'slowly, never: rain',
      tone: 'Dry',
      originCode: 'post',
      template: null,
      ownerId: String(graph.sandbox.state.owner('harbour').ownerId),
      companyId: String(graph.sandbox.state.owner('harbour').companyId),
      creditsRemaining: 179,
      createdAt: new Date(generation?.createdAt ?? 0).toISOString(),
      createdAtLocal: null,
    };
    const { input, output } = generation?.tokens ?? { input: 0, output: 0 };
    expect(output).toBeGreaterThan(0);
    expect(reading.events.map((event) => event.generation)).toMatchObject([
      { ...shared, status: 'PENDING', text: null, tokenUsage: { input, output: 0, total: input } },
      {
        ...shared,
        status: 'COMPLETE',
        text: generation?.aiResponse,
        tokenUsage: { input, output, total: input + output },
      },
    ]);
  });
});

test('a result out of the history keeps the instant and the credits that the call answered', async () => {
  const graph = await startLive('history');
  const { contentId } = await graph.ask();
  const [generation] = graph.sandbox.generations.pending('harbour');
  graph.sandbox.generations.finish(contentId);
  const reading = graph.watch(contentId);
  await reading.ended();
  expect(reading.events[1]?.generation).toMatchObject({
    text: generation?.aiResponse,
    creditsRemaining: 179,
    createdAt: new Date(generation?.createdAt ?? 0).toISOString(),
    createdAtLocal: null,
    tokenUsage: generation?.tokens,
  });
});

test.each<Quirks['pendingAiResponse']>(['empty', 'null', 'absent', 'partial'])(
  'a text that the call answers as %s is null until the whole of it comes',
  async (pendingAiResponse) => {
    const graph = await startLive('history', { sandbox: { quirks: { pendingAiResponse } } });
    const { contentId } = await graph.ask();
    const [generation] = graph.sandbox.generations.pending('harbour');
    const reading = graph.watch(contentId);
    await reading.received(1);
    graph.sandbox.generations.finish(contentId);
    await reading.ended();
    expect(reading.events.map((event) => event.generation.text as unknown)).toEqual([
      null,
      generation?.aiResponse,
    ]);
  },
);

test('a text that was asked for elsewhere counts as pending until the history shows it', async () => {
  const graph = await startLive('history');
  const [elsewhere] = graph.sandbox.state.owner('harbour').addHistory(1);
  const contentId = elsewhere?.contentId ?? '';
  const reading = graph.watch(contentId);
  expect(await reading.ended()).toEqual({ how: 'complete' });
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

describe.each(WAYS)('by %s', (way) => {
  test('a client that comes back before and after the result gets the snapshot, then the result, once', async () => {
    const graph = await startLive(way);
    const { contentId } = await graph.ask();
    const first = graph.watch(contentId);
    await first.received(1);
    first.vanish();
    const second = graph.watch(contentId);
    await Promise.all([second.received(1), waysAreOpen(graph, way)]);
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

describe.each(TRANSPORTS)('over %s', (_name, read, endOfRejected) => {
  test.each([
    ['no id', 'rubbish'],
    ['an empty id', ''],
    ['the id of an account', encodeGlobalId({ type: 'Account', surface: 'current', rawId: '410201' })],
    ['the id of a library item', encodeGlobalId({ type: 'LibraryItem', surface: 'current', rawId: 'abc' })],
  ])('%s is the caller’s mistake, and nothing is opened for it', async (_what, id) => {
    const graph = await startLive('WebSocket');
    const reading = read(graph.url, { ...watching('x'), variables: { id } }, graph.keyOf());
    expect(await reading.ended()).toMatchObject({
      how: 'refused',
      errors: [{ extensions: { code: 'BAD_USER_INPUT', requestId: expect.any(String) } }],
    });
    expect(graph.sandbox.requests.all).toEqual([]);
  });

  test.each([
    ['aiGenerationUpdated', watching('abc')],
    ['aiGenerationFinished', { query: 'subscription { aiGenerationFinished { id } }' }],
  ])('%s without a key names the missing credential', async (_field, operation) => {
    const graph = await startLive('WebSocket');
    const reading = read(graph.url, operation, '');
    expect(await reading.ended()).toMatchObject({
      how: 'refused',
      errors: [
        { extensions: { code: 'CREDENTIAL_MISSING', surface: 'CURRENT', requestId: expect.any(String) } },
      ],
    });
    expect(graph.sandbox.requests.all).toEqual([]);
  });

  test('a key that the service does not accept ends the stream', async () => {
    const graph = await startLive('WebSocket');
    const reading = read(graph.url, watching('abc'), 'nobody');
    expect(await reading.ended()).toEqual(endOfRejected);
    expect(reading.said).toEqual(['PENDING', 'CREDENTIAL_REJECTED']);
    expect(reading.events[1]?.errors).toMatchObject([
      {
        path: ['aiGenerationUpdated'],
        extensions: { surface: 'CURRENT', retryable: false, requestId: expect.any(String) },
      },
    ]);
  });

  test('a server without the current surface says so', async () => {
    const environment = { CURRENT_API_URL: undefined, LEGACY_API_URL: 'http://127.0.0.1:9' };
    const graph = await startLive('history', { environment });
    const reading = read(graph.url, watching('abc'), graph.keyOf());
    expect(await reading.ended()).toMatchObject({
      how: 'refused',
      errors: [{ extensions: { code: 'SURFACE_NOT_CONFIGURED' } }],
    });
  });
});
