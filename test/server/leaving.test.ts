import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openLog } from '../../src/log.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { createServer } from '../../src/server.ts';
import { startGraph } from '../support/graph.ts';
import { postJson } from '../support/raw-http.ts';
import { LOCAL_QUERY, startServer } from '../support/server.ts';
import { connectSocket, openBareSocket } from '../support/web-sockets.ts';

const LIST = '{ accounts(surface: CURRENT) { totalCount } }';
const SOON = { timeout: 3_000, interval: 20 };

test('a caller over HTTP that leaves gives its calls to the service up', async () => {
  const graph = await startGraph();
  const { sandbox } = graph;
  sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list' });
  const leaving = new AbortController();
  const gone = fetch(`${graph.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...graph.caller.key },
    body: JSON.stringify({ query: LIST }),
    signal: leaving.signal,
  }).catch(() => 'gone');
  await sandbox.requests.waitFor('GET /accounts/list', 1);
  leaving.abort();
  expect(await gone).toBe('gone');
  await expect.poll(() => sandbox.requests.open, SOON).toBe(0);
});

test('an operation that its caller ends over the socket gives its calls to the service up', async () => {
  const graph = await startGraph();
  const { sandbox } = graph;
  sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list' });
  const end = connectSocket(graph.url, { connectionParams: graph.caller.key }).start({ query: LIST });
  await sandbox.requests.waitFor('GET /accounts/list', 1);
  end();
  await expect.poll(() => sandbox.requests.open, SOON).toBe(0);
});

test('a socket that closes gives its calls to the service up', async () => {
  const graph = await startGraph();
  const { sandbox } = graph;
  sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list' });
  const socket = await openBareSocket(graph.url, { headers: graph.caller.key });
  socket.send({ type: 'connection_init' });
  await socket.next();
  socket.send({ id: '1', type: 'subscribe', payload: { query: LIST } });
  await sandbox.requests.waitFor('GET /accounts/list', 1);
  socket.close();
  await expect.poll(() => sandbox.requests.open, SOON).toBe(0);
});

test('a caller that leaves is no error of ours in the log', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list' });
  const leaving = new AbortController();
  const gone = fetch(`${graph.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...graph.caller.key },
    body: JSON.stringify({ query: LIST }),
    signal: leaving.signal,
  }).catch(() => 'gone');
  await graph.sandbox.requests.waitFor('GET /accounts/list', 1);
  leaving.abort();
  await gone;
  await expect.poll(() => graph.log.some((line) => line.includes('called the service')), SOON).toBe(true);
  expect(graph.log.filter((line) => /"level":(?:50|60)/.test(line))).toEqual([]);
});

/** A server in front of a sandbox, with an end that the test chooses. */
async function startClosable() {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const config = readConfig({ PORT: '0', CURRENT_API_URL: sandbox.url });
  const server = createServer(config, { log: openLog('silent') });
  const url = await server.listen();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= server.close());
  onTestFinished(close);
  return { sandbox, url, close, headers: { 'x-api-key': sandbox.owners[0].apiKey } };
}

test('a server that closes lets running requests end, and takes no more', async () => {
  const { sandbox, url, close, headers } = await startClosable();
  sandbox.faults.add({ kind: 'delay', ms: 300, endpoint: 'GET /accounts/list' });
  const running = postJson(`${url}/graphql`, { query: LIST }, headers);
  await sandbox.requests.waitFor('GET /accounts/list', 1);
  const closed = close();
  await expect(postJson(`${url}/graphql`, { query: LOCAL_QUERY })).rejects.toThrow();
  expect(JSON.parse((await running).text)).toMatchObject({ data: { accounts: { totalCount: 12 } } });
  await closed;
});

test('a server that closes does not wait for connections that their callers keep', async () => {
  const { sandbox, url, close, headers } = await startClosable();
  sandbox.faults.add({ kind: 'delay', ms: 200, endpoint: 'GET /accounts/list' });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const body = JSON.stringify({ query: LIST });
  const kept = request(`${url}/graphql`, {
    agent,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  kept.end(body);
  await sandbox.requests.waitFor('GET /accounts/list', 1);
  const closed = close().then(() => 'closed');
  const [answer] = (await once(kept, 'response')) as [NodeJS.ReadableStream];
  answer.resume();
  await once(answer, 'end');
  expect(await Promise.race([closed, after(2_000, 'still open')])).toBe('closed');
});

test('sockets are closed with 1012, so that their clients come back', async () => {
  const { url, close } = await startServer();
  const sockets = await Promise.all(Array.from({ length: 5 }, () => openBareSocket(url)));
  for (const socket of sockets) socket.send({ type: 'connection_init' });
  await Promise.all(sockets.map((socket) => socket.next()));
  await close();
  for (const socket of sockets) expect((await socket.closed).code).toBe(1012);
});

test('a server can be closed twice, and before it ever listened', async () => {
  const { close } = await startServer();
  await Promise.all([close(), close()]);
  const server = createServer(readConfig({ PORT: '0' }), { log: openLog('silent') });
  expect(await Promise.race([server.close().then(() => 'closed'), after(2_000, 'still open')])).toBe(
    'closed',
  );
});

test('a port that is taken is told, not waited for', async () => {
  const { url } = await startServer();
  const second = createServer(readConfig({ PORT: new URL(url).port }), { log: openLog('silent') });
  await expect(second.listen()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await second.close();
});
