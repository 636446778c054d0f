import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Agent, request } from 'undici';
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts';
import { startBuiltServer } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { INSPECTED, inspectHeap } from '../support/inspected-heap.ts';
import { gaugesOf, leftIn, repeat } from '../support/leftovers.ts';
import { exchange, statusesIn } from '../support/raw-http.ts';
import { upgradeStatus } from '../support/raw-web-socket.ts';

const TIMES = cases(25, 1_000);
/** Up to 30,000 requests, on a machine that is busy with others. */
const PATIENCE_MS = 600_000;
const AT_ONCE = 50;
const WARM_UP = cases(25, 100);
/** What the heap may hold more afterwards: caches of documents, compiled code. Each request would have to leave a kilobyte, or 160 of the larger number. */
const MOST_MIB = cases(1, 6);

const TOKEN = 'a-token-of-a-client';
const JSON_TYPE = { 'content-type': 'application/json' };
const FOLLOW = 'subscription { aiGenerationFinished { id } }';
const LOCAL = '{ surfaces { surface } }';
const search = (query: string): string => `?query=${encodeURIComponent(query)}`;
const body = (query: string, more: object = {}): string => JSON.stringify({ query, ...more });
const accepting = (accept: string) => ({ ...JSON_TYPE, accept });

interface Refused {
  readonly status: number;
  readonly method?: string;
  /** What follows the address of the endpoint. */
  readonly more?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const get = (status: number, query: string, accept: string): Refused => ({
  status,
  method: 'GET',
  more: search(query),
  headers: { accept, 'graphql-require-preflight': '1' },
});

/** Every kind of request over HTTP that is refused, and the status that it gets. */
const REFUSED: Readonly<Record<string, Refused>> = {
  'no JSON': { status: 400, body: '{' },
  'a batch': { status: 400, body: '[]' },
  'no query': { status: 400, headers: accepting('application/graphql-response+json'), body: '{}' },
  'a key in the address': { status: 400, more: '?api_key=x', body: body(LOCAL) },
  'no GraphQL': { status: 200, body: body('{') },
  'no field of the graph': { status: 200, body: body('{ nothing }') },
  'too many selections': { status: 200, body: body(`{ ${'__typename '.repeat(700)} }`) },
  'too high a cost': { status: 200, body: body('{ accounts(first: 100000) { totalCount } }') },
  'no such operation': { status: 400, body: body(LOCAL, { operationName: 'Other' }) },
  'no such document': { status: 200, body: JSON.stringify({ documentId: 'x' }) },
  'a request error over events': {
    status: 200,
    headers: accepting('text/event-stream'),
    body: body('{ a }'),
  },
  'no such operation, over events': {
    status: 200,
    headers: accepting('text/event-stream'),
    body: body(LOCAL, { operationName: 'Other' }),
  },
  'no such document, over events': {
    status: 200,
    headers: accepting('text/event-stream'),
    body: JSON.stringify({ documentId: 'x' }),
  },
  'no token': { status: 401, headers: { ...JSON_TYPE, 'x-client-token': '' }, body: body(LOCAL) },
  'a query by GET without a header': { status: 403, method: 'GET', more: search(LOCAL), headers: {} },
  'another path': { status: 404, path: '/nothing', body: '{}' },
  'another method': { status: 405, method: 'PUT', body: body(LOCAL) },
  'a mutation by GET': get(405, 'mutation { __typename }', 'application/json'),
  'another type': { status: 406, headers: accepting('image/png'), body: body(LOCAL) },
  'a subscription as JSON': { status: 406, headers: accepting('application/json'), body: body(FOLLOW) },
  'a subscription in another charset': {
    status: 406,
    headers: accepting('application/json; charset=utf-16'),
    body: body(FOLLOW),
  },
  'a subscription as parts': {
    status: 406,
    headers: accepting('multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json'),
    body: body(FOLLOW),
  },
  'a subscription by GET': get(406, FOLLOW, 'application/json'),
  'a body too large': { status: 413, body: 'x'.repeat(513 * 1_024) },
  'another content type': { status: 415, headers: { 'content-type': 'text/plain' }, body: body(LOCAL) },
  'a compressed body': { status: 415, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: 'x' },
  'too many headers': {
    status: 431,
    headers: { ...JSON_TYPE, ...Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x-${at}`, ''])) },
    body: body(LOCAL),
  },
  'one stream too many': { status: 503, headers: accepting('text/event-stream'), body: body(FOLLOW) },
  'one stream too many by GET': get(503, FOLLOW, 'text/event-stream'),
};

/** Requests that no client would send, and the status of what comes back. */
const RAW: Readonly<Record<string, readonly [head: string, status: number]>> = {
  'without a length': ['POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json', 411],
  'with two lengths': [
    'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked',
    400,
  ],
  'with a length that is none': ['POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: many', 400],
  'with a length beyond the limit': [
    'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000',
    413,
  ],
  'for two hosts': ['POST /graphql HTTP/1.1\r\nhost: x\r\nhost: y\r\ncontent-length: 0', 400],
  'that is no HTTP': ['nothing', 400],
};

/** A server that refuses whatever there is to refuse: its only place for streams is taken, and clients need a token. */
async function startStrict() {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const server = await startBuiltServer({
    ...INSPECTED,
    CURRENT_API_URL: sandbox.url,
    CLIENT_TOKENS: TOKEN,
    GET_QUERIES: 'on',
    MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1',
    MAX_SOCKETS_PER_CREDENTIAL: '1',
    OVERLOAD_DELAY: '1h',
    LOG_LEVEL: 'error',
    KEEP_ALIVE: '1s',
  });
  const caller = { 'x-client-token': TOKEN, 'x-api-key': sandbox.owners[0].apiKey };
  return { url: server.url, caller, heap: await inspectHeap(server) };
}

type Strict = Awaited<ReturnType<typeof startStrict>>;

/** Sends every kind of request so many times. */
async function refuseAll({ url, caller }: Strict, times: number): Promise<void> {
  const dispatcher = new Agent({ connections: AT_ONCE });
  for (const [name, { status, more = '', path = '/graphql', ...call }] of Object.entries(REFUSED))
    await repeat(times, AT_ONCE, async () => {
      const headers = { ...caller, ...(call.headers ?? JSON_TYPE) };
      const { method = 'POST', body: text = null } = call;
      const answer = await request(`${url}${path}${more}`, { method, headers, body: text, dispatcher });
      expect(answer.statusCode, name).toBe(status);
      expect(await answer.body.text(), name).toContain('"errors"');
    });
  await dispatcher.close();
  for (const [name, [head, status]] of Object.entries(RAW))
    await repeat(times, AT_ONCE, async () => {
      const received = await exchange(url, `${head}\r\nconnection: close\r\n\r\n`);
      expect(statusesIn(received), name).toEqual([status]);
    });
  for (const [headers, status] of [
    [{ origin: 'https://other.example' }, 403],
    [caller, 503],
  ] as const)
    await repeat(times, AT_ONCE, async () => expect(await upgradeStatus(url, headers)).toBe(status));
  for (const query of [FOLLOW, '{ accounts(surface: CURRENT) { totalCount } }'])
    await repeat(times, AT_ONCE, () => leaveEarly(url, caller, body(query)));
}

/** With the one stream that is open all the time. */
const OPEN = { graphql_sockets_open: 0, graphql_subscriptions_open: 1, live_channels_open: 1 };

const leavesNothing = async (): Promise<void> => {
  const strict = await startStrict();
  const leaving = new AbortController();
  const taken = await fetch(`${strict.url}/graphql`, {
    method: 'POST',
    headers: { ...accepting('text/event-stream'), ...strict.caller },
    body: body(FOLLOW),
    signal: leaving.signal,
  });
  await refuseAll(strict, WARM_UP);
  const first = await leftIn(strict, OPEN);
  await refuseAll(strict, TIMES);
  await expect.poll(async () => (await leftIn(strict, OPEN)).timers).toBeLessThanOrEqual(first.timers + 2);
  expect((await leftIn(strict, OPEN)).usedMiB - first.usedMiB).toBeLessThan(MOST_MIB);
  // Also keeps the stream from being collected, and closed.
  expect(taken.status).toBe(200);
  leaving.abort();
  await expect.poll(async () => (await gaugesOf(strict))['graphql_subscriptions_open']).toBe(0);
};

test(
  'refused requests of every kind leave gauges, sockets, timers and the heap where they were',
  leavesNothing,
  PATIENCE_MS,
);

/** Sends a whole request for events, and is gone before it is answered. */
function leaveEarly(url: string, caller: object, text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const headers = { ...accepting('text/event-stream'), ...caller, 'content-length': Buffer.byteLength(text) };
  const lines = Object.entries({ host: hostname, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined).on('close', () => resolve());
    socket.resume().end(`POST /graphql HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`);
  });
}
