import { expect, test } from 'vitest';
import { startBuiltServer } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { INSPECTED, inspectHeap } from '../support/costs.ts';
import { FOLLOW, scrape, send, startStream, type HttpCall } from '../support/http.ts';
import { sandboxForTest } from '../support/sandbox.ts';

const TIMES = cases(25, 1_000);
const AT_ONCE = 5;
const WARM_UP = cases(25, 100);
/** What the heap may hold more afterwards: caches of documents, compiled code. Each request would have to leave a kilobyte, or 160 of the larger number. */
const MOST_MIB = cases(1, 6);

const TOKEN = 'a-token-of-a-client';
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { ...JSON_TYPE, accept: 'text/event-stream' };
const LOCAL = '{ surfaces { surface } }';
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

test('requests that are refused leave nothing behind', { timeout: cases(120_000, 600_000) }, async () => {
  const sandbox = await sandboxForTest();
  const server = await startBuiltServer({
    ...INSPECTED,
    CURRENT_API_URL: sandbox.url,
    CLIENT_TOKENS: TOKEN,
    GET_QUERIES: 'on',
    MAX_OPERATIONS: String(AT_ONCE),
    // A stream takes it for the whole test.
    MAX_SOCKETS_PER_CREDENTIAL: '1',
    OVERLOAD_DELAY: '1h',
    LOG_LEVEL: 'error',
    KEEP_ALIVE: '1s',
  });
  const { url } = server;
  const heap = await inspectHeap(server);
  const caller = { 'x-client-token': TOKEN, 'x-api-key': sandbox.owners[0].apiKey };
  /** Has each refused so many times, some at once, and gives what is left once nothing but the stream is open. */
  const refuseEach = async (times: number) => {
    for (const [status, { path = '/graphql', headers = JSON_TYPE, ...call }] of REFUSED)
      for (let time = 0; time < times; time += AT_ONCE)
        await Promise.all(
          Array.from({ length: AT_ONCE }, async () => {
            const all = { ...caller, ...headers };
            const answer = await send(url + path, { method: 'POST', ...call, headers: all });
            expect(answer.status, JSON.stringify(call).slice(0, 200)).toBe(status);
            expect(answer.text).toContain('"errors"');
          }),
        );
    const gauges = ['graphql_sockets_open', 'graphql_subscriptions_open', 'live_channels_open'];
    await expect.poll(async () => gauges.map((await scrape(url)).value)).toEqual([0, 1, 1]);
    // The inspector and the stream have one each; connections that nothing happens on are closed after a second.
    await expect.poll(() => heap.resources('TCPSocketWrap')).toBeLessThanOrEqual(2);
    return { timers: await heap.resources('Timeout'), usedMiB: await heap.usedMiB() };
  };
  const taken = startStream(url, FOLLOW, caller);
  expect((await taken.answer).status).toBe(200);
  const first = await refuseEach(WARM_UP);
  const last = await refuseEach(TIMES);
  expect(last.timers).toBeLessThanOrEqual(first.timers + 2);
  expect(last.usedMiB - first.usedMiB).toBeLessThan(MOST_MIB);
  await taken.leave();
  await expect.poll(async () => (await scrape(url)).value('graphql_subscriptions_open')).toBe(0);
});
