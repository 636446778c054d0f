import { expect, test } from 'vitest';
import { currentAccounts, healthStateOf } from '../support/account-records.ts';
import { errorsOf } from '../support/answers.ts';
import { callsOf } from '../support/calls.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

const DASHBOARD = `{
  surfaces { surface isConfigured hasCredential }
  accounts(first: 50) {
    totalCount
    nodes { displayName network avatarUrl isPaused queuedPostCount errorCount health { state needsReconnect } groups { name } }
  }
  accountGroups(first: 20) { nodes { name accounts { totalCount nodes { displayName } } } }
  queuedPosts(first: 50) { totalCount nodes { title text scheduledAtLocal account { displayName network } } }
  libraryItems(first: 50) { totalCount nodes { title useCount content { text } } }
  aiGenerations(first: 50) { totalCount nodes { prompt text createdAtLocal } }
  membership { currentPlan { name features { key text } } connectedAccountCount }
}`;

test('a dashboard is one request, and costs one call a list, one a plan and one an open account', async () => {
  const { data, errors } = await graph.query(DASHBOARD);
  expect(errors).toEqual([]);
  const open = currentAccounts(graph).filter(({ blocked, locked }) => !blocked && !locked).length;
  // needsReconnect is of the detail alone, so that every account costs its detail, the locked and the blocked as well.
  expect(open).toBe(10);
  expect(callsOf(graph)).toEqual({
    'GET /accounts/list': 1,
    'GET /accounts/view/{loginId}': 12,
    'GET /group/list': 1,
    'GET /posts/queued': 1,
    'GET /library/list': 2,
    'GET /openai/historyList': 1,
    'GET /membership/plan/list': 1,
  });
  expect(data.accounts.nodes.map(({ health }: { health: { state: string } }) => health.state)).toEqual(
    currentAccounts(graph).map(healthStateOf),
  );
  expect(data.queuedPosts.nodes).toHaveLength(25);
  expect(data.libraryItems.nodes).toHaveLength(15);
  expect(data.aiGenerations.nodes).toHaveLength(12);
  expect(data.membership.currentPlan.name).toBe('Small Team');
});

test('a dashboard that asks no more of health than its state leaves the locked and the blocked unasked', async () => {
  const { errors } = await graph.query(DASHBOARD.replace('needsReconnect', ''));
  expect(errors).toEqual([]);
  expect(callsOf(graph)['GET /accounts/view/{loginId}']).toBe(10);
});

test('accounts that several parts of a dashboard show are read once', async () => {
  const { errors } = await graph.query(`{
    accounts(first: 50) { nodes { settingId } }
    accountGroups(first: 20) { nodes { accounts { nodes { settingId connectedAt } } } }
    queuedPosts(first: 50) { nodes { account { settingId requiresClientApproval } } }
  }`);
  expect(errors).toEqual([]);
  expect(callsOf(graph)).toEqual({
    'GET /accounts/list': 1,
    'GET /accounts/view/{loginId}': 12,
    'GET /group/list': 1,
    'GET /posts/queued': 1,
  });
});

test('a part of a dashboard that fails leaves the others whole', async () => {
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /openai/historyList' });
  graph.sandbox.faults.add({ kind: 'malformed-json', endpoint: 'GET /membership/plan/list' });
  const answer = await graph.query(DASHBOARD);
  expect(errorsOf(answer)).toEqual(['aiGenerations SURFACE_UNAVAILABLE', 'membership UPSTREAM_MALFORMED']);
  const { data } = answer;
  expect(data).toMatchObject({ aiGenerations: null, membership: null });
  expect(data.queuedPosts.nodes).toHaveLength(25);
  expect(data.libraryItems.nodes).toHaveLength(15);
  expect(data.accounts.nodes).toHaveLength(12);
});

test.each([
  ['six lists', '*', 6],
  ['twelve details', 'GET /accounts/view/{loginId}', 12],
] as const)('the calls for the %s of a dashboard wait for their answers at the same time', async (...row) => {
  const [, endpoint, count] = row;
  const own = await startGraph();
  own.sandbox.faults.add({ kind: 'never-answer', endpoint, times: Number.POSITIVE_INFINITY });
  const answer = own.query(DASHBOARD);
  await expect.poll(() => own.sandbox.requests.open).toBe(count);
  await own.sandbox.close();
  expect((await answer).errors.length).toBeGreaterThan(0);
});
