import { once } from 'node:events';
import { connect } from 'node:net';
import { Agent, request } from 'undici';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startBuiltServer } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { INSPECTED, inspectHeap, type InspectedHeap } from '../support/costs.ts';
import { exchange, statusesIn, scrape } from '../support/http.ts';
import { upgradeStatus, subscribe } from '../support/web-sockets.ts';
import { sandboxForTest } from '../support/sandbox.ts';

// Refused requests of every kind leave gauges, sockets, timers and the heap where they were.

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

/** A server whose insides a test looks at. */
interface Inspected {
  readonly url: string;
  readonly heap: InspectedHeap;
}

/** What is left in a server. */
interface Leftovers {
  readonly timers: number;
  readonly usedMiB: number;
}

/** Does something so many times, so much of it at once. */
async function repeat(times: number, atOnce: number, act: () => Promise<unknown>): Promise<void> {
  let left = times;
  const work = async (): Promise<void> => {
    while ((left -= 1) >= 0) await act();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** What the server says that is open. */
async function gaugesOf({ url }: Pick<Inspected, 'url'>): Promise<Record<string, number>> {
  const { series, value } = await scrape(url);
  const names = series.filter((name) => /^(?:graphql_\w+_open|live_channels_open)$/.test(name));
  return Object.fromEntries(names.map((name) => [name, value(name)]));
}

/** Waits until a server has nothing open but what the test keeps open, and gives what is left in it then. */
async function leftIn(server: Inspected, open: Readonly<Record<string, number>>): Promise<Leftovers> {
  await expect.poll(() => gaugesOf(server)).toEqual(open);
  const count = async (kind: string): Promise<number> => (await server.heap.resources())[kind] ?? 0;
  // The inspector has one; connections that nothing happens on are closed after a second.
  const kept = Object.values(open).some((number) => number > 0) ? 1 : 0;
  await expect.poll(() => count('TCPSocketWrap')).toBeLessThanOrEqual(1 + kept);
  return { timers: await count('Timeout'), usedMiB: await server.heap.usedMiB() };
}

/** Does something until it has warmed up, and again; what is open, and what is kept, is the same afterwards. */
async function expectNothingLeft(
  server: Inspected,
  open: Readonly<Record<string, number>>,
  act: (times: number) => Promise<void>,
): Promise<void> {
  await act(WARM_UP);
  const first = await leftIn(server, open);
  await act(TIMES);
  await expect.poll(async () => (await leftIn(server, open)).timers).toBeLessThanOrEqual(first.timers + 2);
  expect((await leftIn(server, open)).usedMiB - first.usedMiB).toBeLessThan(MOST_MIB);
}

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
  const sandbox = await sandboxForTest();
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

test(
  'refused requests of every kind leave nothing behind',
  async () => {
    const strict = await startStrict();
    const leaving = new AbortController();
    const taken = await fetch(`${strict.url}/graphql`, {
      method: 'POST',
      headers: { ...accepting('text/event-stream'), ...strict.caller },
      body: body(FOLLOW),
      signal: leaving.signal,
    });
    await expectNothingLeft(strict, OPEN, (times) => refuseAll(strict, times));
    // Also keeps the stream from being collected, and closed.
    expect(taken.status).toBe(200);
    leaving.abort();
    await expect.poll(async () => (await gaugesOf(strict))['graphql_subscriptions_open']).toBe(0);
  },
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

/** Each has one operation at most, so that none is turned away for the others'. */
const SOCKETS_AT_ONCE = 5;
const NOTHING = { graphql_sockets_open: 0, graphql_subscriptions_open: 0, live_channels_open: 0 };

const LIST = '{ accounts(surface: CURRENT) { totalCount } }';

/** Operations that an open socket is refused, with the code of the error. */
const REFUSED_OPERATIONS: Readonly<Record<string, readonly [payload: object, code: string]>> = {
  'no GraphQL': [{ query: '{' }, 'GRAPHQL_PARSE_FAILED'],
  'no field of the graph': [{ query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED'],
  'too many selections': [{ query: `{ ${'__typename '.repeat(700)} }` }, 'LIMIT_EXCEEDED'],
  'no such operation': [{ query: LOCAL, operationName: 'Other' }, 'BAD_USER_INPUT'],
  'no such document': [{ query: '', extensions: { documentId: 'x' } }, 'PERSISTED_QUERY_NOT_SUPPORTED'],
  'a variable missing': [{ query: 'query ($id: ID!) { node(id: $id) { id } }' }, 'BAD_USER_INPUT'],
  'an id of nothing': [{ query: 'subscription { aiGenerationUpdated(id: "x") { id } }' }, 'BAD_USER_INPUT'],
};

const INIT = JSON.stringify({ type: 'connection_init' });
const begin = (id: string, payload: object): string => JSON.stringify({ type: 'subscribe', id, payload });
const FOLLOW_ONE = JSON.stringify(subscribe('1', FOLLOW));

/** What a client sends that ends its socket, and the close code. */
const CLOSING: Readonly<Record<string, readonly [messages: readonly string[], code: number]>> = {
  'no JSON': [['{'], 4400],
  'an unknown message': [['{"type":"unknown"}'], 4400],
  'an operation before the greeting': [[JSON.stringify(subscribe('1', LOCAL))], 4401],
  'two greetings': [[INIT, INIT], 4429],
  'an id that is in use': [[INIT, FOLLOW_ONE, FOLLOW_ONE], 4409],
  'a message too large': [['x'.repeat(129 * 1024)], 1009],
};

/** A server with few places for operations, in front of a sandbox that takes its time for lists. */
async function startSmall() {
  const sandbox = await sandboxForTest();
  sandbox.faults.add({ kind: 'delay', ms: 100, endpoint: 'GET /accounts/list' });
  const server = await startBuiltServer({
    ...INSPECTED,
    CURRENT_API_URL: sandbox.url,
    MAX_OPERATIONS: String(SOCKETS_AT_ONCE),
    MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1000',
    WS_MESSAGES_PER_SECOND: '100000',
    WS_MESSAGE_BURST: '100000',
    OVERLOAD_DELAY: '1h',
    LOG_LEVEL: 'error',
    KEEP_ALIVE: '1s',
  });
  return { url: server.url, key: sandbox.owners[0].apiKey, heap: await inspectHeap(server) };
}

type Small = Inspected & { readonly key: string };

/** Sends many more requests at once than are taken on, until so many were turned away. */
async function overload({ url, key }: Small, times: number): Promise<void> {
  const dispatcher = new Agent({ connections: AT_ONCE });
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const counts = { refused: 0 };
  const ask = async (accept: string): Promise<void> => {
    const call = { method: 'POST', headers: { ...headers, accept }, body: JSON.stringify({ query: LIST }) };
    const answer = await request(`${url}/graphql`, { ...call, dispatcher });
    const text = await answer.body.text();
    if (answer.statusCode === 200) return;
    counts.refused += 1;
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      503,
      'application/json; charset=utf-8',
    ]);
    expect(text).toContain('OVERLOADED');
  };
  // On a busy machine the requests come one by one rather than at once, and find a place.
  while (counts.refused <= times)
    for (const accept of ['application/json', 'text/event-stream'])
      await repeat(times, AT_ONCE, () => ask(accept));
  await dispatcher.close();
}

async function openSocket({ url, key }: Small): Promise<WebSocket> {
  const headers = { 'x-api-key': key };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
  await once(socket, 'open');
  return socket;
}

/** Asks one socket for everything that it is refused, so many times; it stays open. */
async function refuseOnSocket(small: Small, times: number): Promise<void> {
  const socket = await openSocket(small);
  const answerTo = async (message: string): Promise<string> => {
    const ended = new Promise<string>((resolve) => {
      let answer = '';
      const take = (data: Buffer): void => {
        answer += data.toString();
        if (!/"type":"(?:connection_ack|error|complete)"/.test(answer)) return;
        socket.off('message', take);
        resolve(answer);
      };
      socket.on('message', take);
    });
    socket.send(message);
    return await ended;
  };
  expect(await answerTo(INIT)).toContain('connection_ack');
  for (const [name, [payload, code]] of Object.entries(REFUSED_OPERATIONS))
    for (let time = 0; time < times; time += 1)
      expect(await answerTo(begin(`${name} ${time}`, payload)), name).toContain(code);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  socket.close();
  await once(socket, 'close');
}

/** Has sockets closed for everything that they are closed for, so many times. */
async function closeSockets(small: Small, times: number): Promise<void> {
  for (const [name, [messages, code]] of Object.entries(CLOSING))
    await repeat(times, SOCKETS_AT_ONCE, async () => {
      const socket = await openSocket(small);
      const closed = once(socket, 'close') as Promise<[number]>;
      for (const message of messages) {
        socket.send(message);
        if (message === INIT && messages.includes(FOLLOW_ONE)) await once(socket, 'message');
      }
      expect((await closed)[0], name).toBe(code);
    });
}

test(
  'refusals of overload, on open sockets and of sockets leave nothing behind',
  async () => {
    const small = await startSmall();
    await expectNothingLeft(small, NOTHING, async (times) => {
      await overload(small, times);
      await refuseOnSocket(small, times);
      await closeSockets(small, times);
    });
  },
  PATIENCE_MS,
);
