import { expect, onTestFinished, test, vi } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { EXAMPLES, write } from '../support/writes.ts';

// The calls with an effect have 25 seconds to answer, and a minute for a text: giving one up sooner leaves an outcome
// unknown that the service would have told.

const SLOW_MS = 12_000;
const CALLS = ['POST /openai/response', 'POST /posts/create'] as const;

test('an answer that begins after ten seconds is waited for', async () => {
  // The clock runs as it does, and jumps once both calls are under way. The deadlines of the calls don't follow it.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const graph = await startGraph();
  for (const endpoint of CALLS) graph.sandbox.faults.add({ kind: 'delay', ms: SLOW_MS, endpoint });
  const payloads = Promise.all([
    write(graph, 'generateAiText', EXAMPLES.generateAiText),
    write(graph, 'createPost', EXAMPLES.createPost),
  ]);
  for (const endpoint of CALLS) await graph.sandbox.requests.waitFor(endpoint, 1);
  await vi.advanceTimersByTimeAsync(SLOW_MS);
  expect((await payloads).map(({ outcome }) => outcome)).toEqual(['COMPLETED', 'COMPLETED']);
});
