import { createHash } from 'node:crypto';
import { ApolloClient, type ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { print } from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { readPersistedDocuments } from '../../src/http/persisted-documents.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { scrape } from '../support/http.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const QUERY = gql(
  'query One { accounts(first: 1, surface: CURRENT) { nodes { id displayName __typename } __typename } }',
);
const FOLLOW = gql('subscription Follow { aiGenerationFinished { id status } }');

/** A link that sends as Apollo Client does, and what it sent. */
function linkTo(graph: RunningGraph) {
  const sent: string[] = [];
  const link = new HttpLink({
    uri: `${graph.url}/graphql`,
    headers: graph.caller.both,
    fetch: async (input, init) => {
      sent.push(typeof init?.body === 'string' ? init.body : new Request(input).url);
      return await fetch(input, init);
    },
  });
  return { link, sent };
}

function clientWith(link: ApolloLink, cache = new InMemoryCache()): ApolloClient {
  const client = new ApolloClient({ link, cache, clientAwareness: { name: 'test', version: '1' } });
  onTestFinished(() => client.stop());
  return client;
}

test('a subscription over Apollo’s HttpLink is refused with what to use instead, and nothing of it stays', async () => {
  const graph = await startGraph();
  const client = clientWith(linkTo(graph).link);
  const ended = await new Promise<{ error?: Error | undefined }>((resolve, reject) => {
    client.subscribe({ query: FOLLOW }).subscribe({ next: resolve, error: reject });
  });
  expect(ended.error?.message).toMatch(/text\/event-stream.*WebSocket/);
  const { value } = await scrape(graph.url);
  expect([value('graphql_subscriptions_open'), value('live_channels_open')]).toEqual([0, 0]);
});

const KNOWN = { [sha256(print(QUERY))]: print(QUERY) };

test.each([
  ['knows it', KNOWN, [false]],
  ['knows others', { other: '{ __typename }' }, [false, true]],
  ['knows none', {}, [false, true]],
])('Apollo’s persisted queries recover at a server that %s', async (_what, file, withText) => {
  const documents = readPersistedDocuments(JSON.stringify(file));
  const graph = await startGraph({ documents });
  const { link, sent } = linkTo(graph);
  const client = clientWith(new PersistedQueryLink({ sha256 }).concat(link));
  const { data } = await client.query({ query: QUERY });
  expect(data).toMatchObject({ accounts: { nodes: [{ displayName: 'Kelpgate Roasters' }] } });
  expect(sent.map((body) => 'query' in (JSON.parse(body) as object))).toEqual(withText);
});

test('Apollo’s persisted queries go by GET where that is switched on, without a setting of the client’s', async () => {
  const graph = await startGraph({
    documents: readPersistedDocuments(JSON.stringify(KNOWN)),
    environment: { GET_QUERIES: 'on' },
  });
  const { link, sent } = linkTo(graph);
  const persisted = new PersistedQueryLink({ sha256, useGETForHashedQueries: true });
  const { data } = await clientWith(persisted.concat(link)).query({
    query: QUERY,
    context: { headers: { ...graph.caller.both, 'apollo-require-preflight': 'true' } },
  });
  expect(data).toMatchObject({ accounts: { nodes: [{ displayName: 'Kelpgate Roasters' }] } });
  expect(sent).toEqual([expect.stringContaining('/graphql?')]);
});

/** What Apollo's clients for iOS and Kotlin do with an answer: a status beyond 299 is an error of the network to them. */
test('a miss is no failure of HTTP, under every type that Apollo’s clients accept', async () => {
  const graph = await startGraph({ documents: readPersistedDocuments('{"a":"{ __typename }"}') });
  const accepts = [
    'multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json',
    'application/graphql-response+json, application/json;q=0.9',
    '*/*',
  ];
  for (const accept of accepts) {
    const answer = await fetch(`${graph.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, 'x-apollo-operation-name': 'One' },
      body: JSON.stringify({ extensions: { persistedQuery: { version: 1, sha256Hash: sha256('none') } } }),
    });
    const { errors } = (await answer.json()) as { readonly errors: readonly object[] };
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(errors).toMatchObject([
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
    ]);
  }
});

test('Apollo reads why a request is refused, whatever its status', async () => {
  const graph = await startGraph({ environment: { CLIENT_TOKENS: 'a-token-of-a-client' } });
  const { link } = linkTo(graph);
  await expect(clientWith(link).query({ query: QUERY })).rejects.toThrow(/x-client-token/);
});

test('Apollo’s manifest is executed alone, by the ids that Apollo’s link takes from it', async () => {
  const body = print(new InMemoryCache().transformDocument(QUERY));
  const id = 'an-id-of-the-manifest';
  const operations = [{ id, name: 'One', type: 'query', body }];
  const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations };
  const graph = await startGraph({
    documents: readPersistedDocuments(JSON.stringify(manifest)),
    environment: { PERSISTED_DOCUMENTS: 'any', PERSISTED_ONLY: 'on' },
  });
  const { link } = linkTo(graph);
  const persisted = new PersistedQueryLink({ generateHash: () => id });
  const { data } = await clientWith(persisted.concat(link)).query({ query: QUERY });
  expect(data).toMatchObject({ accounts: { nodes: [{ displayName: 'Kelpgate Roasters' }] } });
  const other = clientWith(link).query({ query: gql('{ surfaces { surface } }') });
  await expect(other).rejects.toThrow(/persisted/);
});
