import { expect, test } from 'vitest';
import { shareGraph } from '../support/shared-graph.ts';
import { changing, changingRecord } from '../support/wire-changes.ts';

// A permission is one state, and the service tells up to three facts of it in two places.

const graph = shareGraph();
const VIEW = 'GET /accounts/view/{loginId}';

/** The state of the inbox of the first account, with these facts: the letter of the list, and what the detail says. */
async function inboxWith(letter: unknown, access: unknown, read = 'accounts(first: 1) { nodes') {
  graph.sandbox.faults.clear();
  graph.sandbox.faults.add(changingRecord('GET /accounts/list', 'inboxAccess', letter));
  graph.sandbox.faults.add(changing(VIEW, 'response.socialInboxAccess', access));
  graph.sandbox.requests.clear();
  const { data, errors } = await graph.query(`{ ${read} { permissions { inbox } } } }`);
  expect(errors).toEqual([]);
  return data.accounts.nodes[0].permissions.inbox as unknown;
}

const YES = { hasPermission: true, hasTask: true };

test.each([
  ['GRANTED', 'Y', YES],
  ['GRANTED', 'Y', null],
  ['GRANTED', '', YES],
  ['GRANTED', 'Y', { hasPermission: true, hasTask: null }],
  ['DENIED', 'N', YES],
  ['DENIED', 'Y', { hasPermission: true, hasTask: false }],
  ['DENIED', 'Y', { hasPermission: false, hasTask: true }],
  ['DENIED', 'Y', { hasPermission: 'perhaps', hasTask: false }],
  ['UNKNOWN', '', null],
  ['UNKNOWN', 'perhaps', YES],
  ['UNKNOWN', 'Y', { hasPermission: 'perhaps', hasTask: true }],
  ['UNKNOWN', 'Y', 'perhaps'],
])('a permission is %s where the list says %o and the detail %o', async (state, letter, access) => {
  expect(await inboxWith(letter, access)).toBe(state);
});

test('a no that is in hand costs no call, and an account that can’t be asked for is UNKNOWN', async () => {
  expect(await inboxWith('N', YES)).toBe('DENIED');
  expect(graph.sandbox.requests.count(VIEW)).toBe(0);
  graph.sandbox.faults.clear();
  graph.sandbox.faults.add({ kind: 'status', endpoint: VIEW, status: 400, times: 9 });
  const { data, errors } = await graph.query(
    '{ accounts(first: 1) { nodes { permissions { publishing } } } }',
  );
  expect(errors).toEqual([]);
  expect(data.accounts.nodes).toEqual([{ permissions: { publishing: 'UNKNOWN' } }]);
});

test('the state is the same wherever the account is read from, so that caches agree', async () => {
  const { data, errors } = await graph.query(
    `{ accounts(first: 5) { nodes { id permissions { inbox analytics publishing } } }
       accountGroups(first: 3) { nodes { accounts { nodes { id permissions { inbox analytics publishing } } } } } }`,
  );
  expect(errors).toEqual([]);
  const listed = data.accounts.nodes as { id: string; permissions: unknown }[];
  const ids = JSON.stringify(listed.map(({ id }) => id));
  const again = await graph.query(
    `{ nodes(ids: ${ids}) { id ... on Account { permissions { inbox analytics publishing } } } }`,
  );
  expect(again.data.nodes).toEqual(listed);
  const known = new Map(listed.map((account) => [account.id, account]));
  const members = (data.accountGroups.nodes as { accounts: { nodes: { id: string }[] } }[]).flatMap(
    ({ accounts }) => accounts.nodes.filter(({ id }) => known.has(id)),
  );
  expect(members.length).toBeGreaterThan(0);
  for (const member of members) expect(member).toEqual(known.get(member.id));
});

test('the legacy surface tells none', async () => {
  const { data } = await graph.query(
    '{ accounts(first: 1, surface: LEGACY) { nodes { permissions { inbox analytics publishing } } } }',
  );
  expect(data.accounts.nodes).toEqual([
    { permissions: { inbox: 'UNKNOWN', analytics: 'UNKNOWN', publishing: 'UNKNOWN' } },
  ]);
});
