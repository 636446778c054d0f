import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { losing, startReadingFirst, UNKNOWN, writeElsewhere } from '../support/lost-answers.ts';
import { EXAMPLES, verdictOf, write, type Input, type WritePayload } from '../support/writes.ts';

// If the response to a generation is lost, the history is read again. A text that is equal and was not in the history
// before the write proves that it was done; not finding one proves nothing.

const GENERATE = 'POST /openai/response';
const HISTORY = 'GET /openai/historyList';
const ask = (graph: RunningGraph, input: Input = {}): Promise<WritePayload> =>
  write(graph, 'generateAiText', { ...EXAMPLES.generateAiText, idempotencyKey: randomUUID(), ...input });

describe('a generation whose answer is lost', () => {
  test('is found in the history, for one credit', async () => {
    const graph = await startReadingFirst();
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
    const graph = await startReadingFirst();
    losing(graph, GENERATE);
    const selection = 'aiGeneration { text createdAt createdAtLocal creditsRemaining }';
    const input = { ...EXAMPLES.generateAiText, idempotencyKey: 'order-6' };
    const payload = await write(graph, 'generateAiText', input, { selection });
    expect(payload['aiGeneration']).toEqual({
      text: expect.any(String),
      createdAt: null,
      createdAtLocal: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/),
      creditsRemaining: null,
    });
  });

  test('is not taken for an equal one that another write is told of', async () => {
    const graph = await startReadingFirst();
    expect((await ask(graph)).outcome).toBe('COMPLETED');
    losing(graph, GENERATE, 'none');
    expect(verdictOf(await ask(graph))).toEqual(UNKNOWN);
  });

  test('is not taken for one that an equal write of unknown outcome may have made', async () => {
    const graph = await startReadingFirst();
    losing(graph, GENERATE, 'none');
    expect(verdictOf(await ask(graph))).toEqual(UNKNOWN);
    losing(graph, GENERATE);
    expect(verdictOf(await ask(graph))).toEqual(UNKNOWN);
  });

  test.each([{ prompt: 'Another word on limewash' }, { tone: 'Bold' }])(
    'is found beside a write of unknown outcome that asked for another (%j)',
    async (changes) => {
      const graph = await startReadingFirst();
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
    const graph = await startReadingFirst();
    const wanted = { origin: 'POST', template: 'Announcement' };
    await writeElsewhere(graph, 'generateAiText', { ...EXAMPLES.generateAiText, ...others });
    losing(graph, GENERATE, 'none');
    expect(verdictOf(await ask(graph, wanted))).toEqual(UNKNOWN);
    expect(verdictOf(await ask(graph, { ...wanted, tone: 'Bold' }))).toEqual(['COMPLETED']);
  });

  test.each<[string, Record<string, string>, Input]>([
    ['read before the write', { READ_BEFORE_WRITES: 'on' }, {}],
    ['whose times can be read', { SERVICE_TIME_ZONE: 'Etc/UTC' }, {}],
    ['whose times can be read, without a key', { SERVICE_TIME_ZONE: 'Etc/UTC' }, { idempotencyKey: null }],
  ])('is not taken for an equal one made just before it, in a history %s', async (_, environment, input) => {
    const graph = await startGraph({ environment, sandbox: { quirks: { utcOffsetMinutes: 0 } } });
    await writeElsewhere(graph, 'generateAiText', EXAMPLES.generateAiText);
    losing(graph, GENERATE, 'none');
    expect(verdictOf(await ask(graph, input))).toEqual(UNKNOWN);
  });

  test('stays unknown where it was not made, and its credit is spoken of', async () => {
    const graph = await startReadingFirst();
    losing(graph, GENERATE, 'none');
    const payload = await ask(graph, { idempotencyKey: 'order-8' });
    expect(verdictOf(payload)).toEqual(UNKNOWN);
    expect(payload.userErrors[0]?.message).toContain('each generation spends a credit');
    expect(graph.sandbox.requests.count(HISTORY)).toBeGreaterThan(0);
  });
});
