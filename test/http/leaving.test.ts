import { Server } from 'node:http';
import { SpanStatusCode } from '@opentelemetry/api';
import { expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { EventStreams } from '../../src/http/seats.ts';
import { openLog } from '../../src/observability/log.ts';
import { createServer } from '../../src/server.ts';
import { shareGraph } from '../support/graph.ts';
import { holdAnswers, sandboxForTest } from '../support/sandbox.ts';
import { FOLLOW, postJson, send, startPost, startStream } from '../support/http.ts';
import { startServer } from '../support/server.ts';
import { recordSpans } from '../support/spans.ts';
import { connectSocket, openGreeted, subscribe } from '../support/web-sockets.ts';
import { DRAFT } from '../support/writes.ts';

const LIST = '{ accounts(surface: CURRENT) { totalCount } }';

const graph = shareGraph();

/** Begins an operation that has no end, over each transport; gives what its caller does to leave. */
const WAYS: readonly (readonly [way: string, begin: () => (() => unknown) | Promise<() => unknown>])[] = [
  ['disconnects over HTTP', () => startPost(graph.url, { query: LIST }, graph.caller.key).leave],
  ['disconnects from an event stream', () => startStream(graph.url, LIST, graph.caller.key).leave],
  [
    'ends it over a WebSocket',
    () => connectSocket(graph.url, { connectionParams: graph.caller.key }).start({ query: LIST }),
  ],
  [
    'closes its WebSocket',
    async () => {
      const socket = await openGreeted(graph.url, graph.caller.key);
      socket.send(subscribe('1', LIST));
      return () => socket.close();
    },
  ],
];

test.each(WAYS)(
  'a caller that %s has its calls to the service aborted, which is no error',
  async (_, begin) => {
    const spans = recordSpans();
    const { sandbox } = graph;
    sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list' });
    const leave = await begin();
    await sandbox.requests.waitFor('GET /accounts/list', 1);
    await leave();
    await expect.poll(() => sandbox.requests.open).toBe(0);
    await expect.poll(() => graph.log.some((line) => line.includes('executed an operation'))).toBe(true);
    const [query, call] = await spans.settled(2);
    expect(query?.attributes).toMatchObject({ 'error.type': 'cancelled', 'graphql.operation.type': 'query' });
    expect(query?.attributes).not.toHaveProperty('http.response.status_code');
    expect(call?.attributes).not.toHaveProperty('error.type');
    expect(call?.status.code).toBe(SpanStatusCode.UNSET);
    // Answered after it, by the same path.
    await startStream(graph.url, '{ __typename }').answer;
    expect(graph.log.filter((line) => !line.includes('"level":"debug"'))).toEqual([]);
  },
);

test('a stream whose caller leaves as it begins is no failure', async () => {
  vi.spyOn(EventStreams.prototype, 'enter').mockImplementationOnce((response) => {
    response.destroy();
    return false;
  });
  const { answer } = startStream(graph.url, FOLLOW, graph.caller.key);
  await expect(answer).rejects.toThrow();
  // Answered after it, by the same path.
  await startStream(graph.url, '{ __typename }').answer;
  expect(graph.log.filter((line) => !line.includes('"level":"debug"'))).toEqual([]);
});

/** A server in front of a sandbox, with an end that the test chooses. */
async function startClosable() {
  const sandbox = await sandboxForTest();
  const { url, close } = await startServer({ CURRENT_API_URL: sandbox.url });
  return { sandbox, url, close, headers: { 'x-api-key': sandbox.owners[0].apiKey } };
}

test('a server that closes accepts no new requests, and answers a write, also when others are given up', async () => {
  const { sandbox, url, close, headers } = await startClosable();
  const writing = holdAnswers(sandbox, { endpoint: 'POST /draft/create', effect: 'done' });
  const wait = setTimeout;
  let areGivenUp = false;
  // What others are given up after is over at once.
  const waitLess = (act: (...values: unknown[]) => void, ms?: number, ...values: unknown[]) => {
    if (ms !== 20_000) return wait(act, ms, ...values);
    return wait(() => {
      act(...values);
      areGivenUp = true;
    }, 0);
  };
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(waitLess as typeof setTimeout);
  const written = postJson(`${url}/graphql`, DRAFT, headers);
  await writing.arrived();
  const cut = vi.spyOn(Server.prototype, 'closeAllConnections');
  const closed = close();
  await expect.poll(() => send(`${url}/health`).catch(() => 'refused')).toBe('refused');
  // On a quick machine the write could end, and the server with it, within the millisecond of that timer.
  await expect.poll(() => areGivenUp).toBe(true);
  writing.release();
  expect(JSON.parse((await written).text)).toMatchObject({ data: { createDraft: { outcome: 'COMPLETED' } } });
  await closed;
  // Half a second later the server looks after what is left: not in the next test.
  await expect.poll(() => cut.mock.calls.length).toBeGreaterThan(1);
});

test('a server that closes does not wait for idle keep-alive connections', async () => {
  const { sandbox, url, close, headers } = await startClosable();
  sandbox.faults.add({ kind: 'delay', ms: 200, endpoint: 'GET /accounts/list' });
  // Its connection would be kept.
  const { answer } = startPost(url, { query: LIST }, headers);
  await sandbox.requests.waitFor('GET /accounts/list', 1);
  const startedAt = performance.now();
  const closed = close();
  await (await answer).text();
  await closed;
  // After 20 seconds, every connection would be closed anyway.
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});

test('a server can be closed twice, and before it ever listened; a port that is in use is an error at once', async () => {
  const { url, close } = await startServer();
  const second = createServer(readConfig({ PORT: new URL(url).port }), { log: openLog('silent') });
  await expect(second.listen()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await second.close();
  await Promise.all([close(), close()]);
});
