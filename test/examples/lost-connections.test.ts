import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { openLossyWay, runExample } from './programs.ts';

test('a connection that is lost while the text is waited for comes back, and the text with it', async () => {
  // The client is back after 1.3 to 4 seconds.
  const graph = await startGraph({ explorer: true, sandbox: { slowAiDelayMs: 6_000 } });
  let losses = 0;
  const way = await openLossyWay(graph.url, ({ answer }) => {
    if (losses > 0 || !answer.includes('"PENDING"')) return 'passes';
    losses += 1;
    return 'lost after';
  });
  const { status, stdout } = await runExample('live.js', way.url, { args: ['Fog, slowly'] });
  expect([status, losses]).toEqual([0, 1]);
  expect(stdout.match(/'PENDING'|'COMPLETE'/g)).toEqual(["'PENDING'", "'PENDING'", "'COMPLETE'"]);
  expect(stdout).toContain('You asked for: Fog, slowly');
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
});
