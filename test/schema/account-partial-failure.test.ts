import { expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import {
  currentAccount,
  currentAccounts,
  legacyAccount,
  legacyAccounts,
} from '../support/account-records.ts';
import { ACCOUNT_FIELDS } from '../support/account-selections.ts';
import { errorsOf, onlyError } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

const EVERYTHING = `{
  current: accounts(first: 100, surface: CURRENT) { nodes { ...AccountFields } }
  legacy: accounts(first: 100, surface: LEGACY) { nodes { ...AccountFields } }
} ${ACCOUNT_FIELDS}`;

const DOWN: readonly FaultKind[] = [
  { kind: 'status', status: 503 },
  { kind: 'reset-before-headers' },
  { kind: 'malformed-json' },
  { kind: 'status', status: 401 },
];
const CURRENT_READS: readonly EndpointName[] = [
  'GET /accounts/list',
  'GET /accounts/view/{loginId}',
  'GET /group/list',
];
const LEGACY_READS: readonly EndpointName[] = ['GET /oauth/accounts', 'GET /oauth/groups'];

test.each(DOWN)('the current surface failing by %o leaves every legacy field whole', async (fault) => {
  for (const endpoint of CURRENT_READS)
    graph.sandbox.faults.add({ ...fault, endpoint, times: Number.POSITIVE_INFINITY });
  const { data, errors } = await graph.query(EVERYTHING);
  expect(data.current).toBeNull();
  expect(data.legacy.nodes).toEqual(legacyAccounts(graph).map((account) => legacyAccount(graph, account)));
  expect(errors.map(({ extensions }) => extensions['surface'])).toEqual(['CURRENT']);
});

test.each(DOWN)('the legacy surface failing by %o leaves every current field whole', async (fault) => {
  for (const endpoint of LEGACY_READS)
    graph.sandbox.faults.add({ ...fault, endpoint, times: Number.POSITIVE_INFINITY });
  const { data, errors } = await graph.query(EVERYTHING);
  expect(data.legacy).toBeNull();
  expect(data.current.nodes).toEqual(currentAccounts(graph).map((account) => currentAccount(graph, account)));
  expect(errors.map(({ extensions }) => extensions['surface'])).toEqual(['LEGACY']);
});

test('with both surfaces down every field is null with its code, and the server stays ready', async () => {
  const own = await startGraph();
  await own.sandbox.close();
  const answer = await own.query(EVERYTHING);
  expect(answer.data).toEqual({ current: null, legacy: null });
  expect(errorsOf(answer)).toEqual(['current SURFACE_UNAVAILABLE', 'legacy SURFACE_UNAVAILABLE']);
  expect(answer.errors.every(({ extensions }) => extensions['retryable'] === true)).toBe(true);
  expect((await fetch(`${own.url}/ready`)).status).toBe(200);
  expect(JSON.stringify(answer.errors)).not.toMatch(/127\.0\.0\.1|ECONN|oauth\//);
});

test('a host that does not exist is SURFACE_UNAVAILABLE', async () => {
  const own = await startGraph({ environment: { CURRENT_API_URL: 'https://nowhere.invalid' } });
  const answer = await own.query(EVERYTHING);
  expect(errorsOf(answer)).toEqual(['current SURFACE_UNAVAILABLE']);
  expect(JSON.stringify(answer.errors)).not.toContain('nowhere');
  expect(answer.data.legacy.nodes).toHaveLength(13);
});

test('a surface that this server does not have is SURFACE_NOT_CONFIGURED, whatever the caller sends', async () => {
  const own = await startGraph({ environment: { LEGACY_API_URL: '' } });
  for (const headers of [own.caller.both, own.caller.key, {}]) {
    const answer = await own.query('{ legacy: accounts(surface: LEGACY) { totalCount } }', { headers });
    expect(errorsOf(answer)).toEqual(['legacy SURFACE_NOT_CONFIGURED']);
    expect(onlyError(answer).extensions['surface']).toBe('LEGACY');
  }
});

test('the detail of one account failing spoils the fields of its detail alone', async () => {
  graph.sandbox.faults.add({
    kind: 'status',
    status: 500,
    endpoint: 'GET /accounts/view/{loginId}',
    skip: 1,
  });
  const answer = await graph.query(
    '{ accounts(first: 3) { nodes { loginId displayName settingId connectedAt } } }',
  );
  const nodes = answer.data.accounts.nodes as {
    loginId: string;
    displayName: string;
    settingId: string | null;
  }[];
  const failed = nodes.findIndex(({ settingId }) => settingId === null);
  expect(nodes.filter(({ settingId }) => settingId === null)).toHaveLength(1);
  expect(errorsOf(answer)).toEqual([
    `accounts.nodes.${failed}.connectedAt SURFACE_UNAVAILABLE`,
    `accounts.nodes.${failed}.settingId SURFACE_UNAVAILABLE`,
  ]);
  expect(nodes[failed]?.loginId).toMatch(/^41020[123]$/);
});

test('the scan for the list-only fields failing leaves the fields of the detail whole', async () => {
  const { data } = await graph.query('{ accounts(first: 1) { nodes { id } } }');
  graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: 'GET /accounts/list' });
  const answer = await graph.query(
    `{ account(id: "${data.accounts.nodes[0].id}") { displayName inboxCount pageId linkShortener { code } } }`,
  );
  expect(answer.data.account).toEqual({
    displayName: 'Kelpgate Roasters',
    inboxCount: null,
    pageId: null,
    linkShortener: null,
  });
  expect(errorsOf(answer)).toEqual([
    'account.inboxCount SURFACE_UNAVAILABLE',
    'account.linkShortener SURFACE_UNAVAILABLE',
    'account.pageId SURFACE_UNAVAILABLE',
  ]);
});

test('the request id of an error is that of the header and of the log', async () => {
  graph.sandbox.faults.add({ kind: 'status', status: 503, endpoint: 'GET /accounts/list' });
  const answer = await graph.query('{ accounts(surface: CURRENT) { totalCount } }');
  const { requestId } = onlyError(answer).extensions;
  expect(answer.headers.get('x-request-id')).toBe(requestId);
  const lines = graph.log.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toContainEqual(expect.objectContaining({ requestId, code: 'SURFACE_UNAVAILABLE' }));
});

test('no two operations share a request id', async () => {
  const ids = new Set<string | null>();
  for (let index = 0; index < 20; index += 1) {
    const { headers } = await graph.query('{ surfaces { surface } }');
    ids.add(headers.get('x-request-id'));
  }
  expect(ids.size).toBe(20);
});
