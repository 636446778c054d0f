import { describe, expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { losing, startInUtc, UNKNOWN, writeElsewhere } from '../support/lost-answers.ts';
import { changingEach } from '../support/wire-changes.ts';
import { EXAMPLES, verdictOf, write, type Input, type WritePayload } from '../support/writes.ts';

// When the answer to a generation is lost, the history is looked at once. What is equal and new is what was made; what is
// not found proves nothing.

const GENERATE = 'POST /openai/response';
const HISTORY = 'GET /openai/historyList';
const MINUTE_MS = 60_000;
const ask = (graph: RunningGraph, input: Input = {}): Promise<WritePayload> =>
  write(graph, 'generateAiText', { ...EXAMPLES.generateAiText, ...input });

describe('a generation whose answer is lost', () => {
  test('is found in the history, for one credit', async () => {
    const graph = await startInUtc();
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
    const graph = await startInUtc();
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
    const graph = await startInUtc();
    expect((await ask(graph)).outcome).toBe('COMPLETED');
    losing(graph, GENERATE, 'none');
    expect(verdictOf(await ask(graph))).toEqual(UNKNOWN);
  });

  test('is not taken for one that an equal write of unknown outcome may have made', async () => {
    const graph = await startInUtc();
    losing(graph, GENERATE, 'none');
    expect(verdictOf(await ask(graph))).toEqual(UNKNOWN);
    losing(graph, GENERATE);
    expect(verdictOf(await ask(graph))).toEqual(UNKNOWN);
  });

  test.each([{ prompt: 'Another word on limewash' }, { tone: 'Bold' }])(
    'is found beside a write of unknown outcome that asked for another (%j)',
    async (changes) => {
      const graph = await startInUtc();
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
    const graph = await startInUtc();
    const wanted = { origin: 'POST', template: 'Announcement' };
    await writeElsewhere(graph, 'generateAiText', { ...EXAMPLES.generateAiText, ...others });
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
    const graph = await startInUtc();
    losing(graph, GENERATE, 'none');
    const payload = await ask(graph, { idempotencyKey: 'order-8' });
    expect(verdictOf(payload)).toEqual(UNKNOWN);
    expect(payload.userErrors[0]?.message).toContain('each call spends a credit');
    expect(graph.sandbox.requests.count(HISTORY)).toBeGreaterThan(0);
  });
});
