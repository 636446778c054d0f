import { expect, test } from 'vitest';
import { errorsOf, onlyError } from '../support/answers.ts';
import type { RunningGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

const LIST = `query ($filter: AccountFilter, $orderBy: [AccountOrder!], $surface: Surface) {
  accounts(first: 100, filter: $filter, orderBy: $orderBy, surface: $surface) { totalCount nodes { loginId displayName } } }`;

async function list(running: RunningGraph, variables: Record<string, unknown>) {
  return await running.query(LIST, { variables });
}

/** The query of the only call that was made. */
function sent({ sandbox }: RunningGraph): Record<string, string> {
  expect(sandbox.requests.count()).toBe(1);
  return Object.fromEntries(sandbox.requests.all[0]?.query ?? []);
}

const PAGE = { page: '1', limit: '100' };
const groupId = (raw: string): string => Buffer.from(`1gc:${raw}`).toString('base64url');

test.each<[filter: Record<string, unknown>, query: Record<string, string>]>([
  [{ displayName: 'kelp' }, { q: 'kelp' }],
  [{ displayName: 'a&b=c #?%/+ü☕' }, { q: 'a&b=c #?%/+ü☕' }],
  [{ accountGroupIds: [groupId('5101'), groupId('5103')] }, { groupId: '5101,5103' }],
  [{ platformIds: [1, 9] }, { platform: '1,9' }],
  [{ clientId: '71' }, { clientId: '71' }],
  [{ teamIds: ['12', '14'] }, { team: '12,14' }],
  [{ multiFilter: 'paused,locked' }, { multiFilter: 'paused,locked' }],
  [{ displayName: null, clientId: null }, {}],
  [
    { displayName: 'kelp', platformIds: [1] },
    { q: 'kelp', platform: '1' },
  ],
])('the filter %j is sent as %j', async (filter, query) => {
  const { errors } = await list(graph, { filter });
  expect(errors).toEqual([]);
  expect(sent(graph)).toEqual({ ...PAGE, ...query });
});

test.each<[order: unknown, sortBy: string]>([
  [[{ field: 'LOGIN_ID' }], 'loginId,ASC'],
  [[{ field: 'DISPLAY_NAME', direction: 'DESC' }], 'accountUsername,DESC'],
  [[{ field: 'DISPLAY_NAME' }, { field: 'LOGIN_ID', direction: 'DESC' }], 'accountUsername,ASC,loginId,DESC'],
])('the order %j is sent as %s', async (orderBy, sortBy) => {
  await list(graph, { orderBy });
  expect(sent(graph)).toEqual({ ...PAGE, sortBy });
});

test('an empty order is the service’s own', async () => {
  await list(graph, { orderBy: [] });
  expect(sent(graph)).toEqual(PAGE);
});

test.each<[filter: Record<string, unknown>, argument: string]>([
  [{ accountGroupIds: [] }, 'filter.accountGroupIds'],
  [{ platformIds: [] }, 'filter.platformIds'],
  [{ teamIds: [] }, 'filter.teamIds'],
  [{ teamIds: ['12', '1,4'] }, 'filter.teamIds[1]'],
  [{ accountGroupIds: [groupId('1,2')] }, 'filter.accountGroupIds[0]'],
  [{ accountGroupIds: ['5101'] }, 'filter.accountGroupIds[0]'],
  [{ accountGroupIds: [Buffer.from('1gl:5101').toString('base64url')] }, 'filter.accountGroupIds[0]'],
  [{ accountGroupIds: [Buffer.from('1ac:5101').toString('base64url')] }, 'filter.accountGroupIds[0]'],
])('the filter %j is refused by the name of %s, and nothing is sent', async (filter, argument) => {
  const answer = await list(graph, { filter });
  expect(errorsOf(answer)).toEqual(['accounts BAD_USER_INPUT']);
  expect(onlyError(answer).message).toContain(argument);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test.each<[filter: Record<string, unknown>]>([
  [{ accountGroupIds: [groupId('5101')] }],
  [{ platformIds: [1] }],
  [{ clientId: '71' }],
  [{ teamIds: ['12'] }],
  [{ multiFilter: 'paused' }],
  [{ displayName: 'kelp', clientId: '71' }],
])('the filter %j is refused on the legacy surface, and nothing is sent', async (filter) => {
  const answer = await list(graph, { filter, surface: 'LEGACY' });
  expect(errorsOf(answer)).toEqual(['accounts BAD_USER_INPUT']);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test.each(['kelpgate', 'KELPGATE', 'books', ''])(
  'a name filter of %o finds on the legacy surface what it finds on the current one',
  async (name) => {
    const names = async (surface: string): Promise<(string | null)[]> => {
      const { data, errors } = await list(graph, { filter: { displayName: name }, surface });
      expect(errors).toEqual([]);
      const nodes = data.accounts.nodes as { loginId: string; displayName: string | null }[];
      expect(data.accounts.totalCount).toBe(nodes.length);
      // The accounts that only one surface has.
      const own = ['Net Loft Lane home brewers', 'Lantern Quay traders', 'Small-batch roasters circle'];
      return nodes
        .map(({ displayName }) => displayName)
        .filter((text) => text === null || !own.includes(text));
    };
    expect(await names('LEGACY')).toEqual(await names('CURRENT'));
  },
);

test.each<[order: unknown]>([
  [[{ field: 'LOGIN_ID', direction: 'DESC' }]],
  [[{ field: 'LOGIN_ID', direction: 'ASC' }]],
])('the order %j by id is the same on both surfaces', async (orderBy) => {
  const ids = async (surface: string): Promise<string[]> => {
    const { data } = await list(graph, { orderBy, surface });
    return (data.accounts.nodes as { loginId: string }[])
      .map(({ loginId }) => loginId)
      .filter((id) => id !== '410213');
  };
  expect(await ids('LEGACY')).toEqual(await ids('CURRENT'));
});

test('the legacy surface orders names as a person would, and a nameless account comes first', async () => {
  const { data } = await list(graph, { orderBy: [{ field: 'DISPLAY_NAME' }], surface: 'LEGACY' });
  const names = (data.accounts.nodes as { displayName: string | null }[]).map(
    ({ displayName }) => displayName ?? '',
  );
  expect(names).toEqual(
    names.toSorted((one, other) => one.localeCompare(other, 'en', { sensitivity: 'base', numeric: true })),
  );
  expect(names[0]).toBe('');
});

test.each<[variables: Record<string, unknown>, query: Record<string, string>]>([
  [{ filter: { name: 'shop' } }, { q: 'shop' }],
  [{ orderBy: [{ field: 'NAME', direction: 'DESC' }] }, { sortBy: 'groupName', sortOrder: 'DESC' }],
  [{ filter: {}, orderBy: null }, {}],
])('the groups with %j are asked for with %j', async (variables, query) => {
  const { errors } = await graph.query(
    `query ($filter: AccountGroupFilter, $orderBy: [AccountGroupOrder!]) {
       accountGroups(first: 100, filter: $filter, orderBy: $orderBy) { totalCount } }`,
    { variables },
  );
  expect(errors).toEqual([]);
  expect(sent(graph)).toEqual({ ...PAGE, ...query });
});

test('groups are filtered and ordered on the legacy surface as on the current one', async () => {
  const names = async (surface: string, extra: string): Promise<unknown> => {
    const { data } = await graph.query(
      `{ accountGroups(surface: ${surface}, ${extra}) { totalCount nodes { name } } }`,
    );
    return data.accountGroups;
  };
  for (const extra of [
    'filter: { name: "S" }',
    'orderBy: { field: NAME }',
    'filter: { name: "s" }, orderBy: { field: NAME, direction: DESC }',
  ]) {
    expect(await names('LEGACY', extra)).toEqual(await names('CURRENT', extra));
  }
});
