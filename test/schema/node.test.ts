import { expect, test } from 'vitest';
import { errorsOf, onlyError } from '../support/answers.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { changingPage } from '../support/wire-changes.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

const idOf = (text: string): string => Buffer.from(text).toString('base64url');
const UNKNOWN = {
  account: idOf('1ac:999999'),
  group: idOf('1gc:999999'),
  legacy: idOf('1al:999999'),
  legacyGroup: idOf('1gl:999999'),
};

/** One id of each kind that exists. */
async function knownIds(running: RunningGraph) {
  const { data } = await running.query(
    `{ account: accounts(first: 1) { nodes { id } } group: accountGroups(first: 1) { nodes { id } }
       legacy: accounts(first: 1, surface: LEGACY) { nodes { id } } legacyGroup: accountGroups(first: 1, surface: LEGACY) { nodes { id } } }`,
  );
  running.sandbox.requests.clear();
  return {
    account: data.account.nodes[0].id as string,
    group: data.group.nodes[0].id as string,
    legacy: data.legacy.nodes[0].id as string,
    legacyGroup: data.legacyGroup.nodes[0].id as string,
  };
}

const NODE = 'query ($id: ID!) { node(id: $id) { __typename id } }';
const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';

test('node reads a record of each kind again by its id', async () => {
  const ids = await knownIds(graph);
  for (const [kind, id] of Object.entries(ids)) {
    const { data, errors } = await graph.query(NODE, { variables: { id } });
    expect(errors).toEqual([]);
    expect(data.node).toEqual({
      __typename: kind.toLowerCase().includes('group') ? 'AccountGroup' : 'Account',
      id,
    });
  }
});

test('nodes gives records in the order of their ids, the same one twice where it is asked for twice', async () => {
  const { account, group, legacy, legacyGroup } = await knownIds(graph);
  const ids = [group, account, legacyGroup, account, legacy];
  const { data, errors } = await graph.query(NODES, { variables: { ids } });
  expect(errors).toEqual([]);
  expect((data.nodes as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  expect(graph.sandbox.requests.count()).toBe(4);
});

test('nodes of no ids is an empty list', async () => {
  expect((await graph.query(NODES, { variables: { ids: [] } })).data.nodes).toEqual([]);
});

test('an id of another type is bad input for account and accountGroup, and nothing is sent', async () => {
  const { account, group } = await knownIds(graph);
  const answer = await graph.query(
    `{ account(id: "${group}") { id } accountGroup(id: "${account}") { id } }`,
  );
  expect(answer.data).toEqual({ account: null, accountGroup: null });
  expect(errorsOf(answer)).toEqual(['account BAD_USER_INPUT', 'accountGroup BAD_USER_INPUT']);
  for (const { message } of answer.errors)
    expect(message).toMatch(/^id .*Account\b.*AccountGroup\b|^id .*AccountGroup\b.*Account\b/);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('nodes answers each slot by itself', async () => {
  const { account, group, legacy } = await knownIds(graph);
  graph.sandbox.faults.add({ kind: 'status', status: 503, endpoint: 'GET /oauth/accounts' });
  const ids = ['garbage', account, UNKNOWN.account, legacy, group, UNKNOWN.group, idOf('2ac:1')];
  const answer = await graph.query(NODES, { variables: { ids } });
  expect((answer.data.nodes as ({ id: string } | null)[]).map((node) => node?.id ?? null)).toEqual([
    null,
    account,
    null,
    null,
    group,
    null,
    null,
  ]);
  expect(errorsOf(answer)).toEqual([
    'nodes.0 BAD_USER_INPUT',
    'nodes.3 SURFACE_UNAVAILABLE',
    'nodes.6 BAD_USER_INPUT',
  ]);
  expect(answer.errors.find(({ path }) => path?.[1] === 6)?.message).toContain('ids[6]');
});

test.each([400, 403, 404, 409, 410, 422])(
  'an account that the service refuses with %d is null once the whole list was read without it',
  async (missingAccountStatus) => {
    const own = await startGraph({ sandbox: { quirks: { missingAccountStatus } } });
    const { data, errors } = await own.query(
      `{ account(id: "${UNKNOWN.account}") { id } node(id: "${UNKNOWN.account}") { id } }`,
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({ account: null, node: null });
    expect(own.sandbox.requests.count('GET /accounts/view/{loginId}')).toBe(1);
    expect(own.sandbox.requests.count('GET /accounts/list')).toBe(1);
  },
);

test.each([
  [401, 'CREDENTIAL_REJECTED'],
  [429, 'RATE_LIMITED'],
  [500, 'SURFACE_UNAVAILABLE'],
  [503, 'SURFACE_UNAVAILABLE'],
] as const)(
  'an account that the service answers with %d is an error, never null alone',
  async (status, code) => {
    const own = await startGraph({ sandbox: { quirks: { missingAccountStatus: status } } });
    const answer = await own.query(NODE, { variables: { id: UNKNOWN.account } });
    expect(answer.data.node).toBeNull();
    expect(errorsOf(answer)).toEqual([`node ${code}`]);
  },
);

test('an account that the service refuses although its list holds it is an error', async () => {
  const { account } = await knownIds(graph);
  graph.sandbox.faults.add({ kind: 'status', status: 404, endpoint: 'GET /accounts/view/{loginId}' });
  const answer = await graph.query(NODE, { variables: { id: account } });
  expect(errorsOf(answer)).toEqual(['node UPSTREAM_REJECTED']);
});

test('an account whose absence could not be proven is an error', async () => {
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /accounts/list' });
  const answer = await graph.query(NODE, { variables: { id: UNKNOWN.account } });
  expect(answer.data.node).toBeNull();
  expect(errorsOf(answer)).toEqual(['node SURFACE_UNAVAILABLE']);
});

test.each(['group', 'legacy', 'legacyGroup'] as const)(
  'an unknown %s is null when its whole list was read',
  async (kind) => {
    const { data, errors } = await graph.query(NODE, { variables: { id: UNKNOWN[kind] } });
    expect(errors).toEqual([]);
    expect(data.node).toBeNull();
    expect(graph.sandbox.requests.count()).toBe(1);
  },
);

test.each([
  ['group', 'GET /group/list'],
  ['legacy', 'GET /oauth/accounts'],
  ['legacyGroup', 'GET /oauth/groups'],
] as const)('an unknown %s is an error when its list could not be read', async (kind, endpoint) => {
  graph.sandbox.faults.add({ kind: 'cut-body', framing: 'content-length', endpoint });
  const answer = await graph.query(NODE, { variables: { id: UNKNOWN[kind] } });
  expect(errorsOf(answer)).toEqual(['node SURFACE_UNAVAILABLE']);
});

test('a group that 20 pages did not settle is SCAN_LIMIT_REACHED, never null alone', async () => {
  const own = await startGraph({ sandbox: { data: 'large', quirks: { maxLimit: 1 } } });
  const groups = own.sandbox.state.owner('harbour').groups.map(({ groupId }) => idOf(`1gc:${groupId}`));
  const ids = [groups[19], groups[20], groups[39], UNKNOWN.group];
  const answer = await own.query(NODES, { variables: { ids } });
  expect(answer.data.nodes).toEqual([expect.objectContaining({ id: groups[19] }), null, null, null]);
  expect(errorsOf(answer)).toEqual([1, 2, 3].map((slot) => `nodes.${slot} SCAN_LIMIT_REACHED`));
  expect(own.sandbox.requests.count('GET /group/list')).toBe(20);
});

test('a page of a scan that fails spoils only what was not found before it', async () => {
  const own = await startGraph({ sandbox: { data: 'large', quirks: { maxLimit: 10 } } });
  const [first] = own.sandbox.state.owner('harbour').groups.map(({ groupId }) => idOf(`1gc:${groupId}`));
  own.sandbox.faults.add({ kind: 'status', status: 503, endpoint: 'GET /group/list', skip: 1, times: 9 });
  const answer = await own.query(NODES, { variables: { ids: [first, UNKNOWN.group] } });
  expect(answer.data.nodes).toEqual([expect.objectContaining({ id: first }), null]);
  expect(errorsOf(answer)).toEqual(['nodes.1 SURFACE_UNAVAILABLE']);
});

test('a list that claims more records than it shows proves no absence', async () => {
  graph.sandbox.faults.add(changingPage('GET /group/list', { totalRecords: 5 }));
  const answer = await graph.query(NODE, { variables: { id: UNKNOWN.group } });
  expect(errorsOf(answer)).toEqual(['node SCAN_LIMIT_REACHED']);
  expect(onlyError(answer).extensions['retryable']).toBe(false);
});

test('ids carry the surface: the same raw id on the other surface is another record', async () => {
  const answer = await graph.query(NODES, {
    variables: { ids: [idOf('1ac:410211'), idOf('1al:410211'), idOf('1ac:410213'), idOf('1al:410213')] },
  });
  expect(answer.errors).toEqual([]);
  const nodes = answer.data.nodes as ({ id: string } | null)[];
  expect(nodes.map((node) => node !== null)).toEqual([true, true, false, true]);
  expect(nodes[0]?.id).not.toBe(nodes[1]?.id);
});

test('reading a record again without its credential says which one is missing', async () => {
  const { account, legacy, group, legacyGroup } = await knownIds(graph);
  const answer = await graph.query(NODES, {
    variables: { ids: [account, legacy, group, legacyGroup] },
    headers: {},
  });
  expect(answer.data.nodes).toEqual([null, null, null, null]);
  expect(errorsOf(answer)).toEqual([0, 1, 2, 3].map((slot) => `nodes.${slot} CREDENTIAL_MISSING`));
  for (const { path, extensions } of answer.errors) {
    expect(extensions['surface']).toBe(Number(path?.[1]) % 2 === 0 ? 'CURRENT' : 'LEGACY');
  }
  expect(graph.sandbox.requests.count()).toBe(0);
});
