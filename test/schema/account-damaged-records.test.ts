import { expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { errorsOf } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingEach } from '../support/wire-changes.ts';

const graph = shareGraph();
const FIRST_ID = landmarks.plainId;
const IDS = Array.from({ length: 12 }, (_, index) =>
  Buffer.from(`1ac:${FIRST_ID + index}`).toString('base64url'),
);

const DETAIL = 'GET /accounts/view/{loginId}';

/** A fault that puts other values into each account's detail, in the order of the accounts. */
function changingDetails(values: readonly Readonly<Record<string, unknown>>[]) {
  const change = (answer: unknown): unknown => {
    const { response } = answer as { readonly response: { readonly loginId: number } };
    return { ...(answer as object), response: { ...response, ...values[response.loginId - FIRST_ID] } };
  };
  return { kind: 'rewrite', endpoint: DETAIL, times: Number.POSITIVE_INFINITY, change } as const;
}

/** Reads a selection of as many accounts as there are values for their details. */
async function readDetails(values: readonly Readonly<Record<string, unknown>>[], selection: string) {
  graph.sandbox.faults.add(changingDetails(values));
  return await graph.query(
    `{ nodes(ids: ${JSON.stringify(IDS.slice(0, values.length))}) { ... on Account { ${selection} } } }`,
  );
}

const LABELS: readonly (readonly [name: unknown, code: unknown, label: string])[] = [
  ['Kelpgate', 'instagram', 'Kelpgate'],
  ['', 'linkedin-pages', `LinkedIn account ${FIRST_ID + 1}`],
  [' \u00a0\n', 'gmb', `Google Business account ${FIRST_ID + 2}`],
  [null, 'a-new-network', `Account ${FIRST_ID + 3}`],
  [{ en: 'Kelpgate' }, 'twitter', `X account ${FIRST_ID + 4}`],
  [[], ['instagram'], `Account ${FIRST_ID + 5}`],
];

test('an account has a label even if its name is blank or damaged, or its network is unknown', async () => {
  const answer = await readDetails(
    LABELS.map(([accountUsername, accountType]) => ({ accountUsername, accountType })),
    'label',
  );
  expect(answer.errors).toEqual([]);
  expect(answer.data.nodes).toEqual(LABELS.map(([, , label]) => ({ label })));
});

const SCHEDULES: readonly (readonly [slots: unknown, schedule: unknown])[] = [
  [
    { Mon: ['09:30 AM'], Wed: [] },
    [
      { day: 'MONDAY', times: ['09:30'] },
      { day: 'WEDNESDAY', times: [] },
    ],
  ],
  [
    { Sun: ['12:00 PM', '12:59 AM', '01:05 pm', '11:59 PM'], Mon: [] },
    [
      { day: 'MONDAY', times: [] },
      { day: 'SUNDAY', times: ['00:59', '12:00', '13:05', '23:59'] },
    ],
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
];

test('a posting schedule has the service’s days from Monday on, with times of a 24-hour clock, earliest first', async () => {
  const { data, errors } = await readDetails(
    SCHEDULES.map(([scheduleSlots]) => ({ scheduleSlots })),
    'postingSchedule { day times }',
  );
  expect(errors).toEqual([]);
  expect(data.nodes).toEqual(SCHEDULES.map(([, postingSchedule]) => ({ postingSchedule })));
});

test('a posting schedule with a time that can’t be read spoils only itself', async () => {
  const days = ['Y', {}, ['25:00 PM'], ['09:30'], [930], [['09:30 AM']]];
  const answer = await readDetails(
    days.map((Mon) => ({ scheduleSlots: { Mon } })),
    'displayName postingSchedule { day times }',
  );
  expect(errorsOf(answer)).toEqual(
    days.map((_, index) => `nodes.${index}.postingSchedule UPSTREAM_MALFORMED`),
  );
  const nodes = answer.data.nodes as { displayName: string; postingSchedule: unknown }[];
  expect(nodes[0]).toEqual({ displayName: 'Kelpgate Roasters', postingSchedule: null });
});

test('a group of which an account tells no id is an error of its groups, and no empty list', async () => {
  const groups = [{}, { id: null }, { id: {} }, [[]], true];
  graph.sandbox.faults.add(
    changingEach('GET /accounts/list', (index) =>
      index < groups.length ? { groups: [{ id: 5_101 }, groups[index]] } : {},
    ),
  );
  const answer = await graph.query(
    `{ accounts(first: ${groups.length}) { nodes { loginId groups { groupId } } } }`,
  );
  expect(answer.data.accounts.nodes).toEqual(
    groups.map((_, index) => ({ loginId: String(FIRST_ID + index), groups: null })),
  );
  expect(errorsOf(answer)).toEqual(
    groups.map((_, index) => `accounts.nodes.${index}.groups UPSTREAM_MALFORMED`),
  );
});

test.each(['empty', 'null', 'zero-date'] as const)(
  'a time that never was, which the service writes as %s, is null',
  async (absentTime) => {
    const other = await startGraph({ sandbox: { quirks: { absentTime } } });
    const { data, errors } = await other.query(`{ account(id: "${IDS[0]}") { health { disconnectedAt } } }`);
    expect(errors).toEqual([]);
    expect(data.account.health.disconnectedAt).toBeNull();
  },
);

const FLAGS = ['isBlocked', 'isLocked', 'isReconnect', 'isPaused', 'isDeleted'];
const NO_FLAGS = Object.fromEntries(FLAGS.map((flag) => [flag, false]));

test('health.state is UNKNOWN where one of its flags can’t be read, and the flag’s own field says why', async () => {
  const answer = await readDetails(
    FLAGS.map((flag) => ({ ...NO_FLAGS, [flag]: 'perhaps' })),
    'isBlocked isLocked isPaused isDeleted health { state needsReconnect }',
  );
  const nodes = answer.data.nodes as { health: { state: string } }[];
  expect(nodes.map(({ health }) => health.state)).toEqual(FLAGS.map(() => 'UNKNOWN'));
  const paths = FLAGS.map((flag) => (flag === 'isReconnect' ? 'health.needsReconnect' : flag));
  expect(errorsOf(answer)).toEqual(paths.map((path, index) => `nodes.${index}.${path} UPSTREAM_MALFORMED`));
});

test('the worst of the flags of an account is its health.state', async () => {
  const states = {
    DELETED: ['isDeleted', 'isBlocked', 'isLocked', 'isReconnect', 'isPaused'],
    BLOCKED: ['isBlocked', 'isLocked', 'isReconnect', 'isPaused'],
    LOCKED: ['isLocked', 'isReconnect', 'isPaused'],
    NEEDS_RECONNECT: ['isReconnect', 'isPaused'],
    PAUSED: ['isPaused'],
    HEALTHY: [],
  };
  const { data } = await readDetails(
    Object.values(states).map((set) => ({
      ...NO_FLAGS,
      ...Object.fromEntries(set.map((flag) => [flag, true])),
    })),
    'health { state }',
  );
  const nodes = data.nodes as { health: { state: string } }[];
  expect(nodes.map(({ health }) => health.state)).toEqual(Object.keys(states));
});

test('a legacy status of unknown meaning is shown as it is, and says nothing of being paused', async () => {
  const statuses = ['Y', 'running', 'PAUSED', 'Stopped'];
  graph.sandbox.faults.add(
    changingEach('GET /oauth/accounts', (index) =>
      index < statuses.length ? { status: statuses[index] } : {},
    ),
  );
  const answer = await graph.query(
    '{ accounts(first: 4, surface: LEGACY) { nodes { statusCode isPaused health { state } } } }',
  );
  expect(answer.data.accounts.nodes).toEqual(
    statuses.map((statusCode) => ({ statusCode, isPaused: null, health: { state: 'UNKNOWN' } })),
  );
  expect(errorsOf(answer)).toEqual(
    statuses.map((_, index) => `accounts.nodes.${index}.isPaused UPSTREAM_MALFORMED`),
  );
});

test('what is not as documented is logged once for each field, without its value', async () => {
  const fresh = await startGraph();
  fresh.sandbox.faults.add(changingEach('GET /accounts/list', () => ({ isPaused: 'planted-value' })));
  for (const _ of [1, 2]) await fresh.query('{ accounts(first: 2) { nodes { isPaused } } }');
  const drifts = fresh.log.filter((line) => line.includes('does not match its documentation'));
  expect(drifts).toHaveLength(1);
  expect(JSON.parse(drifts[0] ?? '')).toMatchObject({
    surface: 'current',
    endpoint: 'GET /accounts/list',
    field: 'isPaused',
    expected: 'Y or N',
  });
  expect(fresh.log.join('')).not.toContain('planted-value');
});
