import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { relayStylePagination } from '@apollo/client/utilities';
import { stitchSchemas } from '@graphql-tools/stitch';
import { buildSchema, isObjectType, print } from 'graphql';
import { ClientError, GraphQLClient } from 'graphql-request';
import { createClient, type ClientOptions } from 'graphql-ws';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { readPersistedDocuments } from '../../src/http/persisted-documents.ts';
import { freePort } from '../support/free-port.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';

const PARTLY = '{ surfaces { surface } accounts(first: 1, surface: LEGACY) { totalCount } }';
const PARTS = { surfaces: [{ surface: 'CURRENT' }, { surface: 'LEGACY' }], accounts: null };

test('graphql-request throws when there is any error, which has the data', async () => {
  const graph = await startGraph();
  const client = new GraphQLClient(`${graph.url}/graphql`, { headers: graph.caller.key });
  const error = await client.request(PARTLY).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ClientError);
  expect((error as ClientError).response).toMatchObject({
    data: PARTS,
    errors: [{ extensions: { code: 'CREDENTIAL_MISSING' } }],
  });
});

function apolloClient(graph: RunningGraph, options: Partial<ApolloClient.Options> = {}): ApolloClient {
  const link = new HttpLink({ uri: `${graph.url}/graphql`, headers: graph.caller.key });
  const client = new ApolloClient({ link, cache: new InMemoryCache(), ...options });
  onTestFinished(() => client.stop());
  return client;
}

test('Apollo Client throws when there is any error, and gives both with `errorPolicy`', async () => {
  const graph = await startGraph();
  const client = apolloClient(graph);
  const query = gql(PARTLY);
  await expect(client.query({ query })).rejects.toThrow(/access token|legacy surface/);
  const { data, error } = await client.query({ query, errorPolicy: 'all' });
  expect(data).toMatchObject(PARTS);
  expect(error?.message).toContain('legacy surface');
});

test('Apollo’s `relayStylePagination` appends edges, and holds the nodes of the last page alone', async () => {
  const graph = await startGraph();
  const accounts = relayStylePagination(['surface', 'filter', 'orderBy']);
  const cache = new InMemoryCache({ typePolicies: { Query: { fields: { accounts } } } });
  const client = apolloClient(graph, { cache });
  const query = gql(`query ($after: String) { accounts(first: 5, after: $after) {
    edges { cursor node { id } } nodes { id } pageInfo { hasNextPage endCursor } } }`);
  interface Data {
    readonly accounts: {
      readonly edges: readonly object[];
      readonly nodes: readonly object[];
      readonly pageInfo: { readonly endCursor: string };
    };
  }
  const first = await client.query<Data>({ query });
  const after = first.data?.accounts.pageInfo.endCursor;
  await client.query({ query, variables: { after }, fetchPolicy: 'network-only' });
  const list = client.readQuery<Data>({ query })?.accounts;
  expect([list?.edges.length, list?.nodes.length]).toEqual([10, 5]);
});

test('Apollo’s manifest is executed alone, by the ids that Apollo’s link takes from it', async () => {
  const query = gql('query One { accounts(first: 1) { nodes { id displayName } } }');
  const body = print(new InMemoryCache().transformDocument(query));
  const id = 'an-id-of-the-manifest';
  const operations = [{ id, name: 'One', type: 'query', body }];
  const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations };
  const graph = await startGraph({
    documents: readPersistedDocuments(JSON.stringify(manifest)),
    environment: { PERSISTED_DOCUMENTS: 'any', PERSISTED_ONLY: 'on' },
  });
  const link = new HttpLink({ uri: `${graph.url}/graphql`, headers: graph.caller.key });
  const persisted = new PersistedQueryLink({ generateHash: () => id });
  const { data } = await apolloClient(graph, { link: persisted.concat(link) }).query({ query });
  expect(data).toMatchObject({ accounts: { nodes: [{ displayName: 'Kelpgate Roasters' }] } });
  await expect(apolloClient(graph).query({ query: gql('{ surfaces { surface } }') })).rejects.toThrow(
    /persisted/,
  );
});

/** Asks over WebSocket, by a client that was told nothing but what is given. */
async function ask(url: string, options: Partial<ClientOptions> = {}): Promise<unknown> {
  const client = createClient({ url: `${url.replace('http', 'ws')}/graphql`, ...options });
  onTestFinished(async () => await client.dispose());
  const { value } = await client.iterate({ query: '{ surfaces { surface } }' }).next();
  return value?.data;
}

test('graphql-ws gives up where it can’t connect, and goes on trying with `shouldRetry`', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await expect(ask(url, { webSocketImpl: WebSocket })).rejects.toBeDefined();
  const asked = vi.fn(() => true);
  const answer = ask(url, {
    webSocketImpl: WebSocket,
    shouldRetry: asked,
    retryWait: async () => undefined,
    retryAttempts: 1e6,
  });
  await expect.poll(() => asked.mock.calls.length).toBeGreaterThan(1);
  await startGraph({ environment: { PORT: String(port) } });
  expect(await answer).toMatchObject({ surfaces: [{}, {}] });
});

test('graphql-ws needs no `webSocketImpl` where there is a WebSocket, as in browsers', async () => {
  const graph = await startGraph();
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal('WebSocket', undefined);
  expect(() => createClient({ url: graph.url })).toThrow(/WebSocket/);
  vi.stubGlobal('WebSocket', WebSocket);
  expect(await ask(graph.url)).toMatchObject({ surfaces: [{}, {}] });
});

test('stitching merges `PageInfo` with that of others, field by field', () => {
  const sdl = readFileSync(join(import.meta.dirname, '../../schema.graphql'), 'utf8');
  const notes = buildSchema(
    'type Query { notes: PageInfo } type PageInfo { hasNextPage: Boolean! total: Int }',
  );
  const merged = stitchSchemas({ subschemas: [buildSchema(sdl), notes] }).getType('PageInfo');
  expect(isObjectType(merged) && Object.keys(merged.getFields())).toEqual(
    expect.arrayContaining(['drifted', 'total', 'hasNextPage']),
  );
});
