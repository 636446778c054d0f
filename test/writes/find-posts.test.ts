import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { losing, startReadingFirst, UNKNOWN, writeElsewhere } from '../support/lost-answers.ts';
import { changingEach, MISSING } from '../support/wire-changes.ts';
import { account, EXAMPLES, verdictOf, write, type Input, type WritePayload } from '../support/writes.ts';

// If the response to a post is lost, the queue is read again. A post that is equal and was not in the queue before the
// write proves that it was done; not finding one proves nothing.

const CREATE = 'POST /posts/create';
const QUEUE = 'GET /posts/queued';
const messageOf = ({ userErrors }: WritePayload): string => userErrors[0]?.message ?? '';
const post = (graph: RunningGraph, changes: Input = {}): Promise<WritePayload> =>
  write(graph, 'createPost', { ...EXAMPLES.createPost, idempotencyKey: randomUUID(), ...changes });
const postElsewhere = (graph: RunningGraph, changes: Input = {}): Promise<void> =>
  writeElsewhere(graph, 'createPost', { ...EXAMPLES.createPost, ...changes });
const idsOf = (graph: RunningGraph): string[] =>
  graph.sandbox.state
    .owner('harbour')
    .queue.filter(({ content }) => content.description === 'Doors at seven.')
    .map(({ postId }) => postId)
    .toSorted();
const told = ({ postIds }: WritePayload): string[] => (postIds as string[]).toSorted();

describe('a post whose answer is lost', () => {
  test.each<[string, Input]>([
    ['at the end of the queue', {}],
    ['at its front', { timing: { placement: 'NEXT' } }],
    [
      'at two times on two accounts',
      {
        accountIds: [account(), account(landmarks.bareId)],
        timing: { scheduledAtLocal: ['2035-03-01T09:00', '2035-03-02T17:30'] },
      },
    ],
  ])('is found %s, and told with its ids', async (_, changes) => {
    const graph = await startReadingFirst();
    losing(graph, CREATE);
    const payload = await post(graph, changes);
    expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [] });
    expect(told(payload)).toEqual(idsOf(graph));
    expect(graph.sandbox.requests.count(CREATE)).toBe(1);
  });

  test('is found on the last page of a queue of several', async () => {
    const graph = await startReadingFirst({ quirks: { maxLimit: 10 } });
    losing(graph, CREATE);
    const payload = await post(graph);
    expect(payload.outcome).toBe('COMPLETED');
    expect(told(payload)).toEqual(idsOf(graph));
  });

  test('is found beside posts that show neither their id nor their account', async () => {
    const graph = await startReadingFirst();
    const damage = [{ postId: {} }, { loginId: {} }, { loginId: MISSING }, { postDesc: {} }];
    losing(graph, CREATE);
    graph.sandbox.faults.add(changingEach(QUEUE, (index) => damage[index] ?? {}));
    const payload = await post(graph);
    expect(payload.outcome).toBe('COMPLETED');
    expect(told(payload)).toEqual(idsOf(graph));
  });

  test.each<[string, Input]>([
    ['its id', { postId: {} }],
    ['its account', { loginId: MISSING }],
    ['its text', { postDesc: {} }],
    ['its time', { formatedPostDate: 'soon', postDate: 'soon', postDateFormat: '', postTimeFormat: '' }],
  ])('and of which the queue does not show %s stays unknown', async (_, damage) => {
    const graph = await startReadingFirst();
    losing(graph, CREATE);
    graph.sandbox.faults.add(changingEach(QUEUE, () => damage));
    const timing = { scheduledAtLocal: ['2035-03-01T09:00'] };
    expect(verdictOf(await post(graph, { timing }))).toEqual(UNKNOWN);
    expect(idsOf(graph)).toHaveLength(1);
  });

  test('and that was not made stays unknown', async () => {
    const graph = await startReadingFirst();
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
    expect(graph.sandbox.requests.count(QUEUE)).toBeGreaterThan(0);
  });

  test.each<[string, Record<string, string>, Input]>([
    ['read before the write', { READ_BEFORE_WRITES: 'on' }, {}],
    ['whose times can be read', { SERVICE_TIME_ZONE: 'Etc/UTC' }, {}],
    ['whose times can be read, without a key', { SERVICE_TIME_ZONE: 'Etc/UTC' }, { idempotencyKey: null }],
  ])('is not taken for an equal one created just before it, in a queue %s', async (_, environment, input) => {
    const graph = await startGraph({ environment, sandbox: { quirks: { utcOffsetMinutes: 0 } } });
    await postElsewhere(graph);
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph, input))).toEqual(UNKNOWN);
  });

  test('is not taken for an equal one whose id could not be read before', async () => {
    const graph = await startReadingFirst();
    await postElsewhere(graph);
    const newest = graph.sandbox.state.owner('harbour').queue.length - 1;
    const damage = changingEach(QUEUE, (index) => (index === newest ? { postId: {} } : {}));
    graph.sandbox.faults.add({ ...damage, times: 1 });
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
  });

  test('is sent even if the queue cannot be read before, and then stays unknown', async () => {
    const graph = await startReadingFirst();
    graph.sandbox.faults.add({ kind: 'status', status: 403, endpoint: QUEUE });
    losing(graph, CREATE);
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
    expect(idsOf(graph)).toHaveLength(1);
  });

  test('is not taken for an equal one that another write is told of', async () => {
    const graph = await startReadingFirst();
    const first = await post(graph);
    losing(graph, CREATE);
    const second = await post(graph);
    expect(second.outcome).toBe('COMPLETED');
    expect([...told(first), ...told(second)].toSorted()).toEqual(idsOf(graph));
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
  });

  test('is not taken for one that an equal write of unknown outcome may have made', async () => {
    const graph = await startReadingFirst();
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
    losing(graph, CREATE);
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
  });

  test('is not taken for one that another write, still under way, may have made', async () => {
    const graph = await startReadingFirst();
    const call = holdAnswers(graph.sandbox, { endpoint: CREATE, effect: 'done' });
    const other = post(graph, {
      variants: [{ variant: 'ORIGINAL', text: 'Doors at seven.', altTexts: ['A door'] }],
    });
    await call.arrived();
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
    call.release();
    expect((await other).outcome).toBe('COMPLETED');
  });

  test('is found beside a write, still under way, of another text', async () => {
    const graph = await startReadingFirst();
    const call = holdAnswers(graph.sandbox, { endpoint: CREATE, effect: 'none' });
    const other = post(graph, { variants: [{ variant: 'ORIGINAL', text: 'Doors at eight.' }] });
    await call.arrived();
    losing(graph, CREATE);
    const payload = await post(graph);
    expect(payload.outcome).toBe('COMPLETED');
    expect(told(payload)).toEqual(idsOf(graph));
    call.release();
    expect((await other).outcome).toBe('COMPLETED');
  });

  test('is not taken for one of two that somebody else made meanwhile', async () => {
    const graph = await startReadingFirst();
    await postElsewhere(graph);
    await postElsewhere(graph);
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
  });

  test.each<[string, Input]>([
    ['another text', { variants: [{ variant: 'ORIGINAL', text: 'Doors at eight.' }] }],
    ['another account', { accountIds: [account(landmarks.bareId)] }],
    ['another time', { timing: { scheduledAtLocal: ['2035-03-01T09:01'] } }],
  ])('is not taken for one of %s', async (_, changes) => {
    const graph = await startReadingFirst();
    const timing = { scheduledAtLocal: ['2035-03-01T09:00'] };
    await postElsewhere(graph, { timing, ...changes });
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph, { timing }))).toEqual(UNKNOWN);
  });

  test('and of which a part is found stays unknown', async () => {
    const graph = await startReadingFirst();
    await postElsewhere(graph);
    losing(graph, CREATE, 'none');
    const accountIds = [account(), account(landmarks.bareId)];
    expect(verdictOf(await post(graph, { accountIds }))).toEqual(UNKNOWN);
  });

  test.each<[string, Input, 'on' | 'off']>([
    ['is published at once', { timing: { placement: 'NOW' } }, 'on'],
    ['has no text', { variants: [{ variant: 'ORIGINAL', mediaIds: ['1'] }] }, 'on'],
    ['has no key', { idempotencyKey: null }, 'on'],
    ['was sent without reading the queue before', {}, 'off'],
  ])('and that %s is not looked for', async (_, changes, setting) => {
    const graph = await startGraph({
      environment: { READ_BEFORE_WRITES: setting, SERVICE_TIME_ZONE: 'Etc/UTC' },
    });
    losing(graph, CREATE);
    expect(verdictOf(await post(graph, changes))).toEqual(UNKNOWN);
    expect(graph.sandbox.requests.all.map(({ endpoint }) => endpoint)).toEqual([CREATE]);
  });

  test('that succeeds is the only call, or the second if the queue is read before', async () => {
    const calls = async (graph: RunningGraph): Promise<unknown> => {
      expect((await post(graph)).outcome).toBe('COMPLETED');
      return graph.sandbox.requests.all.map(({ endpoint }) => endpoint);
    };
    expect(await calls(await startGraph())).toEqual([CREATE]);
    expect(await calls(await startReadingFirst())).toEqual([QUEUE, CREATE]);
  });

  test('is looked for again when it is asked for again with its key', async () => {
    const graph = await startReadingFirst();
    losing(graph, CREATE);
    graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: QUEUE, skip: 1 });
    const first = await post(graph, { idempotencyKey: 'order-7' });
    expect(verdictOf(first)).toEqual(UNKNOWN);
    expect(messageOf(first)).toContain('Repeating the request with the same idempotency key sends nothing');
    const again = await post(graph, { idempotencyKey: 'order-7' });
    expect(again).toMatchObject({ outcome: 'COMPLETED', replayed: true, userErrors: [] });
    expect(told(again)).toEqual(idsOf(graph));
    const looks = graph.sandbox.requests.count(QUEUE);
    expect(told(await post(graph, { idempotencyKey: 'order-7' }))).toEqual(idsOf(graph));
    expect([graph.sandbox.requests.count(CREATE), graph.sandbox.requests.count(QUEUE)]).toEqual([1, looks]);
  });

  test('is found although an equal one was of unknown outcome, once that one has been found', async () => {
    const graph = await startReadingFirst();
    losing(graph, CREATE);
    graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: QUEUE, skip: 1 });
    expect(verdictOf(await post(graph, { idempotencyKey: 'order-9' }))).toEqual(UNKNOWN);
    const first = await post(graph, { idempotencyKey: 'order-9' });
    expect(first.outcome).toBe('COMPLETED');
    losing(graph, CREATE);
    const second = await post(graph);
    expect(second.outcome).toBe('COMPLETED');
    expect([...told(first), ...told(second)].toSorted()).toEqual(idsOf(graph));
  });

  test('without a key is told of without advice about one that was never given', async () => {
    const graph = await startReadingFirst();
    losing(graph, CREATE, 'none');
    const message = messageOf(await post(graph, { idempotencyKey: null }));
    expect(message).toContain('Look for the post in the queue');
    expect(message).toContain('Without an idempotency key, repeating the request is another write');
  });
});
