import { describe, expect, test, vi } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { EXAMPLES, KEYED, KEYED_CALLS, write } from '../support/writes.ts';

const graph = shareGraph();
const CREATE = 'POST /posts/create';

const OUTCOME = `query ($key: String!) { writeOutcome(idempotencyKey: $key) { mutation startedAt isUnderWay payload {
  __typename outcome userErrors { code message }
  ... on CreatePostPayload { postIds replayed }
  ... on CreateDraftPayload { draftId }
  ... on CreateLibraryItemPayload { libraryItem { title } }
  ... on CreateStatusUpdatePayload { postId }
  ... on GenerateAiTextPayload { aiGeneration { contentId } }
} } }`;

async function outcomeOf(key: string, headers = graph.caller.both) {
  return await graph.query(OUTCOME, { variables: { key }, headers });
}

describe('what is remembered of a write', () => {
  test.each(KEYED)('is told of %s, with the payload that it had, and nothing is sent', async (name) => {
    const input = { ...EXAMPLES[name], idempotencyKey: `known-${name}` };
    const told = await write(graph, name, input);
    const count = graph.sandbox.requests.count(KEYED_CALLS[name]);
    const { data, errors } = await outcomeOf(`known-${name}`);
    expect(errors).toEqual([]);
    expect(data.writeOutcome).toMatchObject({ mutation: name, isUnderWay: false });
    const typeName = `${name.charAt(0).toUpperCase()}${name.slice(1)}Payload`;
    expect(data.writeOutcome.payload).toMatchObject({ __typename: typeName, outcome: told.outcome });
    if (name === 'createPost')
      expect(data.writeOutcome.payload).toMatchObject({ postIds: told['postIds'], replayed: true });
    expect(graph.sandbox.requests.count(KEYED_CALLS[name])).toBe(count);
  });

  test('is nothing where the key was never sent, or was sent with another credential', async () => {
    await write(graph, 'createPost', { ...EXAMPLES.createPost, idempotencyKey: 'mine' });
    expect((await outcomeOf('never')).data).toEqual({ writeOutcome: null });
    const [, other] = graph.sandbox.owners;
    const theirs = await outcomeOf('mine', { 'x-api-key': other.apiKey });
    expect(theirs.data).toEqual({ writeOutcome: null });
  });

  test('says that a write is under way, and then what came of it', async () => {
    const call = holdAnswers(graph.sandbox, { endpoint: CREATE, effect: 'done' });
    const sent = write(graph, 'createPost', { ...EXAMPLES.createPost, idempotencyKey: 'slow' });
    await call.arrived();
    const { data } = await outcomeOf('slow');
    expect(data.writeOutcome).toMatchObject({ isUnderWay: true, payload: null });
    call.release();
    await sent;
    const { data: then } = await outcomeOf('slow');
    expect(then.writeOutcome).toMatchObject({ isUnderWay: false, payload: { outcome: 'COMPLETED' } });
  });

  test('says how to find out where the outcome is unknown', async () => {
    graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
    await write(graph, 'createPost', { ...EXAMPLES.createPost, idempotencyKey: 'lost' });
    const { data } = await outcomeOf('lost');
    expect(data.writeOutcome.payload).toMatchObject({
      outcome: 'UNKNOWN',
      userErrors: [{ code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('same idempotency key') }],
    });
  });

  test.each([
    ['createDraft', 'createStatusUpdate'],
    ['createStatusUpdate', 'createDraft'],
  ] as const)('is %s’s no more once the key is used on the other surface by %s', async (first, second) => {
    const idempotencyKey = `both-${first}`;
    await write(graph, first, { ...EXAMPLES[first], idempotencyKey });
    const { data } = await outcomeOf(idempotencyKey);
    expect(data.writeOutcome.mutation).toBe(first);
    await vi.waitFor(() => {
      expect(Date.now()).toBeGreaterThan(Date.parse(data.writeOutcome.startedAt));
    });
    await write(graph, second, { ...EXAMPLES[second], idempotencyKey });
    expect((await outcomeOf(idempotencyKey)).data.writeOutcome.mutation).toBe(second);
  });

  test('can’t be read while what processes share is away, and that passes', async () => {
    const environment = { REDIS_URL: 'redis://127.0.0.1:9', REDIS_SECRET: 'x'.repeat(32) };
    const own = await startGraph({ environment });
    const { data, errors } = await own.query(OUTCOME, { variables: { key: 'any' } });
    expect(data).toEqual({ writeOutcome: null });
    expect(errors).toMatchObject([
      {
        message: 'The stored writes cannot be read at the moment.',
        extensions: { code: 'OVERLOADED', retryable: true },
      },
    ]);
  });

  test.each(['', ' ', 'ä', 'x'.repeat(256)])(
    'a key that can’t be one (%j) is refused by name',
    async (key) => {
      const { errors } = await outcomeOf(key);
      expect(errors).toMatchObject([
        { message: expect.stringMatching(/^idempotencyKey must be/), extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    },
  );
});
