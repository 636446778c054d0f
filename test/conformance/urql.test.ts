import { Client, fetchExchange, gql, subscriptionExchange, type ClientOptions } from '@urql/core';
import { createClient } from 'graphql-ws';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

const QUERY = gql('query Two { accounts(first: 2, surface: CURRENT) { nodes { displayName } } }');
const NAMES = {
  accounts: { nodes: [{ displayName: 'Kelpgate Roasters' }, { displayName: 'kelpgate.roasters' }] },
};

const clientOf = (graph: RunningGraph, options: Partial<ClientOptions> = {}): Client =>
  new Client({
    url: `${graph.url}/graphql`,
    exchanges: [fetchExchange],
    fetchOptions: { headers: graph.caller.both },
    ...options,
  });

test('urql, which sends short queries by GET, is told what to set, and does well with it', async () => {
  const graph = await startGraph();
  const { data, error } = await clientOf(graph).query(QUERY, {});
  expect(data).toBeUndefined();
  expect(error?.message).toMatch(/preferGetMethod: false.*GET_QUERIES=on/);
  expect((await clientOf(graph, { preferGetMethod: false }).query(QUERY, {})).data).toMatchObject(NAMES);
});

test('urql reads by GET where that is switched on, with a header of ours or of Apollo’s', async () => {
  const graph = await startGraph({ environment: { GET_QUERIES: 'on' } });
  expect((await clientOf(graph).query(QUERY, {})).error?.message).toContain('graphql-require-preflight');
  for (const name of ['graphql-require-preflight', 'apollo-require-preflight', 'x-apollo-operation-name']) {
    const fetchOptions = { headers: { ...graph.caller.both, [name]: 'true' } };
    expect((await clientOf(graph, { fetchOptions }).query(QUERY, {})).data).toMatchObject(NAMES);
  }
});

test('urql sends mutations by POST, as it comes', async () => {
  const graph = await startGraph();
  const mutation = gql(documentOf('createDraft'));
  const { data } = await clientOf(graph).mutation(mutation, { input: EXAMPLES.createDraft });
  expect(data).toMatchObject({ createDraft: { outcome: 'COMPLETED' } });
});

const FOLLOW = gql('subscription { aiGenerationFinished { status } }');
const GENERATE = gql(
  'mutation { generateAiText(input: { prompt: "Rain", tone: "warm" }) { aiGeneration { status } } }',
);

/** What the first event of a subscription says, once something has been generated. */
async function firstEvent(graph: RunningGraph, client: Client): Promise<unknown> {
  const first = new Promise((resolve) => {
    const subscription = client.subscription(FOLLOW, {}).subscribe(resolve);
    onTestFinished(() => subscription.unsubscribe());
  });
  const ask = clientOf(graph, { preferGetMethod: false });
  await expect.poll(() => isOpen(graph)).toBe(true);
  await ask.mutation(GENERATE, {}).toPromise();
  return await first;
}

const isOpen = async ({ url }: RunningGraph): Promise<boolean> =>
  /^graphql_subscriptions_open 1$/m.test(await (await fetch(`${url}/metrics`)).text());

const TOLD = { data: { aiGenerationFinished: { status: 'COMPLETE' } } };

test('urql subscribes over server-sent events with its fetch exchange alone', async () => {
  const graph = await startGraph();
  const client = clientOf(graph, { fetchSubscriptions: true, preferGetMethod: false });
  expect(await firstEvent(graph, client)).toMatchObject(TOLD);
});

test('urql subscribes over WebSocket with graphql-ws', async () => {
  const graph = await startGraph();
  const socket = createClient({
    url: `${graph.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: graph.caller.both,
  });
  onTestFinished(async () => await socket.dispose());
  const forwarding = subscriptionExchange({
    forwardSubscription: ({ query = '', variables }) => ({
      subscribe: (sink) => ({
        unsubscribe: socket.subscribe({ query, ...(variables && { variables }) }, sink as never),
      }),
    }),
  });
  expect(await firstEvent(graph, clientOf(graph, { exchanges: [forwarding] }))).toMatchObject(TOLD);
});
