import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startBuiltServer, type ServerProcess } from '../support/built-server.ts';
import { jsonOf, postJson, send } from '../support/raw-http.ts';
import { openRawWebSocket } from '../support/raw-web-socket.ts';
import { openBareSocket } from '../support/web-sockets.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

const KEY = { 'x-api-key': 'demo-key-harbour' };
const LIST = '{ accounts(surface: CURRENT) { totalCount } }';
const SLOW = { timeout: 40_000 };

/** The server in a process of its own, in front of a sandbox in this one. */
async function startBoth(environment: Readonly<Record<string, string>> = {}) {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const running = await startBuiltServer({ CURRENT_API_URL: sandbox.url, ...environment });
  return { sandbox, running };
}

const timed = async <T>(what: Promise<T>): Promise<[result: T, ms: number]> => {
  const startedAt = performance.now();
  return [await what, performance.now() - startedAt];
};

test('an idle process is gone within half a second', SLOW, async () => {
  const times: number[] = [];
  // A busy machine may be late once; a process that waits for something is late each time.
  while (times.length < 3 && !times.some((ms) => ms < 500)) {
    const running = await startBuiltServer({ SANDBOX_PORT: '0' });
    const { hostname, port } = new URL(running.url);
    await send(`${running.url}/health`);
    const silent = connect(Number(port), hostname).on('error', () => undefined);
    onTestFinished(() => void silent.destroy());
    await new Promise((resolve) => silent.once('connect', resolve));
    const [code, ms] = await timed(running.end('SIGTERM'));
    expect(code).toBe(0);
    times.push(ms);
  }
  expect(Math.min(...times)).toBeLessThan(500);
});

test('sockets are told to come back, one after the other', SLOW, async () => {
  const { running } = await startBoth({ MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '200' });
  const closedAt: number[] = [];
  const sockets = await Promise.all(Array.from({ length: 100 }, () => openBareSocket(running.url)));
  const codes = sockets.map(async ({ closed }) => {
    const { code } = await closed;
    closedAt.push(performance.now());
    return code;
  });
  const ended = running.end('SIGTERM');
  expect(new Set(await Promise.all(codes))).toEqual(new Set([1012]));
  expect(await ended).toBe(0);
  // Two hundred a second, of which the last one is not waited for.
  expect((closedAt.at(-1) ?? 0) - (closedAt[0] ?? 0)).toBeGreaterThan(420);
});

test('an operation over a socket gets its answer before the socket is closed', SLOW, async () => {
  const { sandbox, running } = await startBoth();
  sandbox.faults.add({ kind: 'delay', ms: 700, effect: 'none', endpoint: 'POST /posts/create' });
  const socket = await openBareSocket(running.url, { headers: KEY });
  socket.send({ type: 'connection_init' });
  await socket.next();
  const payload = { query: documentOf('createPost'), variables: { input: EXAMPLES.createPost } };
  socket.send({ id: '1', type: 'subscribe', payload });
  await sandbox.requests.waitFor('POST /posts/create', 1);
  const ended = running.end('SIGTERM');
  expect(await socket.next()).toMatchObject({
    type: 'next',
    payload: { data: { createPost: { outcome: 'COMPLETED' } } },
  });
  expect([(await socket.closed).code, await ended]).toEqual([1012, 0]);
});

/** Opens what doesn't end by itself: a socket that answers nothing, an endless stream, a body that never comes. */
async function holdOpen({ url }: ServerProcess): Promise<{ readonly stream: Response }> {
  await openRawWebSocket(url);
  const { hostname, port } = new URL(url);
  const slow = connect(Number(port), hostname).on('error', () => undefined);
  onTestFinished(() => void slow.destroy());
  slow.write('POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n');
  const stream = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...KEY },
    body: JSON.stringify({ query: 'subscription { aiGenerationsUpdated { id } }' }),
  });
  expect(stream.status).toBe(200);
  return { stream };
}

test(
  'frozen sockets, endless streams, stuck callers and a stuck service don’t keep a process alive',
  SLOW,
  async () => {
    const { sandbox, running } = await startBoth({ OPERATION_TIMEOUT: '1s' });
    const { stream } = await holdOpen(running);
    sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list' });
    const stuck = postJson(`${running.url}/graphql`, { query: LIST }, KEY);
    await sandbox.requests.waitFor('GET /accounts/list', 1);
    const [code, ms] = await timed(running.end('SIGTERM'));
    expect(code).toBe(0);
    expect(ms).toBeLessThan(28_000);
    expect(jsonOf(await stuck).errors[0].extensions.code).toBe('UPSTREAM_TIMEOUT');
    await expect(stream.text()).rejects.toThrow();
  },
);

test(
  'while somebody asks for readiness it says no first, and requests are still answered',
  SLOW,
  async () => {
    const { running } = await startBoth({ DRAIN_DELAY: '1s' });
    const ready = async () => (await send(`${running.url}/ready`)).status;
    expect(await ready()).toBe(200);
    const ended = timed(running.end('SIGTERM'));
    await expect.poll(ready, { timeout: 900, interval: 20 }).toBe(503);
    expect(jsonOf(await send(`${running.url}/ready`)).status).toBe('draining');
    const reply = await postJson(`${running.url}/graphql`, { query: '{ surfaces { surface } }' });
    expect([reply.status, reply.headers['connection']]).toEqual([200, 'close']);
    expect((await send(`${running.url}/health`)).status).toBe(200);
    const [code, ms] = await ended;
    expect(code).toBe(0);
    expect(ms).toBeGreaterThan(950);
  },
);

test('no new socket is opened while the process ends', SLOW, async () => {
  const { running } = await startBoth({ DRAIN_DELAY: '1s' });
  await send(`${running.url}/ready`);
  const ended = running.end('SIGTERM');
  await expect
    .poll(async () => (await send(`${running.url}/ready`)).status, { timeout: 900, interval: 20 })
    .toBe(503);
  await expect(openBareSocket(running.url)).rejects.toThrow('503');
  expect(await ended).toBe(0);
});
