import { describe, expect, test } from 'vitest';
import { landmarks } from '../../src/sandbox/data/landmarks.ts';
import { startGraph, type GraphOptions, type RunningGraph } from '../support/graph.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { losing, startInUtc, UNKNOWN, writeElsewhere } from '../support/lost-answers.ts';
import { changingEach, MISSING } from '../support/wire-changes.ts';
import { account, EXAMPLES, verdictOf, write, type Input, type WritePayload } from '../support/writes.ts';

// When the answer to a post is lost, the queue is looked at once. What is equal and new is what was made; what is not
// found proves nothing.

const CREATE = 'POST /posts/create';
const QUEUE = 'GET /posts/queued';
const MINUTE_MS = 60_000;
const messageOf = ({ userErrors }: WritePayload): string => userErrors[0]?.message ?? '';
const post = (graph: RunningGraph, changes: Input = {}): Promise<WritePayload> =>
  write(graph, 'createPost', { ...EXAMPLES.createPost, ...changes });
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
    const graph = await startInUtc();
    losing(graph, CREATE);
    const payload = await post(graph, changes);
    expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [] });
    expect(told(payload)).toEqual(idsOf(graph));
    expect(graph.sandbox.requests.count(CREATE)).toBe(1);
  });

  test('is found on the last page of a queue of several', async () => {
    const graph = await startInUtc({ quirks: { utcOffsetMinutes: 0, maxLimit: 10 } });
    losing(graph, CREATE);
    const payload = await post(graph);
    expect(payload.outcome).toBe('COMPLETED');
    expect(told(payload)).toEqual(idsOf(graph));
  });

  test('is found beside posts that show neither their id nor their account', async () => {
    const graph = await startInUtc();
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
    ['since when it is there', { createdOn: MISSING }],
    ['its time', { formatedPostDate: 'soon', postDate: 'soon', postDateFormat: '', postTimeFormat: '' }],
  ])('and of which the queue does not show %s stays unknown', async (_, damage) => {
    const graph = await startInUtc();
    losing(graph, CREATE);
    graph.sandbox.faults.add(changingEach(QUEUE, () => damage));
    const timing = { scheduledAtLocal: ['2035-03-01T09:00'] };
    expect(verdictOf(await post(graph, { timing }))).toEqual(UNKNOWN);
    expect(idsOf(graph)).toHaveLength(1);
  });

  test('and that was not made stays unknown', async () => {
    const graph = await startInUtc();
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
    expect(graph.sandbox.requests.count(QUEUE)).toBeGreaterThan(0);
  });

  test('is not taken for an equal one that waited before', async () => {
    let now = Date.now();
    const graph = await startInUtc({ now: () => now });
    now -= 2 * MINUTE_MS;
    await postElsewhere(graph);
    now += 2 * MINUTE_MS;
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
  });

  test('is not taken for an equal one that another write is told of', async () => {
    const graph = await startInUtc();
    const first = await post(graph);
    losing(graph, CREATE);
    const second = await post(graph);
    expect(second.outcome).toBe('COMPLETED');
    expect([...told(first), ...told(second)].toSorted()).toEqual(idsOf(graph));
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
  });

  test('is not taken for one that an equal write of unknown outcome may have made', async () => {
    const graph = await startInUtc();
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
    losing(graph, CREATE);
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
  });

  test('is not taken for one that another write, still under way, may have made', async () => {
    const graph = await startInUtc();
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

  test.each<[string, Input]>([
    ['another text', { variants: [{ variant: 'ORIGINAL', text: 'Doors at eight.' }] }],
    ['another account', { accountIds: [account(landmarks.bareId)] }],
  ])('is found beside a write, still under way, of %s', async (_, changes) => {
    const graph = await startInUtc();
    const call = holdAnswers(graph.sandbox, { endpoint: CREATE, effect: 'none' });
    const other = post(graph, changes);
    await call.arrived();
    losing(graph, CREATE);
    const payload = await post(graph);
    expect(payload.outcome).toBe('COMPLETED');
    expect(told(payload)).toEqual(idsOf(graph));
    call.release();
    expect((await other).outcome).toBe('COMPLETED');
  });

  test('is not taken for one of two that somebody else made meanwhile', async () => {
    const graph = await startInUtc();
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
    const graph = await startInUtc();
    const timing = { scheduledAtLocal: ['2035-03-01T09:00'] };
    await postElsewhere(graph, { timing, ...changes });
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph, { timing }))).toEqual(UNKNOWN);
  });

  test('and of which a part is found stays unknown', async () => {
    const graph = await startInUtc();
    await postElsewhere(graph);
    losing(graph, CREATE, 'none');
    const accountIds = [account(), account(landmarks.bareId)];
    expect(verdictOf(await post(graph, { accountIds }))).toEqual(UNKNOWN);
  });

  test.each<[string, Input, GraphOptions['environment']]>([
    ['was to go out at once', { timing: { placement: 'NOW' } }, {}],
    ['has no text', { variants: [{ variant: 'ORIGINAL', mediaIds: ['1'] }] }, {}],
    ['can’t be told from an older one, for want of the service’s time zone', {}, { SERVICE_TIME_ZONE: '' }],
  ])('and that %s is not looked for', async (_, changes, environment) => {
    const graph = await startGraph({ environment: { SERVICE_TIME_ZONE: 'Etc/UTC', ...environment } });
    losing(graph, CREATE);
    expect(verdictOf(await post(graph, changes))).toEqual(UNKNOWN);
    expect(graph.sandbox.requests.count(QUEUE)).toBe(0);
  });

  test('is looked for again when it is asked for again with its key', async () => {
    const graph = await startInUtc();
    losing(graph, CREATE);
    graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: QUEUE });
    const first = await post(graph, { idempotencyKey: 'order-7' });
    expect(verdictOf(first)).toEqual(UNKNOWN);
    expect(messageOf(first)).toContain('Asking again with the same idempotencyKey');
    const again = await post(graph, { idempotencyKey: 'order-7' });
    expect(again).toMatchObject({ outcome: 'COMPLETED', replayed: true, userErrors: [] });
    expect(told(again)).toEqual(idsOf(graph));
    const looks = graph.sandbox.requests.count(QUEUE);
    expect(told(await post(graph, { idempotencyKey: 'order-7' }))).toEqual(idsOf(graph));
    expect([graph.sandbox.requests.count(CREATE), graph.sandbox.requests.count(QUEUE)]).toEqual([1, looks]);
  });

  test('is found although an equal one was of unknown outcome, once that one has been found', async () => {
    const graph = await startInUtc();
    losing(graph, CREATE);
    graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: QUEUE });
    expect(verdictOf(await post(graph, { idempotencyKey: 'order-9' }))).toEqual(UNKNOWN);
    const first = await post(graph, { idempotencyKey: 'order-9' });
    expect(first.outcome).toBe('COMPLETED');
    losing(graph, CREATE);
    const second = await post(graph);
    expect(second.outcome).toBe('COMPLETED');
    expect([...told(first), ...told(second)].toSorted()).toEqual(idsOf(graph));
  });

  test('without a key is told of without advice about one that was never given', async () => {
    const graph = await startInUtc();
    losing(graph, CREATE, 'none');
    const message = messageOf(await post(graph));
    expect(message).toContain('Look into the queue');
    expect(message).toContain('Without an idempotencyKey the same call is another write');
  });
});
