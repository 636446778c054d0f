import { expect, test } from 'vitest';
import type { Answer } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

/** The code of each error, by the field that it spoils. */
const codesOf = ({ errors }: Answer) =>
  Object.fromEntries(errors.map(({ path = [], extensions }) => [path.join('.'), extensions['code']]));

test('arguments that can’t be used are BAD_USER_INPUT without a call, and the rest of the operation stands', async () => {
  const wrong = [
    'first: 101',
    'first: -1',
    'last: -1',
    'last: 101',
    'first: 1, last: 1',
    'first: 1, before: "x"',
    'last: 1, after: "x"',
  ];
  const fields = wrong.map((args, index) => `w${index}: accounts(${args}) { totalCount }`);
  const answer = await graph.query(`{ ok: __typename ${fields.join(' ')} }`);
  expect(codesOf(answer)).toEqual(
    Object.fromEntries(wrong.map((_, index) => [`w${index}`, 'BAD_USER_INPUT'])),
  );
  expect(answer.data).toMatchObject({ ok: 'Query', w0: null, w6: null });
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a cursor that is damaged, or of another list, filter, order or surface, is INVALID_CURSOR without a call', async () => {
  const { data } = await graph.query(
    `{ accounts(first: 2) { pageInfo { endCursor } } groups: accountGroups(first: 2) { pageInfo { endCursor } }
       legacy: accounts(surface: LEGACY) { pageInfo { endCursor } } }`,
  );
  const of = (name: string): string => data[name].pageInfo.endCursor;
  graph.sandbox.requests.clear();
  const wrong = [
    `accounts(after: "${of('accounts').slice(0, -1)}")`,
    `accounts(after: "${of('groups')}")`,
    `accounts(after: "${of('legacy')}")`,
    `accounts(after: "${of('accounts')}", filter: { displayName: "a" })`,
    `accounts(after: "${of('accounts')}", orderBy: [{ field: LOGIN_ID }])`,
    `accounts(after: "${of('accounts')}", surface: LEGACY)`,
    `accounts(after: "${of('legacy')}", surface: LEGACY, filter: { displayName: "a" })`,
    `accountGroups(before: "${of('accounts')}")`,
  ];
  const answer = await graph.query(
    `{ ok: __typename ${wrong.map((field, index) => `w${index}: ${field} { totalCount }`).join(' ')} }`,
  );
  expect(codesOf(answer)).toEqual(
    Object.fromEntries(wrong.map((_, index) => [`w${index}`, 'INVALID_CURSOR'])),
  );
  expect(answer.data).toMatchObject({ ok: 'Query', w0: null, w7: null });
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a cursor of the accounts of one group is INVALID_CURSOR in another', async () => {
  const { data } = await graph.query(
    '{ accountGroups(first: 1) { nodes { accounts(first: 1) { pageInfo { endCursor } } } } }',
  );
  const after: string = data.accountGroups.nodes[0].accounts.pageInfo.endCursor;
  const answer = await graph.query(
    `{ accountGroups(first: 2) { nodes { groupId accounts(after: "${after}") { totalCount } } } }`,
  );
  expect(codesOf(answer)).toEqual({ 'accountGroups.nodes.1.accounts': 'INVALID_CURSOR' });
});
