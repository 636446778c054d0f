import { expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { runExample } from './programs.ts';

const CALL = 'POST /posts/create';
const TEXT = 'Doors at seven.';

/** Ids of the posts in the queue that say the text. */
function queued({ sandbox }: RunningGraph): string[] {
  const { queue } = sandbox.state.owner(sandbox.owners[0].name);
  return queue.filter((post) => post.content.description === TEXT).map(({ postId }) => postId);
}

test('a post is published and printed, and a second run with the same key publishes nothing more', async () => {
  const graph = await startGraph();
  const args = [TEXT, 'order-7'];
  const { status, stdout, stderr } = await runExample('publish.js', graph.url, { args });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(queued(graph)).toHaveLength(1);
  expect(stdout).toMatch(/outcome: 'COMPLETED'.*replayed: false.*userErrors: \[\]/s);
  expect(stdout).toContain(queued(graph)[0]);

  const second = await runExample('publish.js', graph.url, { args });
  expect(second.status).toBe(0);
  expect(second.stdout).toMatch(/outcome: 'COMPLETED'.*replayed: true/s);
  expect([graph.sandbox.requests.count(CALL), queued(graph).length]).toEqual([1, 1]);
});

test('a refusal that may pass is asked again', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '1' }, endpoint: CALL });
  const { status, stdout, stderr } = await runExample('publish.js', graph.url, { args: [TEXT] });
  expect(stderr).toContain('Attempt 1 failed; the same call is sent again');
  expect(status).toBe(0);
  expect(stdout).toMatch(/outcome: 'COMPLETED'.*replayed: false/s);
  expect(queued(graph)).toHaveLength(1);
});

test.each([
  ['is looked for in the queue', 'done', 'It waits in the queue as'],
  ['is not there', 'none', 'does not show it'],
] as const)('a post that the service did not confirm %s, and is not sent again', async (_, effect, said) => {
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CALL, effect });
  const { status, stdout } = await runExample('publish.js', graph.url, { args: [TEXT] });
  expect(status).toBe(1);
  expect(stdout).toMatch(/outcome: 'UNKNOWN'.*OUTCOME_UNKNOWN/s);
  expect(stdout).toContain(said);
  expect(graph.sandbox.requests.count(CALL)).toBe(1);
});
