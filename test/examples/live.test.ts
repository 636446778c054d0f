import { expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { openLossyWay, runExample } from './programs.ts';

const startSlowly = (slowAiDelayMs: number): Promise<RunningGraph> =>
  startGraph({ explorer: true, sandbox: { slowAiDelayMs } });

const PENDING = /\{ status: 'PENDING', text: null \}/g;
const COMPLETE =
  /\{\s+status: 'COMPLETE',\s+text: 'The sandbox made this text, .*You asked for: Fog, slowly'\s+\}\s*$/;

test('the text is printed when it is there, and the program ends', async () => {
  const graph = await startSlowly(300);
  const { status, stdout, stderr } = await runExample('live.js', graph.url, { args: ['Fog, slowly'] });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout.match(PENDING)).toHaveLength(1);
  expect(stdout).toMatch(COMPLETE);
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
});

test('a connection that is lost before the answer comes back, and the text is written once', async () => {
  const graph = await startSlowly(300);
  let losses = 0;
  const way = await openLossyWay(graph.url, ({ answer }) => {
    if (losses > 0 || !answer.includes('"generateAiText"')) return 'passes';
    losses += 1;
    return 'lost before';
  });
  const { status, stdout } = await runExample('live.js', way.url, { args: ['Fog, slowly'] });
  expect([status, losses]).toEqual([0, 1]);
  expect(stdout).toMatch(COMPLETE);
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
});
