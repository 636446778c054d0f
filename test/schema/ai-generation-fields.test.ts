import { isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { harbour } from '../support/account-records.ts';
import { globalId } from '../support/calls.ts';
import { AI_GENERATION_FIELDS, aiGeneration } from '../support/post-records.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

test('the tests of fields cover every field of a generated text', () => {
  const [generation] = harbour(graph).history;
  const type = schema.getType('AiGeneration');
  if (!generation || !isObjectType(type)) throw new Error('not there');
  expect(Object.keys(type.getFields()).toSorted()).toEqual(
    [...Object.keys(aiGeneration(graph, generation)), 'id'].toSorted(),
  );
});

test('the AI history is true to its records in every field, in the service’s order', async () => {
  const { data, errors } = await graph.query(
    `{ aiGenerations(first: 100) { totalCount nodes { ${AI_GENERATION_FIELDS} } } }`,
  );
  expect(errors).toEqual([]);
  expect(data.aiGenerations.totalCount).toBe(12);
  expect(data.aiGenerations.nodes).toEqual(
    harbour(graph)
      .history.toReversed()
      .map((generation) => aiGeneration(graph, generation)),
  );
});

test('a text read by its id is true to its record in every field', async () => {
  for (const generation of harbour(graph).history) {
    const id = globalId('AiGeneration', generation.contentId);
    const { data, errors } = await graph.query(
      `query ($id: ID!) { aiGeneration(id: $id) { id ${AI_GENERATION_FIELDS} } node(id: $id) { ... on AiGeneration { id ${AI_GENERATION_FIELDS} } } }`,
      { variables: { id } },
    );
    expect(errors).toEqual([]);
    const expected = { id, ...aiGeneration(graph, generation) };
    expect(data).toEqual({ aiGeneration: expected, node: expected });
  }
});

test('a record of the history whose text is not there yet is pending, and complete once it is', async () => {
  graph.sandbox.quirks.pendingInHistory = true;
  graph.sandbox.quirks.slowAi = 'always';
  await fetch(`${graph.sandbox.url}/openai/response`, {
    method: 'POST',
    headers: { ...graph.caller.key, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'slowly, never', tone: 'Warm' }),
  });
  const newest = '{ aiGenerations(first: 1) { nodes { contentId status text prompt } } }';
  const { data } = await graph.query(newest);
  const [{ contentId }] = data.aiGenerations.nodes;
  expect(data.aiGenerations.nodes).toEqual([
    { contentId, status: 'PENDING', text: null, prompt: 'slowly, never' },
  ]);
  graph.sandbox.generations.finish(contentId as string);
  const { data: later } = await graph.query(newest);
  expect(later.aiGenerations.nodes).toEqual([
    { contentId, status: 'COMPLETE', text: expect.any(String) as string, prompt: 'slowly, never' },
  ]);
});
