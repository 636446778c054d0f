import { describe, expect, test } from 'vitest';
import { publishOnce, type PublishInput } from '../src/publish-once.ts';
import { newIdempotencyKey } from '../src/write-once.ts';
import { openLossyWay, type Fate } from '../../../test/examples/programs.ts';
import { startGraph, type RunningGraph } from '../../../test/support/graph.ts';
import { holdAnswers } from '../../../test/support/held-answers.ts';
import { clientOf, respond, scriptedClient } from './clients.ts';

const CALL = 'POST /posts/create';
const TEXT = 'Doors at seven.';
const INPUT: PublishInput = {
  accountIds: ['MWFjOjQxMDIwMQ'],
  timing: { placement: 'QUEUE' },
  variants: [{ variant: 'ORIGINAL', text: TEXT }],
};

/** Ids of the posts in the queue that say the text. */
function queued({ sandbox }: RunningGraph): string[] {
  const { queue } = sandbox.state.owner(sandbox.owners[0].name);
  return queue.filter((post) => post.content.description === TEXT).map(({ postId }) => postId);
}

/** Another way to the graph, on which so many answers to an operation have a fate; and how often it was sent. */
async function openWay(graph: RunningGraph, operation: string, fate: Fate, times = 1) {
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
  const graph = await startGraph();
  const client = clientOf(graph);
  const first = await publishOnce(client, INPUT, { idempotencyKey: 'order-7' });
  const [postId] = queued(graph);
  const done = { outcome: 'COMPLETED', idempotencyKey: 'order-7', postIds: [postId], userErrors: [] };
  expect(first).toEqual({ ...done, replayed: false });
  expect(await publishOnce(client, INPUT, { idempotencyKey: 'order-7' })).toEqual({
    ...done,
    replayed: true,
  });
  expect([graph.sandbox.requests.count(CALL), queued(graph).length]).toEqual([1, 1]);
});

test.each<[string, Fate]>([
  ['is lost on the way', 'lost before'],
  [
    'comes from something in between',
    { instead: 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 3\r\n\r\nno!' },
  ],
])('a call whose answer %s goes out again with its key, and there is one post', async (_, fate) => {
  const graph = await startGraph();
  const way = await openWay(graph, 'mutation CreatePost', fate);
  const client = clientOf(graph, { way: way.url });
  const result = await publishOnce(client, INPUT, { idempotencyKey: 'order-8' });
  expect(result).toMatchObject({ outcome: 'COMPLETED', replayed: true, postIds: queued(graph) });
  expect([way.count('"idempotencyKey":"order-8"'), graph.sandbox.requests.count(CALL)]).toEqual([2, 1]);
});

test('a call that takes too long goes out again, and waits for what is under way', async () => {
  const graph = await startGraph();
  const held = holdAnswers(graph.sandbox, { endpoint: CALL });
  const way = await openWay(graph, 'IDEMPOTENCY_IN_PROGRESS', 'passes');
  const client = clientOf(graph, { way: way.url, timeoutMs: 1_500 });
  const publishing = publishOnce(client, INPUT, { idempotencyKey: 'order-9' });
  await held.arrived();
  await expect.poll(() => way.count('mutation CreatePost')).toBeGreaterThan(2);
  held.release();
  expect(await publishing).toMatchObject({ outcome: 'COMPLETED', postIds: queued(graph) });
  expect(graph.sandbox.requests.count(CALL)).toBe(1);
});

test('a refusal that may pass is sent again', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '1' }, endpoint: CALL });
  const result = await publishOnce(clientOf(graph), INPUT, { idempotencyKey: 'order-10' });
  expect(result).toMatchObject({ outcome: 'COMPLETED', replayed: false });
  expect(queued(graph)).toHaveLength(1);
});

test('a refusal for good is told, with its reason', async () => {
  const graph = await startGraph();
  const input = { ...INPUT, accountIds: ['MWFjOjk5OTk5OQ'] };
  const result = await publishOnce(clientOf(graph), input, { idempotencyKey: 'order-11' });
  expect(result).toMatchObject({ outcome: 'REJECTED', userErrors: [{ code: 'UPSTREAM_REJECTED' }] });
  expect('postIds' in result).toBe(false);
});

test('where no answer comes back at all, what the server has recorded is asked for', async () => {
  const graph = await startGraph();
  const way = await openWay(graph, 'mutation CreatePost', 'lost before', Infinity);
  const client = clientOf(graph, { way: way.url });
  const result = await publishOnce(client, INPUT, { idempotencyKey: 'order-12', attempts: 2 });
  expect(result).toMatchObject({ outcome: 'COMPLETED', replayed: true, postIds: queued(graph) });
  expect([way.count('query FindWriteOutcome'), graph.sandbox.requests.count(CALL)]).toEqual([1, 1]);
});

describe('the outcome is unknown', () => {
  test('where the service did not confirm; nothing is sent twice', async () => {
    const graph = await startGraph();
    graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CALL, effect: 'done' });
    const result = await publishOnce(clientOf(graph), INPUT, { idempotencyKey: 'order-13' });
    expect(result).toMatchObject({
      outcome: 'UNKNOWN',
      idempotencyKey: 'order-13',
      userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
      cause: null,
    });
    expect(graph.sandbox.requests.count(CALL)).toBe(1);
  });

  test('where the server is out of reach, with the last error', async () => {
    const graph = await startGraph();
    const way = await openWay(graph, 'POST', 'lost before', Infinity);
    const client = clientOf(graph, { way: way.url });
    const result = await publishOnce(client, INPUT, { idempotencyKey: 'order-14', attempts: 1 });
    expect(result).toMatchObject({ outcome: 'UNKNOWN', cause: { name: 'ConnectionError' } });
  });

  test('where a later attempt sends nothing, for want of its memory, and an earlier one was lost', async () => {
    const userErrors = [{ code: 'IDEMPOTENCY_UNAVAILABLE', message: '', path: null, retryable: true }];
    const createPost = { outcome: 'REJECTED', postIds: null, replayed: false, userErrors };
    const forgetful = () => respond({ data: { createPost } });
    const { client } = scriptedClient([lost, forgetful, nothingRecorded]);
    const options = { idempotencyKey: 'order-15', attempts: 2 };
    expect(await publishOnce(client, INPUT, options)).toMatchObject({ outcome: 'UNKNOWN', userErrors });

    const without = scriptedClient([forgetful, forgetful]);
    expect(await publishOnce(without.client, INPUT, options)).toMatchObject({ outcome: 'REJECTED' });
  });

  test('where a later attempt is refused, and an earlier one was lost', async () => {
    const { client } = scriptedClient([lost, refused, nothingRecorded]);
    const result = await publishOnce(client, INPUT, { idempotencyKey: 'order-16' });
    expect(result).toMatchObject({ outcome: 'UNKNOWN', cause: { message: 'No.' } });
  });
});

test('an operation that the graph refuses is an error, and is not repeated', async () => {
  const graph = await startGraph();
  const way = await openWay(graph, 'nothing', 'passes');
  const client = clientOf(graph, { way: way.url });
  const input = { ...INPUT, timing: {} } as unknown as PublishInput;
  await expect(publishOnce(client, input, { idempotencyKey: 'order-17' })).rejects.toMatchObject({
    name: 'GraphError',
    code: 'BAD_USER_INPUT',
  });
  expect([way.count('mutation CreatePost'), graph.sandbox.requests.count(CALL)]).toEqual([1, 0]);
});

test('a pause that is longer than a minute is not waited for', async () => {
  const errors = [{ message: 'Later.', extensions: { retryable: true, retryAfterMs: 60_001 } }];
  const { client, sent } = scriptedClient([() => respond({ errors }, { status: 503 })]);
  await expect(publishOnce(client, INPUT, { idempotencyKey: 'order-18' })).rejects.toMatchObject({
    message: 'Later.',
  });
  expect(sent).toHaveLength(1);
});

test('it ends with the reason of its signal, also in a pause', async () => {
  const leaving = new AbortController();
  const { client, sent } = scriptedClient([lost]);
  const options = { idempotencyKey: 'order-19', signal: leaving.signal };
  const publishing = publishOnce(client, INPUT, options);
  await expect.poll(() => sent.length).toBe(1);
  leaving.abort(new Error('enough'));
  await expect(publishing).rejects.toThrow('enough');
});

test('a new key is one that the graph takes, and another each time', () => {
  expect(newIdempotencyKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(newIdempotencyKey()).not.toBe(newIdempotencyKey());
});
