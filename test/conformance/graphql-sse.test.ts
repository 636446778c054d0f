import { createClient, NetworkError, type ClientOptions } from 'graphql-sse';
import { EventSource } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readPersistedDocuments } from '../../src/http/persisted-documents.ts';
import { startGraph, type RunningGraph, shareGraph } from '../support/graph.ts';
import { scrape } from '../support/http.ts';

const FOLLOW = 'subscription { aiGenerationFinished { id } }';
const LOCAL = '{ surfaces { surface } }';

interface Request {
  readonly query: string;
  readonly operationName?: string;
  readonly variables?: Record<string, unknown>;
  readonly extensions?: Record<string, unknown>;
}

/** A client that tries once, unless told otherwise. */
function clientOf(graph: RunningGraph, options: Partial<ClientOptions> = {}) {
  const url = `${graph.url}/graphql`;
  const client = createClient({
    url,
    headers: graph.caller.key,
    retryAttempts: 0,
    ...options,
  });
  onTestFinished(() => client.dispose());
  return client;
}

/** What a client is told: its results, and the error that it ends with. */
async function told(graph: RunningGraph, request: Request, options: Partial<ClientOptions> = {}) {
  const results: unknown[] = [];
  try {
    for await (const result of clientOf(graph, options).iterate(request)) results.push(result);
    return { results };
  } catch (error) {
    return { results, error };
  }
}

const isOpen = async ({ url }: RunningGraph): Promise<number> =>
  (await scrape(url)).value('graphql_subscriptions_open');

/** Opens a stream that goes on, and gives what ends it. */
async function openStream(graph: RunningGraph): Promise<() => void> {
  const sink = { next: () => undefined, error: () => undefined, complete: () => undefined };
  const close = clientOf(graph).subscribe({ query: FOLLOW }, sink);
  await expect.poll(() => isOpen(graph)).toBe(1);
  return close;
}

const open = shareGraph();
const closed = shareGraph({
  documents: readPersistedDocuments('{"known":"{ __typename }"}'),
  environment: { PERSISTED_ONLY: 'on', PERSISTED_DOCUMENTS: 'any' },
});
const HASH = { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } };

/** Requests that can't be executed, with the code of their error. */
const WRONG: readonly (readonly [what: string, Request, code: string, graph: RunningGraph])[] = [
  ['is no GraphQL', { query: '{' }, 'GRAPHQL_PARSE_FAILED', open],
  ['does not fit the schema', { query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED', open],
  ['has no document', { query: undefined as never }, 'BAD_USER_INPUT', open],
  ['lacks a variable', { query: 'query ($id: ID!) { node(id: $id) { id } }' }, 'BAD_USER_INPUT', open],
  [
    'names a document that is not there',
    { query: '', extensions: HASH },
    'PERSISTED_QUERY_NOT_FOUND',
    closed,
  ],
  ['has a document of its own where it may not', { query: LOCAL }, 'BAD_USER_INPUT', closed],
  [
    'subscribes to what is not there',
    { query: 'subscription { aiGenerationUpdated(id: "x") { id } }' },
    'BAD_USER_INPUT',
    open,
  ],
];

test.each(WRONG)('graphql-sse reads why a request %s', async (_what, request, code, graph) => {
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
  expect(response?.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(Number(response?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response?.json()).toMatchObject({
    errors: [
      {
        message: expect.stringContaining('Too many event streams'),
        extensions: { code: 'LIMIT_EXCEEDED', retryable: true },
      },
    ],
  });
  expect(await isOpen(graph)).toBe(1);

  const isBack = told(graph, { query: LOCAL }, { retryAttempts: 1, retry: async () => close() });
  expect((await isBack).results).toHaveLength(1);
});

test('a request that graphql-sse sends without the client’s token is 401 with JSON', async () => {
  const graph = await startGraph({ environment: { CLIENT_TOKENS: 'a-token-of-a-client' } });
  const { error } = await told(graph, { query: LOCAL });
  const { response } = error as NetworkError<Response>;
  expect([response?.status, response?.headers.get('content-type')]).toEqual([
    401,
    'application/json; charset=utf-8',
  ]);
});

test('the single connection of graphql-sse is refused with what to leave out', async () => {
  const graph = open;
  const options: object = { singleConnection: true };
  const { error } = await told(graph, { query: FOLLOW }, options);
  expect((error as NetworkError<Response>).response?.status).toBe(405);
  // The client ends the response before its words can be read; they are there for who looks at the network.
  const answer = await fetch(`${graph.url}/graphql`, { method: 'PUT', headers: graph.caller.key });
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
  expect(await isOpen(graph)).toBe(0);
});
