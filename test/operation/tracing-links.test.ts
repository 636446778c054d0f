import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { LOOKING, startLive } from '../support/live.ts';
import { recordSpans } from '../support/recorded-spans.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

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
  expect(look?.links.map(({ context }) => context.spanId)).toEqual([mutation?.spanContext().spanId]);
});
