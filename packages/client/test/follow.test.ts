import { expect, onTestFinished, test, vi } from 'vitest';
import type { Client } from '../src/client.ts';
import { GenerateAiText } from '../src/documents.ts';
import { follow, type FollowedGeneration } from '../src/follow.ts';
import { openLossyWay } from '../../../test/examples/programs.ts';
import { startGraph, type RunningGraph } from '../../../test/support/graph.ts';
import { ENDLESSLY_SLOW, finishTexts, finishTextsOnceFollowed } from '../../../test/support/slow-texts.ts';
import { clientOf } from './clients.ts';

const startSlowly = (): Promise<RunningGraph> => startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });

async function generate(client: Client): Promise<string> {
  const input = { prompt: 'Fog, slowly', tone: 'warm' };
  const { generateAiText } = await client.request(GenerateAiText, { input });
  return generateAiText?.aiGeneration?.id ?? '';
}

/** What is followed to its end: each status, and the last text. */
async function collect(generations: AsyncIterable<FollowedGeneration>) {
  const all: FollowedGeneration[] = [];
  for await (const generation of generations) all.push(generation);
  return { statuses: all.map(({ status }) => status), text: all.at(-1)?.text };
}

test('a text is yielded as it stands, and then when it is there', async () => {
  const graph = await startSlowly();
  const client = clientOf(graph);
  const following = collect(follow(client, await generate(client)));
  await finishTextsOnceFollowed(graph.sandbox);
  expect(await following).toEqual({
    statuses: ['PENDING', 'COMPLETE'],
    text: expect.stringContaining('You asked for: Fog, slowly'),
  });
  await graph.sandbox.push.waitForOpen(0);
});

test('several texts share one WebSocket, which is closed with the last of them', async () => {
  const graph = await startSlowly();
  let opened = 0;
  const way = await openLossyWay(graph.url, ({ answer }) => {
    if (answer.includes('101 Switching')) opened += 1;
    return 'passes';
  });
  const client = clientOf(graph, { way: way.url });
  const ids = [await generate(client), await generate(client)];
  const following = Promise.all(ids.map((id) => collect(follow(client, id))));
  await finishTextsOnceFollowed(graph.sandbox);
  expect((await following).map(({ statuses }) => statuses.at(-1))).toEqual(['COMPLETE', 'COMPLETE']);
  expect(opened).toBe(1);
  await collect(follow(client, ids[0] ?? ''));
  expect(opened).toBe(2);
});

test('a lost connection is opened again, and nothing is yielded twice', async () => {
  const graph = await startSlowly();
  let told = 0;
  const way = await openLossyWay(graph.url, ({ sent, answer }) => {
    if (!/upgrade: websocket/i.test(sent) || !answer.includes('"PENDING"')) return 'passes';
    told += 1;
    if (told === 1) return 'lost after';
    setImmediate(() => finishTexts(graph.sandbox));
    return 'passes';
  });
  const client = clientOf(graph, { way: way.url });
  const { statuses } = await collect(follow(client, await generate(client)));
  expect(told).toBe(2);
  expect(statuses).toEqual(['PENDING', 'COMPLETE']);
});

test('a connection that could not be made is tried again', async () => {
  const graph = await startSlowly();
  let refusals = 1;
  const way = await openLossyWay(graph.url, ({ answer }) => {
    if (refusals === 0 || !answer.includes('101 Switching')) return 'passes';
    refusals -= 1;
    return { instead: 'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n' };
  });
  const client = clientOf(graph, { way: way.url });
  const following = collect(follow(client, await generate(client)));
  await finishTextsOnceFollowed(graph.sandbox);
  expect((await following).statuses).toEqual(['PENDING', 'COMPLETE']);
  expect(refusals).toBe(0);
});

test('a loop that is left closes the connection', async () => {
  const graph = await startSlowly();
  const client = clientOf(graph);
  for await (const { status } of follow(client, await generate(client))) {
    expect(status).toBe('PENDING');
    await graph.sandbox.push.waitForOpen(1);
    break;
  }
  await graph.sandbox.push.waitForOpen(0);
});

test('it ends with the reason of its signal, and closes the connection', async () => {
  const graph = await startSlowly();
  const client = clientOf(graph);
  const leaving = new AbortController();
  const generations = follow(client, await generate(client), { signal: leaving.signal });
  await generations.next();
  await graph.sandbox.push.waitForOpen(1);
  const waiting = generations.next();
  leaving.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await graph.sandbox.push.waitForOpen(0);
});

test('an id that the graph does not know is an error with its code', async () => {
  const graph = await startGraph();
  const following = collect(follow(clientOf(graph), 'nonsense'));
  await expect(following).rejects.toMatchObject({ name: 'GraphError', code: 'BAD_USER_INPUT', status: null });
});

test('a server that is out of reach for good is a failed connection', async () => {
  const graph = await startGraph();
  class Refused extends EventTarget {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    static readonly CLOSING = 2;
    static readonly CLOSED = 3;
    onclose: (event: object) => void = () => undefined;
    constructor() {
      super();
      queueMicrotask(() => this.onclose({ code: 4_401, reason: 'The key was revoked.' }));
    }
  }
  const following = collect(follow(clientOf(graph, { webSocketImpl: Refused }), 'any'));
  await expect(following).rejects.toMatchObject({
    name: 'ConnectionError',
    message: 'The WebSocket was closed with code 4401: The key was revoked.',
    retryable: false,
  });
});

test('a platform without a WebSocket is told what to pass', async () => {
  const graph = await startSlowly();
  vi.stubGlobal('WebSocket', undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const following = collect(follow(clientOf(graph, { webSocketImpl: undefined }), 'any'));
  await expect(following).rejects.toMatchObject({
    name: 'ConnectionError',
    message: expect.stringContaining('install the package ws, and pass its WebSocket to createClient'),
    retryable: false,
  });
});
