import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startBuiltServer, type ServerProcess } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { FOLLOW, jsonOf, openConnection, postJson, send, startPost, startStream } from '../support/http.ts';
import { openBareSocket, openGreeted, subscribe } from '../support/web-sockets.ts';
import { sandboxForTest } from '../support/sandbox.ts';

const KEY = { 'x-api-key': 'demo-key-harbour' };
const LIST = '{ accounts(surface: CURRENT) { totalCount } }';

/** The server in a process of its own, in front of a sandbox in this one. */
async function startBoth(environment: Readonly<Record<string, string>> = {}) {
  const sandbox = await sandboxForTest();
  const running = await startBuiltServer({
    CURRENT_API_URL: sandbox.url,
    OVERLOAD_DELAY: '1h',
    ...environment,
  });
  return { sandbox, running };
}

/** Opens a connection, and writes something on it or nothing. */
async function openIdle(url: string, text = ''): Promise<Socket> {
  const socket = openConnection(url);
  await once(socket, 'connect');
  socket.write(text);
  // Without a reader, the end of the connection would go unnoticed.
  return socket.resume();
}

/** While a balancer checks readiness, it is told no first: requests are still answered, sockets not opened. */
async function expectBalancersTold({ url }: ServerProcess): Promise<void> {
  const ready = async () => await send(`${url}/ready`);
  await expect.poll(async () => (await ready()).status).toBe(503);
  expect(jsonOf(await ready()).status).toBe('draining');
  // This client would keep its connection.
  const { status, headers } = await startPost(url, { query: '{ surfaces { surface } }' }).answer;
  expect([status, headers.get('connection')]).toEqual([200, 'close']);
  expect((await send(`${url}/health`)).status).toBe(200);
  await expect(openBareSocket(url)).rejects.toThrow('503');
}

test('balancers are told first; then what is idle is closed at once, and an operation over a socket gets its answer before the end', async () => {
  const { sandbox, running } = await startBoth({
    MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '200',
    DRAIN_DELAY: '5s',
  });
  let held: ServerResponse | undefined;
  const write = (_request: unknown, response: ServerResponse): void => void (held = response);
  sandbox.faults.add({ kind: 'raw', effect: 'none', endpoint: 'GET /accounts/list', write });
  const silent = await openIdle(running.url);
  // Who has not greeted would be closed for that, meanwhile.
  const idle = await Promise.all(Array.from({ length: cases(20, 100) }, () => openGreeted(running.url)));
  const working = await openGreeted(running.url, KEY);
  working.send(subscribe('1', LIST));
  await expect.poll(() => held).toBeDefined();

  expect((await send(`${running.url}/ready`)).status).toBe(200);
  const ended = running.end('SIGTERM');
  await expectBalancersTold(running);
  const codes = await Promise.all(idle.map(async ({ closed }) => (await closed).code));
  expect(new Set(codes)).toEqual(new Set([1012]));
  await expect.poll(() => silent.closed).toBe(true);
  // The server asks again, and gets its answer.
  held?.writeHead(503).end();
  // Connections that are open after twenty seconds are cut: an answer shows that the others were closed before that.
  expect(await working.next()).toMatchObject({
    type: 'next',
    payload: { data: { accounts: { totalCount: 12 } } },
  });
  expect([(await working.closed).code, await ended]).toEqual([1012, 0]);
});

/** Opens what doesn't end by itself: a socket that answers nothing, an endless stream, half a request. */
async function holdOpen({ url }: ServerProcess): Promise<Response> {
  (await openBareSocket(url)).socket.pause();
  await openIdle(url, 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n');
  const stream = await startStream(url, FOLLOW, KEY).answer;
  expect(stream.status).toBe(200);
  return stream;
}

test('frozen sockets, endless streams, stuck callers and a stuck service don’t keep a process alive', async () => {
  const { sandbox, running } = await startBoth({ OPERATION_TIMEOUT: '1s' });
  const stream = await holdOpen(running);
  sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list' });
  const stuck = postJson(`${running.url}/graphql`, { query: LIST }, KEY);
  await expect.poll(() => sandbox.requests.count('GET /accounts/list')).toBe(1);
  expect(await running.end('SIGTERM')).toBe(0);
  expect(jsonOf(await stuck).errors[0].extensions.code).toBe('UPSTREAM_TIMEOUT');
  await expect(stream.text()).rejects.toThrow();
});
