import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../src/client.ts';
import { Accounts, QueuedPosts } from '../src/documents.ts';
import { ConnectionError, GraphError } from '../src/errors.ts';
import type { TypedDocument } from '../src/typed-document.ts';
import { holdAnswers } from '../../../test/support/sandbox.ts';
import { shareGraph } from '../../../test/support/graph.ts';
import { clientOf, respond, scriptedClient } from './clients.ts';

const graph = shareGraph();
const NOTHING = { accounts: null };

/** What a promise is rejected with. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('the data of a document is what the graph answers', async () => {
  const { accounts } = await clientOf(graph).request(Accounts, { first: 2 });
  expect(accounts?.nodes.map((account) => account?.displayName)).toEqual([
    'Kelpgate Roasters',
    'kelpgate.roasters',
  ]);
});

test('a string without variables is sent as it is', async () => {
  expect(await clientOf(graph).request('{ accounts { totalCount } }')).toEqual({
    accounts: { totalCount: 12 },
  });
});

test('a document may be a string object, as generators make them', async () => {
  // oxlint-disable-next-line unicorn/new-for-builtins, eslint/no-new-wrappers -- TypedDocumentString is one
  const document = new String('{ accounts { totalCount } }') as TypedDocument<unknown, object>;
  expect(await clientOf(graph).request(document, {})).toEqual({ accounts: { totalCount: 12 } });
});

describe('credentials', () => {
  const sentWith = async (options: Parameters<typeof scriptedClient>[1]) => {
    const { client, sent } = scriptedClient([() => respond({ data: NOTHING })], options);
    await client.request(Accounts, { first: 1 });
    return sent[0]?.headers;
  };

  test('are sent in the header of their surface, beside other headers', async () => {
    const credentials = { apiKey: 'a-key', accessToken: 'a-token' };
    const headers = await sentWith({ credentials, headers: { 'X-Client-Token': 'a-client' } });
    expect(headers?.get('x-api-key')).toBe('a-key');
    expect(headers?.get('authorization')).toBe('Bearer a-token');
    expect(headers?.get('x-client-token')).toBe('a-client');
  });

  test('may be asked for at each request', async () => {
    const headers = await sentWith({ credentials: async () => ({ apiKey: 'fresh' }) });
    expect(headers?.get('x-api-key')).toBe('fresh');
    expect(headers?.get('authorization')).toBeNull();
  });

  test('are not carried to another address', async () => {
    const seen: unknown[] = [];
    const elsewhere = await serve(({ headers }, response) => {
      seen.push(headers['x-api-key']);
      response.end('{"data":{}}');
    });
    const here = await serve((_, response) => response.writeHead(307, { location: elsewhere }).end());
    const client = createClient({ url: here, credentials: { apiKey: 'a-key' } });
    expect(await errorOf(client.request(Accounts, { first: 1 }))).toBeInstanceOf(ConnectionError);
    expect(seen).toEqual([]);
  });
});

describe('errors of the graph', () => {
  test('keep the code, the path, the request id and the fields that were answered', async () => {
    const document = `query { surfaces { surface } legacy: accounts(surface: LEGACY) { totalCount } }`;
    const error = await errorOf(clientOf(graph).request(document, {}));
    expect(error).toBeInstanceOf(GraphError);
    expect(error).toMatchObject({
      name: 'GraphError',
      code: 'CREDENTIAL_MISSING',
      path: ['legacy'],
      retryable: false,
      retryAfterMs: null,
      status: 200,
      requestId: expect.stringMatching(/^[\w-]{36}$/),
      data: { surfaces: [{ surface: 'CURRENT' }, { surface: 'LEGACY' }], legacy: null },
      errors: [{ message: expect.stringContaining('authorization') }],
    });
  });

  test('have no data where the operation was not executed', async () => {
    const error = await errorOf(clientOf(graph).request('{ accountz }', {}));
    expect(error).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED', data: undefined, status: 400 });
  });

  test.each([
    [{ 'retry-after': '3' }, {}, 3_000],
    [{ 'retry-after': '19.7' }, {}, 19_700],
    [{ 'retry-after': 'soon' }, {}, null],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, {}, 0],
    [{ 'retry-after': '3' }, { retryAfterMs: 1_500 }, 1_500],
  ])('say how long to wait: %j, %j', async (headers, more, retryAfterMs) => {
    const extensions = { code: 'OVERLOADED', retryable: true, ...more };
    const errors = [{ message: 'Busy.', extensions }, { message: 'Also.' }];
    const { client } = scriptedClient([() => respond({ errors }, { status: 503, headers })]);
    expect(await errorOf(client.request(Accounts, { first: 1 }))).toMatchObject({
      message: 'Busy. (and 1 more)',
      retryable: true,
      retryAfterMs,
      status: 503,
    });
  });
});

describe('without an answer of the graph', () => {
  test.each([
    [502, '<h1>Bad gateway</h1>', true],
    [429, 'null', true],
    [200, '{"data":', false],
    [404, '{}', false],
  ])('a response with %i and %s is a failed connection', async (status, body, retryable) => {
    const { client, sent } = scriptedClient([() => respond(body, { status })]);
    const error = await errorOf(client.request(Accounts, { first: 1 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ status, retryable });
    expect(sent).toHaveLength(1);
  });

  test('a request that takes too long ends, and may be repeated', async () => {
    graph.sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /posts/queued' });
    const error = await errorOf(clientOf(graph, { timeoutMs: 50 }).request(QueuedPosts, { first: 1 }));
    expect(error).toMatchObject({
      name: 'ConnectionError',
      message: 'There was no response within 50 ms.',
      retryable: true,
      status: null,
    });
  });

  test('a request ends with the reason of its signal', async () => {
    const held = holdAnswers(graph.sandbox, { endpoint: 'GET /accounts/list' });
    const leaving = new AbortController();
    const { signal } = leaving;
    const ended = errorOf(clientOf(graph).request(Accounts, { first: 1 }, { signal }));
    await held.arrived();
    leaving.abort(new Error('enough'));
    held.release();
    expect(await ended).toMatchObject({ message: 'enough' });
  });
});
