import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { expect, test } from 'vitest';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { ACCOUNT_FIELDS } from '../support/account-selections.ts';
import { CALLBACK, freshCode, oauthEnvironment } from '../support/consent.ts';
import { startGraph } from '../support/graph.ts';
import { leaksIn, secretsOf } from '../support/leaks.ts';
import { operateWithPlanted, PLANTED_TOKEN } from '../support/planted.ts';
import { postJson } from '../support/raw-http.ts';
import { recordSpans, told } from '../support/recorded-spans.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';
import { EXAMPLES, write } from '../support/writes.ts';

const LIST = '{ accounts(first: 1, surface: CURRENT) { nodes { displayName } } }';
const ENDPOINT = 'GET /accounts/list';

const isCall = ({ kind }: ReadableSpan): boolean => kind === SpanKind.CLIENT;
const parentOf = ({ parentSpanContext }: ReadableSpan) => parentSpanContext?.spanId;
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;

test.each(TRANSPORTS)(
  'over %s, an operation is a span of kind SERVER, with its calls within',
  async (transport) => {
    const spans = recordSpans();
    const graph = await startGraph();
    await openTransport(transport, graph.url, graph.caller.both)({ query: `query Accounts ${LIST}` });
    const [operation, call, ...others] = await spans.settled(2);
    const { port } = new URL(graph.url);
    const overHttp = {
      'http.request.method': 'POST',
      'http.route': '/graphql',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
    };
    expect(operation).toMatchObject({
      name: 'query',
      kind: SpanKind.SERVER,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(operation?.parentSpanContext).toBeUndefined();
    expect(operation?.attributes).toEqual({
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Accounts',
      'url.path': '/graphql',
      'server.address': '127.0.0.1',
      'server.port': Number(port),
      ...(transport === 'WebSocket' ? { 'network.protocol.name': 'websocket' } : overHttp),
    });
    expect(call).toMatchObject({
      name: ENDPOINT,
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(call && parentOf(call)).toBe(idOf(operation));
    expect(call?.attributes).toEqual({
      'http.request.method': 'GET',
      'url.template': '/accounts/list',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(graph.sandbox.url).port),
      'http.response.status_code': 200,
      'social_publishing.surface': 'current',
    });
    expect(others).toEqual([]);
  },
);

test('calls of operations that run at the same time each belong to their own', async () => {
  const spans = recordSpans();
  const graph = await startGraph();
  const queries = [LIST, LIST.replace('CURRENT', 'LEGACY'), '{ accountGroups { totalCount } }'];
  await Promise.all(queries.map((query) => graph.query(query)));
  const all = await spans.settled(6);
  const operations = all.filter(({ name }) => name === 'query');
  expect(operations).toHaveLength(3);
  expect(new Set(all.filter(isCall).map(parentOf))).toEqual(new Set(operations.map(idOf)));
});

test('the calls of a mutation belong to it, the exchange of an authorisation code among them', async () => {
  const spans = recordSpans();
  const graph = await startGraph({ environment: oauthEnvironment() });
  const code = await freshCode(graph.sandbox);
  await write(graph, 'createDraft', { ...EXAMPLES.createDraft });
  await write(graph, 'exchangeAuthorizationCode', { code, redirectUri: CALLBACK });
  const mutations = await spans.named('mutation', 4);
  for (const { attributes } of mutations)
    expect(attributes).toMatchObject({ 'graphql.operation.type': 'mutation' });
  const [draft] = await spans.named('POST /draft/create');
  const [exchange] = await spans.named('POST /oauth/accesstoken');
  expect([draft, exchange].map((call) => call && parentOf(call))).toEqual(mutations.map(idOf));
});

test('each attempt of a read is a span, and a later one says which it is', async () => {
  const spans = recordSpans();
  const graph = await startGraph({ environment: { READ_ATTEMPTS: '3' } });
  graph.sandbox.faults.add({ kind: 'status', status: 503, endpoint: ENDPOINT, times: 2 });
  await graph.query(LIST);
  const calls = await spans.named(ENDPOINT);
  expect(calls.map(({ attributes }) => attributes['http.request.resend_count'])).toEqual([undefined, 1, 2]);
  expect(calls.map(({ attributes }) => attributes['error.type'])).toEqual(['503', '503', undefined]);
  const [operation] = await spans.named('query');
  expect(calls.map(parentOf)).toEqual(calls.map(() => idOf(operation)));
  // What was mended by another attempt is no failure of the operation.
  expect(operation?.status.code).toBe(SpanStatusCode.UNSET);
});

test('failures are told by their codes: of a call by its status or kind, of an operation by its first error', async () => {
  const spans = recordSpans();
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: ENDPOINT });
  graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: ENDPOINT });
  await graph.query(LIST);
  await graph.query(LIST);
  await graph.query('{ surfaces { surface } }');
  const ends = async (name: string) =>
    (await spans.named(name, 5)).map(({ attributes, status }) => [
      attributes['http.response.status_code'],
      attributes['error.type'],
      status,
    ]);
  const failed = { code: SpanStatusCode.ERROR };
  expect(await ends(ENDPOINT)).toEqual([
    [500, '500', failed],
    [undefined, 'unavailable', failed],
  ]);
  expect(await ends('query')).toEqual([
    [200, 'SURFACE_UNAVAILABLE', failed],
    [200, 'SURFACE_UNAVAILABLE', failed],
    [200, undefined, { code: SpanStatusCode.UNSET }],
  ]);
});

const NEVER_EXECUTED = [
  ['{ nothing }', 'GraphQL Operation', 'GRAPHQL_VALIDATION_FAILED'],
  ['{ accounts', 'GraphQL Operation', 'GRAPHQL_PARSE_FAILED'],
  ['{ node(id: "x") { id } }', 'query', 'BAD_USER_INPUT'],
  ['query ($id: ID!) { node(id: $id) { id } }', 'query', 'BAD_USER_INPUT'],
  ['subscription { aiGenerationUpdated(id: "x") { id } }', 'subscription', 'BAD_USER_INPUT'],
] as const;

test.each(['WebSocket', 'server-sent events'] as const)(
  'over %s, what fails at once has a span with its code, and the type of the operation where it is known',
  async (transport) => {
    const spans = recordSpans();
    const graph = await startGraph();
    const run = openTransport(transport, graph.url, graph.caller.both);
    for (const [query] of NEVER_EXECUTED) await run({ query });
    const all = await spans.settled(NEVER_EXECUTED.length);
    expect(all.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual(
      NEVER_EXECUTED.map(([, name, code]) => [name, code]),
    );
  },
);

test('a request that is refused before any GraphQL has a span with its status', async () => {
  const spans = recordSpans();
  const graph = await startGraph();
  await fetch(`${graph.url}/graphql`, { method: 'PUT', body: '{}' });
  await fetch(`${graph.url}/graphql`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'text/plain' },
  });
  await postJson(`${graph.url}/graphql`, { query: '{ accounts', variables: 1 });
  const all = await spans.settled(3);
  expect(all.map(({ name, attributes }) => [name, attributes['http.response.status_code']])).toEqual([
    ['GraphQL Operation', 405],
    ['GraphQL Operation', 415],
    ['GraphQL Operation', 400],
  ]);
  expect(all[0]?.attributes['http.request.method']).toBe('PUT');
});

test('pages, probes and metrics have no spans', async () => {
  const spans = recordSpans();
  const graph = await startGraph();
  for (const path of ['/health', '/ready', '/metrics', '/nothing'])
    await fetch(`${graph.url}${path}`).then((answer) => answer.text());
  await fetch(`${graph.url}/graphql`, { headers: { accept: 'text/html' } }).then((answer) => answer.text());
  await graph.query('{ surfaces { surface } }');
  expect((await spans.settled()).map(({ name }) => name)).toEqual(['query']);
});

const QUERIES = [
  `{ accounts(first: 100) { nodes { id ...AccountFields } } } ${ACCOUNT_FIELDS}`,
  `{ accounts(first: 100, surface: LEGACY) { nodes { id ...AccountFields } } } ${ACCOUNT_FIELDS}`,
  `query { planted: account(id: "MWFjOjQxMDIwMQ") { settingId displayName } node(id: "planted") { id }
    accounts(first: 1, filter: { displayName: "planted" }) { totalCount } }`,
  '{ accountGroups { nodes { name } } planted }',
  '{ planted(',
];
const FAULTS: readonly FaultKind[] = [
  { kind: 'status', status: 500, body: { message: 'planted-words' } },
  { kind: 'status', status: 401, body: { message: 'planted-words' } },
  { kind: 'malformed-json', text: '{"planted-text": ' },
  { kind: 'redirect', location: 'http://127.0.0.1:9/?access_token=planted-location' },
  { kind: 'reset-before-headers' },
];

test.each(['header', 'query'])(
  'with the token in the %s of calls, spans hold no credential, no secret and no word of anybody',
  async (placement) => {
    const spans = recordSpans();
    const environment = {
      MAX_SELECTIONS: '1000',
      CLIENT_TOKENS: PLANTED_TOKEN,
      LEGACY_TOKEN_PLACEMENT: placement,
      PROPAGATE_TRACE: 'on',
      ...oauthEnvironment(),
    };
    const graph = await startGraph({ environment });
    const headers = {
      ...graph.caller.both,
      'x-client-token': PLANTED_TOKEN,
      'x-planted': 'planted',
      'user-agent': 'planted-agent',
      baggage: 'planted=planted',
    };
    const asked = await operateWithPlanted(graph, { headers, queries: QUERIES, faults: FAULTS });
    const code = await freshCode(graph.sandbox);
    await write(asked, 'exchangeAuthorizationCode', { code, redirectUri: CALLBACK });
    await fetch(`${graph.url}/graphql?x-api-key=planted-in-address`, { headers }).then((reply) =>
      reply.text(),
    );
    const all = await spans.settled(50);
    const texts = all.map(told);
    expect(all.flatMap(({ events }) => events)).toEqual([]);
    expect(texts.filter((text) => /planted|demo-|410201|Kelpgate|access_token|\?/.test(text))).toEqual([]);
    expect(leaksIn(texts, [...secretsOf(graph), code])).toEqual([]);
    // The control: what a span does say is found.
    expect(texts.filter((text) => text.includes('/accounts/list')).length).toBeGreaterThan(5);
  },
);

test('the name of an operation is told, cut where it is long, and not at all if it holds a credential', async () => {
  const spans = recordSpans();
  const graph = await startGraph();
  const key = 'planted_key_0123456789';
  const headers = { 'x-api-key': key };
  for (const name of ['N'.repeat(300), `my_${key}`])
    await graph.query(`query ${name} { surfaces { surface } }`, { headers });
  const names = (await spans.settled(2)).map(({ attributes }) => attributes['graphql.operation.name']);
  expect(names).toEqual(['N'.repeat(100), undefined]);
});
