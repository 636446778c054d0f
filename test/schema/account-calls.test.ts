import { expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { currentAccounts, healthStateOf, legacyAccounts } from '../support/account-records.ts';
import { ACCOUNT_FIELDS, DETAIL_FIELDS, LIST_ONLY_FIELDS } from '../support/account-selections.ts';
import type { RunningGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();
const large = shareGraph({ sandbox: { data: 'large' } });

const LIST: EndpointName = 'GET /accounts/list';
const VIEW: EndpointName = 'GET /accounts/view/{loginId}';
const GROUPS: EndpointName = 'GET /group/list';
const LEGACY_ACCOUNTS: EndpointName = 'GET /oauth/accounts';
const LEGACY_GROUPS: EndpointName = 'GET /oauth/groups';

/** How often each call was made. */
function callsOf({ sandbox }: RunningGraph): Partial<Record<EndpointName, number>> {
  const counts: Partial<Record<EndpointName, number>> = {};
  for (const { endpoint } of sandbox.requests.all) {
    if (endpoint) counts[endpoint] = (counts[endpoint] ?? 0) + 1;
  }
  return counts;
}

test('a page of fifty accounts with only fields of the list costs one call', async () => {
  const { data, errors } = await large.query(
    `{ accounts(first: 50) { totalCount nodes { ...ListFields } } } ${LIST_ONLY_FIELDS}`,
  );
  expect(errors).toEqual([]);
  expect(data.accounts.nodes).toHaveLength(50);
  expect(callsOf(large)).toEqual({ [LIST]: 1 });
});

test('a page of fifty accounts with fields of the detail costs one call and one for each account', async () => {
  const { data, errors } = await large.query(
    `{ accounts(first: 50) { nodes { ...DetailFields } } } ${DETAIL_FIELDS}`,
  );
  expect(errors).toEqual([]);
  expect(data.accounts.nodes).toHaveLength(50);
  expect(callsOf(large)).toEqual({ [LIST]: 1, [VIEW]: 50 });
  expect(new Set(large.sandbox.requests.of(VIEW).map(({ path }) => path)).size).toBe(50);
});

test('the detail of an account is asked for once however many aliases and lists want it', async () => {
  const { errors } = await graph.query(
    `{ one: accounts(first: 5) { nodes { settingId again: settingId ...AccountFields } }
       other: accounts(last: 12) { nodes { settingId } edges { node { connectedAt } } }
       groups: accountGroups(first: 1) { nodes { accounts { nodes { createdOn: connectedAt } } } } }
     ${ACCOUNT_FIELDS}`,
  );
  expect(errors).toEqual([]);
  const paths = graph.sandbox.requests.of(VIEW).map(({ path }) => path);
  expect(paths.toSorted()).toEqual([...new Set(paths)].toSorted());
  expect(paths).toHaveLength(12);
});

test('fields that only the list knows cost one scan beside the detail, however many accounts are read by id', async () => {
  const { data } = await graph.query('{ accounts(first: 5) { nodes { id } } }');
  graph.sandbox.requests.clear();
  const ids = (data.accounts.nodes as { id: string }[]).map(({ id }) => id);
  const { errors } = await graph.query(
    `{ ${ids.map((id, index) => `a${index}: account(id: "${id}") { inboxCount hasInbox linkShortener { name } pageId }`).join(' ')} }`,
  );
  expect(errors).toEqual([]);
  expect(callsOf(graph)).toEqual({ [VIEW]: 5, [LIST]: 1 });
});

test('an account read by id costs one call when its detail answers every field', async () => {
  const { data } = await graph.query('{ accounts(first: 1) { nodes { id } } }');
  graph.sandbox.requests.clear();
  const { id } = data.accounts.nodes[0];
  await graph.query(
    `{ account(id: "${id}") { displayName isPaused health { state } ...DetailFields groups { name } } } ${DETAIL_FIELDS}`,
  );
  expect(callsOf(graph)).toEqual({ [VIEW]: 1 });
});

test('health.state asks for the detail only where the flags of the list leave it open', async () => {
  const { data } = await graph.query('{ accounts(first: 100) { nodes { loginId health { state } } } }');
  const accounts = currentAccounts(graph);
  expect(data.accounts.nodes).toEqual(
    accounts.map((account) => ({
      loginId: String(account.loginId),
      health: { state: healthStateOf(account) },
    })),
  );
  const open = accounts.filter(({ blocked, locked }) => !blocked && !locked);
  expect(
    graph.sandbox.requests
      .of(VIEW)
      .map(({ path }) => path.split('/').at(-1) ?? '')
      .toSorted(),
  ).toEqual(open.map(({ loginId }) => String(loginId)).toSorted());
});

test('health.state of an account read by id costs nothing beyond its detail', async () => {
  const { data } = await graph.query('{ accounts(first: 12) { nodes { id } } }');
  for (const { id } of data.accounts.nodes as { id: string }[]) {
    graph.sandbox.requests.clear();
    await graph.query(`{ account(id: "${id}") { health { state } } }`);
    expect(callsOf(graph)).toEqual({ [VIEW]: 1 });
  }
});

test('health.state on the legacy surface costs nothing beyond the list', async () => {
  const { data } = await graph.query(
    '{ accounts(first: 100, surface: LEGACY) { nodes { health { state } } } }',
  );
  expect(data.accounts.nodes).toEqual(
    legacyAccounts(graph).map(({ paused }) => ({ health: { state: paused ? 'PAUSED' : 'UNKNOWN' } })),
  );
  expect(callsOf(graph)).toEqual({ [LEGACY_ACCOUNTS]: 1 });
});

test('health.state is UNKNOWN without an error where the detail could not be asked', async () => {
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: VIEW, times: Number.POSITIVE_INFINITY });
  const { data, errors } = await graph.query('{ accounts(first: 6) { nodes { health { state } } } }');
  expect(errors).toEqual([]);
  expect((data.accounts.nodes as { health: { state: string } }[]).map(({ health }) => health.state)).toEqual([
    'UNKNOWN',
    'UNKNOWN',
    'UNKNOWN',
    'UNKNOWN',
    'LOCKED',
    'BLOCKED',
  ]);
});

test('the name of an account’s groups costs nothing, their other fields one scan of the groups for all accounts', async () => {
  await graph.query('{ accounts(first: 100) { nodes { groups { id groupId name } } } }');
  expect(callsOf(graph)).toEqual({ [LIST]: 1 });
  graph.sandbox.requests.clear();
  await graph.query(
    '{ accounts(first: 100) { nodes { groups { createdAt companyId accounts { nodes { displayName isLocked } } } } } }',
  );
  expect(callsOf(graph)).toEqual({ [LIST]: 1, [GROUPS]: 1 });
});

test('a page of groups with the fields that members carry costs one call', async () => {
  const { data, errors } = await large.query(
    `{ accountGroups(first: 40) { nodes { name createdAt accounts(first: 100) {
         nodes { id displayName profileUrl avatarUrl color network platformName platformId isLocked
                 health { needsReconnect } isFacebookAppInstalled } } } } }`,
  );
  expect(errors).toEqual([]);
  expect(data.accountGroups.nodes).toHaveLength(40);
  expect(callsOf(large)).toEqual({ [GROUPS]: 1 });
});

test('each list of the legacy surface is read once, whatever an operation asks of it', async () => {
  const { errors } = await graph.query(
    `{ one: accounts(first: 3, surface: LEGACY) { nodes { ...AccountFields } }
       two: accounts(last: 3, surface: LEGACY, orderBy: [{ field: DISPLAY_NAME }]) { nodes { groups { accounts { nodes { statusCode } } } } }
       groups: accountGroups(surface: LEGACY) { nodes { accounts { nodes { groups { name } } } } } }
     ${ACCOUNT_FIELDS}`,
  );
  expect(errors).toEqual([]);
  expect(callsOf(graph)).toEqual({ [LEGACY_ACCOUNTS]: 1, [LEGACY_GROUPS]: 1 });
});

test('several groups by their ids cost one scan', async () => {
  const { data } = await large.query('{ accountGroups(first: 40) { nodes { id } } }');
  large.sandbox.requests.clear();
  const ids = (data.accountGroups.nodes as { id: string }[]).map(({ id }) => id);
  const again = await large.query(
    'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on AccountGroup { name createdAt accounts { totalCount } } } }',
    { variables: { ids } },
  );
  expect(again.errors).toEqual([]);
  expect((again.data.nodes as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  expect(callsOf(large)).toEqual({ [GROUPS]: 1 });
});

test('an operation remembers nothing of the one before: it reads anew', async () => {
  const query = '{ accounts(first: 1) { nodes { settingId } } }';
  await graph.query(query);
  await graph.query(query);
  expect(callsOf(graph)).toEqual({ [LIST]: 2, [VIEW]: 2 });
});
