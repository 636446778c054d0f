import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { ENDLESSLY_SLOW, finishTextsOnceFollowed } from '../support/slow-texts.ts';
import { openLossyWay, runExample } from './programs.ts';

const startSlowly = () => startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });

const PENDING = /\{ status: 'PENDING', text: null \}/g;
const COMPLETE =
  /\{\s+status: 'COMPLETE',\s+text: 'The sandbox made this text, .*You asked for: Fog, slowly'\s+\}\s*$/;

test('the text is printed when it is there, and the program ends', async () => {
  const graph = await startSlowly();
  const running = runExample('live.js', graph.url, { args: ['Fog, slowly'] });
  await finishTextsOnceFollowed(graph.sandbox);
  const { status, stdout, stderr } = await running;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout.match(PENDING)).toHaveLength(1);
  expect(stdout).toMatch(COMPLETE);
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
});

test('a connection that is lost before the answer comes back, and the text is written once', async () => {
  const graph = await startSlowly();
  let losses = 0;
  const way = await openLossyWay(graph.url, ({ answer }) => {
    if (losses > 0 || !answer.includes('"generateAiText"')) return 'passes';
    losses += 1;
    return 'lost before';
  });
  const running = runExample('live.js', way.url, { args: ['Fog, slowly'] });
  await finishTextsOnceFollowed(graph.sandbox);
  const { status, stdout } = await running;
  expect([status, losses]).toEqual([0, 1]);
  expect(stdout).toMatch(COMPLETE);
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
});
