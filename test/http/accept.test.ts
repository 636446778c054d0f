import { expect, test } from 'vitest';
import { acceptedBy } from '../../src/http/accept.ts';
import { expectRefusal, FOLLOW, postJson, scrape, startStream } from '../support/http.ts';
import { shareGraph } from '../support/graph.ts';
import { DRAFT } from '../support/writes.ts';

const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';
const EVENTS = 'text/event-stream';

const graph = shareGraph();

const ACCEPTS: readonly (readonly [accept: string | undefined, result: string | null, events: boolean])[] = [
  [undefined, JSON_TYPE, true],
  ['', JSON_TYPE, true],
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
  [`${EVENTS}; charset=latin1`, null, true],
  [`${GRAPHQL_TYPE}; charset="utf-8"`, GRAPHQL_TYPE, false],
  [`${JSON_TYPE}; charset=`, JSON_TYPE, false],
  // Neither JSON nor events.
  ['multipart/mixed', null, false],
  ['image/png', null, false],
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

test.each(ACCEPTS)(
  'of %s, the type %s is chosen for one result, and events: %s',
  (accept, result, events) => {
    const accepted = acceptedBy(accept);
    expect(accepted).toMatchObject({ result, events });
    // Yoga is told the same.
    expect(acceptedBy(accepted.header === '' ? 'none' : accepted.header)).toMatchObject({ result, events });
  },
);

test.each(['image/png', `${JSON_TYPE};q=0`, '*/*;q=0'])(
  'a mutation whose caller accepts only %s is refused, and not done',
  async (accept) => {
    const reply = await postJson(`${graph.url}/graphql`, DRAFT, { ...graph.caller.both, accept });
    expectRefusal(reply, 406);
    expect(graph.sandbox.requests.count()).toBe(0);
  },
);

test.each([EVENTS, `${EVENTS}; charset=utf-16`, '*/*', `${JSON_TYPE}, text/*;q=0.1`])(
  'a subscription whose caller accepts %s begins',
  async (accept) => {
    const { answer, leave } = startStream(graph.url, FOLLOW, { ...graph.caller.key, accept });
    const { status, headers } = await answer;
    expect([status, headers.get('content-type')]).toEqual([200, EVENTS]);
    await leave();
    await expect.poll(async () => (await scrape(graph.url)).value('graphql_subscriptions_open')).toBe(0);
  },
);
