import { expect, test } from 'vitest';
import { harbour } from '../support/accounts.ts';
import { errorsOf, startGraph, shareGraph } from '../support/graph.ts';
import { callsOf } from '../support/calls.ts';
import { temporaryFolder } from '../support/files.ts';
import { changingPage, changingRecord } from '../support/sandbox.ts';

const graph = shareGraph();
const legacyOnly = shareGraph({ environment: { CURRENT_API_URL: '' } });

const HISTORY = 'GET /openai/historyList';
const PLAN_LIST = 'GET /membership/plan/list';
const VIEWER = `{ viewer {
  surfaces { surface isConfigured hasCredential } isSandbox ownerId companyId plan { name } } }`;

const statusOf = (surface: string, isConfigured: boolean, hasCredential: boolean) => ({
  surface,
  isConfigured,
  hasCredential,
});

test('the viewer shows who is connected, with one call for both ids and one for the plan', async () => {
  const data = await graph.dataOf(
    VIEWER.replace('{ viewer', '{ membership { currentPlan { planKey } } viewer'),
  );
  expect(data.viewer).toEqual({
    surfaces: [statusOf('CURRENT', true, true), statusOf('LEGACY', true, true)],
    isSandbox: false,
    ownerId: String(harbour(graph).ownerId),
    companyId: String(harbour(graph).companyId),
    plan: { name: 'Small Team' },
  });
  expect(callsOf(graph)).toEqual({ [HISTORY]: 1, [PLAN_LIST]: 1 });
  expect(graph.sandbox.requests.of(HISTORY)[0]?.query.get('limit')).toBe('1');
});

test.each([
  ['isSandbox surfaces { surface }', {}],
  ['companyId', { [HISTORY]: 1 }],
  ['plan { name }', { [PLAN_LIST]: 1 }],
])('%s of the viewer makes only the call that it requires', async (fields, calls) => {
  expect((await graph.query(`{ viewer { ${fields} } }`)).errors).toEqual([]);
  expect(callsOf(graph)).toEqual(calls);
});

test.each([
  ['without an API key', () => graph, true],
  ['without the current surface', () => legacyOnly, false],
] as const)(
  '%s, what that surface knows is null, and nothing is called',
  async (_, running, isConfigured) => {
    const data = await running().dataOf(VIEWER, { headers: running().caller.token });
    expect(data.viewer).toEqual({
      surfaces: [statusOf('CURRENT', isConfigured, false), statusOf('LEGACY', true, true)],
      isSandbox: false,
      ownerId: null,
      companyId: null,
      plan: null,
    });
    expect(callsOf(running())).toEqual({});
  },
);

const hosts = (current: string | null, legacy: string | null) => [
  { surface: 'CURRENT', host: current },
  { surface: 'LEGACY', host: legacy },
];

test('the time zone is the operator’s, and hosts are shown to callers with a credential for them', async () => {
  const query = '{ viewer { timeZone surfaces { surface host } } }';
  const [key, both] = [graph.caller.key, graph.caller.both];
  const host = new URL(graph.sandbox.url).host;
  const viewer = async (running: typeof graph, headers: typeof key) =>
    (await running.query(query, { headers })).data.viewer;
  expect(await viewer(graph, key)).toEqual({ timeZone: null, surfaces: hosts(host, null) });
  const zoned = await startGraph({ environment: { CURRENT_API_URL: '', SERVICE_TIME_ZONE: 'Europe/Paris' } });
  expect(await viewer(zoned, both)).toEqual({
    timeZone: 'Europe/Paris',
    surfaces: hosts(null, new URL(zoned.sandbox.url).host),
  });
});

test('an owner without AI texts has no known ids', async () => {
  graph.sandbox.faults.add(changingPage(HISTORY, { list: [], totalRecords: 0 }));
  const data = await graph.dataOf(VIEWER);
  expect(data.viewer).toMatchObject({ ownerId: null, companyId: null, plan: { name: 'Small Team' } });
});

test('a damaged id, a failed call and a rejected key fail only the fields that need them', async () => {
  const fault = graph.sandbox.faults.add(changingRecord(HISTORY, 'ownerId', {}));
  const damaged = await graph.query(VIEWER);
  expect(errorsOf(damaged)).toEqual(['viewer.ownerId UPSTREAM_MALFORMED']);
  expect(damaged.data.viewer.companyId).toBe(String(harbour(graph).companyId));
  fault.remove();
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: PLAN_LIST });
  const failed = await graph.query(VIEWER);
  expect(errorsOf(failed)).toEqual(['viewer.plan SURFACE_UNAVAILABLE']);
  expect(failed.data.viewer.ownerId).toBe(String(harbour(graph).ownerId));
  const rejected = await graph.query(VIEWER, { headers: { 'x-api-key': 'no-such-key' } });
  expect(errorsOf(rejected).toSorted()).toEqual([
    'viewer.companyId CREDENTIAL_REJECTED',
    'viewer.ownerId CREDENTIAL_REJECTED',
    'viewer.plan CREDENTIAL_REJECTED',
  ]);
});

test('the viewer says how long writes are remembered: null where a restart forgets them', async () => {
  const query = '{ viewer { writeRetentionSeconds } }';
  expect((await graph.query(query)).data.viewer).toEqual({ writeRetentionSeconds: null });
  for (const [WRITE_RETENTION, writeRetentionSeconds] of [
    ['', 86_400] as const,
    ['3600900ms', 3_600] as const,
  ]) {
    const environment = { DATA_DIR: await temporaryFolder(), WRITE_RETENTION };
    const durable = await startGraph({ environment });
    expect((await durable.query(query)).data.viewer).toEqual({ writeRetentionSeconds });
  }
});
