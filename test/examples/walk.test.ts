import { expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { runExample } from './programs.ts';

const stateOf = ({ sandbox }: RunningGraph) => sandbox.state.owner(sandbox.owners[0].name);
const idsIn = (stdout: string): string[] => stdout.split('\n').flatMap((line) => /^\w{24}/.exec(line) ?? []);

test('every post of a long queue is printed once, in order', async () => {
  const graph = await startGraph({ sandbox: { data: 'large' } });
  const ids = stateOf(graph).queue.map(({ postId }) => postId);
  const { status, stdout, stderr } = await runExample('walk.js', graph.url);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(idsIn(stdout)).toEqual(ids);
  expect(ids.length).toBeGreaterThan(900);
});

test('a queue that loses the place of the cursor is said to have moved, and walked to its end', async () => {
  const graph = await startGraph({ sandbox: { data: 'large' } });
  const ids = stateOf(graph).queue.map(({ postId }) => postId);
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'GET /posts/queued',
    change: (answer) => {
      stateOf(graph).drainQueue(150);
      return answer;
    },
  });
  const { status, stdout, stderr } = await runExample('walk.js', graph.url);
  expect([status, stderr.split('\n').length]).toEqual([0, 2]);
  expect(stderr).toContain('The queue moved too far');
  expect(idsIn(stdout)).toEqual([...ids.slice(0, 100), ...ids.slice(150)]);
});
