import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Client } from '../src/client.ts';
import { GenerateAiText, QueueChanged } from '../src/documents.ts';
import { follow, type FollowedGeneration } from '../src/follow.ts';
import { PING_MS } from '../src/socket.ts';
import { pauseAfter } from '../src/repeat.ts';
import { subscribe } from '../src/subscribe.ts';
import { openLossyWay, type Traffic } from '../../../test/examples/programs.ts';
import { holdTimers, skipPauses } from '../../../test/support/clock.ts';
import { shareGraph } from '../../../test/support/graph.ts';
import { ENDLESSLY_SLOW, finishTexts, finishTextsOnceFollowed } from '../../../test/support/sandbox.ts';
import { startTcpProxy } from '../../../test/support/network.ts';
import { ACK, startSocketServer } from '../../../test/support/web-sockets.ts';
import { clientOf } from './clients.ts';

const graph = shareGraph({
  explorer: true,
  sandbox: { ...ENDLESSLY_SLOW, now: () => Date.now() },
  environment: { WATCH_INTERVAL: '50ms' },
});

async function generate(client: Client): Promise<string> {
  const input = { prompt: 'Fog, slowly', tone: 'warm' };
  const { generateAiText } = await client.request(GenerateAiText, { input });
  return generateAiText?.aiGeneration?.id ?? '';
}

/** Follows texts to their end; returns each status, and the last text. */
async function collect(generations: AsyncIterable<FollowedGeneration>) {
  const all: FollowedGeneration[] = [];
  for await (const generation of generations) all.push(generation);
  return { statuses: all.map(({ status }) => status), text: all.at(-1)?.text };
}

/** A way to the graph that refuses the first WebSockets, so many of them. */
async function openRefusingWay(refusals: number) {
  let left = refusals;
  const { url } = await openLossyWay(graph.url, (traffic) => {
    if (left === 0 || !isOpened(traffic)) return 'passes';
    left -= 1;
    return { instead: 'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n' };
  });
  return { url, left: () => left };
}

const isOpened = ({ answer }: Traffic): boolean => answer.includes('101 Switching');

describe('follow', () => {
  beforeEach(() => graph.sandbox.push.waitForOpen(0));

  test('yields the current state and the text of several generations over one WebSocket, which is closed after them', async () => {
    let opened = 0;
    const way = await openLossyWay(graph.url, (traffic) => {
      if (isOpened(traffic)) opened += 1;
      return 'passes';
    });
    const client = clientOf(graph, { way: way.url });
    const ids = [await generate(client), await generate(client)];
    const following = Promise.all(ids.map((id) => collect(follow(client, id))));
    await finishTextsOnceFollowed(graph.sandbox);
    const text = expect.stringContaining('You asked for: Fog, slowly');
    for (const followed of await following)
      expect(followed).toEqual({ statuses: ['PENDING', 'COMPLETE'], text });
    expect(opened).toBe(1);
    await graph.sandbox.push.waitForOpen(0);
    await collect(follow(client, ids[0] ?? ''));
    expect(opened).toBe(2);
  });

  test('opens a lost connection again, and yields nothing twice', async () => {
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
    expect([told, statuses]).toEqual([2, ['PENDING', 'COMPLETE']]);
  });

  test('tries again to open a connection', async () => {
    const way = await openRefusingWay(1);
    const client = clientOf(graph, { way: way.url });
    const following = collect(follow(client, await generate(client)));
    await finishTextsOnceFollowed(graph.sandbox);
    expect((await following).statuses).toEqual(['PENDING', 'COMPLETE']);
    expect(way.left()).toBe(0);
  });

  test('closes the connection when its loop is left, and when its signal aborts it with a reason', async () => {
    const client = clientOf(graph);
    const id = await generate(client);
    for await (const { status } of follow(client, id)) {
      expect(status).toBe('PENDING');
      await graph.sandbox.push.waitForOpen(1);
      break;
    }
    await graph.sandbox.push.waitForOpen(0);
    const leaving = new AbortController();
    const generations = follow(client, id, { signal: leaving.signal });
    await generations.next();
    await graph.sandbox.push.waitForOpen(1);
    const waiting = generations.next();
    leaving.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await graph.sandbox.push.waitForOpen(0);
  });

  test('fails for an id that the graph does not know, with the code of the error', async () => {
    const following = collect(follow(clientOf(graph), 'nonsense'));
    const refused = { name: 'GraphError', code: 'BAD_USER_INPUT', status: null };
    await expect(following).rejects.toMatchObject(refused);
  });

  test('fails when the server closes the connection for good', async () => {
    const port = await startSocketServer((socket) => socket.close(4_401, 'The key was revoked.'));
    const way = `http://127.0.0.1:${port}`;
    const following = collect(follow(clientOf(graph, { way }), 'any'));
    await expect(following).rejects.toMatchObject({
      name: 'ConnectionError',
      message: 'The WebSocket was closed with code 4401: The key was revoked.',
      retryable: false,
    });
  });

  test('says what to pass on a platform without a WebSocket', async () => {
    vi.stubGlobal('WebSocket', undefined);
    const following = collect(follow(clientOf(graph, { webSocketImpl: undefined }), 'any'));
    await expect(following).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringContaining('Pass that of the package ws as webSocketImpl.'),
      retryable: false,
    });
  });
});

describe('subscribe', () => {
  /** A bad network before the graph, and a client behind it. */
  async function openWay() {
    const way = await startTcpProxy(Number(new URL(graph.url).port));
    return { way, client: clientOf(graph, { way: `http://127.0.0.1:${way.port}` }) };
  }

  test('yields the current state and each change, and continues after a lost connection', async () => {
    const { way, client } = await openWay();
    const connections: boolean[] = [];
    const kinds: string[] = [];
    const onConnection = (isOpen: boolean): void => {
      if (connections.at(-1) === isOpen) return;
      connections.push(isOpen);
      if (!isOpen) way.restore();
    };
    for await (const { queueChanged } of subscribe(client, QueueChanged, {}, { onConnection })) {
      kinds.push(queueChanged?.kind ?? 'none');
      if (kinds.length === 1) graph.sandbox.makeHappen({ kind: 'publish' });
      if (kinds.length === 2) way.cut();
      if (kinds.length === 3) break;
    }
    expect(kinds).toEqual(['SNAPSHOT', 'LEFT', 'SNAPSHOT']);
    expect(connections).toEqual([true, false, true]);
  });

  test('subscribes again when a connection has ended without a word, and not while it only says nothing', async () => {
    const timers = holdTimers();
    timers.hold(PING_MS.pause, 'pause');
    timers.hold(PING_MS.patience, 'patience');
    const { way, client } = await openWay();
    const events = subscribe(client, QueueChanged, {});
    await events.next();
    for (const _ of [1, 2]) {
      timers.fire('pause');
      expect(timers.names).toContain('patience');
      await expect.poll(() => timers.names).toEqual(['pause']);
    }
    expect(way.mostOpen).toBe(1);
    way.mute();
    timers.fire('pause');
    way.restore();
    timers.fire('patience');
    expect((await events.next()).value?.queueChanged?.kind).toBe('SNAPSHOT');
    await events.return();
    await expect.poll(() => timers.names).toEqual([]);
  });

  test('ends where the server ends the stream, which is too early for a text', async () => {
    const port = await startSocketServer((socket) =>
      socket.on('message', (data) => {
        const { type, id } = JSON.parse((data as Buffer).toString()) as Record<string, string>;
        socket.send(JSON.stringify(type === 'connection_init' ? ACK : { id, type: 'complete' }));
      }),
    );
    const client = clientOf(graph, { way: `http://127.0.0.1:${port}` });
    expect(await subscribe(client, QueueChanged, {}).next()).toEqual({ done: true, value: undefined });
    await expect(follow(client, 'any').next()).rejects.toThrow('ended the stream before the result');
  });

  test('goes on for as long as connections are refused', async () => {
    skipPauses();
    const way = await openRefusingWay(9);
    const events = subscribe(clientOf(graph, { way: way.url }), QueueChanged, {});
    expect((await events.next()).value?.queueChanged?.kind).toBe('SNAPSHOT');
    await events.return();
    expect(way.left()).toBe(0);
  });

  // graphql-ws goes on counting after it has given up.
  test('pauses for at most 24 seconds, however many attempts have failed', () => {
    const longest = [6, 7, 1_000].map(pauseAfter);
    expect(longest.map((ms) => ms >= 16_000 && ms <= 24_000)).toEqual([true, true, true]);
    expect(pauseAfter(1)).toBeLessThan(1_000);
  });

  test('fails with the error of a graph that refuses, and with the reason of its signal', async () => {
    const refused = subscribe(clientOf(graph, { credentials: { accessToken: 'none' } }), QueueChanged, {});
    await expect(refused.next()).rejects.toMatchObject({ name: 'GraphError' });
    const invalid = subscribe(clientOf(graph), 'subscription { nothing }', {});
    await expect(invalid.next()).rejects.toMatchObject({ message: expect.stringContaining('"nothing"') });
    const stopping = new AbortController();
    const events = subscribe(clientOf(graph), QueueChanged, {}, { signal: stopping.signal });
    await events.next();
    const next = events.next();
    stopping.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });
});
