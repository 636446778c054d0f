import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { SpanKind, SpanStatusCode, context, createContextKey, propagation, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CALLBACK, freshCode, oauthEnvironment } from '../support/connect.ts';
import { startOperationSpan } from '../../src/observability/tracing.ts';
import { shareGraph, startGraph, type RunningGraph } from '../support/graph.ts';
import { LOOKING, startLive } from '../support/live.ts';
import { postJson, send, startPost } from '../support/http.ts';
import { recordSpans, type RecordedSpans } from '../support/spans.ts';
import { openTransport, TRANSPORTS, type Transport } from '../support/transports.ts';
import { connectSocket } from '../support/web-sockets.ts';
import { documentOf, EXAMPLES, write } from '../support/writes.ts';

const usual = shareGraph();

const LIST = '{ accounts(first: 1, surface: CURRENT) { nodes { displayName } } }';
const ENDPOINT = 'GET /accounts/list';

const UNSET = { code: SpanStatusCode.UNSET };

const parentOf = ({ parentSpanContext }: ReadableSpan) => parentSpanContext?.spanId;
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;

test.each(TRANSPORTS)(
  'over %s, an operation is a span of kind SERVER, with its calls within',
  async (transport) => {
    const spans = recordSpans();
    await openTransport(transport, usual.url, usual.caller.both)({ query: `query Accounts ${LIST}` });
    const [operation, call, ...others] = await spans.settled(2);
    const { port } = new URL(usual.url);
    const overHttp = {
      'http.request.method': 'POST',
      'http.route': '/graphql',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
    };
    expect(operation).toMatchObject({ name: 'query', kind: SpanKind.SERVER, status: UNSET });
    expect(operation?.parentSpanContext).toBeUndefined();
    expect(operation?.attributes).toEqual({
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Accounts',
      'url.path': '/graphql',
      'server.address': '127.0.0.1',
      'server.port': Number(port),
      ...(transport === 'WebSocket' ? { 'network.protocol.name': 'websocket' } : overHttp),
    });
    expect(call).toMatchObject({ name: ENDPOINT, kind: SpanKind.CLIENT, status: UNSET });
    expect(call && parentOf(call)).toBe(idOf(operation));
    expect(call?.attributes).toEqual({
      'http.request.method': 'GET',
      'url.template': '/accounts/list',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(usual.sandbox.url).port),
      'http.response.status_code': 200,
      'social_publishing.surface': 'current',
    });
    expect(others).toEqual([]);
  },
);

test('the calls of operations that run at the same time belong each to their own, those of mutations among them', async () => {
  const spans = recordSpans();
  const graph = await startGraph({ environment: oauthEnvironment() });
  const code = await freshCode(graph.sandbox);
  const queries = [LIST, LIST.replace('CURRENT', 'LEGACY'), '{ accountGroups { totalCount } }'];
  await Promise.all([
    ...queries.map((query) => graph.query(query)),
    write(graph, 'createDraft', { ...EXAMPLES.createDraft }),
    write(graph, 'exchangeAuthorizationCode', { code, redirectUri: CALLBACK }),
  ]);
  const all = await spans.settled(10);
  const operations = all.filter(({ kind }) => kind === SpanKind.SERVER);
  const names = operations.map(({ name }) => name).toSorted();
  expect(names.join(' ')).toBe('mutation mutation query query query');
  for (const { name, attributes } of operations) expect(attributes['graphql.operation.type']).toBe(name);
  const parents = all.filter(({ kind }) => kind === SpanKind.CLIENT).map(parentOf);
  expect(new Set(parents)).toEqual(new Set(operations.map(idOf)));
});

test('each attempt of a read is a span with its number', async () => {
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
  expect(operation?.status).toEqual(UNSET);
});

test('failures are recorded by their codes: of a call by its status or kind, of an operation by its first error', async () => {
  const spans = recordSpans();
  usual.sandbox.faults.add({ kind: 'status', status: 500, endpoint: ENDPOINT });
  usual.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: ENDPOINT });
  await usual.query(LIST);
  await usual.query(LIST);
  await usual.query('{ surfaces { surface } }');
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
    [200, undefined, UNSET],
  ]);
});

const NEVER_EXECUTED = [
  ['{ nothing }', 'GraphQL Operation', 'GRAPHQL_VALIDATION_FAILED'],
  ['{ accounts', 'GraphQL Operation', 'GRAPHQL_PARSE_FAILED'],
  ['query A { __typename } query B { __typename }', 'GraphQL Operation', 'BAD_USER_INPUT'],
  ['{ node(id: "x") { id } }', 'query', 'BAD_USER_INPUT'],
  ['query ($id: ID!) { node(id: $id) { id } }', 'query', 'BAD_USER_INPUT'],
  ['subscription { aiGenerationUpdated(id: "x") { id } }', 'subscription', 'BAD_USER_INPUT'],
] as const;

test.each(['WebSocket', 'server-sent events'] as const)(
  'over %s, what fails at once has a span with its code, and the type of the operation where it is known',
  async (transport) => {
    const spans = recordSpans();
    const run = openTransport(transport, usual.url, usual.caller.both);
    for (const [query] of NEVER_EXECUTED) await run({ query });
    const all = await spans.settled(NEVER_EXECUTED.length);
    expect(all.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual(
      NEVER_EXECUTED.map(([, name, code]) => [name, code]),
    );
  },
);

test('a request that is refused before any GraphQL has a span with its status, and probes and metrics have none', async () => {
  const spans = recordSpans();
  const endpoint = `${usual.url}/graphql`;
  for (const path of ['/health', '/ready', '/metrics', '/nothing']) await send(usual.url + path);
  await send(endpoint, { method: 'PUT', body: '{}' });
  await send(endpoint, { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } });
  await postJson(endpoint, { query: '{ accounts', variables: 1 });
  const all = await spans.settled(3);
  expect(all.map(({ name, attributes }) => [name, attributes['http.response.status_code']])).toEqual([
    ['GraphQL Operation', 405],
    ['GraphQL Operation', 415],
    ['GraphQL Operation', 400],
  ]);
  expect(all[0]?.attributes['http.request.method']).toBe('PUT');
});

test('the name of an operation is recorded, cut to 100 characters, unless it contains a credential', async () => {
  const spans = recordSpans();
  const key = 'planted_key_0123456789';
  const headers = { 'x-api-key': key };
  for (const name of ['N'.repeat(300), `my_${key}`])
    await usual.query(`query ${name} { surfaces { surface } }`, { headers });
  const names = (await spans.settled(2)).map(({ attributes }) => attributes['graphql.operation.name']);
  expect(names).toEqual(['N'.repeat(100), undefined]);
});

// What outlives the request that it was asked for with: subscriptions, and writes whose caller has gone.

test.each(['WebSocket', 'server-sent events'] as const)(
  'over %s, a subscription has a span for its start, and polls for results have no parent',
  async (transport) => {
    const spans = recordSpans();
    const live = await startLive('history');
    const { contentId } = await live.ask();
    const reading = transport === 'WebSocket' ? live.watch(contentId) : live.sse.watch(contentId);
    await reading.received(1);
    await live.looksAgain(2);
    const [subscription] = await spans.named('subscription');
    expect(subscription).toMatchObject({ kind: SpanKind.SERVER, status: UNSET });
    expect(subscription?.attributes['graphql.operation.type']).toBe('subscription');
    expect(reading.ending).toBeNull();
    const looks = (await spans.settled()).filter(({ name }) => name === LOOKING);
    expect(looks.length).toBeGreaterThanOrEqual(2);
    for (const look of looks) expect([look.parentSpanContext, look.links]).toEqual([undefined, []]);
  },
);

test('a lookup after the caller has left is a trace of its own, linked to the operation', async () => {
  const spans = recordSpans();
  const input = EXAMPLES.createLibraryItem;
  let lose: (() => void) | undefined;
  usual.sandbox.faults.add({
    kind: 'raw',
    effect: 'done',
    endpoint: 'POST /library/create',
    write: (request) => (lose = () => request.socket.destroy()),
  });
  const operation = { query: documentOf('createLibraryItem'), variables: { input } };
  const { leave } = startPost(usual.url, operation, usual.caller.both);
  await expect.poll(() => lose !== undefined).toBe(true);
  await leave();
  await expect.poll(() => spans.ended.map(({ name }) => name)).toContain('mutation');
  const lookup = 'GET /library/list';
  const before = usual.sandbox.requests.count(lookup);
  lose?.();
  await usual.sandbox.requests.waitFor(lookup, before + 1);
  const [mutation] = await spans.named('mutation');
  const [sent] = await spans.named('POST /library/create');
  const look = (await spans.named(lookup)).at(-1);
  expect(sent?.parentSpanContext?.spanId).toBe(mutation?.spanContext().spanId);
  expect(look?.parentSpanContext).toBeUndefined();
  expect(look?.links.map((link) => link.context.spanId)).toEqual([mutation?.spanContext().spanId]);
});

const TRACE = 'a'.repeat(32);
const PARENT = 'b'.repeat(16);
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;
const CALLERS = {
  traceparent: TRACEPARENT,
  tracestate: 'caller=1',
  baggage: 'planted=baggage',
  b3: `${TRACE}-${PARENT}-1`,
};

/** Has an operation with the headers of a trace; gives its span and that of its call, and the call's headers. */
async function traced(
  { url, caller, sandbox }: RunningGraph,
  spans: RecordedSpans,
  transport: Transport = 'HTTP',
) {
  if (transport === 'WebSocket') {
    const socket = connectSocket(url, { connectionParams: caller.both });
    await socket.run({ query: LIST, extensions: { headers: CALLERS } });
  } else await openTransport(transport, url, { ...caller.both, ...CALLERS })({ query: LIST });
  const [query, call] = await spans.settled(2);
  const [request] = sandbox.requests.of(ENDPOINT);
  return { query, call, sent: request?.headers ?? {} };
}

test.each(TRANSPORTS)(
  'over %s, the span of the caller is the parent of the operation’s; nothing is passed on to the service',
  async (transport) => {
    const { query, call, sent } = await traced(usual, recordSpans(), transport);
    expect(query?.spanContext().traceId).toBe(TRACE);
    expect(query?.parentSpanContext).toMatchObject({ spanId: PARENT, isRemote: true });
    expect(call?.spanContext().traceId).toBe(TRACE);
    expect(JSON.stringify(sent)).not.toMatch(/trace|baggage|b3"|a{32}/i);
  },
);

test('with PROPAGATE_TRACE the service is sent the call’s own span and the trace state, and no baggage', async () => {
  const open = await startGraph({ environment: { PROPAGATE_TRACE: 'on' } });
  // Nothing that records spans, nothing that is passed on.
  await open.query(LIST, { headers: { ...open.caller.both, ...CALLERS } });
  expect(JSON.stringify(open.sandbox.requests.of(ENDPOINT)[0]?.rawHeaders)).not.toMatch(/trace|baggage/i);
  open.sandbox.requests.clear();
  const { call, sent } = await traced(open, recordSpans());
  expect(sent).toMatchObject({
    traceparent: `00-${TRACE}-${call?.spanContext().spanId}-01`,
    tracestate: 'caller=1',
  });
  // By their names: a span's id, which is random, may hold anything.
  expect(Object.keys(sent).join(' ')).not.toMatch(/baggage|b3/i);
});

test('an invalid traceparent begins a new trace, in a header and in a message', async () => {
  const spans = recordSpans();
  const invalid = ['nonsense', `00-${TRACE}-${'0'.repeat(16)}-01`];
  for (const traceparent of invalid)
    await usual.query(LIST, { headers: { ...usual.caller.both, traceparent } });
  const messages = [undefined, { traceparent: 7 }, { traceparent: { toString: 1 } }, 'x', [TRACEPARENT]];
  // Nor is that of a socket's own headers the parent of its thousands of operations.
  const headers = { traceparent: TRACEPARENT };
  const connectionParams = { ...usual.caller.both, ...headers };
  const socket = connectSocket(usual.url, { headers, connectionParams });
  for (const own of messages) await socket.run({ query: LIST, extensions: { headers: own } });
  const count = invalid.length + messages.length;
  const queries = await spans.named('query', 2 * count);
  expect(queries.map(parentOf)).toEqual(Array.from({ length: count }, () => undefined));
  expect(queries.map((span) => span.spanContext().traceId)).not.toContain(TRACE);
});

// The keys by which the SDK of a host tells its instrumentations to leave a request alone.
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

test('where a host instruments undici, a call has one span, and the host’s adds no header to it', async () => {
  const spans = recordSpans({ isHost: true });
  const suppressed: unknown[] = [];
  const listen = (message: unknown): void => {
    const { request } = message as { readonly request: { readonly path: string } };
    if (request.path.startsWith('/accounts/list')) suppressed.push(context.active().getValue(SUPPRESSED));
  };
  const created = channel('undici:request:create');
  created.subscribe(listen);
  onTestFinished(() => created.unsubscribe(listen));
  await openTransport('WebSocket', usual.url, usual.caller.both)({ query: LIST });
  await spans.settled(2);
  expect(suppressed).toEqual([true]);
});

test('where a host has a span for the request already, the operation belongs to that one', async () => {
  const spans = recordSpans({ isHost: true });
  const own = trace.getTracer('host').startSpan('POST');
  const headers: Readonly<Record<string, string>> = CALLERS;
  context.with(trace.setSpan(context.active(), own), () => startOperationSpan({}, headers)?.end());
  own.end();
  const [operation] = await spans.named('GraphQL Operation', 2);
  expect(operation?.parentSpanContext?.spanId).toBe(own.spanContext().spanId);
});

// That traces cost nothing unless they are wanted is shown by what is not done then.

/** What was called, and how often, while an operation with one call was answered. */
async function doneFor(transport: Transport) {
  const run = openTransport(transport, usual.url, usual.caller.both);
  // What is loaded for the first operation does what it likes.
  await run({ query: LIST });
  const spies = {
    getTracer: vi.spyOn(trace, 'getTracer'),
    setSpan: vi.spyOn(trace, 'setSpan'),
    active: vi.spyOn(context, 'active'),
    with: vi.spyOn(context, 'with'),
    extract: vi.spyOn(propagation, 'extract'),
    inject: vi.spyOn(propagation, 'inject'),
    track: vi.spyOn(AsyncLocalStorage.prototype, 'run'),
    enter: vi.spyOn(AsyncLocalStorage.prototype, 'enterWith'),
  };
  expect((await run({ query: LIST })).errors).toEqual([]);
  const done = Object.entries(spies).map(([name, { mock }]) => [name, mock.calls.length] as const);
  for (const spy of Object.values(spies)) spy.mockRestore();
  return Object.fromEntries(done);
}

test.each(TRANSPORTS)(
  'over %s, unless something records spans, nothing is collected, begun or tracked',
  async (transport) => {
    const done = await doneFor(transport);
    expect(Object.entries(done).filter(([, times]) => times > 0)).toEqual([]);
    // The control: the same count sees what is done for spans that are recorded.
    recordSpans();
    // Without a host that has instrumentations, contexts are handed on as values.
    expect(await doneFor(transport)).toMatchObject({ extract: 1, setSpan: 2, track: 0, enter: 0 });
  },
);
