import { describe, expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { EXAMPLES, write } from '../support/writes.ts';

const SLOW = { ...EXAMPLES.generateAiText, prompt: 'Write this slowly, and never end', idempotencyKey: 'k' };

async function generation(graph: RunningGraph) {
  const { aiGeneration, replayed, outcome } = await write(graph, 'generateAiText', SLOW);
  return { replayed, outcome, ...(aiGeneration as { readonly contentId: string; readonly status: string }) };
}

describe('a replay of a generation that was pending', () => {
  test('is pending as long as the history does not hold it', async () => {
    const graph = await startGraph();
    const { contentId } = await generation(graph);
    expect(await generation(graph)).toMatchObject({
      replayed: true,
      contentId,
      status: 'PENDING',
      text: null,
    });
    expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
  });

  test('shows the text once the history holds it, for the one credit that was spent', async () => {
    const graph = await startGraph();
    const { contentId } = await generation(graph);
    graph.sandbox.generations.finish(contentId);
    expect(await generation(graph)).toMatchObject({
      replayed: true,
      outcome: 'COMPLETED',
      contentId,
      status: 'COMPLETE',
      text: expect.stringContaining('slowly') as string,
    });
    expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
    expect(graph.sandbox.state.owner('harbour').creditsRemaining).toBe(179);
  });

  test('is what it was when the history can’t be read', async () => {
    const graph = await startGraph();
    const { contentId } = await generation(graph);
    graph.sandbox.faults.add({
      kind: 'status',
      status: 500,
      endpoint: 'GET /openai/historyList',
      times: Number.POSITIVE_INFINITY,
    });
    const { data } = await graph.query(
      'mutation ($input: GenerateAiTextInput!) { generateAiText(input: $input) { outcome replayed aiGeneration { contentId status } } }',
      { variables: { input: SLOW } },
    );
    expect(data.generateAiText).toMatchObject({ outcome: 'COMPLETED', replayed: true });
    expect(data.generateAiText.aiGeneration).toEqual({ contentId, status: 'PENDING' });
  });

  test('asks nothing again when the text was there at once', async () => {
    const graph = await startGraph();
    const input = { ...EXAMPLES.generateAiText, idempotencyKey: 'k' };
    await write(graph, 'generateAiText', input);
    graph.sandbox.requests.clear();
    expect(await write(graph, 'generateAiText', input)).toMatchObject({
      replayed: true,
      aiGeneration: { status: 'COMPLETE' },
    });
    expect(graph.sandbox.requests.count()).toBe(0);
  });
});
