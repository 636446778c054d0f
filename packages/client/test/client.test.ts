import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLossyWay, type Fate } from '../../../test/examples/programs.ts';
import { listen } from '../../../test/support/attack-page.ts';
import { shareGraph, startGraph } from '../../../test/support/graph.ts';
import { holdAnswers } from '../../../test/support/sandbox.ts';
import { createClient, type Client, type ClientOptions } from '../src/client.ts';
import { Accounts, QueuedPosts, type QueuedPostsQuery } from '../src/documents.ts';
import { ConnectionError, GraphError } from '../src/errors.ts';
import { publishOnce, type PublishInput } from '../src/publish-once.ts';
import { untilAborted } from '../src/repeat.ts';
import type { TypedDocument } from '../src/typed-document.ts';
import { walk, type WalkOptions } from '../src/walk.ts';
import { newIdempotencyKey } from '../src/write-once.ts';
import { clientOf, respond, scriptedClient } from './clients.ts';

// Requests.

const graph = shareGraph();
const NOTHING = { accounts: null };

/** What a promise is rejected with. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => null).catch((error: unknown) => error);

test('a document, a string, and the string object of a generator are sent as they are', async () => {
  const client = clientOf(graph);
  const { accounts } = await client.request(Accounts, { first: 2 });
  const names = accounts?.nodes?.map((node) => node?.displayName);
  expect(names).toEqual(['Kelpgate Roasters', 'kelpgate.roasters']);
  const text = '{ accounts { totalCount } }';
  // oxlint-disable-next-line unicorn/new-for-builtins, eslint/no-new-wrappers -- TypedDocumentString is one
  const object = new String(text) as TypedDocument<unknown, object>;
  for (const document of [text, object])
    expect(await client.request(document, {})).toEqual({ accounts: { totalCount: 12 } });
});

describe('credentials', () => {
  const both = { apiKey: 'a-key', accessToken: 'a-token' };
  const bothSent = { 'x-api-key': 'a-key', authorization: 'Bearer a-token' };
  test.each<[how: string, options: Partial<ClientOptions>, sent: object]>([
    ['in the header of their surface', { credentials: both }, bothSent],
    ['beside others', { credentials: {}, headers: { 'X-Client-Token': 'b' } }, { 'x-client-token': 'b' }],
    ['as a function returns them', { credentials: async () => ({ apiKey: 'c' }) }, { 'x-api-key': 'c' }],
  ])('are sent %s', async (_, options, expected) => {
    const { client, sent } = scriptedClient([() => respond({ data: NOTHING })], options);
    await client.request(Accounts, { first: 1 });
    const { 'content-type': _type, accept: _accept, ...others } = Object.fromEntries(sent[0]?.headers ?? []);
    expect(others).toEqual(expected);
  });

  test('are not carried to another address', async () => {
    const seen: unknown[] = [];
    const elsewhere = await listen(
      createServer(({ headers }, response) => {
        seen.push(headers['x-api-key']);
        response.end('{"data":{}}');
      }),
    );
    const here = createServer((_, response) => response.writeHead(307, { location: elsewhere }).end());
    const client = createClient({ url: await listen(here), credentials: { apiKey: 'a-key' } });
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
    const message = 'There was no response within 50 ms.';
    expect(error).toMatchObject({ name: 'ConnectionError', message, retryable: true, status: null });
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

// Walks.

const LIST = 'GET /posts/queued';
const queueOf = ({ queuedPosts }: QueuedPostsQuery) => queuedPosts;

/** A scripted list: each page by its cursor, and whether there is a next one and the place of the last one was lost. */
function scriptedWalk(
  pages: readonly (readonly [cursor: string | null, hasNextPage: boolean, drifted?: boolean])[],
  options: WalkOptions = {},
  variables: { readonly first: number; readonly after?: string } = { first: 1 },
) {
  const answers = pages.map(([endCursor, hasNextPage, drifted = false]) => () => {
    const pageInfo = { hasNextPage, endCursor, drifted };
    return respond({ data: { queuedPosts: { nodes: [{ postId: endCursor }, null], pageInfo } } });
  });
  const { client, sent } = scriptedClient(answers);
  return { nodes: walk(client, QueuedPosts, variables, queueOf, options), sent };
}

async function idsOf(nodes: AsyncIterable<{ readonly postId: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { postId } of nodes) ids.push(postId);
  return ids;
}

test('a list that loses the place of the cursor ends the walk with an error, unless the caller accepts that', async () => {
  const pages = [
    ['a', true, true],
    ['b', false],
  ] as const;
  const drifted = { name: 'WalkError', code: 'DRIFTED' };
  await expect(idsOf(scriptedWalk(pages).nodes)).rejects.toMatchObject(drifted);
  let drifts = 0;
  expect(await idsOf(scriptedWalk(pages, { onDrift: () => (drifts += 1) }).nodes)).toEqual(['a', 'b']);
  expect(drifts).toBe(1);
});

test('a page that failed for the moment is requested again', async () => {
  const running = await startGraph();
  const fault = running.sandbox.faults.add({ kind: 'status', status: 503, endpoint: LIST });
  expect(await idsOf(walk(clientOf(running), QueuedPosts, { first: 100 }, queueOf))).toHaveLength(25);
  expect(fault.hits).toBe(1);
});

test('a page that is damaged in part ends the walk with its error, unless the caller accepts that and the list is there', async () => {
  const pageInfo = { hasNextPage: false, endCursor: 'a', drifted: false };
  const data = { queuedPosts: { nodes: [{ postId: '1' }, null, { postId: '3' }], pageInfo } };
  const errors = [{ message: 'Damaged.', path: ['queuedPosts', 'nodes', 1], extensions: {} }];
  const seen: string[] = [];
  const walked = (body: object, options: WalkOptions = {}): Promise<string[]> =>
    idsOf(walk(scriptedClient([() => respond(body)]).client, QueuedPosts, { first: 3 }, queueOf, options));
  const onError = ({ message }: Error): unknown => seen.push(message);
  const damaged = { name: 'GraphError', message: 'Damaged.' };
  await expect(walked({ data, errors })).rejects.toMatchObject(damaged);
  expect(await walked({ data, errors }, { onError })).toEqual(['1', '3']);
  expect(seen).toEqual(['Damaged.']);
  await expect(walked({ data: { queuedPosts: null }, errors }, { onError })).rejects.toMatchObject(damaged);
});

test('records that are null are left out, and the next page is not requested before it is needed', async () => {
  const { nodes, sent } = scriptedWalk([
    ['a', true],
    ['b', false],
  ]);
  expect((await nodes.next()).value).toEqual({ postId: 'a' });
  expect(sent).toHaveLength(1);
  expect((await nodes.next()).value).toEqual({ postId: 'b' });
  expect((await nodes.next()).done).toBe(true);
  expect(sent.map(({ body }) => body.variables)).toEqual([
    { first: 1, after: null },
    { first: 1, after: 'a' },
  ]);
});

test('a walk starts after a cursor', async () => {
  const { nodes, sent } = scriptedWalk([['b', false]], {}, { first: 1, after: 'a' });
  await idsOf(nodes);
  expect(sent[0]?.body.variables).toEqual({ first: 1, after: 'a' });
});

test.each([
  ['STUCK', 'the cursor does not move', ['a', 'a'], {}],
  ['STUCK', 'the cursor is missing', ['a', null], {}],
  ['TOO_LONG', 'the largest number of pages is reached', ['a', 'b', 'c'], { maxPages: 2 }],
])('a walk ends with the error %s when %s', async (code, _, cursors, options) => {
  const { nodes, sent } = scriptedWalk(
    cursors.map((cursor) => [cursor, true]),
    options,
  );
  await expect(idsOf(nodes)).rejects.toMatchObject({ name: 'WalkError', code });
  expect(sent).toHaveLength(2);
});

test('a result without the list is an error', async () => {
  const { client } = scriptedClient([() => respond({ data: { queuedPosts: null } })]);
  const walking = idsOf(walk(client, QueuedPosts, { first: 1 }, queueOf));
  await expect(walking).rejects.toMatchObject({ name: 'WalkError', code: 'NO_LIST' });
});

test('a walk ends with the reason of its signal', async () => {
  const leaving = new AbortController();
  const { nodes } = scriptedWalk([['a', true]], { signal: leaving.signal });
  await nodes.next();
  leaving.abort(new Error('enough'));
  await expect(nodes.next()).rejects.toThrow();
});

// Publishing once.

const CALL = 'POST /posts/create';

/** A post for the test of its key, whose text nothing else has. */
const inputOf = (key: string): PublishInput => ({
  accountIds: ['MWFjOjQxMDIwMQ'],
  timing: { placement: 'QUEUE' },
  variants: [{ variant: 'ORIGINAL', text: `Post of ${key}.` }],
});

/** Ids of the posts in the queue that were made with a key. */
function queued(key: string): string[] {
  const { queue } = graph.sandbox.state.owner(graph.sandbox.owners[0].name);
  return queue.filter((post) => post.content.description === `Post of ${key}.`).map(({ postId }) => postId);
}

const publish = (client: Client, idempotencyKey: string, options: { readonly attempts?: number } = {}) =>
  publishOnce(client, inputOf(idempotencyKey), { idempotencyKey, ...options });

/** A proxy in which the first responses to an operation have a fate, and how often a text was sent through it. */
async function openWay(operation: string, fate: Fate, times = 1) {
  let left = times;
  const way = await openLossyWay(graph.url, ({ sent }) => {
    const last = sent.slice(sent.lastIndexOf('POST '));
    if (left === 0 || !last.includes(operation)) return 'passes';
    left -= 1;
    return fate;
  });
  const count = (text: string): number => way.sent.split(text).length - 1;
  return { url: way.url, count };
}

const lost = (): Promise<never> => Promise.reject(new TypeError('reset'));
const refused = (): Response => respond({ errors: [{ message: 'No.', extensions: { retryable: false } }] });
const nothingRecorded = (): Response => respond({ data: { writeOutcome: null } });

test('a post is published, and a second call with the same key publishes nothing more', async () => {
  const client = clientOf(graph);
  const first = await publish(client, 'order-7');
  const key = { idempotencyKey: 'order-7', postIds: queued('order-7') };
  const done = { outcome: 'COMPLETED', ...key, userErrors: [] };
  expect(first).toEqual({ ...done, replayed: false });
  expect(await publish(client, 'order-7')).toEqual({ ...done, replayed: true });
  expect([graph.sandbox.requests.count(CALL), queued('order-7').length]).toEqual([1, 1]);
});

const BAD_GATEWAY = { instead: 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 3\r\n\r\nno!' };

test.each<[situation: string, key: string, fate: Fate]>([
  ['is lost on the way', 'order-8', 'lost before'],
  ['comes from something in between', 'order-9', BAD_GATEWAY],
])('a call whose response %s is repeated with its key, and there is one post', async (_, key, fate) => {
  const way = await openWay('mutation CreatePost', fate);
  const result = await publish(clientOf(graph, { way: way.url }), key);
  expect(result).toMatchObject({ outcome: 'COMPLETED', replayed: true, postIds: queued(key) });
  expect([way.count(`"idempotencyKey":"${key}"`), graph.sandbox.requests.count(CALL)]).toEqual([2, 1]);
});

test('a call that takes too long is repeated, and waits for the write in progress', async () => {
  const held = holdAnswers(graph.sandbox, { endpoint: CALL });
  const way = await openWay('IDEMPOTENCY_IN_PROGRESS', 'passes');
  const publishing = publish(clientOf(graph, { way: way.url, timeoutMs: 1_500 }), 'order-10');
  await held.arrived();
  await expect.poll(() => way.count('mutation CreatePost')).toBeGreaterThan(1);
  held.release();
  expect(await publishing).toMatchObject({ outcome: 'COMPLETED', postIds: queued('order-10') });
  expect(graph.sandbox.requests.count(CALL)).toBe(1);
});

test('a temporary rejection is repeated when the service allows it, and a permanent one returned with its reason', async () => {
  graph.sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '2' }, endpoint: CALL });
  const way = await openWay('nothing', 'passes');
  const result = await publish(clientOf(graph, { way: way.url }), 'order-11');
  expect(result).toMatchObject({ outcome: 'COMPLETED', replayed: false, postIds: queued('order-11') });
  expect(way.count('mutation CreatePost')).toBe(2);
  const input = { ...inputOf('order-12'), accountIds: ['MWFjOjk5OTk5OQ'] };
  const rejected = await publishOnce(clientOf(graph), input, { idempotencyKey: 'order-12' });
  expect(rejected).toMatchObject({ outcome: 'REJECTED', userErrors: [{ code: 'UPSTREAM_REJECTED' }] });
  expect('postIds' in rejected).toBe(false);
});

test('if no response arrives at all, the client asks what the server has recorded', async () => {
  const way = await openWay('mutation CreatePost', 'lost before', Infinity);
  const result = await publish(clientOf(graph, { way: way.url }), 'order-13', { attempts: 2 });
  expect(result).toMatchObject({ outcome: 'COMPLETED', replayed: true, postIds: queued('order-13') });
  expect([way.count('query FindWriteOutcome'), graph.sandbox.requests.count(CALL)]).toEqual([1, 1]);
});

describe('the outcome is unknown', () => {
  test('if the service did not confirm the post, which is not sent twice', async () => {
    graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CALL, effect: 'done' });
    expect(await publish(clientOf(graph), 'order-14')).toMatchObject({
      outcome: 'UNKNOWN',
      idempotencyKey: 'order-14',
      userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
      cause: null,
    });
    expect(graph.sandbox.requests.count(CALL)).toBe(1);
  });

  test('if the server is out of reach, with the last error', async () => {
    const way = await openWay('POST', 'lost before', Infinity);
    const result = await publish(clientOf(graph, { way: way.url }), 'order-15', { attempts: 1 });
    expect(result).toMatchObject({ outcome: 'UNKNOWN', cause: { name: 'ConnectionError' } });
  });

  test.each([
    ['was lost', [lost]],
    ['is not known, perhaps of another process', []],
  ])('if the server cannot read its keys, and the response to an earlier call %s', async (_what, earlier) => {
    const userErrors = [{ code: 'IDEMPOTENCY_UNAVAILABLE', message: '', path: null, retryable: true }];
    const createPost = { outcome: 'REJECTED', postIds: null, replayed: false, userErrors };
    const forgetful = () => respond({ data: { createPost } });
    const { client } = scriptedClient([...earlier, forgetful, nothingRecorded]);
    const result = await publish(client, 'order-16', { attempts: earlier.length + 1 });
    expect(result).toMatchObject({ outcome: 'UNKNOWN', userErrors });
  });

  test('if the response to an earlier attempt was lost, and a later one is rejected', async () => {
    const { client } = scriptedClient([lost, refused, nothingRecorded]);
    const result = await publish(client, 'order-17');
    expect(result).toMatchObject({ outcome: 'UNKNOWN', cause: { message: 'No.' } });
  });

  test('if the server has recorded only another mutation with the key', async () => {
    const payload = { outcome: 'COMPLETED', userErrors: [] };
    const startedAt = '2030-01-15T09:00:00.000Z';
    const writeOutcome = { mutation: 'createStatusUpdate', isUnderWay: false, startedAt, payload };
    const { client } = scriptedClient([lost, () => respond({ data: { writeOutcome } })]);
    const result = await publish(client, 'order-22', { attempts: 1 });
    expect(result).toMatchObject({ outcome: 'UNKNOWN', cause: { name: 'ConnectionError' } });
  });
});

test('all attempts have the credentials of the first, with which the key is known', async () => {
  const keys = ['a', 'b', 'c'];
  const credentials = () => ({ apiKey: keys.shift() });
  const { client, sent } = scriptedClient([lost, lost, nothingRecorded], { credentials });
  await publish(client, 'order-23', { attempts: 2 });
  expect(sent.map(({ headers }) => new Headers(headers).get('x-api-key'))).toEqual(['a', 'a', 'a']);
});

test('an operation that the graph rejects is an error, and is not repeated', async () => {
  const way = await openWay('nothing', 'passes');
  const input = Object.assign(inputOf('order-18'), { timing: {} });
  const publishing = publishOnce(clientOf(graph, { way: way.url }), input, { idempotencyKey: 'order-18' });
  await expect(publishing).rejects.toMatchObject({ name: 'GraphError', code: 'BAD_USER_INPUT' });
  expect([way.count('mutation CreatePost'), graph.sandbox.requests.count(CALL)]).toEqual([1, 0]);
});

test('a pause of more than a minute is not waited for', async () => {
  const later = { retryable: true, retryAfterMs: 60_001 };
  const userErrors = [{ code: 'RATE_LIMITED', message: '', path: null, ...later }];
  const createPost = { outcome: 'REJECTED', postIds: null, replayed: false, userErrors };
  const busy = scriptedClient([() => respond({ data: { createPost } })]);
  expect(await publish(busy.client, 'order-19')).toMatchObject({ outcome: 'REJECTED' });
  const errors = [{ message: 'Later.', extensions: later }];
  const { client, sent } = scriptedClient([() => respond({ errors }, { status: 503 })]);
  await expect(publish(client, 'order-19')).rejects.toMatchObject({ message: 'Later.' });
  expect(sent).toHaveLength(1);
});

test('publishing ends with the reason of its signal, also in a pause', async () => {
  const leaving = new AbortController();
  const { client, sent } = scriptedClient([lost]);
  const options = { idempotencyKey: 'order-20', signal: leaving.signal };
  const publishing = publishOnce(client, inputOf('order-20'), options);
  await expect.poll(() => sent.length).toBe(1);
  leaving.abort(new Error('enough'));
  await expect(publishing).rejects.toThrow('enough');
});

test('what ends with its signal leaves no rejection behind', async () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown): unknown => rejections.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const ended = AbortSignal.abort(new Error('enough'));
  await expect(untilAborted(Promise.reject(new Error('closed')), ended)).rejects.toThrow('enough');
  await nextTurn();
  expect(rejections).toEqual([]);
});

test('a new key is valid for the graph, and differs each time', () => {
  expect(newIdempotencyKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(newIdempotencyKey()).not.toBe(newIdempotencyKey());
});
