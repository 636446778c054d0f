import { expect, test } from 'vitest';
import { currentAccounts } from '../support/account-records.ts';
import { errorsOf, onlyError } from '../support/answers.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

/** A legacy field that fails, beside one of the current surface that must stand. */
const BOTH = `{ legacy: accounts(surface: LEGACY) { totalCount } current: accounts(surface: CURRENT) { totalCount } }`;
const STANDS = { legacy: null, current: { totalCount: 12 } };

const FLAGGED = [1, '1', true, 2, -1, 'yes', 'E401', { code: 1 }];

test.each(FLAGGED.flatMap((flag) => [200, 400, 404, 422].map((status) => [flag, status] as const)))(
  'a failure flagged as %j with HTTP %d is UPSTREAM_REJECTED in the service’s words',
  async (flag, status) => {
    graph.sandbox.faults.add({
      kind: 'status',
      status,
      body: { error: flag, msg: '<p>Try &amp; try again</p>' },
      endpoint: 'GET /oauth/accounts',
    });
    const answer = await graph.query(BOTH);
    expect(answer.data).toEqual(STANDS);
    expect(errorsOf(answer)).toEqual(['legacy UPSTREAM_REJECTED']);
    const { message, extensions } = onlyError(answer);
    expect(message).toBe('The legacy surface rejected the request. The service says: Try & try again');
    expect(extensions).toMatchObject({ surface: 'LEGACY', retryable: false });
  },
);

test.each(FLAGGED)('a failure flagged as %j with HTTP 500 or 408 says nothing of a refusal', async (flag) => {
  for (const [status, code] of [
    [500, 'SURFACE_UNAVAILABLE'],
    [408, 'UPSTREAM_TIMEOUT'],
  ] as const) {
    const body = { error: flag, msg: 'no' };
    graph.sandbox.faults.add({ kind: 'status', status, body, endpoint: 'GET /oauth/accounts' });
    const answer = await graph.query(BOTH);
    expect(answer.data).toEqual(STANDS);
    expect(errorsOf(answer)).toEqual([`legacy ${code}`]);
  }
});

const FAILURES: readonly (readonly [status: number, body: unknown, code: string])[] = [
  [401, { error: 1, msg: 'no' }, 'CREDENTIAL_REJECTED'],
  [401, '', 'CREDENTIAL_REJECTED'],
  [401, [], 'CREDENTIAL_REJECTED'],
  [429, { error: 1, msg: 'slowly' }, 'RATE_LIMITED'],
  [429, '', 'RATE_LIMITED'],
  [403, { message: 'no' }, 'UPSTREAM_REJECTED'],
  [404, '<h1>Not here</h1>', 'UPSTREAM_REJECTED'],
  [500, [], 'SURFACE_UNAVAILABLE'],
  [500, { error: 0 }, 'SURFACE_UNAVAILABLE'],
  [500, { message: 'broken' }, 'SURFACE_UNAVAILABLE'],
  [503, '<h1>Later</h1>', 'SURFACE_UNAVAILABLE'],
  [302, '', 'UPSTREAM_MALFORMED'],
  [200, {}, 'UPSTREAM_MALFORMED'],
  [200, { data: [] }, 'UPSTREAM_MALFORMED'],
  [200, { error: 0 }, 'UPSTREAM_MALFORMED'],
  [200, { error: 0, data: { note: 'x' } }, 'UPSTREAM_MALFORMED'],
  [200, { error: '0', data: { list: [] } }, 'UPSTREAM_MALFORMED'],
  [200, { error: '', data: [] }, 'UPSTREAM_MALFORMED'],
  [200, { error: 1, data: [] }, 'UPSTREAM_REJECTED'],
  [500, { error: 0, data: [] }, 'SURFACE_UNAVAILABLE'],
  [200, { error: '', msg: '' }, 'UPSTREAM_MALFORMED'],
  [200, { error: null }, 'UPSTREAM_MALFORMED'],
  [200, '', 'UPSTREAM_MALFORMED'],
  [200, 'Success', 'UPSTREAM_MALFORMED'],
  [200, '"text"', 'UPSTREAM_MALFORMED'],
  [200, 'null', 'UPSTREAM_MALFORMED'],
  [200, '0', 'UPSTREAM_MALFORMED'],
];

test.each(FAILURES)('HTTP %d with %j in place of the list is %3$s', async (status, body, code) => {
  graph.sandbox.faults.add({ kind: 'status', status, body, endpoint: 'GET /oauth/accounts' });
  const answer = await graph.query(BOTH);
  expect(answer.data).toEqual(STANDS);
  expect(errorsOf(answer)).toEqual([`legacy ${code}`]);
});

test('a list is read whatever type the service says it has', async () => {
  for (const contentType of ['text/html; charset=UTF-8', 'text/plain', 'application/octet-stream', null]) {
    graph.sandbox.faults.add({ kind: 'content-type', contentType, endpoint: 'GET /oauth/accounts' });
    const { data, errors } = await graph.query(BOTH);
    expect(errors).toEqual([]);
    expect(data.legacy.totalCount).toBe(13);
  }
});

const LISTS = `{ accounts(surface: LEGACY) { nodes { loginId displayName platformCode isPaused groups { name } } }
  accountGroups(surface: LEGACY) { nodes { name accounts { nodes { displayName } } } } }`;

test.each([0, '0', false])(
  'lists in the envelope of all other answers, with the flag %j, are read like bare ones',
  async (flag) => {
    const bare = await graph.query(LISTS);
    for (const endpoint of ['GET /oauth/accounts', 'GET /oauth/groups'] as const) {
      const change = (data: unknown): unknown => ({ error: flag, data });
      graph.sandbox.faults.add({ kind: 'rewrite', endpoint, change });
    }
    const enveloped = await graph.query(LISTS);
    expect(enveloped.errors).toEqual([]);
    expect(enveloped.data).toEqual(bare.data);
    expect(enveloped.data.accounts.nodes).toHaveLength(13);
  },
);

const EMPTY_LISTS = [[], ...[[], {}, null, '', 'null'].map((data) => ({ error: 0, data }))];

test.each(EMPTY_LISTS)('an empty list that is spelt %j is an empty connection', async (list) => {
  graph.sandbox.faults.add({ kind: 'rewrite', endpoint: 'GET /oauth/accounts', change: () => list });
  const { data, errors } = await graph.query(
    '{ accounts(surface: LEGACY) { totalCount nodes { id } edges { cursor } pageInfo { startCursor endCursor hasNextPage hasPreviousPage drifted } } }',
  );
  expect(errors).toEqual([]);
  expect(data.accounts).toEqual({
    totalCount: 0,
    nodes: [],
    edges: [],
    pageInfo: {
      startCursor: null,
      endCursor: null,
      hasNextPage: false,
      hasPreviousPage: false,
      drifted: false,
    },
  });
});

test('a legacy group list that fails leaves the accounts of that surface whole', async () => {
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /oauth/groups' });
  const answer = await graph.query(
    '{ accounts(first: 2, surface: LEGACY) { nodes { displayName groups { name } } } }',
  );
  expect(errorsOf(answer)).toEqual([
    'accounts.nodes.0.groups SURFACE_UNAVAILABLE',
    'accounts.nodes.1.groups SURFACE_UNAVAILABLE',
  ]);
  expect(answer.data.accounts.nodes).toEqual(
    currentAccounts(graph)
      .slice(0, 2)
      .map(({ username }) => ({ displayName: username, groups: null })),
  );
});
