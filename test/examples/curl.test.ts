import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { ENDLESSLY_SLOW, finishTextsOnceFollowed } from '../support/slow-texts.ts';
import { runExample } from './programs.ts';

test('curl asks, publishes once however often, and follows a text to its end', async () => {
  const graph = await startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });
  const run = async () => {
    const running = runExample('curl.sh', graph.url);
    await finishTextsOnceFollowed(graph.sandbox);
    return await running;
  };
  const first = await run();
  expect([first.status, first.stderr]).toEqual([0, '']);
  expect(first.stdout).toContain('"totalCount":12');
  expect(first.stdout).toContain('"outcome":"COMPLETED"');
  expect(first.stdout).toContain('"replayed":false');
  expect(first.stdout).toMatch(
    /"status":"PENDING".*event: next.*"status":"COMPLETE","text":"The.*event: complete/s,
  );
  await graph.sandbox.push.waitForOpen(0);
  const second = await run();
  expect(second.stdout).toContain('"replayed":true');
  expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(2);
});
