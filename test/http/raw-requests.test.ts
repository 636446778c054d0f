import { createServer, request } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { oauthEnvironment } from '../support/connect.ts';
import { exchange, postJson, statusesIn } from '../support/http.ts';
import { upgradeStatus } from '../support/web-sockets.ts';
import { LOCAL_QUERY, shareServer, startServer } from '../support/server.ts';
import { shareGraph } from '../support/graph.ts';

const server = shareServer();
const graph = shareGraph({ environment: oauthEnvironment() });

const BODY = JSON.stringify({ query: LOCAL_QUERY });
const START = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const HEALTH = 'GET /health HTTP/1.1\r\n';
const LENGTH = `content-length: ${BODY.length}\r\n`;
const CHUNKED = 'transfer-encoding: chunked\r\n';
const IN_CHUNKS = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

/** Requests that two programs could read in two ways, or that are no HTTP. */
const REFUSED: readonly (readonly [name: string, text: string])[] = [
  ['chunks and then a length', `${START}${CHUNKED}${LENGTH}\r\n${IN_CHUNKS}`],
  ['a length and then chunks', `${START}${LENGTH}${CHUNKED}\r\n${IN_CHUNKS}`],
  ['chunks twice', `${START}${CHUNKED}${CHUNKED}\r\n${IN_CHUNKS}`],
  ['a coding after the chunks', `${START}transfer-encoding: chunked, identity\r\n\r\n${IN_CHUNKS}`],
  ['chunks by another name', `${START}transfer-encoding: xchunked\r\n\r\n${IN_CHUNKS}`],
  ['an unknown coding', `${START}transfer-encoding: gzip\r\n\r\n${IN_CHUNKS}`],
  ['two equal lengths', `${START}${LENGTH}${LENGTH}\r\n${BODY}`],
  ['two lengths', `${START}content-length: 5\r\ncontent-length: 6\r\n\r\nabcdef`],
  ['lengths in one header', `${START}content-length: 5, 5\r\n\r\nabcde`],
  ['a length with a sign', `${START}content-length: +${BODY.length}\r\n\r\n${BODY}`],
  ['a negative length', `${START}content-length: -1\r\n\r\n`],
  ['a length that is no number', `${START}content-length: 0x10\r\n\r\n`],
  ['a length with a blank in it', `${START}content-length: 1 0\r\n\r\n${BODY}`],
  ['a length beyond all numbers', `${START}content-length: 99999999999999999999999\r\n\r\n`],
  ['an empty length', `${START}content-length: \r\n\r\n${BODY}`],
  ['a chunk size with a sign', `${START}${CHUNKED}\r\n+5\r\nabcde\r\n0\r\n\r\n`],
  ['a negative chunk size', `${START}${CHUNKED}\r\n-5\r\nabcde\r\n`],
  ['a chunk size in hexadecimal of C', `${START}${CHUNKED}\r\n0x5\r\nabcde\r\n0\r\n\r\n`],
  ['an empty chunk size', `${START}${CHUNKED}\r\n\r\nabcde\r\n0\r\n\r\n`],
  ['a chunk longer than it says', `${START}${CHUNKED}\r\n2\r\nabcde\r\n0\r\n\r\n`],
  ['a chunk beyond all measure', `${START}${CHUNKED}\r\nfffffffffffffffff\r\nabc`],
  ['a chunk extension with a bare line feed', `${START}${CHUNKED}\r\n5;a=\nb\r\nabcde\r\n0\r\n\r\n`],
  ['a chunk extension of 20 KiB', `${START}${CHUNKED}\r\n5;${'a'.repeat(20_480)}\r\nabcde\r\n0\r\n\r\n`],
  ['bare line feeds', 'GET /health HTTP/1.1\nhost: x\n\n'],
  ['a bare carriage return in a header', `${HEALTH}host: x\r\nx-a: 1\rx-b: 2\r\n\r\n`],
  ['a folded header', `${HEALTH}host: x\r\nx-a: 1\r\n folded\r\n\r\n`],
  ['a folded first header', `${HEALTH} host: x\r\n\r\n`],
  ['a NUL in a header', `${HEALTH}host: x\r\nx-a: a\u0000b\r\n\r\n`],
  ['a blank before a colon', `${HEALTH}host: x\r\nx-a : 1\r\n\r\n`],
  ['a header without a colon', `${HEALTH}host: x\r\nnothing\r\n\r\n`],
  ['a header without a name', `${HEALTH}host: x\r\n: 1\r\n\r\n`],
  ['no host', `${HEALTH}\r\n`],
  ['two hosts', `${HEALTH}host: x\r\nhost: y\r\n\r\n`],
  ['a version that is none', 'GET /health HTTP/9.9\r\nhost: x\r\n\r\n'],
  ['a control character in the address', 'GET /hea\u0001lth HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a method in lower case', 'get /health HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a method of 1 KiB', `${'G'.repeat(1_024)} /health HTTP/1.1\r\nhost: x\r\n\r\n`],
  ['HTTP/2 without being asked', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
];

test.each(REFUSED)(
  '%s: the request is refused once, executes nothing, and ends its connection',
  async (_, text) => {
    const smuggled = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n';
    const received = await exchange(server.url, Buffer.from(text, 'latin1'), smuggled);
    const statuses = statusesIn(received);
    expect(statuses.length).toBeLessThanOrEqual(1);
    for (const status of statuses) expect([400, 411, 413, 431, 505]).toContain(status);
    expect(received).not.toContain('"data"');
  },
);

test.each([
  ['chunks', `${START}${CHUNKED}connection: close\r\n\r\n${IN_CHUNKS}`],
  [
    'a chunk extension',
    `${START}${CHUNKED}connection: close\r\n\r\n${IN_CHUNKS.replace('\r\n', ';a=b\r\n')}`,
  ],
  [
    'a trailer',
    `${START}${CHUNKED}connection: close\r\n\r\n${IN_CHUNKS.replace('0\r\n\r\n', '0\r\nx-a: 1\r\n\r\n')}`,
  ],
  [
    'headers in capitals',
    `${START.toUpperCase().replace('/GRAPHQL', '/graphql')}${LENGTH}connection: close\r\n\r\n${BODY}`,
  ],
  ['an empty line before', `\r\n${START}${LENGTH}connection: close\r\n\r\n${BODY}`],
  [
    'one token twice',
    `${START}${`authorization: Bearer a\r\n`.repeat(2)}${LENGTH}connection: close\r\n\r\n${BODY}`,
  ],
])('a request with %s has one meaning, and is answered', async (_, text) => {
  const received = await exchange(server.url, text);
  expect(statusesIn(received)).toEqual([200]);
  expect(received).toContain('"isConfigured"');
});

test('of two different authorization headers neither is chosen', async () => {
  const tokens = 'authorization: Bearer one\r\nAuthorization: Bearer two\r\nconnection: close\r\n';
  const received = await exchange(server.url, `${START}${tokens}${LENGTH}\r\n${BODY}`);
  expect(statusesIn(received)).toEqual([400]);
  expect(received).toContain('Send only one authorization header');
});

const headers = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: x\r\n`).join('');

test.each([
  ['90 headers', 200, headers(90)],
  ['101 headers', 431, headers(101)],
  ['3,000 headers', 431, headers(3_000)],
  ['a header of 20 KiB', 431, `x-long: ${'x'.repeat(20 * 1024)}\r\n`],
])('a request with %s is %i', async (_, status, lines) => {
  const received = await exchange(server.url, `${START}connection: close\r\n${LENGTH}${lines}\r\n${BODY}`);
  expect(statusesIn(received)[0]).toBe(status);
});

test('two requests in one packet are answered in turn', async () => {
  const ready = 'GET /ready HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
  const received = await exchange(server.url, `${HEALTH}host: x\r\n\r\n${ready}`);
  expect(statusesIn(received)).toEqual([200, 200]);
  expect(received.indexOf('"ok"')).toBeLessThan(received.indexOf('"ready"'));
});

test.each([
  'CONNECT 127.0.0.1:PORT HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\n\r\n',
  'GET http://127.0.0.1:PORT/secret HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\nconnection: close\r\n\r\n',
  'POST http://127.0.0.1:PORT/graphql HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
  'GET //127.0.0.1:PORT/secret HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
])('%s opens no connection to anybody', async (text) => {
  let connections = 0;
  const other = createServer().on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const [status] = statusesIn(await exchange(server.url, text.replaceAll('PORT', String(port))));
  expect([undefined, 400, 404]).toContain(status);
  expect(connections).toBe(0);
});

const FORGED = {
  host: 'evil.example',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '203.0.113.9',
  'x-real-ip': '203.0.113.9',
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
  const body = JSON.stringify({ query });
  for (const [path, text] of [['/graphql', body], ['/connect'], ['/nothing'], ['/health']] as const) {
    const forged = await ask(FORGED, path, text);
    expect(timeless(forged)).toBe(timeless(await ask({}, path, text)));
    expect(forged).not.toMatch(/evil\.example|203\.0\.113/);
  }
  expect(graph.log.join('')).not.toMatch(/evil\.example|203\.0\.113/);
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
  const half = request(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 100 },
  });
  const gone = new Promise((resolve) => half.on('error', resolve));
  half.write('{"query":', () => half.destroy());
  await gone;
  expect((await postJson(endpoint, { query: LOCAL_QUERY })).status).toBe(200);
  expect(log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

/** A connection on which one request has been answered. */
async function openAnswered(keepAlive: string) {
  const { url } = await startServer({ KEEP_ALIVE: keepAlive });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const ask = async (): Promise<string> => {
    const answered = new Promise<string>((resolve) =>
      socket.once('data', (data: Buffer) => resolve(data.toString())),
    );
    socket.write(`${HEALTH}host: 127.0.0.1\r\n\r\n`);
    return await answered;
  };
  return { ask, closed, told: /^keep-alive: (.+)$/im.exec(await ask())?.[1] };
}

test('an idle connection is closed after KEEP_ALIVE, and one with a longer KEEP_ALIVE still works by then', async () => {
  const [short, long] = await Promise.all([openAnswered('1s'), openAnswered('10m')]);
  expect([short.told, long.told]).toEqual(['timeout=1', 'timeout=600']);
  await short.closed;
  expect(await long.ask()).toMatch(/^HTTP\/1\.1 200 /);
});
