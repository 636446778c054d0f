import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../src/sandbox/endpoints.ts';
import { landmarks } from '../../src/sandbox/data/landmarks.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { startGraph, type GraphOptions, type RunningGraph } from '../support/graph.ts';
import { changingEach, MISSING } from '../support/wire-changes.ts';
import { account, EXAMPLES, problemsOf, write, type Input, type WritePayload } from '../support/writes.ts';

// When the answer to a post or a generation is lost, the queue or the history is looked at once. What is equal and new is
// what was made; what is not found proves nothing.

const CREATE = 'POST /posts/create';
const QUEUE = 'GET /posts/queued';
const GENERATE = 'POST /openai/response';
const HISTORY = 'GET /openai/historyList';
const UNKNOWN = ['UNKNOWN', 'OUTCOME_UNKNOWN'];
const MINUTE_MS = 60_000;
const verdictOf = (payload: WritePayload): string[] => [payload.outcome, ...problemsOf(payload)];
const messageOf = ({ userErrors }: WritePayload): string => userErrors[0]?.message ?? '';
const start = (sandbox: GraphOptions['sandbox'] = {}): Promise<RunningGraph> =>
  startGraph({
    environment: { SERVICE_TIME_ZONE: 'Etc/UTC' },
    sandbox: { quirks: { utcOffsetMinutes: 0 }, ...sandbox },
  });

function losing({ sandbox }: RunningGraph, endpoint: EndpointName, effect: 'done' | 'none' = 'done'): void {
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint, effect });
}

const post = (graph: RunningGraph, changes: Input = {}): Promise<WritePayload> =>
  write(graph, 'createPost', { ...EXAMPLES.createPost, ...changes });
const ask = (graph: RunningGraph, input: Input = {}): Promise<WritePayload> =>
  write(graph, 'generateAiText', { ...EXAMPLES.generateAiText, ...input });
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
    const graph = await start();
    losing(graph, CREATE);
    const payload = await post(graph, changes);
    expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [] });
    expect(told(payload)).toEqual(idsOf(graph));
    expect(graph.sandbox.requests.count(CREATE)).toBe(1);
  });

  test('is found on the last page of a queue of several', async () => {
    const graph = await start({ quirks: { utcOffsetMinutes: 0, maxLimit: 10 } });
    losing(graph, CREATE);
    const payload = await post(graph);
    expect(payload.outcome).toBe('COMPLETED');
    expect(told(payload)).toEqual(idsOf(graph));
  });

  test('is found beside posts that show neither their id nor their account', async () => {
    const graph = await start();
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
    const graph = await start();
    losing(graph, CREATE);
    graph.sandbox.faults.add(changingEach(QUEUE, () => damage));
    const timing = { scheduledAtLocal: ['2035-03-01T09:00'] };
    expect(verdictOf(await post(graph, { timing }))).toEqual(UNKNOWN);
    expect(idsOf(graph)).toHaveLength(1);
  });

  test('and that was not made stays unknown', async () => {
    const graph = await start();
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
    expect(graph.sandbox.requests.count(QUEUE)).toBeGreaterThan(0);
  });

  test('is not taken for an equal one that waited before', async () => {
    let now = Date.now();
    const graph = await start({ now: () => now });
    now -= 2 * MINUTE_MS;
    await elsewhere(graph);
    now += 2 * MINUTE_MS;
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
  });

  test('is not taken for an equal one that another write is told of', async () => {
    const graph = await start();
    const first = await post(graph);
    losing(graph, CREATE);
    const second = await post(graph);
    expect(second.outcome).toBe('COMPLETED');
    expect([...told(first), ...told(second)].toSorted()).toEqual(idsOf(graph));
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
  });

  test('is not taken for one that an equal write of unknown outcome may have made', async () => {
    const graph = await start();
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
    losing(graph, CREATE);
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
  });

  test('is not taken for one that another write, still under way, may have made', async () => {
    const graph = await start();
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
    const graph = await start();
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
    const graph = await start();
    await elsewhere(graph);
    await elsewhere(graph);
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph))).toEqual(UNKNOWN);
  });

  test.each<[string, Input]>([
    ['another text', { variants: [{ variant: 'ORIGINAL', text: 'Doors at eight.' }] }],
    ['another account', { accountIds: [account(landmarks.bareId)] }],
    ['another time', { timing: { scheduledAtLocal: ['2035-03-01T09:01'] } }],
  ])('is not taken for one of %s', async (_, changes) => {
    const graph = await start();
    const timing = { scheduledAtLocal: ['2035-03-01T09:00'] };
    await elsewhere(graph, { timing, ...changes });
    losing(graph, CREATE, 'none');
    expect(verdictOf(await post(graph, { timing }))).toEqual(UNKNOWN);
  });

  test('and of which a part is found stays unknown', async () => {
    const graph = await start();
    await elsewhere(graph);
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
    const graph = await start();
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
    const graph = await start();
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
    const graph = await start();
    losing(graph, CREATE, 'none');
    const message = messageOf(await post(graph));
    expect(message).toContain('Look into the queue');
    expect(message).toContain('Without an idempotencyKey the same call is another write');
  });
});

describe('a generation whose answer is lost', () => {
  test('is found in the history, for one credit', async () => {
    const graph = await start();
    losing(graph, GENERATE);
    const payload = await ask(graph);
    const made = graph.sandbox.state
      .owner('harbour')
      .history.find((one) => one.userInput === EXAMPLES.generateAiText['prompt']);
    expect(payload).toMatchObject({
      outcome: 'COMPLETED',
      aiGeneration: { contentId: made?.contentId, status: 'COMPLETE' },
    });
    expect(graph.sandbox.requests.count(GENERATE)).toBe(1);
  });

  test('is shown with the time that the history knows of it', async () => {
    const graph = await start();
    losing(graph, GENERATE);
    const selection = 'aiGeneration { text createdAt createdAtLocal creditsRemaining }';
    const payload = await write(graph, 'generateAiText', EXAMPLES.generateAiText, { selection });
    expect(payload['aiGeneration']).toEqual({
      text: expect.any(String),
      createdAt: null,
      createdAtLocal: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/),
      creditsRemaining: null,
    });
  });

  test('is not taken for an equal one that another write is told of', async () => {
    const graph = await start();
    expect((await ask(graph)).outcome).toBe('COMPLETED');
    losing(graph, GENERATE, 'none');
    expect(verdictOf(await ask(graph))).toEqual(UNKNOWN);
  });

  test('is not taken for one that an equal write of unknown outcome may have made', async () => {
    const graph = await start();
    losing(graph, GENERATE, 'none');
    expect(verdictOf(await ask(graph))).toEqual(UNKNOWN);
    losing(graph, GENERATE);
    expect(verdictOf(await ask(graph))).toEqual(UNKNOWN);
  });

  test.each([{ prompt: 'Another word on limewash' }, { tone: 'Bold' }])(
    'is found beside a write of unknown outcome that asked for another (%j)',
    async (changes) => {
      const graph = await start();
      losing(graph, GENERATE, 'none');
      expect(verdictOf(await ask(graph, changes))).toEqual(UNKNOWN);
      losing(graph, GENERATE);
      expect(verdictOf(await ask(graph))).toEqual(['COMPLETED']);
    },
  );

  test.each<[string, Input]>([
    ['another origin', { origin: 'HASHTAG', template: 'Announcement' }],
    ['another template', { origin: 'POST', template: 'Question' }],
    ['no template', { origin: 'POST' }],
  ])('is told from one of the same words, but of %s', async (_, others) => {
    const graph = await start();
    const wanted = { origin: 'POST', template: 'Announcement' };
    await generateElsewhere(graph, others);
    losing(graph, GENERATE, 'none');
    expect(verdictOf(await ask(graph, wanted))).toEqual(UNKNOWN);
    expect(verdictOf(await ask(graph, { ...wanted, tone: 'Bold' }))).toEqual(['COMPLETED']);
  });

  test.each([
    [0, ['COMPLETED']],
    [-2 * MINUTE_MS, UNKNOWN],
  ])('is found by the instant that the history shows, where that is new (%i ms)', async (age, verdict) => {
    const graph = await startGraph();
    losing(graph, GENERATE);
    const createdOn = new Date(Date.now() + age).toISOString();
    graph.sandbox.faults.add(changingEach(HISTORY, () => ({ createdOn })));
    expect(verdictOf(await ask(graph))).toEqual(verdict);
  });

  test('stays unknown where it was not made, and its credit is spoken of', async () => {
    const graph = await start();
    losing(graph, GENERATE, 'none');
    const payload = await ask(graph, { idempotencyKey: 'order-8' });
    expect(verdictOf(payload)).toEqual(UNKNOWN);
    expect(messageOf(payload)).toContain('each call spends a credit');
    expect(graph.sandbox.requests.count(HISTORY)).toBeGreaterThan(0);
  });
});

/** Makes a post as somebody else would, past this server. */
async function elsewhere(graph: RunningGraph, changes: Input = {}): Promise<void> {
  const other = await startGraph({ environment: { CURRENT_API_URL: graph.sandbox.url } });
  expect((await post(other, changes)).outcome).toBe('COMPLETED');
}

/** Has a text generated as somebody else would, past this server. */
async function generateElsewhere(graph: RunningGraph, changes: Input): Promise<void> {
  const other = await startGraph({ environment: { CURRENT_API_URL: graph.sandbox.url } });
  expect((await ask(other, changes)).outcome).toBe('COMPLETED');
}
