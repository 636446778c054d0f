import { createHash } from 'node:crypto';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client/core';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, fetchExchange } from '@urql/core';
import { parse, print } from 'graphql';
import { serverAudits } from 'graphql-http';
import {
  createClient as createStreamClient,
  NetworkError,
  type ClientOptions as StreamOptions,
} from 'graphql-sse';
import { Environment, Network, RecordSource, Store, type RecordSourceSelectorProxy } from 'relay-runtime';
import { EventSource } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readPersistedDocuments } from '../../src/http/persisted-documents.ts';
import { blocksOf } from '../support/files.ts';
import { startGraph, type RunningGraph, shareGraph } from '../support/graph.ts';
import { scrape } from '../support/http.ts';

// What docs/clients.md promises to the clients of others, which are run here as they are published.

const open = shareGraph();
const withGet = shareGraph({ environment: { GET_QUERIES: 'on', INTROSPECTION: 'on' } });
const closed = shareGraph({
  documents: readPersistedDocuments('{"known":"{ __typename }"}'),
  environment: { PERSISTED_ONLY: 'on', PERSISTED_DOCUMENTS: 'any' },
});

/** Names a document that is not known. */
const MISS = { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } };
const JSON_TYPE = 'application/json; charset=utf-8';
const LOCAL = '{ surfaces { surface } }';
const QUERY =
  'query One { accounts(first: 1, surface: CURRENT) { nodes { id displayName __typename } __typename } }';
const FIRST = { accounts: { nodes: [{ displayName: 'Kelpgate Roasters' }] } };
const FOLLOW = 'subscription Follow { aiGenerationFinished { id status } }';

const openStreams = async ({ url }: RunningGraph): Promise<number> =>
  (await scrape(url)).value('graphql_subscriptions_open');

/** Sends as the audits want, with the header that the server asks of a query by GET. */
const fetchFn: typeof fetch = async (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('graphql-require-preflight', '1');
  return await fetch(input, { ...init, headers });
};

test('the server passes all 61 audits of GraphQL over HTTP', async () => {
  const audits = serverAudits({ url: `${withGet.url}/graphql`, fetchFn });
  expect(audits).toHaveLength(61);
  const failed: string[] = [];
  for (const audit of audits) {
    const result = await audit.fn();
    if (result.status !== 'ok') failed.push(`${audit.id} ${audit.name}: ${result.reason}`);
  }
  expect(failed).toEqual([]);
});

test('urql, which sends short queries by GET, is told what to set, and does well with it', async () => {
  const fetchOptions = { headers: open.caller.both };
  const options = { url: `${open.url}/graphql`, exchanges: [fetchExchange], fetchOptions };
  const { data, error } = await new Client(options).query(QUERY, {});
  expect(data).toBeUndefined();
  expect(error?.message).toMatch(/preferGetMethod: false.*GET_QUERIES=on/);
  const byPost = new Client({ ...options, preferGetMethod: false });
  expect((await byPost.query(QUERY, {})).data).toMatchObject(FIRST);
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const DOCUMENT = parse(QUERY);
const PRINTED = print(DOCUMENT);
const KNOWN = { [sha256(PRINTED)]: PRINTED };

test.each([
  ['knows it', KNOWN, [false]],
  ['knows others', { other: '{ __typename }' }, [false, true]],
  ['knows none', {}, [false, true]],
])('Apollo’s persisted queries recover at a server that %s', async (_what, file, withText) => {
  const documents = readPersistedDocuments(JSON.stringify(file));
  const graph = await startGraph({ documents });
  const sent: unknown[] = [];
  const http = new HttpLink({
    uri: `${graph.url}/graphql`,
    headers: graph.caller.both,
    fetch: async (input, init) => {
      sent.push(JSON.parse(init?.body as string));
      return await fetch(input, init);
    },
  });
  const link = new PersistedQueryLink({ sha256 }).concat(http);
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  onTestFinished(() => client.stop());
  expect((await client.query({ query: DOCUMENT })).data).toMatchObject(FIRST);
  expect(sent.map((body) => 'query' in (body as object))).toEqual(withText);
});

interface Request {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly extensions?: Record<string, unknown>;
}

/** A client that tries once, unless told otherwise. */
function streamsOf(graph: RunningGraph, options: Partial<StreamOptions> = {}) {
  const headers = graph.caller.key;
  const client = createStreamClient({ url: `${graph.url}/graphql`, headers, retryAttempts: 0, ...options });
  onTestFinished(() => client.dispose());
  return client;
}

/** What a client is told: its results, and the error that it ends with. */
async function told(graph: RunningGraph, request: Request, options: Partial<StreamOptions> = {}) {
  const results: unknown[] = [];
  try {
    for await (const result of streamsOf(graph, options).iterate(request)) results.push(result);
    return { results };
  } catch (error) {
    return { results, error };
  }
}

/** Opens a stream that goes on, and gives what ends it. */
async function openStream(graph: RunningGraph): Promise<() => void> {
  const sink = { next: () => undefined, error: () => undefined, complete: () => undefined };
  const close = streamsOf(graph).subscribe({ query: FOLLOW }, sink);
  await expect.poll(() => openStreams(graph)).toBe(1);
  return close;
}

test.each<readonly [what: string, Request, code: string, graph: RunningGraph]>([
  ['does not fit the schema', { query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED', open],
  ['names no known document', { query: '', extensions: MISS }, 'PERSISTED_QUERY_NOT_FOUND', closed],
])('graphql-sse reads why a request %s', async (_what, request, code, graph) => {
  const { results, error } = await told(graph, request);
  expect([results, error]).toMatchObject([[{ errors: [{ extensions: { code } }] }], undefined]);
});

test('a stream too many is 503 with JSON to graphql-sse, which comes back when there is a place', async () => {
  const graph = await startGraph({ environment: { MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1' } });
  const close = await openStream(graph);
  const { results, error } = await told(graph, { query: FOLLOW });
  expect(results).toEqual([]);
  expect(error).toBeInstanceOf(NetworkError);
  const { response } = error as NetworkError<Response>;
  expect(response?.status).toBe(503);
  expect(response?.headers.get('content-type')).toBe(JSON_TYPE);
  expect(Number(response?.headers.get('retry-after'))).toBeGreaterThan(0);
  const message: unknown = expect.stringContaining('Too many event streams');
  const extensions = { code: 'LIMIT_EXCEEDED', retryable: true };
  expect(await response?.json()).toMatchObject({ errors: [{ message, extensions }] });
  expect(await openStreams(graph)).toBe(1);

  const isBack = told(graph, { query: LOCAL }, { retryAttempts: 1, retry: async () => close() });
  expect((await isBack).results).toHaveLength(1);
});

test('the single connection of graphql-sse is refused with what to leave out', async () => {
  const options: object = { singleConnection: true };
  const { error } = await told(open, { query: FOLLOW }, options);
  expect((error as NetworkError<Response>).response?.status).toBe(405);
  // The client ends the response before its words can be read; they are there for who looks at the network.
  const answer = await fetch(`${open.url}/graphql`, { method: 'PUT', headers: open.caller.key });
  expect(await answer.json()).toMatchObject({
    errors: [{ message: expect.stringMatching(/POST.*singleConnection/) }],
  });
});

test('an EventSource, which can send no header, is closed by the refusal, and does not come again', async () => {
  const graph = await startGraph({ environment: { GET_QUERIES: 'on' } });
  // It says that it is experimental.
  const warning = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const source = new EventSource(`${graph.url}/graphql?query=${encodeURIComponent(FOLLOW)}`);
  onTestFinished(() => source.close());
  warning.mockRestore();
  await new Promise((resolve) => source.addEventListener('error', resolve));
  expect(source.readyState).toBe(EventSource.CLOSED);
  expect(await openStreams(graph)).toBe(0);
});

test('the updater that is shown gives Relay’s root what was read below the `query` of a payload', () => {
  const [, shown] = blocksOf('Relay', 'js', 'docs/clients.md');
  // oxlint-disable-next-line typescript/no-implied-eval -- the function stands in this project's own page
  const updater = new Function(`${shown}; return updater`)() as (store: RecordSourceSelectorProxy) => void;
  const network = Network.create(() => Promise.reject(new Error('nothing is sent')));
  const environment = new Environment({ network, store: new Store(new RecordSource()) });
  environment.commitUpdate((store) => {
    const root = store.getRoot();
    const queue = store.create('queue', 'QueuedPostConnection').setValue(26, 'totalCount');
    const query = store.create('query', 'Query').setLinkedRecord(queue, 'queuedPosts', { first: 1 });
    const payload = store.create('payload', 'CreatePostPayload').setLinkedRecord(query, 'query');
    root.setLinkedRecord(payload, 'createPost');
    const getRootField = (name: string) => root.getLinkedRecord(name);
    updater(Object.assign(store, { getRootField }) as unknown as RecordSourceSelectorProxy);
    expect(root.getLinkedRecord('queuedPosts', { first: 1 })?.getValue('totalCount')).toBe(26);
  });
  expect.assertions(1);
});
