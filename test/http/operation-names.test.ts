import { describe, expect, test } from 'vitest';
import { jsonOf, send } from '../support/raw-http.ts';
import { shareServer } from '../support/server.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';
import { shareGraph } from '../support/shared-graph.ts';

// Some clients send an empty operation name where there is none.

const graph = shareGraph();
const server = shareServer({ GET_QUERIES: 'on' });

const QUERIES = ['{ surfaces { surface } }', 'query A { surfaces { surface } }'];
const TWO = 'query A { surfaces { surface } } query B { __typename }';
const SUBSCRIPTION = `subscription ($id: ID!) { aiGenerationUpdated(id: $id) { status } }`;
const GENERATION = '{ aiGenerations(first: 1) { nodes { id } } }';

describe.each(TRANSPORTS)('over %s', (transport) => {
  test('an operation with an empty name is the only one', async () => {
    const run = openTransport(transport, graph.url, graph.caller.both);
    for (const query of QUERIES) {
      const { data, errors } = await run({ query, operationName: '' });
      expect(errors).toEqual([]);
      expect(data.surfaces).toHaveLength(2);
    }
  });

  test('an empty name among several operations is no name', async () => {
    const run = openTransport(transport, graph.url, graph.caller.both);
    const messagesOf = async (operation: { query: string; operationName?: string }) =>
      (await run(operation)).errors.map(({ message }) => message);
    expect(await messagesOf({ query: TWO, operationName: '' })).toEqual(await messagesOf({ query: TWO }));
    expect(await messagesOf({ query: TWO, operationName: '' })).toHaveLength(1);
    expect(await messagesOf({ query: TWO, operationName: 'C' })).toHaveLength(1);
  });
});

test.each(['WebSocket', 'server-sent events'] as const)(
  'a subscription with an empty name is followed over %s',
  async (transport) => {
    const listed = await graph.query(GENERATION);
    const run = openTransport(transport, graph.url, graph.caller.both);
    const variables = { id: listed.data.aiGenerations.nodes[0].id as string };
    const { data, errors } = await run({ query: SUBSCRIPTION, variables, operationName: '' });
    expect(errors).toEqual([]);
    expect(data.aiGenerationUpdated.status).toBe('COMPLETE');
  },
);

describe('by GET', () => {
  const get = (query: string) =>
    send(`${server.endpoint}?${new URLSearchParams({ query, operationName: '' })}`, {
      headers: { 'graphql-require-preflight': '1' },
    });

  test('a query with an empty name is the only one', async () => {
    for (const query of QUERIES) expect(jsonOf(await get(query)).data.surfaces).toHaveLength(2);
  });

  test('a mutation with an empty name is never executed', async () => {
    const reply = await get('mutation { anything }');
    expect(reply.status).toBe(405);
    expect(jsonOf(reply).data).toBeUndefined();
  });
});
