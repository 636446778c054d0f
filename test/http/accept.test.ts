import { expect, test } from 'vitest';
import { acceptedBy } from '../../src/http/accept.ts';
import { eachCase } from '../support/each-case.ts';
import { startGraph } from '../support/graph.ts';
import { jsonOf, postJson, send, type HttpReply } from '../support/raw-http.ts';
import { scrape } from '../support/scrape.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';
const EVENTS = 'text/event-stream';

const graph = shareGraph();

/** Headers, with what they accept: a type of JSON, and whether events. */
const ACCEPTS: readonly (readonly [accept: string | undefined, result: string | null, events: boolean])[] = [
  [undefined, JSON_TYPE, true],
  ['', JSON_TYPE, true],
  [' ', JSON_TYPE, true],
  ['*/*', JSON_TYPE, true],
  ['application/*', JSON_TYPE, false],
  ['text/*', null, true],
  [EVENTS, null, true],
  [JSON_TYPE, JSON_TYPE, false],
  ['APPLICATION/JSON ; Q=1', JSON_TYPE, false],
  [GRAPHQL_TYPE, GRAPHQL_TYPE, false],
  [`${GRAPHQL_TYPE}, ${JSON_TYPE}`, GRAPHQL_TYPE, false],
  [`${JSON_TYPE}, ${GRAPHQL_TYPE}`, JSON_TYPE, false],
  [`${JSON_TYPE};q=0.9, ${GRAPHQL_TYPE}`, GRAPHQL_TYPE, false],
  [`${GRAPHQL_TYPE};q=0.2, */*;q=0.1`, GRAPHQL_TYPE, true],
  [`${EVENTS}, ${JSON_TYPE}`, JSON_TYPE, true],
  // A quality of 0 is a refusal, and the most specific range counts.
  [`${JSON_TYPE};q=0`, null, false],
  [`${JSON_TYPE};q=0, */*`, GRAPHQL_TYPE, true],
  [`${EVENTS};q=0.0, */*`, JSON_TYPE, false],
  ['*/*;q=0', null, false],
  [`*/*;q=0, ${JSON_TYPE}`, JSON_TYPE, false],
  // Charsets don't count.
  [`${JSON_TYPE};charset=utf-16`, JSON_TYPE, false],
  [`${JSON_TYPE}; charset="utf-8", text/plain`, JSON_TYPE, false],
  [`${EVENTS}; charset=latin1`, null, true],
  // Neither JSON nor events.
  ['multipart/mixed', null, false],
  ['image/png', null, false],
  ['application/xml, text/html', null, false],
  ['application', null, false],
  [',', null, false],
  // What clients send.
  ['multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json', JSON_TYPE, false],
  [
    'multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json;q=0.9',
    GRAPHQL_TYPE,
    false,
  ],
  [`${GRAPHQL_TYPE}, application/graphql+json, ${JSON_TYPE}, ${EVENTS}, multipart/mixed`, GRAPHQL_TYPE, true],
];

test('what a caller accepts is read as HTTP has it', () =>
  eachCase(ACCEPTS, ([accept, result, events]) => {
    const accepted = acceptedBy(accept);
    expect([accepted.result, accepted.events]).toEqual([result, events]);
    // Yoga is told the same.
    expect(acceptedBy(accepted.header === '' ? 'none' : accepted.header)).toMatchObject({ result, events });
  }));

const CHARSETS = ['utf8', '"utf-8"', 'UTF-8', 'us-ascii', 'utf-16', 'ISO-8859-1', 'nonsense', ''];

test('a mutation is answered under every charset that its caller accepts, and done once', () =>
  eachCase(
    CHARSETS.flatMap((charset) => [`${JSON_TYPE}; charset=${charset}`, `${GRAPHQL_TYPE};charset=${charset}`]),
    async (accept) => {
      graph.sandbox.requests.clear();
      const body = { query: documentOf('createDraft'), variables: { input: EXAMPLES.createDraft } };
      const reply = await postJson(`${graph.url}/graphql`, body, { ...graph.caller.both, accept });
      expect([reply.status, reply.headers['content-type']]).toEqual([
        200,
        `${accept.split(';')[0]}; charset=utf-8`,
      ]);
      expect(jsonOf(reply).data.createDraft.outcome).toBe('COMPLETED');
      expect(graph.sandbox.requests.count('POST /draft/create')).toBe(1);
    },
  ));

test('a mutation whose answer its caller would not take is not done', () =>
  eachCase(
    ['image/png', `${JSON_TYPE};q=0`, 'multipart/mixed', 'text/html; charset=utf-8', '*/*;q=0'],
    async (accept) => {
      graph.sandbox.requests.clear();
      const body = { query: documentOf('createDraft'), variables: { input: EXAMPLES.createDraft } };
      const reply = await postJson(`${graph.url}/graphql`, body, { ...graph.caller.both, accept });
      expectRefusal(reply);
      expect(graph.sandbox.requests.count()).toBe(0);
    },
  ));

const FOLLOW = 'subscription { aiGenerationFinished { id } }';
const ONE_ANSWER = [
  JSON_TYPE,
  GRAPHQL_TYPE,
  `${JSON_TYPE}; charset=utf8`,
  'application/*',
  `${EVENTS};q=0, */*`,
  'multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json',
  'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/graphql-response+json,application/json;q=0.9',
];

/** Checks that a request was refused in the way of all refusals, and told what to accept. */
function expectRefusal(reply: HttpReply): string {
  expect(reply.status).toBe(406);
  const { errors, data } = jsonOf(reply);
  expect(data).toBeUndefined();
  expect(errors).toMatchObject([
    { extensions: { code: 'BAD_USER_INPUT', retryable: false, requestId: reply.headers['x-request-id'] } },
  ]);
  return errors[0].message as string;
}

test('a subscription whose caller takes one answer only is refused before it begins, by POST and by GET', async () => {
  const own = await startGraph({ environment: { GET_QUERIES: 'on' } });
  const endpoint = `${own.url}/graphql`;
  await eachCase(ONE_ANSWER, async (accept) => {
    const headers = { ...own.caller.key, accept, 'graphql-require-preflight': '1' };
    const replies = [
      await postJson(endpoint, { query: FOLLOW }, headers),
      await send(`${endpoint}?query=${encodeURIComponent(FOLLOW)}`, { headers }),
    ];
    for (const reply of replies) {
      const message = expectRefusal(reply);
      expect(message).toContain(EVENTS);
      expect(message).toContain('WebSocket');
    }
  });
  const { value } = await scrape(own.url);
  expect(value('graphql_subscriptions_open')).toBe(0);
  expect(value('live_channels_open')).toBe(0);
  expect(own.sandbox.requests.count()).toBe(0);
});

test('the same subscription begins where events are accepted, under any charset', () =>
  eachCase([EVENTS, `${EVENTS}; charset=utf-16`, '*/*', `${JSON_TYPE}, text/*;q=0.1`], async (accept) => {
    const leaving = new AbortController();
    const answer = await fetch(`${graph.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE, ...graph.caller.key, accept },
      body: JSON.stringify({ query: FOLLOW }),
      signal: leaving.signal,
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, EVENTS]);
    const open = async () => (await scrape(graph.url)).value('graphql_subscriptions_open');
    expect(await open()).toBe(1);
    leaving.abort();
    await expect.poll(open).toBe(0);
  }));
