import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { oauthEnvironment } from '../support/connect.ts';
import { closeOf, exchange, openConnection, POST_HEAD, postJson, send, statusesIn } from '../support/http.ts';
import { holdAnswers } from '../support/sandbox.ts';
import { upgradeStatus } from '../support/web-sockets.ts';
import { LOCAL_QUERY, shareServer, startServer } from '../support/server.ts';
import { shareGraph } from '../support/graph.ts';

const server = shareServer();
const graph = shareGraph({ environment: oauthEnvironment() });

const BODY = JSON.stringify({ query: LOCAL_QUERY });
const HEALTH = 'GET /health HTTP/1.1\r\n';
const LENGTH = `content-length: ${BODY.length}\r\n`;
const CHUNKED = 'transfer-encoding: chunked\r\n';
const CLOSE = 'connection: close\r\n\r\n';
const IN_CHUNKS = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

/** Opens a connection of the test's own, which gathers all that comes on it. */
function open(url: string): { readonly socket: Socket; readonly received: () => string } {
  const socket = openConnection(url);
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  return { socket, received: () => received };
}

// Requests that two programs could read in two ways, or that are no HTTP. Node reads them; the server must let it be strict.
test.each([
  ['chunks and then a length', `${POST_HEAD}${CHUNKED}${LENGTH}\r\n${IN_CHUNKS}`],
  ['a length and then chunks', `${POST_HEAD}${LENGTH}${CHUNKED}\r\n${IN_CHUNKS}`],
  ['a chunk extension with a bare line feed', `${POST_HEAD}${CHUNKED}\r\n5;a=\nb\r\nabcde\r\n0\r\n\r\n`],
  ['bare line feeds', 'GET /health HTTP/1.1\nhost: x\n\n'],
  ['a bare carriage return in a header', `${HEALTH}host: x\r\nx-a: 1\rx-b: 2\r\n\r\n`],
  ['a folded header', `${HEALTH}host: x\r\nx-a: 1\r\n folded\r\n\r\n`],
  ['a blank before a colon', `${HEALTH}host: x\r\nx-a : 1\r\n\r\n`],
  ['no host', `${HEALTH}\r\n`],
  ['two hosts', `${HEALTH}host: x\r\nhost: y\r\n\r\n`],
  ['HTTP/2 without being asked', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
])('%s: the request is refused once, executes nothing, and ends its connection', async (_, text) => {
  const smuggled = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n';
  const received = await exchange(server.url, Buffer.from(text, 'latin1'), smuggled);
  const statuses = statusesIn(received);
  expect(statuses.length).toBeLessThanOrEqual(1);
  for (const status of statuses) expect([400, 411, 413, 431, 505]).toContain(status);
  expect(received).not.toContain('"data"');
});

test('of two different authorization headers neither is chosen, and one that comes twice counts', async () => {
  const tokens = `authorization: Bearer one\r\nAuthorization: Bearer two\r\n${LENGTH}${CLOSE}`;
  const received = await exchange(server.url, `${POST_HEAD}${tokens}${BODY}`);
  expect(statusesIn(received)).toEqual([400]);
  expect(received).toContain('Send only one authorization header');
  const twice = 'authorization: Bearer a\r\n'.repeat(2);
  const answered = await exchange(server.url, `${POST_HEAD}${twice}${LENGTH}${CLOSE}${BODY}`);
  expect(statusesIn(answered)).toEqual([200]);
});

const headers = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: x\r\n`).join('');

test.each([
  ['90 headers', 200, POST_HEAD + headers(90)],
  ['101 headers', 431, POST_HEAD + headers(101)],
  ['3,000 headers', 431, POST_HEAD + headers(3_000)],
  ['a header of 20 KiB', 431, `${POST_HEAD}x-long: ${'x'.repeat(20 * 1024)}\r\n`],
  ['an endless address', 431, POST_HEAD.replace(' HTTP', `?query=${'x'.repeat(20_000)} HTTP`)],
])('a request with %s is %i', async (_, status, head) => {
  const received = await exchange(server.url, `${head}${LENGTH}${CLOSE}${BODY}`);
  expect(statusesIn(received)[0]).toBe(status);
});

const FORGED = {
  host: 'evil.example',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '203.0.113.9',
  forwarded: 'for=203.0.113.9;host=evil.example;proto=https',
  'x-original-url': '/metrics',
  'x-http-method-override': 'DELETE',
};

/** An answer without what differs from one to the next. */
const timeless = (answer: string): string =>
  answer
    .replaceAll(/^(?:date|x-request-id|set-cookie): .*$/gim, '')
    .replaceAll(/state=[\w-]+|[\da-f-]{36}/g, '');

test('a forged name or a forged way here changes no answer, no address and no line of the log', async () => {
  const query = `{ authorizationUrl(redirectUri: "http://127.0.0.1:4321/connect/callback", state: "planted-state-of-the-caller") accounts(first: 1) { nodes { loginId } } }`;
  const ask = async (forged: Readonly<Record<string, string>>, path: string, body = ''): Promise<string> => {
    const lines = Object.entries({ host: 'x', connection: 'close', ...graph.caller.both, ...forged });
    const head = `${body ? 'POST' : 'GET'} ${path} HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}`;
    const type = body ? `\r\ncontent-type: application/json\r\ncontent-length: ${body.length}` : '';
    return await exchange(graph.url, `${head}${type}\r\n\r\n${body}`);
  };
  for (const [path, text] of [['/graphql', JSON.stringify({ query })], ['/connect'], ['/health']] as const) {
    const forged = await ask(FORGED, path, text);
    expect(timeless(forged)).toBe(timeless(await ask({}, path, text)));
    expect(forged + graph.log.join('')).not.toMatch(/evil\.example|203\.0\.113/);
  }
});

test('a forged address gets nobody more sockets', async () => {
  const { url } = await startServer({ MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '2' });
  const statuses: number[] = [];
  for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3'])
    statuses.push(await upgradeStatus(url, { 'x-forwarded-for': address, 'x-real-ip': address }));
  expect(statuses).toEqual([101, 101, 503]);
});

test('a caller that leaves in the middle of its body harms nobody', async () => {
  const { endpoint, log } = server;
  const { socket } = open(server.url);
  socket.write(`${POST_HEAD}content-length: 100\r\n\r\n{"query":`, () => socket.destroy());
  await closeOf(socket);
  expect((await postJson(endpoint, { query: LOCAL_QUERY })).status).toBe(200);
  expect(log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test('an idle connection is closed after KEEP_ALIVE, and one with a longer KEEP_ALIVE still works by then', async () => {
  const openIdle = async (keepAlive: string) => {
    const { socket, received } = open((await startServer({ KEEP_ALIVE: keepAlive })).url);
    socket.write(`${HEALTH}host: x\r\n\r\n`);
    await expect.poll(() => statusesIn(received())).toEqual([200]);
    return { socket, received };
  };
  const [short, long] = await Promise.all([openIdle('1s'), openIdle('10m')]);
  expect(short.received()).toMatch(/^keep-alive: timeout=1\r$/im);
  expect(long.received()).toMatch(/^keep-alive: timeout=600\r$/im);
  await expect.poll(() => short.socket.closed).toBe(true);
  long.socket.write(`${HEALTH}host: x\r\n\r\n`);
  await expect.poll(() => statusesIn(long.received())).toEqual([200, 200]);
});

const H2C =
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';

/** A body whose answer holds its name. */
const bodyOf = (name: string): string => JSON.stringify({ query: `{ ${name}: surfaces { surface } }` });
const lengthOf = (name: string): string => `content-length: ${bodyOf(name).length}\r\n`;
const post = (name: string, more = H2C): string => `${POST_HEAD}${more}${lengthOf(name)}\r\n${bodyOf(name)}`;
const health = (more = H2C): string => `${HEALTH}host: x\r\n${more}\r\n`;
const chunked = `${POST_HEAD}${H2C}${CHUNKED}\r\n`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** The names in the answers that came, in order. */
const namesIn = (received: string): (string | undefined)[] =>
  [...received.matchAll(/"data":\{"(\w+)"|"status":"(ok)"/g)].map(([, name, status]) => name ?? status);

// Java's HttpClient and `curl --http2` offer HTTP/2 with a request, which is to be answered as an ordinary one.
describe('a request that offers another protocol', () => {
  /** Writes texts on one connection, and waits for answers of these names. */
  async function expectAnswers(writes: readonly string[], names: readonly string[]): Promise<void> {
    const { socket, received } = open(graph.url);
    for (const text of writes) {
      socket.write(text);
      // What was written is there before what is written next.
      await send(`${graph.url}/health`);
    }
    await expect.poll(() => namesIn(received())).toEqual(names);
    expect(statusesIn(received())).toEqual(names.map(() => 200));
  }

  test.each<[string, string[], string[]]>([
    ['by GET', [health()], ['ok']],
    ['in chunks', [chunked + chunk(bodyOf('a')) + chunk('')], ['a']],
    ['before its body', [`${POST_HEAD}${H2C}${lengthOf('a')}\r\n`, bodyOf('a')], ['a']],
    ['before its chunks', [chunked, chunk(bodyOf('a')), chunk('')], ['a']],
    ['in a head that comes in parts', [POST_HEAD, H2C, lengthOf('a'), `\r\n${bodyOf('a')}`], ['a']],
    [
      'before others',
      [post('a'), post('b'), health(), post('c', ''), health('')],
      ['a', 'b', 'ok', 'c', 'ok'],
    ],
    // What follows an offer in the same packet would be in the offered protocol, if the server took it.
    [
      'after others in one packet',
      [post('a', '') + health('') + post('b'), post('c', '') + chunked, chunk(bodyOf('d')) + chunk('')],
      ['a', 'ok', 'b', 'c', 'd'],
    ],
  ])('%s is answered as an ordinary one', (_, writes, names) => expectAnswers(writes, names));

  test.each(['H2C', 'TLS/1.0, HTTP/1.1', 'websocket2', ''])(
    'of “%s” is an ordinary one',
    async (protocol) => {
      const offer = `connection: keep-alive, upgrade\r\nupgrade: ${protocol}\r\n`;
      await expectAnswers([post('a', offer), post('b', '')], ['a', 'b']);
    },
  );

  /** Sends a request that waits for the service, and at once a second one that offers HTTP/2. */
  async function beginTwo() {
    const held = holdAnswers(graph.sandbox, { endpoint: 'GET /accounts/list' });
    const opened = open(graph.url);
    const body = JSON.stringify({ query: '{ slow: accounts(surface: CURRENT) { totalCount } }' });
    const key = `x-api-key: ${graph.caller.key['x-api-key']}\r\ncontent-length: ${body.length}\r\n`;
    opened.socket.write(`${POST_HEAD}${key}\r\n${body}${post('a')}`);
    await held.arrived();
    return { ...opened, held };
  }

  test('while an earlier one is being answered is answered after it, and harms nobody when its caller leaves', async () => {
    const { socket, received, held } = await beginTwo();
    socket.write(post('b'));
    await send(`${graph.url}/health`);
    expect(received()).toBe('');
    held.release();
    await expect.poll(() => namesIn(received())).toEqual(['slow', 'a', 'b']);
    (await beginTwo()).socket.resetAndDestroy();
    await expect.poll(() => graph.sandbox.requests.open).toBe(0);
    expect((await send(`${graph.url}/health`)).status).toBe(200);
  });

  test('never has its body read as a request, however many headers hide its length', async () => {
    const inner = post('smuggled', `x-api-key: ${graph.caller.key['x-api-key']}\r\n`);
    await expectAnswers([inner], ['smuggled']);
    for (const [count, status] of [
      [90, 400],
      [98, 431],
      [500, 431],
    ] as const) {
      const { socket, received } = open(graph.url);
      const head = `${POST_HEAD}${H2C}${'x: y\r\n'.repeat(count)}`;
      socket.write(`${head}content-length: ${inner.length}\r\n\r\n${inner}`);
      await expect.poll(() => statusesIn(received())).toEqual([status]);
      socket.end();
      await expect.poll(() => socket.closed).toBe(true);
      expect([statusesIn(received()), namesIn(received())]).toEqual([[status], []]);
    }
    expect(graph.sandbox.requests.count()).toBe(0);
  });

  test('is a WebSocket all the same, in any letters', async () => {
    expect(await upgradeStatus(graph.url, { upgrade: 'WebSocket' })).toBe(101);
  });
});
