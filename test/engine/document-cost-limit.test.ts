import { expect, test } from 'vitest';
import { eachCase } from '../support/each-case.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { startGraph } from '../support/graph.ts';
import { refusalsIn } from '../support/refusals.ts';
import { jsonOf, postJson, send } from '../support/raw-http.ts';
import { openTransport, TRANSPORTS, type Operation } from '../support/transports.ts';
import { account } from '../support/writes.ts';

/** Raised, because so many ids are too many before their calls are. */
const MANY_IDS = { MAX_LIST_IDS: '2000', MAX_IDS: '2000' };
/** Low, so that it takes few calls to show that more are possible. */
const LIMIT = 200;

const graph = shareGraph({ environment: { ...MANY_IDS, MAX_COST: String(LIMIT) } });
const weak = shareGraph({
  environment: { ...MANY_IDS, MAX_COST: '1000000', MAX_DEPTH: '11', MAX_ESTIMATED_FIELDS: '1000000' },
});

const NESTED = (window: string): string =>
  `accountGroups(${window}) { nodes { accounts(${window}) { nodes { groups { accounts(${window}) { nodes { settingId } } } } } } }`;

/** Operations that ask for far too much, each in another way. */
const OVER_COST: Readonly<Record<string, Operation>> = {
  'a literal': { query: `{ ${NESTED('first: 1000000')} }` },
  'a variable': { query: `query ($n: Int) { ${NESTED('first: $n')} }`, variables: { n: 1_000_000 } },
  'a default': { query: `query ($n: Int = 1000000) { ${NESTED('first: $n')} }` },
  'what a list gives if nothing is said': { query: `{ ${NESTED('after: null')} }` },
  'a fragment that is used under many names': {
    query: `{ ${Array.from({ length: 3 }, (_, index) => `a${index}: accounts(first: ${89 + index}) { ...F }`).join(' ')} }
      fragment F on AccountConnection { nodes { settingId } }`,
  },
  'a list of ids': {
    query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    variables: { ids: Array.from({ length: LIMIT + 1 }, (_, index) => account(index)) },
  },
  'the accounts of a post': {
    query: 'query ($input: CreatePostInput!) { validatePost(input: $input) { isValid } }',
    variables: {
      input: {
        accountIds: Array.from({ length: LIMIT + 1 }, (_, index) => account(index)),
        timing: { placement: 'QUEUE' },
        variants: [],
      },
    },
  },
};

test('an operation over the cost limit is refused on every transport, and the service is not called', () =>
  eachCase(Object.entries(OVER_COST), async ([, operation]) => {
    for (const transport of TRANSPORTS) {
      const run = openTransport(transport, graph.url, graph.caller.both);
      expect(refusalsIn(await run(operation))).toMatch(/^estimated calls to the service: \d+ of 200$/);
    }
    expect(graph.sandbox.requests.all).toEqual([]);
    // With a page size that the lists accept, the same is executed where the limit is higher.
    const possible = JSON.parse(JSON.stringify(operation).replaceAll('1000000', '30')) as Operation;
    const strict = openTransport('HTTP', graph.url, graph.caller.both);
    expect(refusalsIn(await strict(possible))).toMatch(/^estimated calls/);
    weak.sandbox.requests.clear();
    await openTransport('HTTP', weak.url, weak.caller.both)(possible);
    expect(weak.sandbox.requests.all.length).toBeGreaterThan(0);
  }));

test('a mutation over cost changes nothing', async () => {
  const own = await startGraph({ environment: { MAX_COST: '3' } });
  for (const transport of TRANSPORTS) {
    const run = openTransport(transport, own.url, own.caller.both);
    const query = `mutation { pauseAccount(input: { accountId: "${account()}" }) { outcome } }`;
    expect(refusalsIn(await run({ query }))).toBe('estimated calls to the service: 4 of 3');
  }
  expect(own.sandbox.requests.all).toEqual([]);
});

test('a subscription over cost is refused before it begins', async () => {
  const own = await startGraph({ environment: { MAX_COST: '39' } });
  for (const transport of ['WebSocket', 'server-sent events'] as const) {
    const run = openTransport(transport, own.url, own.caller.both);
    const query = 'subscription { aiGenerationUpdated(id: "x") { id } }';
    expect(refusalsIn(await run({ query }))).toBe('estimated calls to the service: 40 of 39');
  }
  expect(own.sandbox.requests.all).toEqual([]);
});

test('an answer tells what it was thought to cost, what it did cost, and the limit, on every transport', async () => {
  for (const transport of TRANSPORTS) {
    const run = openTransport(transport, graph.url, graph.caller.both);
    graph.sandbox.requests.clear();
    const { extensions } = await run({ query: '{ accounts(first: 3) { nodes { health { state } } } }' });
    expect(extensions).toEqual({
      cost: { estimated: 4, calls: graph.sandbox.requests.all.length, limit: LIMIT },
    });
    expect((await run({ query: '{ surfaces { surface } }' })).extensions).toEqual({
      cost: { estimated: 0, calls: 0, limit: LIMIT },
    });
  }
});

test('an answer with errors in it tells its cost as well', async () => {
  for (const transport of TRANSPORTS) {
    const run = openTransport(transport, graph.url, graph.caller.token);
    const { data, errors, extensions } = await run({
      query: '{ accounts(surface: CURRENT) { totalCount } membership { isBiannual } }',
    });
    expect(data).toEqual({ accounts: null, membership: null });
    expect(errors).toHaveLength(2);
    expect(extensions).toEqual({ cost: { estimated: 2, calls: 0, limit: LIMIT } });
  }
});

test('what was not executed has no cost', async () => {
  for (const transport of TRANSPORTS) {
    const run = openTransport(transport, graph.url, graph.caller.both);
    for (const query of [
      '{',
      '{ nothing }',
      'query ($id: ID!) { node(id: $id) { id } }',
      '{ a: __typename '.repeat(20),
    ]) {
      const { extensions, errors } = await run({ query });
      expect(extensions).toEqual({});
      expect(errors.length).toBeGreaterThan(0);
    }
  }
});

test('each event of a stream tells what the operation has cost so far', async () => {
  const [generation] = jsonOf(
    await postJson(
      `${graph.url}/graphql`,
      { query: '{ aiGenerations(first: 1) { nodes { id } } }' },
      graph.caller.both,
    ),
  ).data.aiGenerations.nodes;
  const { text } = await send(`${graph.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...graph.caller.both },
    body: JSON.stringify({ query: `subscription { aiGenerationUpdated(id: "${generation.id}") { text } }` }),
  });
  const events = [...text.matchAll(/^event: next\ndata: (.+)$/gm)].map(([, json = '']) => JSON.parse(json));
  expect(events.length).toBeGreaterThan(0);
  for (const { extensions } of events) {
    expect(extensions.cost).toMatchObject({ estimated: 40, limit: LIMIT, calls: expect.any(Number) });
  }
});

test('the cost is told only where it is to be, and a thousand calls are allowed by default', async () => {
  const own = await startGraph({ environment: { COST_IN_EXTENSIONS: 'off' } });
  for (const transport of TRANSPORTS) {
    const run = openTransport(transport, own.url, own.caller.both);
    expect((await run({ query: '{ surfaces { surface } }' })).extensions).toEqual({});
    expect(refusalsIn(await run(OVER_COST['a literal'] ?? { query: '' }))).toMatch(/ of 1000$/);
  }
});
