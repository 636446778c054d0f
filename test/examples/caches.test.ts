import { expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { ENDLESSLY_SLOW, finishTextsOnceFollowed } from '../support/slow-texts.ts';
import { runExample } from './programs.ts';

/** What the graph lists in one window, as the programs print it. */
async function listed(graph: RunningGraph): Promise<string[]> {
  const { data } = await graph.query('{ accounts(first: 100) { nodes { id displayName } } }');
  const nodes = data.accounts.nodes as { readonly id: string; readonly displayName: string | null }[];
  return nodes.map(({ id, displayName }) => `${id}  ${displayName}`);
}

test('Relay’s store ends with every account once, page after page in one connection', async () => {
  const graph = await startGraph();
  const { status, stdout, stderr } = await runExample('relay/accounts.js', graph.url);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout.trimEnd().split('\n')).toEqual([
    ...[5, 10, 12].map((length) => `The connection in the store has ${length} accounts.`),
    ...(await listed(graph)),
  ]);
});

test('Apollo’s cache ends with every account once, and its record of the text has the text', async () => {
  const graph = await startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });
  const args = ['Fog, slowly'];
  const running = runExample('apollo.js', graph.url, { args });
  await finishTextsOnceFollowed(graph.sandbox);
  const { status, stdout, stderr } = await running;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [lines = '', records = ''] = stdout.split(/\n(?=\{)(.*)/s);
  expect(lines.split('\n')).toEqual([
    ...[5, 10, 12].map((length) => `The list in the cache has ${length} accounts.`),
    ...(await listed(graph)),
  ]);
  expect(records).toMatch(/status: 'PENDING', text: null.*status: 'COMPLETE',\s+text: '.*Fog, slowly'/s);
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
});
