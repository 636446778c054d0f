import { expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';

const LIST = 'GET /posts/queued';
const QUERY = '{ queuedPosts(first: 3) { nodes { text status contentKind account { network } } } }';

/** What the log says of answers that are not as documented. */
function drifts({ log }: RunningGraph): string[] {
  return log
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .filter(({ msg }) => msg === 'the service’s response does not match its documentation')
    .map(({ endpoint, field, expected, count }) => [endpoint, field, expected, count].join(', '));
}

async function countedDrifts({ url }: RunningGraph): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^service_drift_total\{endpoint="GET \/posts\/queued"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

type Row = Record<string, unknown>;

/** Changes every record of the queue's next answers. */
function rewriteRows({ sandbox }: RunningGraph, change: (row: Row) => Row): void {
  sandbox.faults.add({
    kind: 'rewrite',
    endpoint: LIST,
    times: Number.POSITIVE_INFINITY,
    change: (body) => {
      const { response } = body as { response: { list: Row[] } };
      return { ...(body as object), response: { ...response, list: response.list.map(change) } };
    },
  });
}

test('answers as they are documented are no drift', async () => {
  const graph = await startGraph();
  await graph.query(QUERY);
  expect(drifts(graph)).toEqual([]);
  expect(await countedDrifts(graph)).toBe(0);
});

test('a field that nobody documents is counted, told once, and changes nothing', async () => {
  const graph = await startGraph();
  const before = await graph.query(QUERY);
  rewriteRows(graph, (row) => ({ ...row, moodRing: 'green' }));
  for (let time = 0; time < 3; time += 1) expect((await graph.query(QUERY)).data).toEqual(before.data);
  expect(drifts(graph)).toEqual([`${LIST}, moodRing, no such field, 1`]);
  expect(await countedDrifts(graph)).toBe(3);
});

test('a name that is none, which could be anything, is not told', async () => {
  const graph = await startGraph();
  rewriteRows(graph, (row) => ({ ...row, 'EAAB secret value 123': 1, '\u001b[31mred': 2 }));
  await graph.query(QUERY);
  expect(drifts(graph)).toEqual([`${LIST}, (no name), no such field, 1`]);
  expect(graph.log.join('\n')).not.toMatch(/EAAB|\[31m/);
});

test('a code without a name is UNKNOWN, and counted', async () => {
  const graph = await startGraph();
  rewriteRows(graph, (row) => ({ ...row, postStatus: 'Z', postType: 'H' }));
  const { data, errors } = await graph.query(QUERY);
  expect(errors).toEqual([]);
  expect(data.queuedPosts.nodes[0]).toMatchObject({ status: 'UNKNOWN', contentKind: 'UNKNOWN' });
  expect(drifts(graph)).toContain(`${LIST}, statusCode, a known code, 1`);
  expect(await countedDrifts(graph)).toBeGreaterThanOrEqual(6);
});

test('a value of another type is null with an error, and counted; its record stands', async () => {
  const graph = await startGraph();
  rewriteRows(graph, (row) => ({ ...row, postDesc: { no: 'text' } }));
  const { data, errors } = await graph.query(QUERY);
  expect(data.queuedPosts.nodes).toHaveLength(3);
  expect(data.queuedPosts.nodes[0]).toMatchObject({ text: null, account: { network: expect.any(String) } });
  expect(errors.map(({ extensions }) => extensions['code'])).toEqual(Array(3).fill('UPSTREAM_MALFORMED'));
  expect(drifts(graph)).toEqual([`${LIST}, postDesc, text, 1`]);
  expect(await countedDrifts(graph)).toBe(3);
});
