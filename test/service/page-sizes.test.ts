import { expect, test } from 'vitest';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();
const LIST = 'GET /accounts/list';
const QUERY = '{ accounts(first: 10, surface: CURRENT) { nodes { loginId } } }';

/** How many calls a read of ten accounts takes a caller. */
async function callsFor(headers: Readonly<Record<string, string>>): Promise<number> {
  graph.sandbox.requests.clear();
  expect((await graph.query(QUERY, { headers })).errors).toEqual([]);
  return graph.sandbox.requests.count(LIST);
}

test('a page size that the service answered to one caller costs no other caller anything', async () => {
  const [one, other] = graph.sandbox.owners.map(({ apiKey }) => ({ 'x-api-key': apiKey }));
  if (!one || !other) throw new Error('two owners are needed');
  const usual = await callsFor(other);
  // One record to a page, whatever is asked for.
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: LIST,
    times: Number.POSITIVE_INFINITY,
    change: (answer: unknown) => {
      const { response } = answer as { readonly response: { readonly list: readonly unknown[] } };
      return { response: { ...response, list: response.list.slice(0, 1), pageLimit: 1 } };
    },
  });
  expect(await callsFor(one)).toBeGreaterThan(usual);
  graph.sandbox.faults.clear();
  expect(await callsFor(one)).toBeGreaterThan(usual);
  expect(await callsFor(other)).toBe(usual);
});
