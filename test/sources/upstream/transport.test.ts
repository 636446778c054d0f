import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { LIST_READ, type Endpoint } from '../../../src/sources/endpoint.ts';
import { SourceError } from '../../../src/sources/errors.ts';
import type { Upstream } from '../../../src/sources/upstream/call.ts';
import { cancellationBy } from '../../../src/sources/upstream/cancellation.ts';
import { openDeafPort } from '../../support/deaf-port.ts';
import { openAt } from '../../support/fake-surface.ts';
import { freePort } from '../../support/free-port.ts';

/** Nothing is repeated here. */
const ONCE = { attempts: 1 };

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A read that may take so long. */
const endpointWithin = (deadlineMs: number, over: Partial<Endpoint> = {}): Endpoint => ({
  name: 'GET /accounts/list',
  surface: 'current',
  method: 'GET',
  path: '/accounts/list',
  ...LIST_READ,
  deadlineMs,
  ...over,
});

/** Opens a surface in front of a server that answers as told; both end with the test. */
async function openInFrontOf(
  answer: Answer,
  path = '',
): Promise<{ readonly http: Upstream; readonly seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const http = openAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, ONCE);
  onTestFinished(async () => {
    await http.close();
    server.closeAllConnections();
    server.close();
  });
  return { http, seen };
}

async function failureOf(sending: Promise<unknown>): Promise<SourceError> {
  const error: unknown = await sending.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof SourceError) return error;
  throw new Error('no SourceError', { cause: error });
}

const request = (endpoint = endpointWithin(60_000), signal?: AbortSignal) => ({
  endpoint,
  path: '/accounts/list?page=1',
  caller: 'somebody',
  headers: ['x-api-key', 'the-key'],
  ...(signal ? { cancellation: cancellationBy(signal) } : {}),
});

test('a request goes to the configured address and path, with its own headers and no others', async () => {
  const { http, seen } = await openInFrontOf((_request, response) => response.end('{"a":1}'), '/base/');
  expect(await http.send(request())).toMatchObject({ status: 200, text: '{"a":1}' });
  expect(seen[0]?.url).toBe('/base/accounts/list?page=1');
  expect(Object.keys(seen[0]?.headers ?? {}).toSorted()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'x-api-key',
  ]);
});

test.each<[string, Answer]>([
  ['never answers', () => undefined],
  ['sends its head and then nothing', (_request, response) => response.writeHead(200).flushHeaders()],
  [
    'sends a byte now and then',
    (_request, response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
  ],
])('a service that %s is given up at the deadline of the call', async (_name, answer) => {
  const { http } = await openInFrontOf(answer);
  const startedAt = performance.now();
  const error = await failureOf(http.send(request(endpointWithin(150))));
  expect(error.kind).toBe('timeout');
  expect(performance.now() - startedAt).toBeGreaterThan(120);
});

test('a host none of whose addresses takes the connection is unreachable, so nothing was sent', async () => {
  // Where the name stands for two addresses, the failures of both come as one.
  const http = openAt(`http://localhost:${await freePort()}`, ONCE);
  onTestFinished(() => http.close());
  expect((await failureOf(http.send(request()))).kind).toBe('unreachable');
});

test.each([
  ['read', true, 'timeout'],
  ['write', false, 'unreachable'],
])('a %s whose deadline ends before it has a connection was not sent', async (_name, repeatable, kind) => {
  const http = openAt(`http://127.0.0.1:${await openDeafPort()}`, ONCE);
  onTestFinished(() => http.close());
  const endpoint = endpointWithin(100, { repeatable });
  expect((await failureOf(http.send(request(endpoint)))).kind).toBe(kind);
});

test('a call that its caller gives up is cancelled, and its connection ended', async () => {
  const { http, seen } = await openInFrontOf(() => undefined);
  const leaving = new AbortController();
  const sending = failureOf(http.send(request(endpointWithin(60_000), leaving.signal)));
  await expect.poll(() => seen.length).toBe(1);
  const ended = once(seen[0]?.socket ?? process, 'close');
  leaving.abort();
  expect((await sending).kind).toBe('cancelled');
  await ended;
});

test('a call that was given up before it began sends nothing', async () => {
  const { http, seen } = await openInFrontOf((_request, response) => response.end('{}'));
  expect((await failureOf(http.send(request(endpointWithin(60_000), AbortSignal.abort())))).kind).toBe(
    'cancelled',
  );
  expect(seen).toHaveLength(0);
});

const JSON_BODY = '{"message":"Ça va ☕️","response":{}}';

const answerIn =
  (coding: string, body: Buffer | string): Answer =>
  (_request, response) =>
    void response.setHeader('content-encoding', coding).end(body);

test.each(['gzip', 'x-gzip', 'GZIP', 'Gzip ', 'identity, gzip', 'gzip,', 'UTF-8', 'none', 'identity', ''])(
  'an answer in the content coding "%s" is read, be it compressed or not',
  async (coding) => {
    for (const body of [JSON_BODY, gzipSync(JSON_BODY)]) {
      const { http, seen } = await openInFrontOf(answerIn(coding, body));
      expect((await http.send(request())).text).toBe(JSON_BODY);
      expect(seen[0]?.headers['accept-encoding']).toBe('gzip');
    }
  },
);

test.each<[string, Answer, SourceError['kind']]>([
  ['no HTTP', ({ socket }) => void socket.end('hello\r\n\r\n'), 'malformed'],
  [
    'a head beyond 16 KiB',
    (_request, response) => void response.setHeader('x-long', 'x'.repeat(20_000)).end(),
    'malformed',
  ],
  [
    'two lengths',
    ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}x'),
    'malformed',
  ],
  ['a reset', ({ socket }) => void socket.resetAndDestroy(), 'unavailable'],
  ['an end without a word', ({ socket }) => void socket.destroy(), 'unavailable'],
  ['brotli', answerIn('br', brotliCompressSync(JSON_BODY)), 'malformed'],
  ['deflate', answerIn('deflate', deflateSync(JSON_BODY)), 'malformed'],
  ['gzip that ends early', answerIn('gzip', gzipSync(JSON_BODY).subarray(0, -9)), 'malformed'],
  ['damaged gzip', answerIn('gzip', Buffer.from(gzipSync(JSON_BODY)).fill(7, 12)), 'malformed'],
  ['gzip within gzip', answerIn('gzip, gzip', gzipSync(gzipSync(JSON_BODY))), 'malformed'],
  ['no UTF-8', (_request, response) => void response.end(Buffer.from([0xff])), 'malformed'],
])('an answer of %s is classified', async (_name, answer, kind) => {
  const { http } = await openInFrontOf(answer);
  const error = await failureOf(http.send(request()));
  expect([error.kind, error.surface, error.details.endpoint]).toEqual([
    kind,
    'current',
    'GET /accounts/list',
  ]);
  expect(error.message).not.toMatch(/127\.0\.0\.1|the-key|page=1/);
});

test('an answer is read up to its endpoint’s bound and not beyond, with or without a length, compressed or not', async () => {
  const ways = [true, false].flatMap((isAnnounced) => [
    { isAnnounced, encode: (text: string) => Buffer.from(text) },
    { isAnnounced, encode: (text: string) => gzipSync(text) },
  ]);
  for (const { isAnnounced, encode } of ways) {
    const { http } = await openInFrontOf(({ url }, response) => {
      const body = encode('x'.repeat(url?.includes('page=2') ? 1_001 : 1_000));
      if (isAnnounced) response.setHeader('content-length', body.length);
      response.write(body.subarray(0, 10));
      response.end(body.subarray(10));
    });
    const endpoint = endpointWithin(60_000, { maxBodyBytes: 1_000 });
    expect((await http.send(request(endpoint))).text).toHaveLength(1_000);
    const error = await failureOf(http.send({ ...request(endpoint), path: '/accounts/list?page=2' }));
    expect(error.kind).toBe('malformed');
  }
});

test('a byte-order mark before JSON is no part of it', async () => {
  const { http } = await openInFrontOf((_request, response) => response.end(Buffer.from('\ufeff{"a":1}')));
  expect((await http.send(request())).text).toBe('{"a":1}');
});

test('a name that nobody has and a port where nobody listens are unreachable', async () => {
  for (const address of ['http://nowhere.invalid', 'http://127.0.0.1:1']) {
    const http = openAt(address, ONCE);
    onTestFinished(() => http.close());
    expect((await failureOf(http.send(request()))).kind).toBe('unreachable');
  }
});

test('informational answers before the answer are read over', async () => {
  const { http } = await openInFrontOf(({ socket }) => {
    socket.end(
      `${'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(5)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`,
    );
  });
  expect(await http.send(request())).toMatchObject({ status: 200, text: '{}' });
});

test('bytes after an answer never become the answer to the next request', async () => {
  let count = 0;
  const { http } = await openInFrontOf(({ socket }) => {
    count += 1;
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${count}HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstray`,
    );
  });
  const texts: string[] = [];
  for (const _ of [1, 2, 3]) {
    const answer = await http.send(request()).catch(() => ({ text: 'failed' }));
    texts.push(answer.text);
  }
  expect(texts).not.toContain('stray');
});

test('no more than 64 connections are open at once', async () => {
  let open = 0;
  let most = 0;
  const { http } = await openInFrontOf((_request, response) => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.end('{}');
    }, 20);
  });
  await Promise.all(
    Array.from({ length: 150 }, async (_, page) => await http.send({ ...request(), caller: String(page) })),
  );
  expect(most).toBeLessThanOrEqual(64);
});

test('a request that failed is sent once, whatever its method', async () => {
  for (const repeatable of [true, false]) {
    for (const status of [429, 500, 503]) {
      const { http, seen } = await openInFrontOf((_request, response) =>
        response.writeHead(status, { 'retry-after': '0' }).end(),
      );
      expect((await http.send(request(endpointWithin(60_000, { repeatable })))).status).toBe(status);
      expect(seen).toHaveLength(1);
    }
    const reset = await openInFrontOf(({ socket }) => void socket.resetAndDestroy());
    await failureOf(reset.http.send(request(endpointWithin(60_000, { repeatable }))));
    expect(reset.seen).toHaveLength(1);
  }
});
