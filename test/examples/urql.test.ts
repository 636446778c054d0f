import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { ENDLESSLY_SLOW, finishTextsOnceFollowed } from '../support/slow-texts.ts';
import { runExample } from './programs.ts';

test('urql reads every page, has a text written once for its key, and prints it when it is there', async () => {
  const graph = await startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });
  const args = ['Fog, slowly', 'fog-1'];
  const running = runExample('urql.js', graph.url, { args });
  await finishTextsOnceFollowed(graph.sandbox);
  const first = await running;
  expect({ status: first.status, stderr: first.stderr }).toEqual({ status: 0, stderr: '' });
  expect(first.stdout.match(/^\w+  \S.*$/gm)).toHaveLength(12);
  expect(first.stdout).toMatch(
    /outcome: 'COMPLETED', replayed: false.*status: 'PENDING', text: null.*status: 'COMPLETE',\s+text: '.*Fog, slowly'/s,
  );

  const second = await runExample('urql.js', graph.url, { args });
  expect(second.stdout).toMatch(/replayed: true.*status: 'COMPLETE'/s);
  expect(second.stdout.match(/status:/g)).toHaveLength(1);
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
});

test('urql fails with the message and the code of an error', async () => {
  const graph = await startGraph();
  const { status, stderr } = await runExample('urql.js', graph.url, {
    environment: { SERVICE_API_KEY: 'wrong-key' },
  });
  expect(status).toBe(1);
  expect(stderr).toContain('(CREDENTIAL_REJECTED)');
});
