import { describe, expect, test } from 'vitest';
import {
  commonSchedule,
  isInSchedule,
  nextFreeTimes,
  slotAt,
  wholeSchedule,
} from '../../src/records/posting-slots.ts';
import type { Fault } from '../../packages/sandbox/src/faults/fault.ts';
import { scheduleSlots } from '../../src/sources/current/accounts.ts';
import { accountNamed } from '../support/accounts.ts';
import { errorsOf, onlyError, shareGraph, stillClock } from '../support/graph.ts';
import { callsOf } from '../support/calls.ts';
import { landmarks } from '../support/landmarks.ts';
import {
  changing,
  changingEach,
  changingRecord,
  onlyFaults,
  queueLabels,
  rewriting,
  valueAt,
  withValue,
} from '../support/sandbox.ts';
import { account, idOf, legacyAccount, legacyGroup } from '../support/writes.ts';

const origin = {
  surface: 'current',
  endpoint: 'GET /accounts/view/{loginId}',
  onDrift: () => undefined,
} as const;
const scheduleOf = (slots: object) => scheduleSlots(slots, origin);

/** Friday at nine and at noon, Sunday at five. */
const WEEK = scheduleOf({ Fri: ['12:00 PM', '09:00 AM', '09:00 AM'], Sun: ['05:00 PM'], Mon: [] });

/** The first times that schedules have in common, whatever waits in the queue. */
function timesOf(
  schedules: readonly (typeof WEEK)[],
  after: string,
  count: number,
  timeZone: string | null = null,
) {
  const common = commonSchedule(schedules);
  return common && nextFreeTimes(common, { after, taken: new Set(), count, timeZone });
}

describe('the times of a schedule', () => {
  // The 20th of November 2026 is a Friday.
  test('come one after the other, on the days that have any, each once', () => {
    expect(timesOf([WEEK], '2026-11-20T09:00', 4)).toEqual([
      '2026-11-20T12:00',
      '2026-11-22T17:00',
      '2026-11-27T09:00',
      '2026-11-27T12:00',
    ]);
  });

  test('that a clock change skips or has twice are left out where the zone is known', () => {
    const around = (after: string, timeZone: string | null) =>
      timesOf([scheduleOf({ Sun: ['02:30 AM'], Sat: ['02:30 AM'] })], after, 2, timeZone);
    const spring = ['2026-03-28T02:30', '2026-03-29T02:30'];
    expect(around('2026-03-28T00:00', null)).toEqual(spring);
    expect(around('2026-03-28T00:00', 'Europe/Berlin')).toEqual([spring[0], '2026-04-04T02:30']);
    expect(around('2026-10-25T00:00', 'Europe/Berlin')).toEqual(['2026-10-31T02:30', '2026-11-01T02:30']);
  });

  test('end: none is after the year 9999', () => {
    const daily = scheduleOf({ Thu: ['07:00 AM'], Fri: ['07:00 AM'], Sat: ['07:00 AM'] });
    expect(timesOf([daily], '9999-12-30T00:00', 50)).toEqual(['9999-12-30T07:00', '9999-12-31T07:00']);
  });

  test('that several schedules have in common are those of every one that has any', () => {
    const other = scheduleOf({ Fri: ['12:00 PM'], Sun: ['05:00 PM', '06:00 PM'], Tue: ['09:00 AM'] });
    const none = scheduleOf({ Mon: [] });
    const of = (...schedules: (typeof WEEK)[]) => timesOf(schedules, '2026-11-20T00:00', 2);
    expect(of(WEEK, other)).toEqual(['2026-11-20T12:00', '2026-11-22T17:00']);
    expect(of(none, other, WEEK)).toEqual(of(WEEK, other));
    expect(of(WEEK)).toEqual(['2026-11-20T09:00', '2026-11-20T12:00']);
    expect(of(WEEK, scheduleOf({ Tue: ['09:00 AM'] }))).toEqual([]);
    expect([of(none), of()]).toEqual([[], null]);
  });

  test('are compared in no time, however many the service lists', () => {
    const all = (time: string) => scheduleOf({ Mon: Array.from({ length: 90_000 }, () => time) });
    const [early, late] = [wholeSchedule(all('09:00 AM')), wholeSchedule(all('10:00 AM'))];
    const began = performance.now();
    expect(commonSchedule([early, late])?.monday).toEqual([]);
    // Each with each takes twenty seconds.
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test('are told from others', () => {
    const times = ['2026-11-20T09:00', '2026-11-20T09:01', '2026-11-21T09:00', '2026-02-30T09:00'];
    const found = times.map(slotAt).map((slot) => slot && isInSchedule(WEEK, slot));
    expect(found).toEqual([true, false, false, null]);
  });
});

const { plainId, bigNetworkId, namelessId, blockedId } = landmarks;

const timesIn = (slots: readonly { readonly scheduledAtLocal: string }[] | null): string[] | null =>
  slots && slots.map(({ scheduledAtLocal }) => scheduledAtLocal);

const graph = shareGraph();
const zoned = shareGraph({ environment: { SERVICE_TIME_ZONE: 'UTC' }, sandbox: { now: Date.now } });

const SLOTS = `query ($id: ID!, $count: Int, $after: LocalDateTime) {
  account(id: $id) { nextFreeSlots(count: $count, afterLocal: $after) { scheduledAtLocal scheduledAt } } }`;
const AFTER = new Date(stillClock()).toISOString().slice(0, 16);

/** Shows another time of one post of the queue. */
const movePost = (time: string, record = 0) => {
  const labels = queueLabels(time.replace('T', ' '));
  graph.sandbox.faults.add(changingEach('GET /posts/queued', (index) => (index === record ? labels : {})));
};

async function slotsOf(variables: Readonly<Record<string, unknown>>, running = graph) {
  const data = await running.dataOf(SLOTS, { variables: { id: account(), ...variables } });
  return data.account.nextFreeSlots as { scheduledAtLocal: string; scheduledAt: string | null }[];
}

test('more slots than an answer can hold are refused', async () => {
  const fields = Array.from(
    { length: 30 },
    (_, index) =>
      `a${index}: nextFreeSlots(count: 50, afterLocal: "20${30 + index}-01-01T00:00") { scheduledAtLocal }`,
  );
  const query = `{ accounts(first: 100) { nodes { ${fields.join(' ')} } } }`;
  expect(onlyError(await graph.query(query)).extensions['code']).toBe('LIMIT_EXCEEDED');
});

describe('the free slots of an account', () => {
  test('are the next times of its schedule at which none of its posts waits', async () => {
    const schedule = scheduleOf(accountNamed(graph, plainId).slots);
    const [first = '', second = '', ...others] = timesOf([schedule], AFTER, 6) ?? [];
    const slots = timesIn(await slotsOf({ after: AFTER, count: null }));
    expect(slots).toEqual([first, second, ...others.slice(0, 3)]);
    expect(callsOf(graph)).toEqual({ 'GET /accounts/view/{loginId}': 1, 'GET /posts/queued': 1 });
    // The first post of the queue is of this account.
    movePost(second);
    expect(await slotsOf({ after: AFTER })).toEqual(
      [first, ...others].map((scheduledAtLocal) => ({ scheduledAtLocal, scheduledAt: null })),
    );
  });

  test('need a time to begin at where the zone of the service’s clock is not known', async () => {
    const answer = await graph.query(SLOTS, { variables: { id: account() } });
    expect(errorsOf(answer)).toEqual(['account.nextFreeSlots BAD_USER_INPUT']);
    expect(onlyError(answer).message).toContain('afterLocal is required');
    expect(callsOf(graph)).toEqual({ 'GET /accounts/view/{loginId}': 1 });
  });

  test('begin now where it is known, with their instants, and never earlier', async () => {
    const now = new Date().toISOString().slice(0, 16);
    const slots = await slotsOf({ count: 50 }, zoned);
    expect(slots).toHaveLength(50);
    expect(slots[0]?.scheduledAtLocal.localeCompare(now)).toBeGreaterThan(0);
    for (const { scheduledAtLocal, scheduledAt } of slots)
      expect(scheduledAt).toBe(`${scheduledAtLocal}:00.000Z`);
    expect((await slotsOf({ after: '2020-01-01T00:00', count: 50 }, zoned)).slice(-1)).toEqual(
      slots.slice(-1),
    );
    const [later] = await slotsOf({ after: '2040-01-01T00:00' }, zoned);
    expect(later?.scheduledAtLocal).toMatch(/^2040-01/);
  });

  test.each([
    [{ count: 0 }, 'count must be from 1 to 50.'],
    [{ count: 51 }, 'count must be from 1 to 50.'],
    [{ after: '2026-02-30T10:00' }, 'afterLocal is not a date on the calendar.'],
  ])('are refused for %j', async (variables, message) => {
    const answer = await graph.query(SLOTS, { variables: { id: account(), after: AFTER, ...variables } });
    expect(onlyError(answer)).toMatchObject({ message, extensions: { code: 'BAD_USER_INPUT' } });
  });

  test('are null without a schedule, on the legacy surface, and for a group that its list lacks', async () => {
    const { data } = await graph.query(
      `{ accountGroup(id: "${legacyGroup(5_101)}") { nextFreeSlots(afterLocal: "${AFTER}") { scheduledAt } } }`,
    );
    expect([data.accountGroup, await slotsOf({ id: legacyAccount() })]).toEqual([
      { nextFreeSlots: null },
      null,
    ]);
    graph.sandbox.faults.add(changing('GET /accounts/view/{loginId}', 'response.scheduleSlots', null));
    expect(await slotsOf({ after: AFTER })).toBeNull();
    graph.sandbox.faults.add(changingRecord('GET /group/list', 'groupId', 999));
    const ofGroups = `{ account(id: "${account()}") { groups { nextFreeSlots(afterLocal: "${AFTER}") { scheduledAt } } } }`;
    expect((await graph.query(ofGroups)).data.account.groups).toEqual([{ nextFreeSlots: null }]);
  });

  test('are an error where a post of the account shows a time that can’t be read', async () => {
    movePost('soon');
    const answer = await graph.query(SLOTS, { variables: { id: account(), after: AFTER } });
    expect(errorsOf(answer)).toEqual(['account.nextFreeSlots UPSTREAM_MALFORMED']);
    graph.sandbox.faults.clear();
    movePost('soon', 1);
    expect(await slotsOf({ after: AFTER })).toHaveLength(5);
  });
});

const COMMON = `query ($ids: [ID!], $groups: [ID!], $count: Int, $after: LocalDateTime) {
  freeSlots(accountIds: $ids, accountGroupIds: $groups, count: $count, afterLocal: $after) { scheduledAtLocal } }`;
const SHOPFRONT = idOf('AccountGroup', 'current', '5101');
/** Some accounts of the sandbox, and those of its group "Shopfront". */
const PAIR = [plainId, bigNetworkId];
const MEMBERS = [plainId, bigNetworkId, namelessId, blockedId];

async function commonSlots(variables: Readonly<Record<string, unknown>>) {
  const data = await graph.dataOf(COMMON, { variables: { after: AFTER, ...variables } });
  return timesIn(data.freeSlots);
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** The slots that each of the accounts has by itself. */
async function sharedBy(loginIds: readonly number[]): Promise<string[]> {
  const each = await Promise.all(
    loginIds.map((loginId) => slotsOf({ id: account(loginId), after: AFTER, count: 50 }).then(timesIn)),
  );
  const [first, ...others] = each.map((times) => times ?? []);
  return (first ?? []).filter((time) => others.every((times) => times.includes(time)));
}

/** A fault that changes the schedules of some accounts. */
const schedules = (slots: unknown, ...loginIds: readonly number[]): Fault =>
  rewriting('GET /accounts/view/{loginId}', (answer) =>
    loginIds.includes(Number(valueAt(answer, 'response.loginId')))
      ? withValue(answer, 'response.scheduleSlots', slots)
      : answer,
  );

describe('the free slots of several accounts', () => {
  test('are the times that each of them has free, for a call for each and one reading of the queue', async () => {
    const expected = await sharedBy(PAIR);
    expect(expected.length).toBeGreaterThan(5);
    graph.sandbox.requests.clear();
    const ids = [...PAIR, plainId].map((loginId) => account(loginId));
    expect(await commonSlots({ ids })).toEqual(expected.slice(0, 5));
    expect(callsOf(graph)).toEqual({ 'GET /accounts/view/{loginId}': 2, 'GET /posts/queued': 1 });
  });

  test('of groups are those of all members, each once, as the group has them', async () => {
    const expected = await sharedBy(MEMBERS);
    expect(expected.length).toBeGreaterThan(1);
    graph.sandbox.requests.clear();
    const data = await graph.dataOf(
      `query ($ids: [ID!], $group: ID!, $after: LocalDateTime) {
        freeSlots(accountIds: $ids, accountGroupIds: [$group], count: 2, afterLocal: $after) { scheduledAtLocal }
        accountGroup(id: $group) { nextFreeSlots(count: 2, afterLocal: $after) { scheduledAtLocal } } }`,
      { variables: { ids: [account()], group: SHOPFRONT, after: AFTER } },
    );
    expect(timesIn(data.freeSlots)).toEqual(expected.slice(0, 2));
    expect(data.accountGroup.nextFreeSlots).toEqual(data.freeSlots);
    expect(callsOf(graph)).toEqual({
      'GET /accounts/view/{loginId}': MEMBERS.length,
      'GET /group/list': 1,
      'GET /posts/queued': 1,
    });
  });

  test('are not limited by an account without times, and null if none has a schedule', async () => {
    const ids = PAIR.map((loginId) => account(loginId));
    const alone = await commonSlots({ ids: [account()], count: 50 });
    for (const slots of [null, { Mon: [] }]) {
      onlyFaults(graph.sandbox, schedules(slots, bigNetworkId));
      const both = (await commonSlots({ ids, count: 50 })) ?? [];
      expect(both.slice(0, 40).every((time) => alone?.includes(time))).toBe(true);
      expect(both.slice(0, 5)).toEqual(alone?.slice(0, 5));
      onlyFaults(graph.sandbox, schedules(slots, ...PAIR));
      expect(await commonSlots({ ids })).toEqual(slots && []);
    }
    const empty = idOf('AccountGroup', 'current', String(landmarks.emptyGroupId));
    expect(await commonSlots({ groups: [empty] })).toBeNull();
  });

  test.each([
    [{}, 'accountIds or accountGroupIds must contain at least one ID.'],
    [{ ids: [], groups: [] }, 'accountIds or accountGroupIds must contain at least one ID.'],
    [{ ids: [account(), account(999_999)] }, 'accountIds[1] does not exist.'],
    [{ groups: [idOf('AccountGroup', 'current', '77')] }, 'accountGroupIds[0] does not exist.'],
    [
      { ids: [account(), legacyAccount()] },
      'accountIds[1] is the ID of an account of the legacy surface, which has no posting schedules.',
    ],
    [
      { groups: [legacyGroup(5_101)] },
      'accountGroupIds[0] is the ID of a group of the legacy surface, which has no posting schedules.',
    ],
    [{ ids: [SHOPFRONT] }, 'accountIds[0] must be the ID of an object of type Account, not AccountGroup.'],
    [{ ids: [account()], count: 51 }, 'count must be from 1 to 50.'],
    [{ ids: [account()], after: null }, 'afterLocal is required'],
    [{ groups: [SHOPFRONT], after: '2026-02-30T10:00' }, 'afterLocal is not a date on the calendar.'],
    [{ ids: range(101).map((id) => account(id)) }, 'Too many accounts: 101 (maximum 100).'],
  ])('are refused for %j', async (variables, message) => {
    const answer = await graph.query(COMMON, { variables: { after: AFTER, ...variables } });
    expect(errorsOf(answer)).toEqual(['freeSlots BAD_USER_INPUT']);
    expect(onlyError(answer).message).toContain(message);
    // Only whether an account or group exists takes a call.
    if (!message.includes('does not exist')) expect(callsOf(graph)).toEqual({});
  });

  test('are refused for a group of more than 100 accounts, before their details are read', async () => {
    const members = Array.from({ length: 101 }, (_, index) => ({ loginId: 600_000 + index }));
    graph.sandbox.faults.add(changingRecord('GET /group/list', 'accounts', members));
    const answer = await graph.query(COMMON, { variables: { groups: [SHOPFRONT], after: AFTER } });
    expect(onlyError(answer).message).toBe('Too many accounts: 101 (maximum 100).');
    expect(callsOf(graph)).toEqual({ 'GET /group/list': 1 });
  });
});
