import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { EXAMPLES, write } from '../support/writes.ts';

// The calls with an effect have 25 seconds to answer, and a minute for a text: giving one up sooner leaves an outcome
// unknown that the service would have told.

const SLOW_MS = 10_800;

test('an answer that begins after ten seconds is waited for', { timeout: 30_000 }, async () => {
  const graph = await startGraph();
  for (const endpoint of ['POST /openai/response', 'POST /posts/create'] as const) {
    graph.sandbox.faults.add({ kind: 'delay', ms: SLOW_MS, endpoint });
  }
  const payloads = await Promise.all([
    write(graph, 'generateAiText', EXAMPLES.generateAiText),
    write(graph, 'createPost', EXAMPLES.createPost),
  ]);
  expect(payloads.map(({ outcome }) => outcome)).toEqual(['COMPLETED', 'COMPLETED']);
});
