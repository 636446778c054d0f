import { describe, expect, test } from 'vitest';
import type { Client } from '../src/client.ts';
import { publishOnce, type PublishInput } from '../src/publish-once.ts';
import { newIdempotencyKey } from '../src/write-once.ts';
import { openLossyWay, type Fate } from '../../../test/examples/programs.ts';
import { holdAnswers } from '../../../test/support/sandbox.ts';
import { shareGraph } from '../../../test/support/graph.ts';
import { clientOf, respond, scriptedClient } from './clients.ts';

const CALL = 'POST /posts/create';
const graph = shareGraph();

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

/** Publishes the post of a key. */
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
  const done = {
    outcome: 'COMPLETED',
    idempotencyKey: 'order-7',
    postIds: queued('order-7'),
    userErrors: [],
  };
  expect(first).toEqual({ ...done, replayed: false });
  expect(await publish(client, 'order-7')).toEqual({ ...done, replayed: true });
  expect([graph.sandbox.requests.count(CALL), queued('order-7').length]).toEqual([1, 1]);
});

test.each<[situation: string, key: string, fate: Fate]>([
  ['is lost on the way', 'order-8', 'lost before'],
  [
    'comes from something in between',
    'order-9',
    { instead: 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 3\r\n\r\nno!' },
  ],
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

test('a temporary rejection is repeated', async () => {
  graph.sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '1' }, endpoint: CALL });
  const result = await publish(clientOf(graph), 'order-11');
  expect(result).toMatchObject({ outcome: 'COMPLETED', replayed: false, postIds: queued('order-11') });
});

test('a permanent rejection is returned with its reason', async () => {
  const input = { ...inputOf('order-12'), accountIds: ['MWFjOjk5OTk5OQ'] };
  const result = await publishOnce(clientOf(graph), input, { idempotencyKey: 'order-12' });
  expect(result).toMatchObject({ outcome: 'REJECTED', userErrors: [{ code: 'UPSTREAM_REJECTED' }] });
  expect('postIds' in result).toBe(false);
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

  test('if the response to an earlier attempt was lost, and a later one finds no keys stored', async () => {
    const userErrors = [{ code: 'IDEMPOTENCY_UNAVAILABLE', message: '', path: null, retryable: true }];
    const createPost = { outcome: 'REJECTED', postIds: null, replayed: false, userErrors };
    const forgetful = () => respond({ data: { createPost } });
    const { client } = scriptedClient([lost, forgetful, nothingRecorded]);
    const result = await publish(client, 'order-16', { attempts: 2 });
    expect(result).toMatchObject({ outcome: 'UNKNOWN', userErrors });

    const without = scriptedClient([forgetful, forgetful]);
    const rejected = await publish(without.client, 'order-16', { attempts: 2 });
    expect(rejected).toMatchObject({ outcome: 'REJECTED' });
  });

  test('if the response to an earlier attempt was lost, and a later one is rejected', async () => {
    const { client } = scriptedClient([lost, refused, nothingRecorded]);
    const result = await publish(client, 'order-17');
    expect(result).toMatchObject({ outcome: 'UNKNOWN', cause: { message: 'No.' } });
  });
});

test('an operation that the graph rejects is an error, and is not repeated', async () => {
  const way = await openWay('nothing', 'passes');
  const input = Object.assign(inputOf('order-18'), { timing: {} });
  const publishing = publishOnce(clientOf(graph, { way: way.url }), input, { idempotencyKey: 'order-18' });
  await expect(publishing).rejects.toMatchObject({ name: 'GraphError', code: 'BAD_USER_INPUT' });
  expect([way.count('mutation CreatePost'), graph.sandbox.requests.count(CALL)]).toEqual([1, 0]);
});

test('a pause of more than a minute is not waited for', async () => {
  const errors = [{ message: 'Later.', extensions: { retryable: true, retryAfterMs: 60_001 } }];
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

test('a new key is valid for the graph, and differs each time', () => {
  expect(newIdempotencyKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(newIdempotencyKey()).not.toBe(newIdempotencyKey());
});
