import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { ENDLESSLY_SLOW, finishTexts } from '../support/slow-texts.ts';
import { openLossyWay, runExample } from './programs.ts';

test('a connection that is lost while the text is waited for comes back, and the text with it', async () => {
  const graph = await startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });
  let told = 0;
  const way = await openLossyWay(graph.url, ({ answer }) => {
    if (!answer.includes('"PENDING"')) return 'passes';
    told += 1;
    if (told === 1) return 'lost after';
    // The client is back, and waits again.
    setImmediate(() => finishTexts(graph.sandbox));
    return 'passes';
  });
  const { status, stdout } = await runExample('live.js', way.url, { args: ['Fog, slowly'] });
  expect([status, told]).toEqual([0, 2]);
  expect(stdout.match(/'PENDING'|'COMPLETE'/g)).toEqual(["'PENDING'", "'PENDING'", "'COMPLETE'"]);
  expect(stdout).toContain('You asked for: Fog, slowly');
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
});
