import { describe, expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { startGraph } from '../support/graph.ts';
import { withValue } from '../support/sandbox.ts';
import { account, EXAMPLES, GROUP_ID, legacyAccount, legacyGroup, write } from '../support/writes.ts';

const { plainId } = landmarks;
const BOTH_SIDES = `query ($current: ID!, $legacy: ID!) {
  current: account(id: $current) { isPaused } legacy: account(id: $legacy) { isPaused statusCode }
}`;
const variables = { current: account(), legacy: legacyAccount() };

describe.each([
  ['legacy', legacyAccount(), account()],
  ['current', account(), legacyAccount()],
])('an account named by its %s id', (surface, accountId, otherId) => {
  test('is paused and resumed on both surfaces', async () => {
    const graph = await startGraph();
    const paused = await write(graph, 'pauseAccount', { accountId });
    const named = { id: accountId, surface: surface.toUpperCase(), loginId: String(plainId) };
    expect(paused).toMatchObject({
      outcome: 'COMPLETED',
      userErrors: [],
      account: { ...named, isPaused: true },
    });
    expect((await graph.query(BOTH_SIDES, { variables })).data).toEqual({
      current: { isPaused: true },
      legacy: { isPaused: true, statusCode: 'Paused' },
    });
    const resumed = await write(graph, 'resumeAccount', { accountId });
    expect(resumed).toMatchObject({ outcome: 'COMPLETED', account: { ...named, isPaused: false } });
    expect((await graph.query(BOTH_SIDES, { variables })).data).toEqual({
      current: { isPaused: false },
      legacy: { isPaused: false, statusCode: 'Running' },
    });
  });

  test('is deleted from both surfaces, with what waits to be published on it', async () => {
    const graph = await startGraph();
    const payload = await write(graph, 'deleteAccount', { accountId });
    expect(payload).toEqual({
      outcome: 'COMPLETED',
      userErrors: [],
      deletedAccountIds: [accountId, otherId],
    });
    const { data } = await graph.query(BOTH_SIDES, { variables });
    expect(data).toEqual({ current: null, legacy: null });
    const { queue } = graph.sandbox.state.owner('harbour');
    expect(queue.filter((post) => post.account.loginId === plainId)).toEqual([]);
  });
});

test('a group is deleted, and its accounts stay', async () => {
  const graph = await startGraph();
  const payload = await write(graph, 'deleteAccountGroup', EXAMPLES.deleteAccountGroup);
  const id = legacyGroup(GROUP_ID);
  expect(payload).toEqual({ outcome: 'COMPLETED', userErrors: [], deletedAccountGroupId: id });
  const { data, errors } = await graph.query(
    `query ($id: ID!) {
      accountGroup(id: $id) { name }
      accounts(surface: LEGACY) { totalCount }
      accountGroups(surface: LEGACY) { nodes { groupId } }
    }`,
    { variables: { id } },
  );
  expect(errors).toEqual([]);
  expect(data.accountGroup).toBeNull();
  expect(data.accounts.totalCount).toBe(13);
  expect(data.accountGroups.nodes).toEqual([{ groupId: '5101' }, { groupId: '5102' }, { groupId: '5104' }]);
});

test('a token alone pauses, resumes and deletes by ids of the legacy surface', async () => {
  const graph = await startGraph();
  const headers = graph.caller.token;
  const payloads = [];
  for (const name of ['pauseAccount', 'resumeAccount', 'deleteAccount', 'deleteAccountGroup'] as const) {
    payloads.push(await write(graph, name, EXAMPLES[name], { headers }));
  }
  // The view of the current surface is gone too, and this caller could not know of it.
  expect(payloads[2]?.['deletedAccountIds']).toEqual([legacyAccount()]);
  const outcomes = payloads.map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED']);
  expect(graph.sandbox.requests.all.every(({ path }) => path.startsWith('/oauth/'))).toBe(true);
});

test.each([
  ['is out of order', { kind: 'status', status: 503, times: 9 } as const],
  [
    'has another account under that id',
    {
      kind: 'rewrite',
      change: (answer: unknown) => withValue(answer, 'response.accountUrl', 'https://other.example/'),
    } as const,
  ],
])(
  'an account is deleted by its legacy id although the current surface %s: only that id is told',
  async (_, fault) => {
    const graph = await startGraph();
    graph.sandbox.faults.add({ ...fault, endpoint: 'GET /accounts/view/{loginId}' });
    const payload = await write(graph, 'deleteAccount', { accountId: legacyAccount() });
    expect(payload).toMatchObject({ outcome: 'COMPLETED', deletedAccountIds: [legacyAccount()] });
  },
);
