import { expect, test } from 'vitest';
import { choosableSizes } from '../../src/lists/pages.ts';
import type { PagedList } from '../../src/lists/reading.ts';
import type { Loaders } from '../../src/loaders/loaders.ts';
import { healthOfFlags } from '../../src/records/account.ts';
import { accountDetail, accountListItem, type AccountListItem } from '../../src/sources/current/accounts.ts';
import { groupMember } from '../../src/sources/current/groups.ts';
import { SourceError } from '../../src/sources/errors.ts';
import {
  DETAILS_PER_READING,
  watchedAccountHealth,
  type ObservedAccount,
} from '../../src/watch/account-health.ts';
import type { Observation } from '../../src/watch/observation.ts';
import { currentAccounts, harbour } from '../support/accounts.ts';
import type { RunningGraph } from '../support/graph.ts';
import { ACCOUNTS_CALL, startWatched, watchHealth, type WatchReading } from '../support/live.ts';
import { changingRecord } from '../support/sandbox.ts';
import { account as accountId, legacyAccount, write } from '../support/writes.ts';

type SandboxAccount = ReturnType<typeof currentAccounts>[number];

function healthyMembers(graph: RunningGraph): readonly [SandboxAccount, SandboxAccount] {
  const [one, other] = currentAccounts(graph).filter(
    (each) =>
      ![each.blocked, each.locked, each.needsReconnect, each.paused].includes(true) &&
      each.surfaces.legacy &&
      isGrouped(graph, each),
  );
  if (one === undefined || other === undefined) throw new Error('the sandbox has no two such accounts');
  return [one, other];
}

const isGrouped = (graph: RunningGraph, one: SandboxAccount): boolean =>
  harbour(graph).groups.some(({ members }) => members.includes(one));

const eventOf = ({ events }: WatchReading, { loginId }: SandboxAccount, state: string): unknown =>
  events.find(({ account, after }) => account?.loginId === String(loginId) && after?.state === state);

test('who watches the health of the accounts is told of each, of each change, and of those that leave', async () => {
  const graph = await startWatched();
  const accounts = currentAccounts(graph);
  const [disconnected, paused] = healthyMembers(graph);
  const watching = watchHealth(graph);
  const [snapshot] = await watching.received(1);
  expect(snapshot).toMatchObject({
    kind: 'SNAPSHOT',
    totalCount: accounts.length,
    accountIds: accounts.map(({ loginId }) => accountId(loginId)),
    accounts: accounts.map(({ loginId, blocked, paused: isPaused }) => ({
      accountId: accountId(loginId),
      account: { id: accountId(loginId), loginId: String(loginId) },
      health: { isBlocked: blocked, isPaused },
    })),
    account: null,
  });
  const fine = { isBlocked: false, isLocked: false, needsReconnect: false, isPaused: false };
  const shown = snapshot.accounts[accounts.indexOf(disconnected)].health;
  expect(shown).toEqual({ ...fine, state: 'HEALTHY', unknownFlags: [] });
  Object.assign(disconnected, { needsReconnect: true });
  await expect
    .poll(() => eventOf(watching, disconnected, 'NEEDS_RECONNECT'))
    .toMatchObject({
      kind: 'HEALTH_CHANGED',
      accounts: null,
      before: { state: 'HEALTHY', needsReconnect: false },
      after: { state: 'NEEDS_RECONNECT', needsReconnect: true, unknownFlags: [] },
    });
  await write(graph, 'pauseAccount', { accountId: legacyAccount(paused.loginId) });
  await expect.poll(() => eventOf(watching, paused, 'PAUSED')).toBeDefined();
  harbour(graph).removeAccount(paused.loginId);
  await expect
    .poll(() => watching.events.find(({ kind }) => kind === 'LEFT'))
    .toMatchObject({ account: { id: accountId(paused.loginId) }, before: { isPaused: true }, after: null });
});

test('who names accounts is told of their health alone, and anew after a time in which it could not be read', async () => {
  const graph = await startWatched();
  const { faults, requests } = graph.sandbox;
  const [one, other] = healthyMembers(graph);
  const id = accountId(one.loginId);
  const watching = watchHealth(graph, { accountIds: [id] });
  const [snapshot] = await watching.received(1);
  expect(snapshot).toMatchObject({ accountIds: [id], stateCounts: [{ state: 'HEALTHY', count: 1 }] });
  const fault = faults.add({ kind: 'status', status: 500, endpoint: ACCOUNTS_CALL, times: Infinity });
  await requests.waitFor(ACCOUNTS_CALL, requests.count(ACCOUNTS_CALL) + 5);
  Object.assign(other, { locked: true });
  Object.assign(one, { blocked: true });
  fault.remove();
  const [, resynced, changed] = await watching.received(3);
  expect(resynced).toMatchObject({
    kind: 'RESYNCED',
    isFollowedByChanges: true,
    totalCount: 1,
    stateCounts: [{ state: 'BLOCKED', count: 1 }],
    accounts: [{ accountId: id, health: { state: 'BLOCKED', isBlocked: true } }],
  });
  expect(Date.parse(resynced.lastSeenAt)).toBeLessThan(Date.parse(resynced.observedAt));
  const change = { kind: 'HEALTH_CHANGED', isFollowedByChanges: null };
  expect(changed).toMatchObject({ ...change, account: { id }, after: { state: 'BLOCKED' } });
});

test('a flag that the list does not show makes the state UNKNOWN and is named, until it is shown', async () => {
  const graph = await startWatched();
  const [{ loginId }] = healthyMembers(graph);
  const index = currentAccounts(graph).findIndex((one) => one.loginId === loginId);
  const fault = graph.sandbox.faults.add(changingRecord(ACCOUNTS_CALL, 'isBlocked', {}, index));
  const watching = watchHealth(graph, { accountIds: [accountId(loginId)] });
  const [snapshot] = await watching.received(1);
  const unknown = { state: 'UNKNOWN', isBlocked: null, unknownFlags: ['IS_BLOCKED'] };
  const stateCounts = [{ state: 'UNKNOWN', count: 1 }];
  expect(snapshot).toMatchObject({ stateCounts, accounts: [{ health: unknown }] });
  fault.remove();
  const [, changed] = await watching.received(2);
  const after = { state: 'HEALTHY', isBlocked: false, unknownFlags: [] };
  expect(changed).toMatchObject({ kind: 'HEALTH_CHANGED', before: unknown, after });
});

test('an account without a group is asked for its detail, a few in each reading, and every one in its turn', async () => {
  const graph = await startWatched();
  const alone = currentAccounts(graph).filter((one) => !isGrouped(graph, one));
  const last = alone.findLast((one) => !one.blocked && !one.locked);
  if (last === undefined) throw new Error('the sandbox has no such account');
  const watching = watchHealth(graph);
  await watching.received(1);
  const details = graph.sandbox.requests.count('GET /accounts/view/{loginId}');
  expect(details).toBeLessThanOrEqual(DETAILS_PER_READING);
  Object.assign(last, { needsReconnect: true });
  await expect.poll(() => eventOf(watching, last, 'NEEDS_RECONNECT')).toBeDefined();
});

// What one reading makes of what the service says, and of what earlier ones have seen.

const origin = { surface: 'current', endpoint: ACCOUNTS_CALL, onDrift: () => undefined } as const;
const FINE = { loginId: 1, isPaused: 'N', isLocked: 'N', isBlocked: 'N' };
const ILL = { loginId: 1, isPaused: 'Y', isLocked: 'Y', isBlocked: 'Y' };

/** What the service says of an account: in the list, in a group, and in the detail, which may fail. */
interface Said {
  readonly listed: object;
  readonly member?: object;
  readonly detail?: object | SourceError;
}

async function read(
  { listed, member, detail = {} }: Said,
  before: Observation<ObservedAccount> | null = null,
): Promise<Observation<ObservedAccount>> {
  const accounts: PagedList<AccountListItem> = {
    fingerprint: 'accounts',
    surface: 'current',
    memory: { sizes: choosableSizes(100) },
    keyOf: ({ loginId }) => loginId,
    readPage: (page, size) =>
      Promise.resolve({ page, size, total: 1, rows: [accountListItem(listed, origin)] }),
  };
  const loaders: Partial<Loaders> = {
    accounts: () => accounts,
    groupMember: { load: () => Promise.resolve(member ? groupMember(member, origin) : null) },
    accountDetail: {
      load: (loginId: string) =>
        detail instanceof SourceError
          ? Promise.reject(detail)
          : Promise.resolve(accountDetail({ loginId, ...detail }, origin)),
    },
  };
  const result = await watchedAccountHealth.read({ loaders: loaders as Loaders, before, isThorough: true });
  return { observedAt: 1, items: new Map(result?.items.map((item) => [item.key, item])), unreadable: [] };
}

function healthIn({ items }: Observation<ObservedAccount>) {
  const record = items.get('1')?.record;
  return record && { state: healthOfFlags(record.flags), ...record.flags };
}

test('flags that a reading does not show are those of the reading before it, or unknown', async () => {
  const first = await read({ listed: ILL, member: { loginId: 1, isReconnect: true } });
  const known = { state: 'BLOCKED', isPaused: true, isLocked: true, isBlocked: true, needsReconnect: true };
  expect(healthIn(first)).toEqual(known);
  expect(healthIn(await read({ listed: { loginId: 1 } }, first))).toEqual(known);
  const nothing = { isPaused: null, isLocked: null, isBlocked: null, needsReconnect: null };
  expect(healthIn(await read({ listed: { loginId: 1 } }))).toEqual({ state: 'UNKNOWN', ...nothing });
});

test('an account that the list does not call locked is locked if its group says so', async () => {
  const { isLocked: _, ...listed } = FINE;
  const reading = await read({ listed, member: { loginId: 1, isLocked: true } });
  expect(healthIn(reading)).toMatchObject({ state: 'LOCKED', isLocked: true });
});

test('a detail that cannot be read leaves what was known, but a key that is not accepted ends the reading', async () => {
  const failed = (kind: SourceError['kind']): Said => ({
    listed: FINE,
    detail: new SourceError(kind, 'current', 'out of order'),
  });
  const first = await read({ listed: FINE, detail: { isReconnect: true } });
  const second = await read(failed('unavailable'), first);
  expect(healthIn(second)).toMatchObject({ state: 'NEEDS_RECONNECT', needsReconnect: true });
  await expect(read(failed('unauthenticated'), second)).rejects.toThrow('out of order');
});

test('what one process has packed, another one understands; what it does not, it takes for nothing', async () => {
  const { items } = await read({ listed: ILL, member: { loginId: 1, isReconnect: true } });
  const [item] = items.values();
  const sent = JSON.stringify(item && watchedAccountHealth.pack(item));
  const unpacked = watchedAccountHealth.unpack(JSON.parse(sent), origin.onDrift);
  expect(unpacked).toMatchObject({ key: '1', facts: item?.facts });
  expect(unpacked && healthOfFlags(unpacked.record.flags)).toBe('BLOCKED');
  expect(watchedAccountHealth.unpack({ wire: {}, flags: {}, detailedAt: null }, origin.onDrift)).toBeNull();
});
