import { expect, test } from 'vitest';
import { landmarks } from '../../src/sandbox/data/landmarks.ts';
import { errorsOf } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { changingRecord } from '../support/wire-changes.ts';
import { byName, expectToSpoilOnly, type WrongField, type WrongPlace } from '../support/wrong-records.ts';

const FIRST_ID = landmarks.plainId;
const IDS = Array.from({ length: 12 }, (_, index) =>
  Buffer.from(`1ac:${FIRST_ID + index}`).toString('base64url'),
);

const WHOLE_ACCESS = { hasPermission: true, hasTask: true };
const WHOLE = {
  postSharingAccess: WHOLE_ACCESS,
  socialInboxAccess: WHOLE_ACCESS,
  pageAnalyticsAccess: WHOLE_ACCESS,
  groups: [{ id: 5_101, group_name: 'Shopfront' }],
  scheduleSlots: { Mon: ['09:30 AM'], Tue: ['12:00 AM', '12:00 PM'] },
  shortenerId: 7,
  shortenerMaster: { shortenerScenario: 'tinyhop', shortenerName: 'Tinyhop' },
};

/** Every record with all of its nested parts, so that there is something to damage. */
function wholeRecords(answer: unknown): unknown[] {
  const { list } = (answer as { readonly response: { readonly list: readonly object[] } }).response;
  return list.map((record) => ({ ...record, ...WHOLE }));
}

const LIST: WrongPlace = {
  endpoint: 'GET /accounts/list',
  where: 'accounts.nodes',
  query:
    '{ accounts(first: 12) { nodes { id displayName linkShortener { id code name } groups { groupId name } } } }',
  records: wholeRecords,
};

const LIST_FIELDS: readonly WrongField[] = [
  ['shortenerId', 'id', ['linkShortener.id']],
  ['shortenerMaster', 'record', ['linkShortener.code', 'linkShortener.name']],
  ['shortenerMaster.shortenerScenario', 'text', ['linkShortener.code']],
  ['shortenerMaster.shortenerName', 'text', ['linkShortener.name']],
  ['groups.0.group_name', 'text', ['groups.0.name']],
];

test.each(byName(LIST_FIELDS))(
  'a list item whose %s is wrong loses that field alone',
  async (_wire, field) => {
    await expectToSpoilOnly(await startGraph(), LIST, field);
  },
);

const DETAIL: WrongPlace = {
  endpoint: 'GET /accounts/view/{loginId}',
  where: 'nodes',
  query: `{ nodes(ids: ${JSON.stringify(IDS)}) { id ... on Account {
    displayName groups { groupId name } postingSchedule { day times }
    permissions {
      publishing { hasPermission hasTask } inbox { hasPermission hasTask } analytics { hasPermission hasTask } } } } }`,
  indexOf: ({ loginId }) => Number(loginId) - FIRST_ID,
};

const DETAIL_FIELDS: readonly WrongField[] = [
  ['postSharingAccess.hasPermission', 'flag', ['permissions.publishing.hasPermission']],
  ['postSharingAccess.hasTask', 'flag', ['permissions.publishing.hasTask']],
  ['pageAnalyticsAccess.hasPermission', 'flag', ['permissions.analytics.hasPermission']],
  ['pageAnalyticsAccess.hasTask', 'flag', ['permissions.analytics.hasTask']],
];

test.each(byName(DETAIL_FIELDS))(
  'a detail whose %s is wrong loses that field alone',
  async (_wire, field) => {
    await expectToSpoilOnly(await startGraph(), DETAIL, field);
  },
);

const READ_SCHEDULE = '{ accounts(first: 1) { nodes { displayName postingSchedule { day times } } } }';

test.each<[unknown, unknown]>([
  [
    { Mon: ['09:30 AM'], Wed: [] },
    [
      { day: 'MONDAY', times: ['09:30'] },
      { day: 'WEDNESDAY', times: [] },
    ],
  ],
  [
    { Sun: ['12:00 PM', '12:59 AM', '01:05 pm', '11:59 PM'] },
    [{ day: 'SUNDAY', times: ['00:59', '12:00', '13:05', '23:59'] }],
  ],
  [
    { Sat: ['07:00 AM'], Mon: null, Tue: '', Fri: ['06:00 AM'] },
    [
      { day: 'FRIDAY', times: ['06:00'] },
      { day: 'SATURDAY', times: ['07:00'] },
    ],
  ],
  [{}, []],
  [[], null],
  [null, null],
])('a schedule of %j is shown as %j', async (slots, schedule) => {
  const graph = await startGraph();
  graph.sandbox.faults.add(changingRecord('GET /accounts/view/{loginId}', 'scheduleSlots', slots));
  const { data, errors } = await graph.query(READ_SCHEDULE);
  expect(errors).toEqual([]);
  expect(data.accounts.nodes[0].postingSchedule).toEqual(schedule);
});

test.each([
  { Mon: 'Y' },
  { Mon: {} },
  { Mon: ['25:00 PM'] },
  { Mon: ['09:30'] },
  { Mon: [930] },
  { Mon: [['09:30 AM']] },
])('a schedule of %j can’t be read, and spoils only itself', async (slots) => {
  const graph = await startGraph();
  graph.sandbox.faults.add(changingRecord('GET /accounts/view/{loginId}', 'scheduleSlots', slots));
  const answer = await graph.query(READ_SCHEDULE);
  expect(errorsOf(answer)).toEqual(['accounts.nodes.0.postingSchedule UPSTREAM_MALFORMED']);
  expect(answer.data.accounts.nodes).toEqual([{ displayName: 'Kelpgate Roasters', postingSchedule: null }]);
});

test.each(['id-group_name', 'groupId-groupName'] as const)(
  'the groups of a detail spelt as %s are read',
  async (shape) => {
    const graph = await startGraph({ sandbox: { quirks: { detailGroups: shape } } });
    const { data, errors } = await graph.query(
      `{ account(id: "${IDS[1]}") { groups { groupId name createdAt } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.account.groups).toMatchObject([
      { groupId: '5101', name: 'Shopfront' },
      { groupId: '5103', name: 'Moving pictures' },
    ]);
  },
);

test('the groups of a detail that come as bare ids are groups, and their names are read from the list', async () => {
  const graph = await startGraph({ sandbox: { quirks: { detailGroups: 'ids' } } });
  const { data, errors } = await graph.query(`{ account(id: "${IDS[1]}") { groups { groupId name } } }`);
  expect(errors).toEqual([]);
  expect(data.account.groups).toEqual([
    { groupId: '5101', name: 'Shopfront' },
    { groupId: '5103', name: 'Moving pictures' },
  ]);
});

test.each([{}, { id: null }, { id: {} }, [[]], true])(
  'groups of which one is %j can’t be told, which is an error and no empty list',
  async (group) => {
    const graph = await startGraph();
    graph.sandbox.faults.add(changingRecord('GET /accounts/list', 'groups', [{ id: 5_101 }, group]));
    const answer = await graph.query('{ accounts(first: 1) { nodes { displayName groups { groupId } } } }');
    expect(answer.data.accounts.nodes).toEqual([{ displayName: 'Kelpgate Roasters', groups: null }]);
    expect(errorsOf(answer)).toEqual(['accounts.nodes.0.groups UPSTREAM_MALFORMED']);
  },
);

test.each(['empty', 'null', 'zero-date'] as const)(
  'a time that never was, written as %s, is null',
  async (absentTime) => {
    const graph = await startGraph({ sandbox: { quirks: { absentTime } } });
    const { data, errors } = await graph.query(`{ account(id: "${IDS[0]}") { health { disconnectedAt } } }`);
    expect(errors).toEqual([]);
    expect(data.account.health.disconnectedAt).toBeNull();
  },
);

const FLAGS = ['isBlocked', 'isLocked', 'isReconnect', 'isPaused', 'isDeleted'];

test.each(FLAGS)(
  'health.state is UNKNOWN where %s can’t be read, and the flag’s own field says why',
  async (flag) => {
    const graph = await startGraph();
    graph.sandbox.faults.add(changingRecord('GET /accounts/view/{loginId}', flag, 'perhaps'));
    const answer = await graph.query(
      `{ account(id: "${IDS[0]}") { isBlocked isLocked isPaused isDeleted health { state needsReconnect } } }`,
    );
    expect(answer.data.account.health.state).toBe('UNKNOWN');
    const path = flag === 'isReconnect' ? 'health.needsReconnect' : flag;
    expect(errorsOf(answer)).toEqual([`account.${path} UPSTREAM_MALFORMED`]);
  },
);

test.each([
  [['isDeleted', 'isBlocked', 'isLocked', 'isReconnect', 'isPaused'], 'DELETED'],
  [['isBlocked', 'isLocked', 'isReconnect', 'isPaused'], 'BLOCKED'],
  [['isLocked', 'isReconnect', 'isPaused'], 'LOCKED'],
  [['isReconnect', 'isPaused'], 'NEEDS_RECONNECT'],
  [['isPaused'], 'PAUSED'],
  [[], 'HEALTHY'],
])('of the flags %j the worst makes health.state %s', async (flags, state) => {
  const graph = await startGraph();
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'GET /accounts/view/{loginId}',
    change: (answer) => {
      const { response } = answer as { readonly response: Record<string, unknown> };
      for (const flag of FLAGS) response[flag] = flags.includes(flag);
      return answer;
    },
  });
  const { data } = await graph.query(`{ account(id: "${IDS[0]}") { health { state } } }`);
  expect(data.account.health.state).toBe(state);
});

test('a legacy status that nobody knows is shown as it is, and says nothing of being paused', async () => {
  const graph = await startGraph();
  for (const status of ['Y', 'running', 'PAUSED', 'Stopped']) {
    graph.sandbox.faults.add(changingRecord('GET /oauth/accounts', 'status', status));
    const answer = await graph.query(
      '{ accounts(first: 1, surface: LEGACY) { nodes { statusCode isPaused health { state } } } }',
    );
    expect(answer.data.accounts.nodes).toEqual([
      { statusCode: status, isPaused: null, health: { state: 'UNKNOWN' } },
    ]);
    expect(errorsOf(answer)).toEqual(['accounts.nodes.0.isPaused UPSTREAM_MALFORMED']);
    graph.sandbox.faults.clear();
  }
});

test('what is not as documented is logged once for each field, without its value', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add(changingRecord('GET /accounts/list', 'isPaused', 'planted-value'));
  graph.sandbox.faults.add(changingRecord('GET /accounts/list', 'isPaused', 'planted-value', 1));
  for (const _ of [1, 2]) await graph.query('{ accounts(first: 2) { nodes { isPaused } } }');
  const drifts = graph.log.filter((line) => line.includes('other than documented'));
  expect(drifts).toHaveLength(1);
  expect(JSON.parse(drifts[0] ?? '')).toMatchObject({
    surface: 'current',
    endpoint: 'GET /accounts/list',
    field: 'isPaused',
    expected: 'Y or N',
  });
  expect(graph.log.join('')).not.toContain('planted-value');
});
