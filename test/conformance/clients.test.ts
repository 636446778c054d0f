import { Client, fetchExchange, gql, subscriptionExchange, type ClientOptions } from '@urql/core';
import { serverAudits } from 'graphql-http';
import { createClient } from 'graphql-ws';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startGraph, type RunningGraph, shareGraph } from '../support/graph.ts';
import { scrape } from '../support/http.ts';
import { startServer } from '../support/server.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

const shared = shareGraph();
const sharedWithGet = shareGraph({ environment: { GET_QUERIES: 'on' } });

/** Sends as the audits want, with the header that the server asks of a query by GET. */
const fetchFn: typeof fetch = async (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('graphql-require-preflight', '1');
  return await fetch(input, { ...init, headers });
};

test('the server passes all 61 audits of GraphQL over HTTP', async () => {
  const { endpoint } = await startServer({ GET_QUERIES: 'on', INTROSPECTION: 'on' });
  const audits = serverAudits({ url: endpoint, fetchFn });
  expect(audits).toHaveLength(61);
  const failed: string[] = [];
  for (const audit of audits) {
    const result = await audit.fn();
    if (result.status !== 'ok') failed.push(`${audit.id} ${audit.name}: ${result.reason}`);
  }
  expect(failed).toEqual([]);
});

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
  const { data, error } = await clientOf(shared).query(QUERY, {});
  expect(data).toBeUndefined();
  expect(error?.message).toMatch(/preferGetMethod: false.*GET_QUERIES=on/);
  expect((await clientOf(shared, { preferGetMethod: false }).query(QUERY, {})).data).toMatchObject(NAMES);
});

test('urql reads by GET where that is switched on, with a header of ours or of Apollo’s', async () => {
  expect((await clientOf(sharedWithGet).query(QUERY, {})).error?.message).toContain(
    'graphql-require-preflight',
  );
  for (const name of ['graphql-require-preflight', 'apollo-require-preflight', 'x-apollo-operation-name']) {
    const fetchOptions = { headers: { ...sharedWithGet.caller.both, [name]: 'true' } };
    expect((await clientOf(sharedWithGet, { fetchOptions }).query(QUERY, {})).data).toMatchObject(NAMES);
  }
});

test('urql sends mutations by POST, as it comes', async () => {
  const mutation = gql(documentOf('createDraft'));
  const { data } = await clientOf(shared).mutation(mutation, { input: EXAMPLES.createDraft });
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
  const asking = clientOf(graph, { preferGetMethod: false });
  await expect.poll(async () => (await scrape(graph.url)).value('graphql_subscriptions_open')).toBe(1);
  await asking.mutation(GENERATE, {}).toPromise();
  return await first;
}

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
