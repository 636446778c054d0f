import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { traced } from '../../src/observability/tracing.ts';
import { startGraph } from '../support/graph.ts';
import { recordSpans, type RecordedSpan } from '../support/recorded-spans.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';
import { EXAMPLES, write } from '../support/writes.ts';

const LIST = '{ accounts(first: 1, surface: CURRENT) { nodes { displayName } } }';

const named = (spans: readonly RecordedSpan[], name: string): readonly RecordedSpan[] =>
  spans.filter((span) => span.name === name);

test.each(TRANSPORTS)('over %s, an operation is a span, with its calls within', async (transport) => {
  const spans = recordSpans();
  const graph = await startGraph();
  await openTransport(transport, graph.url, graph.caller.both)({ query: LIST });
  const [operation] = named(spans, 'graphql query');
  const [call] = named(spans, 'GET /accounts/list');
  expect(operation).toMatchObject({
    attributes: { 'graphql.operation.type': 'query' },
    options: { kind: SpanKind.INTERNAL },
    parent: null,
  });
  expect(call).toMatchObject({
    attributes: {
      'http.request.method': 'GET',
      'url.template': '/accounts/list',
      'service.surface': 'current',
      'http.response.status_code': 200,
    },
    options: { kind: SpanKind.CLIENT },
  });
  expect(call?.parent).toBe(operation);
  for (const span of spans)
    expect(span).toMatchObject({ isEnded: true, status: { code: SpanStatusCode.UNSET } });
});

test('the calls of operations at the same time lie each within their own', async () => {
  const spans = recordSpans();
  const graph = await startGraph();
  const queries = [LIST, LIST.replace('CURRENT', 'LEGACY'), '{ accountGroups { totalCount } }'];
  await Promise.all(queries.map((query) => graph.query(query)));
  const operations = named(spans, 'graphql query');
  expect(operations).toHaveLength(3);
  const calls = spans.filter(({ options }) => options.kind === SpanKind.CLIENT);
  expect(new Set(calls.map(({ parent }) => parent))).toEqual(new Set(operations));
});

test('a mutation and a subscription are spans of their own', async () => {
  const spans = recordSpans();
  const graph = await startGraph();
  await write(graph, 'createDraft', { ...EXAMPLES.createDraft });
  await openTransport(
    'server-sent events',
    graph.url,
    graph.caller.both,
  )({
    query: 'subscription { aiGenerationUpdated(id: "x") { id } }',
  });
  expect(named(spans, 'graphql mutation')).toHaveLength(1);
  expect(named(spans, 'POST /draft/create')[0]?.parent?.name).toBe('graphql mutation');
  expect(named(spans, 'graphql subscription')).toHaveLength(1);
});

test('what fails is marked: an operation with an error, a call that is refused, a call without an answer', async () => {
  const spans = recordSpans();
  const graph = await startGraph();
  const endpoint = 'GET /accounts/list';
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint });
  graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint });
  await graph.query(LIST);
  await graph.query(LIST);
  await graph.query('{ surfaces { surface } }');
  const codesOf = (name: string) => named(spans, name).map(({ status }) => status.code);
  const { ERROR, UNSET } = SpanStatusCode;
  expect(codesOf('graphql query')).toEqual([ERROR, ERROR, UNSET]);
  expect(codesOf(endpoint)).toEqual([ERROR, ERROR]);
  expect(named(spans, endpoint).map(({ attributes }) => attributes['http.response.status_code'])).toEqual([
    500,
    undefined,
  ]);
});

test('spans tell nothing that a caller or the service wrote', async () => {
  const spans = recordSpans();
  const graph = await startGraph();
  graph.sandbox.faults.add({
    kind: 'status',
    status: 400,
    body: { message: 'planted' },
    endpoint: 'GET /group/list',
  });
  graph.sandbox.faults.add({ kind: 'malformed-json', text: '{"planted":', endpoint: 'GET /oauth/groups' });
  const query = `query planted { planted: account(id: "MWFjOjQxMDIwMQ") { settingId displayName }
    accounts(first: 1, filter: { displayName: "planted" }) { totalCount } accountGroups { totalCount }
    legacy: accountGroups(surface: LEGACY) { totalCount } node(id: "planted") { id } }`;
  for (const transport of TRANSPORTS)
    await openTransport(transport, graph.url, { ...graph.caller.both, 'x-planted': 'planted' })({
      query,
      operationName: 'planted',
    });
  await write(graph, 'createPost', { ...EXAMPLES.createPost, idempotencyKey: 'planted' });
  expect(spans.length).toBeGreaterThan(10);
  const told = JSON.stringify(spans.map(({ parent: _parent, ...span }) => span));
  expect(told).not.toMatch(/planted|demo-|410201|Kelpgate|127\.0\.0\.1/);
  expect(spans.flatMap(({ others }) => others)).toEqual([]);
  expect(spans.every(({ isEnded }) => isEnded)).toBe(true);
});

test('without a provider nothing is recorded, and what is run gives and throws what it does', async () => {
  const description = { name: 'x', attributes: {} };
  const failure = new Error('its own');
  expect(await traced(description, () => 7)).toBe(7);
  await expect(traced(description, () => Promise.reject(failure))).rejects.toBe(failure);
  const graph = await startGraph();
  expect((await graph.query(LIST)).errors).toEqual([]);
});
