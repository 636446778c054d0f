import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eachCase } from '../support/each-case.ts';
import { oauthEnvironment } from '../support/consent.ts';
import { startGraph } from '../support/graph.ts';
import { exchange, statusesIn } from '../support/raw-http.ts';
import { upgradeStatus } from '../support/raw-web-socket.ts';
import { LOCAL_QUERY, shareServer, startServer } from '../support/server.ts';

const server = shareServer();

// Cases of one request that two programs could read in two ways, beside those of the routes' tests.

const BODY = JSON.stringify({ query: LOCAL_QUERY });
const START = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const LENGTH = `content-length: ${BODY.length}\r\n`;
const CHUNKED = 'transfer-encoding: chunked\r\n';
const IN_CHUNKS = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

/** Requests of more than one meaning, or of none. */
const REFUSED: readonly (readonly [name: string, text: string])[] = [
  ['chunks and then a length', `${START}${CHUNKED}${LENGTH}\r\n${IN_CHUNKS}`],
  ['a length and then chunks', `${START}${LENGTH}${CHUNKED}\r\n${IN_CHUNKS}`],
  ['chunks twice', `${START}${CHUNKED}${CHUNKED}\r\n${IN_CHUNKS}`],
  ['a coding after the chunks', `${START}transfer-encoding: chunked, identity\r\n\r\n${IN_CHUNKS}`],
  ['chunks by another name', `${START}transfer-encoding: xchunked\r\n\r\n${IN_CHUNKS}`],
  ['an unknown coding', `${START}transfer-encoding: gzip\r\n\r\n${IN_CHUNKS}`],
  ['two equal lengths', `${START}${LENGTH}${LENGTH}\r\n${BODY}`],
  ['lengths in one header', `${START}content-length: 5, 5\r\n\r\nabcde`],
  ['a length with a sign', `${START}content-length: +${BODY.length}\r\n\r\n${BODY}`],
  ['a length with a blank in it', `${START}content-length: 1 0\r\n\r\n${BODY}`],
  ['a length beyond all numbers', `${START}content-length: 99999999999999999999999\r\n\r\n`],
  ['no length', `${START}content-length: \r\n\r\n${BODY}`],
  ['a chunk size with a sign', `${START}${CHUNKED}\r\n+5\r\nabcde\r\n0\r\n\r\n`],
  ['a chunk size in hexadecimal of C', `${START}${CHUNKED}\r\n0x5\r\nabcde\r\n0\r\n\r\n`],
  ['an empty chunk size', `${START}${CHUNKED}\r\n\r\nabcde\r\n0\r\n\r\n`],
  ['a chunk longer than it says', `${START}${CHUNKED}\r\n2\r\nabcde\r\n0\r\n\r\n`],
  ['a chunk extension with a bare line feed', `${START}${CHUNKED}\r\n5;a=\nb\r\nabcde\r\n0\r\n\r\n`],
  ['a chunk extension of 20 KiB', `${START}${CHUNKED}\r\n5;${'a'.repeat(20_480)}\r\nabcde\r\n0\r\n\r\n`],
  ['bare line feeds', 'GET /health HTTP/1.1\nhost: x\n\n'],
  ['a bare carriage return in a header', 'GET /health HTTP/1.1\r\nhost: x\r\nx-a: 1\rx-b: 2\r\n\r\n'],
  ['a blank line before the colon’s header', 'GET /health HTTP/1.1\r\n host: x\r\n\r\n'],
  ['a header without a colon', 'GET /health HTTP/1.1\r\nhost: x\r\nnothing\r\n\r\n'],
  ['a header without a name', 'GET /health HTTP/1.1\r\nhost: x\r\n: 1\r\n\r\n'],
  ['two hosts', 'GET /health HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n'],
  ['a version that is none', 'GET /health HTTP/9.9\r\nhost: x\r\n\r\n'],
  ['a control character in the address', 'GET /hea\u0001lth HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['HTTP/2 without being asked', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
];

test('a request that can be read in two ways is answered once at most, and executes nothing', () =>
  eachCase(REFUSED, async ([, text]) => {
    const { url } = server;
    const received = await exchange(
      url,
      Buffer.from(text, 'latin1'),
      'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n',
    );
    const statuses = statusesIn(received);
    expect(statuses.length).toBeLessThanOrEqual(1);
    for (const status of statuses) expect(status).toSatisfy((one: number) => one >= 400 && one < 500);
    expect(received).not.toContain('"data"');
  }));

test.each([
  ['one', 'two', 400],
  ['one', 'one', 200],
])('of two authorization headers (%s, %s) neither is chosen where they differ', async (one, two, status) => {
  const tokens = `authorization: Bearer ${one}\r\nAuthorization: Bearer ${two}\r\nconnection: close\r\n`;
  const received = await exchange(server.url, Buffer.from(`${START}${tokens}${LENGTH}\r\n${BODY}`));
  expect(statusesIn(received)).toEqual([status]);
  if (status === 400) expect(received).toContain('Send only one authorization header');
});

/** Requests that are odd, and of one meaning. */
const ANSWERED: readonly (readonly [name: string, text: string])[] = [
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
];

test('an unusual request of one meaning is answered once', () =>
  eachCase(ANSWERED, async ([, text]) => {
    const { url } = server;
    const received = await exchange(url, text);
    expect(statusesIn(received)).toEqual([200]);
    expect(received).toContain('"isConfigured"');
  }));

test.each([
  'CONNECT 127.0.0.1:PORT HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\n\r\n',
  'GET http://127.0.0.1:PORT/secret HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\nconnection: close\r\n\r\n',
  'POST http://127.0.0.1:PORT/graphql HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
  'GET //127.0.0.1:PORT/secret HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
])('%s opens no connection to anybody', async (request) => {
  let connections = 0;
  const other = createServer().on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const { url } = server;
  const [status] = statusesIn(await exchange(url, request.replaceAll('PORT', String(port))));
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
  const graph = await startGraph({ environment: oauthEnvironment() });
  const query = `{ authorizationUrl(redirectUri: "http://127.0.0.1:4321/connect/callback", state: "planted-state-of-the-caller") accounts(first: 1) { nodes { loginId } } }`;
  const ask = async (headers: Readonly<Record<string, string>>, path: string, body = ''): Promise<string> => {
    const lines = Object.entries({ host: 'x', connection: 'close', ...graph.caller.both, ...headers });
    const request = `${body ? 'POST' : 'GET'} ${path} HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}`;
    const type = body ? `\r\ncontent-type: application/json\r\ncontent-length: ${body.length}` : '';
    return await exchange(graph.url, `${request}${type}\r\n\r\n${body}`);
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
