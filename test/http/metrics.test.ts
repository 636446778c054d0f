import { expect, test } from 'vitest';
import { CALLBACK, oauthEnvironment } from '../support/connect.ts';
import { startGraph } from '../support/graph.ts';
import { FOLLOW, postJson, scrape, send, startStream } from '../support/http.ts';
import { LOCAL_QUERY, startServer } from '../support/server.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';
import { documentOf } from '../support/writes.ts';
import { connectSocket, openGreeted, subscribe } from '../support/web-sockets.ts';

const LIST = '{ accounts(first: 1, surface: CURRENT) { totalCount } }';

const operations = (kind: string, outcome: string): string =>
  `graphql_operation_duration_seconds_count{kind="${kind}",outcome="${outcome}"}`;
const calls = (endpoint: string, outcome: string): string =>
  `service_call_duration_seconds_count{endpoint="${endpoint}",outcome="${outcome}"}`;

test('metrics are text for Prometheus, and count responses by status', async () => {
  const { url, endpoint } = await startServer();
  await postJson(endpoint, { query: LOCAL_QUERY });
  await send(endpoint);
  for (const _ of [1, 2]) await send(`${url}/nothing`);
  const { headers, text } = await send(`${url}/metrics`);
  expect(headers).toMatchObject({
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'cache-control': 'no-store',
  });
  expect(text).toMatch(/^# TYPE graphql_operation_duration_seconds histogram$/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  const counts = [...text.matchAll(/^http_responses_total\{status="(\d+)"\} (\d+)$/gm)];
  const byStatus = Object.fromEntries(counts.map(([, status, count]) => [status, count]));
  expect(byStatus).toEqual({ 200: '1', 404: '2', 405: '1' });
});

test.each(TRANSPORTS)('over %s, operations are counted by kind and outcome', async (transport) => {
  const graph = await startGraph({ environment: { MAX_DEPTH: '4', MAX_VARIABLE_VALUES: '2' } });
  const run = openTransport(transport, graph.url, graph.caller.both);
  for (const query of [
    LOCAL_QUERY,
    '{ account(id: "x") { id } }',
    'mutation { createDraft(input: {}) { outcome } }',
    '{ nothing }',
    '{',
    'query ($n: Int!) { accounts(first: $n) { totalCount } }',
    '{ accounts(first: 100) { nodes { groups { accounts { totalCount } } } } } }',
  ])
    await run({ query });
  await run({ query: FOLLOW, variables: { too: ['m', 'a', 'n', 'y'] } });
  const { value } = await scrape(graph.url);
  expect(['ok', 'error', 'refused'].map((outcome) => value(operations('query', outcome)))).toEqual([1, 1, 1]);
  expect(value(operations('none', 'refused'))).toBe(4);
  // Over HTTP, where it would be one answer, it is refused before that.
  expect(value(operations('subscription', 'refused'))).toBe(transport === 'HTTP' ? 0 : 1);
  expect(value('graphql_subscriptions_open')).toBe(0);
});

test('calls are counted by endpoint and by what came of them, also one that no credential of a caller pays for', async () => {
  const graph = await startGraph({ environment: oauthEnvironment() });
  const { faults } = graph.sandbox;
  const endpoint = 'GET /accounts/list';
  await graph.query(LIST);
  for (const status of [401, 429, 500, 503]) faults.add({ kind: 'status', status, endpoint });
  for (let time = 0; time < 4; time += 1) await graph.query(LIST);
  faults.add({ kind: 'reset-before-headers', endpoint });
  faults.add({ kind: 'huge-body', bytes: 9_000_000, endpoint });
  for (let time = 0; time < 2; time += 1) await graph.query(LIST);
  const query = documentOf('exchangeAuthorizationCode');
  const variables = { input: { code: 'c'.repeat(80), redirectUri: CALLBACK } };
  const { extensions } = await openTransport('HTTP', graph.url)({ query, variables });
  expect(extensions['cost']).toMatchObject({ calls: 1 });
  const { value } = await scrape(graph.url);
  const outcomes = ['200', '401', '429', '500', '503', 'unavailable', 'malformed'];
  expect(outcomes.map((outcome) => [outcome, value(calls(endpoint, outcome))])).toEqual(
    outcomes.map((outcome) => [outcome, 1]),
  );
  expect(value(calls('POST /oauth/accesstoken', '200'))).toBe(1);
});

test('latency lies in the buckets that it belongs to', async () => {
  const graph = await startGraph();
  const endpoint = 'GET /accounts/list';
  graph.sandbox.faults.add({ kind: 'delay', ms: 520, endpoint });
  await graph.query(LIST);
  const { value } = await scrape(graph.url);
  for (const [name, labels] of [
    ['service_call_duration_seconds', `endpoint="${endpoint}",outcome="200"`],
    ['graphql_operation_duration_seconds', 'kind="query",outcome="ok"'],
  ] as const) {
    const within = (le: string): number => value(`${name}_bucket{le="${le}",${labels}}`);
    expect(within('+Inf') - within('0.5')).toBe(1);
    expect(value(`${name}_sum{${labels}}`)).toBeGreaterThan(0.515);
  }
});

test('open sockets and subscriptions are counted on every transport, until their readers leave or are cut off', async () => {
  const graph = await startGraph();
  const open = async (what: string) => (await scrape(graph.url)).value(`graphql_${what}_open`);
  const count = () => open('subscriptions');
  const socket = connectSocket(graph.url, { connectionParams: graph.caller.key });
  const end = socket.start({ query: FOLLOW });
  const bare = await openGreeted(graph.url, graph.caller.key);
  bare.send(subscribe('1', FOLLOW));
  const stream = startStream(graph.url, FOLLOW, graph.caller.key);
  expect((await stream.answer).status).toBe(200);
  await expect.poll(count).toBe(3);
  expect(await open('sockets')).toBe(2);
  end();
  await expect.poll(count).toBe(2);
  await stream.leave();
  bare.close();
  await expect.poll(count).toBe(0);
  expect(await open('sockets')).toBe(1);
  expect((await scrape(graph.url)).value(operations('subscription', 'ok'))).toBe(3);
});
