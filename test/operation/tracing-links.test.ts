import { SpanKind, SpanStatusCode, context, createContextKey, trace } from '@opentelemetry/api';
import { expect, test, onTestFinished } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { LOOKING, startLive } from '../support/live.ts';
import { recordSpans, type RecordedSpans } from '../support/recorded-spans.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';
import { channel } from 'node:diagnostics_channel';
import { startOperationSpan } from '../../src/observability/tracing.ts';
import { openTransport } from '../support/transports.ts';
import { connectSocket } from '../support/web-sockets.ts';

// What outlives the request that it was asked for with: subscriptions, and writes whose caller has gone.

test.each(['WebSocket', 'server-sent events'] as const)(
  'over %s, the span of a subscription tells of its start, and the looks for results belong to nobody',
  async (transport) => {
    const spans = recordSpans();
    const live = await startLive('history');
    const { contentId } = await live.ask();
    const reading = transport === 'WebSocket' ? live.watch(contentId) : live.sse.watch(contentId);
    await reading.received(1);
    await live.looksAgain(2);
    const [subscription] = await spans.named('subscription');
    expect(subscription).toMatchObject({ kind: SpanKind.SERVER, status: { code: SpanStatusCode.UNSET } });
    expect(subscription?.attributes['graphql.operation.type']).toBe('subscription');
    expect(reading.ending).toBeNull();
    const looks = (await spans.settled()).filter(({ name }) => name === LOOKING);
    expect(looks.length).toBeGreaterThanOrEqual(2);
    for (const look of looks) expect([look.parentSpanContext, look.links]).toEqual([undefined, []]);
  },
);

test('a caller that leaves ends the span of its query, and its call has not failed', async () => {
  const spans = recordSpans();
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list' });
  const leaving = new AbortController();
  const body = JSON.stringify({ query: '{ accounts(surface: CURRENT) { totalCount } }' });
  const gone = fetch(`${graph.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...graph.caller.both },
    body,
    signal: leaving.signal,
  }).catch(() => 'gone');
  await graph.sandbox.requests.waitFor('GET /accounts/list', 1);
  leaving.abort();
  await gone;
  const [query, call] = await spans.settled(2);
  expect(query?.attributes).toMatchObject({ 'error.type': 'cancelled', 'graphql.operation.type': 'query' });
  expect(query?.attributes).not.toHaveProperty('http.response.status_code');
  expect(call?.attributes).not.toHaveProperty('error.type');
  expect(call?.status.code).toBe(SpanStatusCode.UNSET);
});

test('what is looked for after the caller has left is a trace of its own, linked to the operation', async () => {
  const spans = recordSpans();
  const graph = await startGraph();
  const input = EXAMPLES.createLibraryItem;
  let lose: (() => void) | undefined;
  graph.sandbox.faults.add({
    kind: 'raw',
    effect: 'done',
    endpoint: 'POST /library/create',
    write: (request) => {
      lose = () => request.socket.destroy();
    },
  });
  const leaving = new AbortController();
  const gone = fetch(`${graph.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...graph.caller.both },
    body: JSON.stringify({ query: documentOf('createLibraryItem'), variables: { input } }),
    signal: leaving.signal,
  }).catch(() => 'gone');
  await expect.poll(() => lose !== undefined).toBe(true);
  leaving.abort();
  await gone;
  await expect.poll(() => spans.ended.map(({ name }) => name)).toContain('mutation');
  const lookup = 'GET /library/list';
  const before = graph.sandbox.requests.count(lookup);
  lose?.();
  await graph.sandbox.requests.waitFor(lookup, before + 1);
  const [mutation] = await spans.named('mutation');
  const [write] = await spans.named('POST /library/create');
  const look = (await spans.named(lookup)).at(-1);
  expect(write?.parentSpanContext?.spanId).toBe(mutation?.spanContext().spanId);
  expect(look?.parentSpanContext).toBeUndefined();
  expect(look?.links.map((link) => link.context.spanId)).toEqual([mutation?.spanContext().spanId]);
});

const LIST = '{ accounts(first: 1, surface: CURRENT) { nodes { displayName } } }';
const ENDPOINT = 'GET /accounts/list';
const TRACE = 'a'.repeat(32);
const PARENT = 'b'.repeat(16);
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;
const CALLERS = {
  traceparent: TRACEPARENT,
  tracestate: 'caller=1',
  baggage: 'planted=baggage',
  b3: `${TRACE}-${PARENT}-1`,
};

async function traced(graph: RunningGraph, spans: RecordedSpans, transport: string) {
  if (transport === 'WebSocket')
    await connectSocket(graph.url, { connectionParams: graph.caller.both }).run({
      query: LIST,
      extensions: { headers: CALLERS },
    });
  else
    await openTransport(transport as 'HTTP', graph.url, { ...graph.caller.both, ...CALLERS })({
      query: LIST,
    });
  const [query, call] = await spans.settled(2);
  return { query, call };
}

test.each(['HTTP', 'WebSocket', 'server-sent events'])(
  'over %s, the span of the caller is the parent of the operation’s; nothing is passed on to the service',
  async (transport) => {
    const spans = recordSpans();
    const graph = await startGraph();
    const { query, call } = await traced(graph, spans, transport);
    expect(query?.spanContext().traceId).toBe(TRACE);
    expect(query?.parentSpanContext).toMatchObject({ spanId: PARENT, isRemote: true });
    expect(call?.spanContext().traceId).toBe(TRACE);
    const [request] = graph.sandbox.requests.of(ENDPOINT);
    const sent = JSON.stringify(request?.rawHeaders);
    expect(sent).not.toMatch(/trace|baggage|b3/i);
    expect(sent).not.toContain(TRACE);
  },
);

test('with PROPAGATE_TRACE the service is sent the call’s own span and the trace state, and no baggage', async () => {
  const spans = recordSpans();
  const graph = await startGraph({ environment: { PROPAGATE_TRACE: 'on' } });
  const { call } = await traced(graph, spans, 'HTTP');
  const [request] = graph.sandbox.requests.of(ENDPOINT);
  expect(request?.headers).toMatchObject({
    traceparent: `00-${TRACE}-${call?.spanContext().spanId}-01`,
    tracestate: 'caller=1',
  });
  // By their names: a span's id, which is random, may hold anything.
  expect(Object.keys(request?.headers ?? {}).join(' ')).not.toMatch(/baggage|b3/i);
});

test('with PROPAGATE_TRACE and nothing that records spans, nothing is passed on', async () => {
  const graph = await startGraph({ environment: { PROPAGATE_TRACE: 'on' } });
  await openTransport('HTTP', graph.url, { ...graph.caller.both, ...CALLERS })({ query: LIST });
  const [request] = graph.sandbox.requests.of(ENDPOINT);
  expect(JSON.stringify(request?.rawHeaders)).not.toMatch(/trace|baggage/i);
});

test.each([
  'nonsense',
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `ff-${TRACE}-${PARENT}-01`,
  `${TRACEPARENT}, ${TRACEPARENT}`,
  'x'.repeat(8_000),
])('a traceparent that is none (%.60s) begins a new trace', async (traceparent) => {
  const spans = recordSpans();
  const graph = await startGraph();
  await openTransport('HTTP', graph.url, { ...graph.caller.both, traceparent })({ query: LIST });
  const [query] = await spans.settled(2);
  expect(query?.parentSpanContext).toBeUndefined();
  expect(query?.spanContext().traceId).not.toBe(TRACE);
});

test.each([{ traceparent: 7 }, { traceparent: { toString: 1 } }, 'traceparent', [TRACEPARENT]])(
  'over a socket, headers of a message that are none (%j) begin a new trace',
  async (headers) => {
    const spans = recordSpans();
    const graph = await startGraph();
    const socket = connectSocket(graph.url, { connectionParams: graph.caller.both });
    await socket.run({ query: LIST, extensions: { headers } });
    const [query] = await spans.settled(2);
    expect(query?.parentSpanContext).toBeUndefined();
  },
);

test('thousands of operations of one socket are no part of one trace: headers of the socket are no parent', async () => {
  const spans = recordSpans();
  const graph = await startGraph();
  const headers = { traceparent: TRACEPARENT };
  const socket = connectSocket(graph.url, {
    headers,
    connectionParams: { ...graph.caller.both, ...headers },
  });
  await socket.run({ query: LIST });
  const [query] = await spans.settled(2);
  expect(query?.parentSpanContext).toBeUndefined();
});

// The keys by which the SDK of a host tells its instrumentations to leave a request alone.
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

test('where a host instruments undici, a call has one span, and the host’s adds no header to it', async () => {
  const spans = recordSpans({ isHost: true });
  const graph = await startGraph();
  const suppressed: unknown[] = [];
  const listen = (message: unknown): void => {
    const { request } = message as { readonly request: { readonly path: string } };
    if (request.path.startsWith('/accounts/list')) suppressed.push(context.active().getValue(SUPPRESSED));
  };
  const created = channel('undici:request:create');
  created.subscribe(listen);
  onTestFinished(() => {
    created.unsubscribe(listen);
  });
  await openTransport('WebSocket', graph.url, graph.caller.both)({ query: LIST });
  await spans.settled(2);
  expect(suppressed).toEqual([true]);
});

test('where a host has a span for the request already, the operation belongs to that one', async () => {
  const spans = recordSpans({ isHost: true });
  const own = trace.getTracer('host').startSpan('POST');
  const headers: Readonly<Record<string, string>> = CALLERS;
  context.with(trace.setSpan(context.active(), own), () => {
    startOperationSpan({ attributes: {}, header: (name) => headers[name] })?.end();
  });
  own.end();
  const [operation] = await spans.named('GraphQL Operation', 2);
  expect(operation?.parentSpanContext?.spanId).toBe(own.spanContext().spanId);
});
