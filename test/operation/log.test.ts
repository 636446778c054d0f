import { expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { leaksIn, secretsOf } from '../support/leaks.ts';
import { exchange, jsonOf, postJson, scrape } from '../support/http.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';
import { EXAMPLES, write } from '../support/writes.ts';

const LIST = '{ accounts(first: 2, surface: CURRENT) { nodes { displayName settingId } } }';

/** Everything that a line may tell, beside what an error is described by. */
const KEYS =
  'level time msg requestId durationMs status words code err kind outcome calls endpoint surface failure field expected count'.split(
    ' ',
  );

type Line = Readonly<Record<string, unknown>>;

const linesOf = ({ log }: Pick<RunningGraph, 'log'>): Line[] => log.map((line) => JSON.parse(line) as Line);
const sayingOf = (graph: RunningGraph, msg: string): Line[] =>
  linesOf(graph).filter((line) => line['msg'] === msg);

test('a line is one JSON object on one line, of keys that are known', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({
    kind: 'status',
    status: 500,
    body: { message: 'no' },
    endpoint: 'GET /group/list',
  });
  await graph.query(LIST);
  await graph.query('{ accountGroups { totalCount } bad: node(id: "x") { id } }');
  await write(graph, 'createDraft', { ...EXAMPLES.createDraft });
  for (const transport of TRANSPORTS)
    await openTransport(transport, graph.url, graph.caller.both)({ query: '{ nothing }' });
  await exchange(
    graph.url,
    'GET /graphql HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
  );
  expect(graph.log.length).toBeGreaterThan(10);
  for (const text of graph.log) expect(text.indexOf('\n')).toBe(text.length - 1);
  const keys = new Set(linesOf(graph).flatMap((line) => Object.keys(line)));
  expect([...keys].filter((key) => !KEYS.includes(key))).toEqual([]);
});

test('an operation and its calls bear the id that its answer has in its headers', async () => {
  const graph = await startGraph();
  const ids: unknown[] = [];
  for (let time = 0; time < 2; time += 1) {
    const reply = await postJson(`${graph.url}/graphql`, { query: LIST }, graph.caller.both);
    expect(jsonOf(reply).data.accounts.nodes).toHaveLength(2);
    ids.push(reply.headers['x-request-id']);
  }
  const operations = sayingOf(graph, 'executed an operation');
  expect(operations.map((line) => line['requestId'])).toEqual(ids);
  for (const id of ids) {
    const calls = sayingOf(graph, 'called the service').filter((line) => line['requestId'] === id);
    expect(calls.map((line) => line['endpoint'])).toContain('GET /accounts/list');
    expect(operations.find((line) => line['requestId'] === id)).toMatchObject({
      kind: 'query',
      outcome: 'ok',
      calls: calls.length,
    });
  }
});

test('the id of an error over a socket is that of its line', async () => {
  const graph = await startGraph();
  const run = openTransport('WebSocket', graph.url, graph.caller.both);
  const { errors } = await run({ query: '{ node(id: "x") { id } }' });
  const [line] = sayingOf(graph, 'an operation failed');
  expect(errors[0]?.extensions['requestId']).toBe(line?.['requestId']);
});

test('a field that is not as documented is told at the first time, at the tenth, and counted in between', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'GET /accounts/list',
    times: Number.POSITIVE_INFINITY,
    change: (answer) =>
      JSON.parse(
        JSON.stringify(answer).replaceAll(/"loginId":"?\d+"?/g, '"loginId":{"planted-by-service":1}'),
      ),
  });
  const query = '{ accounts(first: 1, surface: CURRENT) { nodes { loginId } } }';
  const drifts = () => sayingOf(graph, 'the service’s response does not match its documentation');
  await graph.query(query);
  const perQuery = (await scrape(graph.url)).value('service_drift_total{endpoint="GET /accounts/list"}');
  expect(perQuery).toBeGreaterThan(0);
  for (let time = 1; time < 12; time += 1) await graph.query(query);
  const total = (await scrape(graph.url)).value('service_drift_total{endpoint="GET /accounts/list"}');
  expect(total).toBe(12 * perQuery);
  const fields = new Set(drifts().map((line) => String(line['field'])));
  expect(drifts().length).toBeLessThanOrEqual(fields.size * 2);
  expect(drifts().map((line) => line['level'])).toEqual(drifts().map(() => 'warn'));
  for (const line of drifts()) expect([1, 10, 100]).toContain(line['count']);
  expect(graph.log.join('')).not.toContain('planted');
});

/** What would forge a line, or colour a terminal, if it came into the log as it is. */
const FORGED = [
  'planted\r\n{"level":60,"msg":"forged"}',
  'planted\u001b[31mred\u001b[0m',
  'planted","msg":"forged","x":"',
  'planted\u2028forged\u0000\u0007',
];

test.each(FORGED)('%j in names, ids and headers forges no line', async (text) => {
  const graph = await startGraph({ environment: { GET_QUERIES: 'on' } });
  const header = text.replaceAll(/[^\u0020-\u007e]/g, ' ');
  const headers = { ...graph.caller.both, 'user-agent': header, referer: header, 'x-request-id': header };
  for (const query of [
    `{ node(id: ${JSON.stringify(text)}) { id } }`,
    `{ accounts(filter: { displayName: ${JSON.stringify(text)} }) { totalCount } }`,
    `query ${text} { surfaces { surface } }`,
  ])
    await postJson(`${graph.url}/graphql`, { query, operationName: text, extensions: { text } }, headers);
  await postJson(`${graph.url}/graphql`, { query: '{ __typename }', documentId: text }, headers);
  await write(graph, 'createDraft', { ...EXAMPLES.createDraft, idempotencyKey: text });
  expect(graph.log.length).toBeGreaterThan(3);
  for (const line of linesOf(graph)) expect(line['msg']).not.toBe('forged');
  for (const line of graph.log) {
    expect(line.indexOf('\n')).toBe(line.length - 1);
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f\u2028]|forged|planted/);
  }
});

test('at debug nothing of a body, a header or a variable is in the log, nor a secret of the service', async () => {
  const graph = await startGraph();
  const variables = { id: 'planted-variable', name: 'planted-variable' };
  const headers = { ...graph.caller.both, 'x-planted': 'planted-header', cookie: 'planted-cookie' };
  await postJson(
    `${graph.url}/graphql`,
    {
      query: `query planted($id: ID!, $name: String!) { node(id: $id) { id }
        accounts(first: 50, filter: { displayName: $name }) { nodes { displayName } } all: accounts(first: 50) { nodes { displayName } } }`,
      variables,
    },
    headers,
  );
  await write(graph, 'createDraft', { ...EXAMPLES.createDraft, idempotencyKey: 'planted-key' });
  graph.sandbox.faults.add({ kind: 'status', status: 422, body: 'planted-body', endpoint: '*' });
  await graph.query(LIST);
  expect(graph.log.length).toBeGreaterThan(4);
  expect(graph.log.join('')).not.toMatch(/planted|Kelpgate/);
  expect(leaksIn(graph.log, secretsOf(graph))).toEqual([]);
});
