import { expect, test } from 'vitest';
import { currentAccounts, harbour } from '../support/account-records.ts';
import { startWatched, watchHealth } from '../support/watching.ts';
import { account as accountId, write, legacyAccount } from '../support/writes.ts';
import { DETAILS_PER_READING } from '../../src/watch/account-health.ts';

const DETAIL_CALL = 'GET /accounts/view/{loginId}';

test('who watches the health of the accounts is told of each, and of each change', async () => {
  const graph = await startWatched();
  const accounts = currentAccounts(graph);
  const grouped = accounts.find((one) => !one.needsReconnect && isHealthy(one) && isGrouped(graph, one));
  if (grouped === undefined) throw new Error('the sandbox has no healthy account in a group');
  const watching = watchHealth(graph);
  const [snapshot] = await watching.received(1);
  expect(snapshot).toMatchObject({
    kind: 'SNAPSHOT',
    totalCount: accounts.length,
    accountIds: accounts.map(({ loginId }) => accountId(loginId)),
    account: null,
  });
  Object.assign(grouped, { needsReconnect: true });
  await expect
    .poll(() => eventOf(watching, grouped.loginId, 'NEEDS_RECONNECT'))
    .toMatchObject({
      kind: 'HEALTH_CHANGED',
      account: { loginId: String(grouped.loginId) },
      before: { state: 'HEALTHY', needsReconnect: false },
      after: { state: 'NEEDS_RECONNECT', needsReconnect: true, unknownFlags: [] },
    });
});

test('an account that is paused through the graph is told as paused, and one that is removed as gone', async () => {
  const graph = await startWatched();
  const paused = currentAccounts(graph).find(
    (one) => one.surfaces.legacy && isHealthy(one) && isGrouped(graph, one),
  );
  const loginId = paused?.loginId ?? 0;
  const watching = watchHealth(graph);
  await watching.received(1);
  await write(graph, 'pauseAccount', { accountId: legacyAccount(loginId) });
  await expect.poll(() => eventOf(watching, loginId, 'PAUSED')).toBeDefined();
  harbour(graph).removeAccount(loginId);
  await expect
    .poll(() => watching.events.find(({ kind }) => kind === 'LEFT'))
    .toMatchObject({ account: { id: accountId(loginId) }, before: { isPaused: true }, after: null });
});

test('an account without a group is asked for its detail, a few in each reading, and every one in its turn', async () => {
  const graph = await startWatched();
  const alone = currentAccounts(graph).filter((one) => !isGrouped(graph, one));
  expect(alone.length).toBeGreaterThan(0);
  const watching = watchHealth(graph);
  await watching.received(1);
  const first = graph.sandbox.requests.count(DETAIL_CALL);
  expect(first).toBeLessThanOrEqual(DETAILS_PER_READING);
  const last = alone.findLast((one) => !one.blocked && !one.locked);
  Object.assign(last ?? {}, { needsReconnect: true });
  await expect.poll(() => eventOf(watching, last?.loginId ?? 0, 'NEEDS_RECONNECT')).toBeDefined();
});

function isHealthy({ blocked, locked, needsReconnect, paused }: ReturnType<typeof currentAccounts>[number]) {
  return !blocked && !locked && !needsReconnect && !paused;
}

function isGrouped(
  graph: Awaited<ReturnType<typeof startWatched>>,
  one: ReturnType<typeof currentAccounts>[number],
) {
  return harbour(graph).groups.some(({ members }) => members.includes(one));
}

function eventOf(watching: ReturnType<typeof watchHealth>, loginId: number, state: string) {
  return watching.events.find(
    ({ account, after }) => account?.loginId === String(loginId) && after?.state === state,
  );
}
