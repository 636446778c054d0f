import { expect, test } from 'vitest';
import { currentAccounts, harbour } from '../support/account-records.ts';
import { ACCOUNTS_CALL, startWatched, watchHealth } from '../support/watching.ts';
import { changingRecord } from '../support/wire-changes.ts';
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
    accounts: accounts.map(({ loginId, blocked, paused }) => ({
      accountId: accountId(loginId),
      account: { id: accountId(loginId), loginId: String(loginId) },
      health: { isBlocked: blocked, isPaused: paused },
    })),
    account: null,
  });
  expect(snapshot.accounts[accounts.indexOf(grouped)].health).toEqual({
    state: 'HEALTHY',
    isBlocked: false,
    isLocked: false,
    needsReconnect: false,
    isPaused: false,
    unknownFlags: [],
  });
  Object.assign(grouped, { needsReconnect: true });
  await expect
    .poll(() => eventOf(watching, grouped.loginId, 'NEEDS_RECONNECT'))
    .toMatchObject({
      kind: 'HEALTH_CHANGED',
      accounts: null,
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

test('who names accounts is told of their health alone, and anew after a time in which it could not be read', async () => {
  const graph = await startWatched();
  const [one, other] = currentAccounts(graph).filter((each) => isHealthy(each) && isGrouped(graph, each));
  if (one === undefined || other === undefined) throw new Error('the sandbox has no two healthy accounts');
  const watching = watchHealth(graph, { accountIds: [accountId(one.loginId)] });
  const [snapshot] = await watching.received(1);
  expect(snapshot).toMatchObject({
    accountIds: [accountId(one.loginId)],
    stateCounts: [{ state: 'HEALTHY', count: 1 }],
  });
  const fault = graph.sandbox.faults.add({
    kind: 'status',
    status: 500,
    endpoint: ACCOUNTS_CALL,
    times: Infinity,
  });
  await graph.sandbox.requests.waitFor(ACCOUNTS_CALL, graph.sandbox.requests.count(ACCOUNTS_CALL) + 5);
  Object.assign(other, { locked: true });
  Object.assign(one, { blocked: true });
  fault.remove();
  const [, resynced, changed] = await watching.received(3);
  expect(resynced).toMatchObject({
    kind: 'RESYNCED',
    isFollowedByChanges: true,
    totalCount: 1,
    stateCounts: [{ state: 'BLOCKED', count: 1 }],
    accounts: [{ accountId: accountId(one.loginId), health: { state: 'BLOCKED', isBlocked: true } }],
  });
  expect(changed).toMatchObject({
    kind: 'HEALTH_CHANGED',
    isFollowedByChanges: null,
    account: { id: accountId(one.loginId) },
    after: { state: 'BLOCKED' },
  });
});

test('a flag that the list does not show makes the state UNKNOWN and is named, until it is shown', async () => {
  const graph = await startWatched();
  const all = currentAccounts(graph);
  const index = all.findIndex((one) => isHealthy(one) && isGrouped(graph, one));
  const loginId = all[index]?.loginId ?? 0;
  const fault = graph.sandbox.faults.add(changingRecord(ACCOUNTS_CALL, 'isBlocked', {}, index));
  const watching = watchHealth(graph, { accountIds: [accountId(loginId)] });
  const [snapshot] = await watching.received(1);
  expect(snapshot.stateCounts).toEqual([{ state: 'UNKNOWN', count: 1 }]);
  expect(snapshot.accounts).toMatchObject([{ health: { state: 'UNKNOWN', unknownFlags: ['IS_BLOCKED'] } }]);
  fault.remove();
  const [, changed] = await watching.received(2);
  expect(changed).toMatchObject({
    kind: 'HEALTH_CHANGED',
    before: { state: 'UNKNOWN', isBlocked: null, unknownFlags: ['IS_BLOCKED'] },
    after: { state: 'HEALTHY', isBlocked: false, unknownFlags: [] },
  });
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
