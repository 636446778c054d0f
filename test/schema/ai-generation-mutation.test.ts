import { describe, expect, test } from 'vitest';
import type { Quirks } from '../../packages/sandbox/src/quirks.ts';
import { startGraph } from '../support/graph.ts';
import { openTransport } from '../support/transports.ts';
import { EXAMPLES, write } from '../support/writes.ts';

const ALL = `replayed message aiGeneration {
  id contentId status prompt text tone origin originCode template tokenUsage { input output total }
  createdAt createdAtLocal creditsRemaining
}`;

test('a text is generated, for one credit, and the history holds it', async () => {
  const graph = await startGraph();
  const input = { ...EXAMPLES.generateAiText, origin: 'HASHTAG', template: 'Launch' };
  const payload = await write(graph, 'generateAiText', input, { selection: ALL });
  expect(payload).toMatchObject({
    outcome: 'COMPLETED',
    userErrors: [],
    replayed: false,
    message: 'Response generated.',
    aiGeneration: {
      status: 'COMPLETE',
      prompt: 'A word on limewash',
      text: '#sandbox #NoModelWasAsked',
      tone: 'Warm',
      origin: 'HASHTAG',
      originCode: 'hashtag',
      template: 'Launch',
      tokenUsage: { input: 5, output: 7, total: 12 },
      createdAtLocal: null,
      creditsRemaining: 179,
    },
  });
  const { id } = payload['aiGeneration'] as { readonly id: string };
  const { data } = await graph.query(
    'query ($id: ID!) { aiGeneration(id: $id) { id text } aiGenerations(first: 1) { nodes { id status } } }',
    { variables: { id } },
  );
  expect(data.aiGeneration).toEqual({ id, text: '#sandbox #NoModelWasAsked' });
  expect(data.aiGenerations.nodes).toEqual([{ id, status: 'COMPLETE' }]);
});

describe('a text that the service is still at', () => {
  const SLOW = { ...EXAMPLES.generateAiText, prompt: 'Write this slowly, and never end' };

  test.each<Quirks['pendingAiResponse']>(['empty', 'null', 'absent', 'partial'])(
    'is pending and null when the answer’s own text is %s',
    async (pendingAiResponse) => {
      const graph = await startGraph({ sandbox: { quirks: { pendingAiResponse } } });
      const { aiGeneration } = await write(graph, 'generateAiText', SLOW);
      expect(aiGeneration).toMatchObject({ status: 'PENDING', text: null });
    },
  );

  test('is complete once the history holds it', async () => {
    const graph = await startGraph();
    const { aiGeneration } = await write(graph, 'generateAiText', SLOW);
    const { id, contentId } = aiGeneration as { readonly id: string; readonly contentId: string };
    const READ = 'query ($id: ID!) { aiGeneration(id: $id) { status text } }';
    const { data: before } = await graph.query(READ, { variables: { id } });
    expect(before).toEqual({ aiGeneration: { status: 'PENDING', text: null } });
    graph.sandbox.generations.finish(contentId);
    const { data } = await graph.query(READ, { variables: { id } });
    expect(data.aiGeneration).toMatchObject({ status: 'COMPLETE', text: expect.stringContaining('slowly') });
  });
});

test('an answer that does not say whether the text comes later is the text itself', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'POST /openai/response',
    change: (answer) => {
      const { response } = answer as { readonly response: Record<string, unknown> };
      delete response['timeConsuming'];
      return answer;
    },
  });
  const { aiGeneration } = await write(graph, 'generateAiText', EXAMPLES.generateAiText);
  expect(aiGeneration).toMatchObject({ status: 'COMPLETE', text: expect.stringContaining('limewash') });
});

describe.each(['', null, undefined])('an answer with the text %j, not said to come later', (aiResponse) => {
  const input = { ...EXAMPLES.generateAiText, idempotencyKey: 'k' };
  const TEXT = { status: 'COMPLETE', text: expect.stringContaining('limewash') as string };

  async function asked() {
    const graph = await startGraph();
    const change = (answer: unknown): unknown => {
      const { response } = answer as { readonly response: object };
      return { ...(answer as object), response: { ...response, aiResponse, timeConsuming: false } };
    };
    graph.sandbox.faults.add({ kind: 'rewrite', endpoint: 'POST /openai/response', change });
    const payload = await write(graph, 'generateAiText', input);
    expect(payload).toMatchObject({
      outcome: 'COMPLETED',
      aiGeneration: { status: 'PENDING', text: null },
    });
    return { graph, id: (payload['aiGeneration'] as { readonly id: string }).id };
  }

  test('is pending, and complete where the history holds the text', async () => {
    const { graph, id } = await asked();
    const READ = 'query ($id: ID!) { aiGeneration(id: $id) { status text } }';
    expect((await graph.query(READ, { variables: { id } })).data.aiGeneration).toEqual(TEXT);
    const replay = await write(graph, 'generateAiText', input);
    expect(replay).toMatchObject({ replayed: true, aiGeneration: TEXT });
    expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
  });

  test('is waited for', async () => {
    const { graph, id } = await asked();
    const query = 'subscription ($id: ID!) { aiGenerationUpdated(id: $id) { status text } }';
    const run = openTransport('server-sent events', graph.url, graph.caller.key);
    expect(await run({ query, variables: { id } })).toMatchObject({
      data: { aiGenerationUpdated: TEXT },
      errors: [],
    });
  });
});

test('a caller without a credit left is told so, and nothing is made', async () => {
  const graph = await startGraph();
  graph.sandbox.state.owner('harbour').creditsRemaining = 0;
  const payload = await write(graph, 'generateAiText', EXAMPLES.generateAiText);
  expect(payload).toMatchObject({ outcome: 'REJECTED', aiGeneration: null });
  expect(payload.userErrors).toEqual([
    {
      code: 'UPSTREAM_REJECTED',
      message: expect.stringContaining('No AI credit is left.') as string,
      path: null,
      retryable: false,
    },
  ]);
});
