import { expect, test } from 'vitest';
import { startBuiltServer } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { INSPECTED, inspectHeap } from '../support/costs.ts';
import { scrape, send, startStream, type HttpCall } from '../support/http.ts';
import { ACK, INIT, openBareSocket, upgradeStatus, subscribe } from '../support/web-sockets.ts';
import { sandboxForTest } from '../support/sandbox.ts';

// Refused requests of every kind leave gauges, sockets, timers and the heap where they were.

const TIMES = cases(25, 1_000);
/** As many operations as may be executed at once. */
const AT_ONCE = 5;
const WARM_UP = cases(25, 100);
/** What the heap may hold more afterwards: caches of documents, compiled code. Each request would have to leave a kilobyte, or 160 of the larger number. */
const MOST_MIB = cases(1, 6);

const TOKEN = 'a-token-of-a-client';
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { ...JSON_TYPE, accept: 'text/event-stream' };
const FOLLOW = 'subscription { aiGenerationFinished { id } }';
const LOCAL = '{ surfaces { surface } }';
const LIST = '{ accounts(surface: CURRENT) { totalCount } }';
const body = (query: string, more: object = {}): string => JSON.stringify({ query, ...more });

type Refused = HttpCall & { readonly path?: string };

const byGet = (query: string, accept: string): Refused => ({
  method: 'GET',
  path: `/graphql?query=${encodeURIComponent(query)}`,
  headers: { accept, 'graphql-require-preflight': '1' },
});

/** Every kind of request over HTTP that is refused, after the status that it gets. */
const REFUSED: readonly (readonly [status: number, call: Refused])[] = [
  [400, { body: '{' }],
  [400, { body: '[]' }],
  [400, { path: '/graphql?api_key=x', body: body(LOCAL) }],
  [400, { body: body(LOCAL, { operationName: 'Other' }) }],
  [200, { body: body('{') }],
  [200, { body: body('{ nothing }') }],
  [200, { body: body(`{ ${'__typename '.repeat(700)} }`) }],
  [200, { body: body('{ accounts(first: 100000) { totalCount } }') }],
  [200, { body: JSON.stringify({ documentId: 'x' }) }],
  [200, { headers: EVENTS, body: body('{ a }') }],
  [200, { headers: EVENTS, body: body(LOCAL, { operationName: 'Other' }) }],
  [200, { headers: EVENTS, body: JSON.stringify({ documentId: 'x' }) }],
  [401, { headers: { ...JSON_TYPE, 'x-client-token': '' }, body: body(LOCAL) }],
  [403, { method: 'GET', path: `/graphql?query=${encodeURIComponent(LOCAL)}`, headers: {} }],
  [404, { path: '/nothing', body: '{}' }],
  [405, { method: 'PUT', body: body(LOCAL) }],
  [405, byGet('mutation { __typename }', 'application/json')],
  [406, { headers: { ...JSON_TYPE, accept: 'image/png' }, body: body(LOCAL) }],
  [406, { headers: { ...JSON_TYPE, accept: 'application/json' }, body: body(FOLLOW) }],
  [406, byGet(FOLLOW, 'application/json')],
  [413, { body: 'x'.repeat(513 * 1_024) }],
  [415, { headers: { 'content-type': 'text/plain' }, body: body(LOCAL) }],
  [503, { headers: EVENTS, body: body(FOLLOW) }],
  [503, byGet(FOLLOW, 'text/event-stream')],
];

/** Operations that an open socket is refused. */
const REFUSED_OPERATIONS: readonly (readonly [code: string, payload: object])[] = [
  ['GRAPHQL_PARSE_FAILED', { query: '{' }],
  ['GRAPHQL_VALIDATION_FAILED', { query: '{ nothing }' }],
  ['LIMIT_EXCEEDED', { query: `{ ${'__typename '.repeat(700)} }` }],
  ['BAD_USER_INPUT', { query: LOCAL, operationName: 'Other' }],
  ['PERSISTED_QUERY_NOT_SUPPORTED', { query: '', extensions: { documentId: 'x' } }],
  ['BAD_USER_INPUT', { query: 'subscription { aiGenerationUpdated(id: "x") { id } }' }],
];

const FOLLOW_ONE = subscribe('1', FOLLOW);

/** What a client sends that ends its socket, after the close code. */
const CLOSING: readonly (readonly [code: number, ...messages: readonly unknown[]])[] = [
  [4400, '{'],
  [4401, subscribe('1', LOCAL)],
  [4429, INIT, INIT],
  // Some come before the first has been refused.
  [4409, INIT, ...Array.from({ length: 20 }, () => FOLLOW_ONE)],
  [1009, 'x'.repeat(129 * 1024)],
];

/** Does something so many times, so much of it at once. */
async function repeat(times: number, act: () => Promise<unknown>, atOnce = AT_ONCE): Promise<void> {
  let left = times;
  const work = async (): Promise<void> => {
    while ((left -= 1) >= 0) await act();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** A server that refuses whatever there is to refuse, in front of a sandbox that takes its time for lists. */
async function startStrict() {
  const sandbox = await sandboxForTest();
  sandbox.faults.add({ kind: 'delay', ms: 100, endpoint: 'GET /accounts/list', times: Infinity });
  const server = await startBuiltServer({
    ...INSPECTED,
    CURRENT_API_URL: sandbox.url,
    CLIENT_TOKENS: TOKEN,
    GET_QUERIES: 'on',
    MAX_OPERATIONS: String(AT_ONCE),
    // A stream takes it for the whole test.
    MAX_SOCKETS_PER_CREDENTIAL: '1',
    MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1000',
    WS_MESSAGES_PER_SECOND: '100000',
    WS_MESSAGE_BURST: '100000',
    OVERLOAD_DELAY: '1h',
    LOG_LEVEL: 'error',
    KEEP_ALIVE: '1s',
  });
  const caller = { 'x-client-token': TOKEN, 'x-api-key': sandbox.owners[0].apiKey };
  return { url: server.url, caller, heap: await inspectHeap(server) };
}

type Strict = Awaited<ReturnType<typeof startStrict>>;

async function refuseOverHttp({ url, caller }: Strict, times: number): Promise<void> {
  const ask = async ({ path = '/graphql', headers = JSON_TYPE, ...call }: Refused) =>
    await send(url + path, { method: 'POST', ...call, headers: { ...caller, ...headers } });
  for (const [status, call] of REFUSED)
    await repeat(times, async () => {
      const answer = await ask(call);
      expect(answer.status, JSON.stringify(call).slice(0, 200)).toBe(status);
      expect(answer.text).toContain('"errors"');
    });
  // On a busy machine the requests come one by one rather than at once, and find a place.
  const counts = { overloaded: 0 };
  while (counts.overloaded <= times)
    for (const headers of [JSON_TYPE, EVENTS])
      await repeat(
        times,
        async () => {
          const answer = await ask({ headers, body: body(LIST) });
          if (answer.status !== 200) counts.overloaded += 1;
          expect(answer.text).toMatch(/"totalCount"|OVERLOADED/);
        },
        50,
      );
}

async function refuseSockets({ url, caller }: Strict, times: number): Promise<void> {
  for (const [headers, status] of [
    [{ origin: 'https://other.example' }, 403],
    [caller, 503],
  ] as const)
    await repeat(times, async () => expect(await upgradeStatus(url, headers)).toBe(status));
  const open = () => openBareSocket(url, { headers: { 'x-client-token': TOKEN } });
  const socket = await open();
  socket.send(INIT);
  expect(await socket.next()).toEqual(ACK);
  for (const [code, payload] of REFUSED_OPERATIONS)
    for (let time = 0; time < times; time += 1) {
      socket.send({ type: 'subscribe', id: String(time), payload });
      let answer = JSON.stringify(await socket.next());
      expect(answer).toContain(code);
      while (!/"type":"(?:error|complete)"/.test(answer)) answer = JSON.stringify(await socket.next());
    }
  socket.close();
  for (const [code, ...messages] of CLOSING)
    await repeat(times, async () => {
      const closing = await open();
      for (const message of messages) {
        closing.send(message);
        if (message === INIT && messages.includes(FOLLOW_ONE)) await closing.next();
      }
      expect((await closing.closed).code, JSON.stringify(messages).slice(0, 100)).toBe(code);
    });
}

/** Waits until a server has nothing open but the one stream, and gives what is left in it then. */
async function leftIn({ url, heap }: Strict): Promise<{ readonly timers: number; readonly usedMiB: number }> {
  const gauges = ['graphql_sockets_open', 'graphql_subscriptions_open', 'live_channels_open'];
  await expect.poll(async () => gauges.map((await scrape(url)).value)).toEqual([0, 1, 1]);
  // The inspector and the stream have one each; connections that nothing happens on are closed after a second.
  await expect.poll(() => heap.resources('TCPSocketWrap')).toBeLessThanOrEqual(2);
  return { timers: await heap.resources('Timeout'), usedMiB: await heap.usedMiB() };
}

test(
  'refusals over HTTP, of overload, on open sockets and of sockets leave nothing behind',
  { timeout: cases(120_000, 600_000) },
  async () => {
    const strict = await startStrict();
    const taken = startStream(strict.url, FOLLOW, strict.caller);
    expect((await taken.answer).status).toBe(200);
    const refuseAll = async (times: number): Promise<void> => {
      await refuseOverHttp(strict, times);
      await refuseSockets(strict, times);
    };
    await refuseAll(WARM_UP);
    const first = await leftIn(strict);
    await refuseAll(TIMES);
    await expect.poll(async () => (await leftIn(strict)).timers).toBeLessThanOrEqual(first.timers + 2);
    expect((await leftIn(strict)).usedMiB - first.usedMiB).toBeLessThan(MOST_MIB);
    await taken.leave();
    const streams = async () => (await scrape(strict.url)).value('graphql_subscriptions_open');
    await expect.poll(streams).toBe(0);
  },
);
