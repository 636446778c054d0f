import { expect, test } from 'vitest';
import { shareGraph, startGraph, type RunningGraph } from '../support/graph.ts';
import { openTransport } from '../support/transports.ts';
import { changing, MISSING } from '../support/sandbox.ts';
import { EXAMPLES, write } from '../support/writes.ts';

const GENERATE = 'POST /openai/response';
const SLOW = { ...EXAMPLES.generateAiText, prompt: 'Write this slowly, and never end' };
const PENDING = { status: 'PENDING', text: null };
const complete = (words: string) => ({ status: 'COMPLETE', text: expect.stringContaining(words) as string });

interface Made {
  readonly id: string;
  readonly contentId: string;
}

/** Reads a text again by its id. */
async function readAgain(graph: RunningGraph, id: string): Promise<unknown> {
  const query = 'query ($id: ID!) { aiGeneration(id: $id) { status text } }';
  return (await graph.query(query, { variables: { id } })).data.aiGeneration;
}

test.each([false, true])(
  'a text that takes longer is pending until the history has it (the history lists pending ones: %s)',
  async (pendingInHistory) => {
    const graph = await startGraph({ sandbox: { quirks: { pendingInHistory } } });
    const { id, contentId } = (await write(graph, 'generateAiText', SLOW))['aiGeneration'] as Made;
    const newest = '{ aiGenerations(first: 1) { nodes { id status text } } }';
    expect(await readAgain(graph, id)).toEqual(PENDING);
    const before = (await graph.query(newest)).data.aiGenerations.nodes[0];
    expect(before.id === id).toBe(pendingInHistory);
    if (pendingInHistory) expect(before).toMatchObject(PENDING);
    graph.sandbox.generations.finish(contentId);
    expect(await readAgain(graph, id)).toEqual(complete('slowly'));
    expect((await graph.query(newest)).data.aiGenerations.nodes).toEqual([{ id, ...complete('slowly') }]);
  },
);

const shared = shareGraph();

test.each<[flag: unknown, shown: object]>([
  [MISSING, complete('limewash')],
  ['true', PENDING],
  ['Y', PENDING],
  [1, PENDING],
])('a text that is said to come later (%j) is pending, and otherwise it is there', async (flag, shown) => {
  shared.sandbox.faults.add(changing(GENERATE, 'response.timeConsuming', flag));
  const { aiGeneration } = await write(shared, 'generateAiText', EXAMPLES.generateAiText);
  expect(aiGeneration).toMatchObject(shown);
});

test.each(['', null, MISSING])(
  'an answer with the text %j that is not said to come later is pending until the history has it, and is waited for',
  async (aiResponse) => {
    const graph = shared;
    const input = { ...EXAMPLES.generateAiText, idempotencyKey: `k${String(aiResponse)}` };
    graph.sandbox.faults.add(changing(GENERATE, 'response.aiResponse', aiResponse));
    graph.sandbox.faults.add(changing(GENERATE, 'response.timeConsuming', false));
    const payload = await write(graph, 'generateAiText', input);
    expect(payload).toMatchObject({ outcome: 'COMPLETED', aiGeneration: PENDING });
    const { id } = payload['aiGeneration'] as Made;
    expect(await readAgain(graph, id)).toEqual(complete('limewash'));
    const replay = await write(graph, 'generateAiText', input);
    expect(replay).toMatchObject({ replayed: true, aiGeneration: complete('limewash') });
    expect(graph.sandbox.requests.count(GENERATE)).toBe(1);
    const query = 'subscription ($id: ID!) { aiGenerationUpdated(id: $id) { status text } }';
    const run = openTransport('server-sent events', graph.url, graph.caller.key);
    expect(await run({ query, variables: { id } })).toMatchObject({
      data: { aiGenerationUpdated: complete('limewash') },
      errors: [],
    });
  },
);
