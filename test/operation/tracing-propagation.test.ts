import { channel } from 'node:diagnostics_channel';
import { context, createContextKey, trace } from '@opentelemetry/api';
import { expect, onTestFinished, test } from 'vitest';
import { startOperationSpan } from '../../src/observability/tracing.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { recordSpans, type RecordedSpans } from '../support/recorded-spans.ts';
import { openTransport } from '../support/transports.ts';
import { connectSocket } from '../support/web-sockets.ts';

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
