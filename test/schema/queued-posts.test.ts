import { describe, expect, test } from 'vitest';
import type { Post } from '../../packages/sandbox/src/data/model.ts';
import { currentAccounts, harbour, networkOf } from '../support/accounts.ts';
import { errorsOf, onlyError, startGraph, type RunningGraph, shareGraph } from '../support/graph.ts';
import { callsOf } from '../support/calls.ts';
import { eachCase } from '../support/cases.ts';
import { landmarks } from '../support/landmarks.ts';
import { changingEach, changingRecord, MISSING, onlyFaults, queueLabels } from '../support/sandbox.ts';
import { account, legacyAccount, legacyGroup } from '../support/writes.ts';

// The service filters its queue by title alone, and does not order it; this server reads it whole for the rest.

const graph = shareGraph();
const large = shareGraph({ sandbox: { data: 'large' } });
/** A graph whose queue has more than twenty pages. */
const endless = shareGraph({ sandbox: { data: 'large', quirks: { maxLimit: 49 } } });

const QUEUE = 'GET /posts/queued';
const { plainId, pausedId } = landmarks;

const LIST = `query ($filter: QueuedPostFilter, $orderBy: [QueuedPostOrder!], $first: Int, $last: Int, $after: String) {
  queuedPosts(filter: $filter, orderBy: $orderBy, first: $first, last: $last, after: $after) {
    totalCount nodes { postId } pageInfo { endCursor } } }`;

type Variables = Readonly<Record<string, unknown>>;

const list = (variables: Variables, running: RunningGraph = graph) => running.query(LIST, { variables });

async function idsWith(filter: Variables, running: RunningGraph = graph): Promise<string[]> {
  const data = await running.dataOf(LIST, { variables: { filter, first: 100 } });
  const nodes = data.queuedPosts.nodes as { postId: string }[];
  expect(data.queuedPosts.totalCount).toBe(nodes.length);
  return nodes.map(({ postId }) => postId);
}

/** The ids of the posts that are wanted: some, and not all. */
function idsOf(isWanted: (post: Post, index: number) => boolean): string[] {
  const { queue } = harbour(graph);
  const wanted = queue.filter(isWanted);
  expect(wanted.length, 'some posts are wanted').toBeGreaterThan(0);
  expect(wanted.length, 'and others are not').toBeLessThan(queue.length);
  return wanted.map(({ postId }) => postId);
}

const isOf =
  (...ids: number[]) =>
  (post: Post) =>
    ids.includes(post.account.loginId);

/** When a post is due, by the service's clock. */
const due = (index: number): string | undefined => {
  const post = harbour(graph).queue[index];
  return post && new Date(post.dueAt).toISOString().slice(0, 16);
};

/** The texts of accounts' posts, in the order of the queue. */
const textsOf = (...loginIds: number[]): string[] =>
  harbour(graph)
    .queue.filter(isOf(...loginIds))
    .map(({ content }) => content.description);

test('each part of a filter lists the posts to which it applies, in the order of the queue', async () => {
  await eachCase<readonly [Variables, string[]]>(
    [
      [{ accountIds: [account()] }, idsOf(isOf(plainId))],
      [{ accountIds: [account(pausedId), account()] }, idsOf(isOf(plainId, pausedId))],
      [{ networks: ['X', 'TIKTOK'] }, idsOf((post) => ['X', 'TIKTOK'].includes(networkOf(post.account)))],
      [{ networks: ['UNKNOWN'] }, idsOf((post) => networkOf(post.account) === 'UNKNOWN')],
      [{ title: 'MARKET of' }, idsOf((_, index) => index === 24)],
      [{ text: 'OFFICE' }, idsOf(({ content }) => content.title.startsWith('Office'))],
      [{ text: 'cold SWIMMERS' }, idsOf(({ content }) => content.title === 'Harbour swim')],
      [{ scheduledFromLocal: due(3), scheduledUntilLocal: due(4) }, idsOf((_, index) => index === 3)],
      [
        { accountIds: [account()], networks: ['FACEBOOK'], text: 'e', scheduledFromLocal: due(1) },
        idsOf((post, index) => isOf(plainId)(post) && index > 0),
      ],
      [{ accountIds: [account(), account(999_999)] }, idsOf(isOf(plainId))],
      [{ accountIds: [account()], networks: ['X'] }, []],
      [{ accountIds: [account(999)] }, []],
    ],
    async ([filter, ids]) => expect(await idsWith(filter)).toEqual(ids),
  );
});

test.each<[filter: Variables, query: Record<string, string>]>([
  [{ accountIds: null, networks: null, text: '', scheduledFromLocal: null, scheduledUntil: null }, {}],
  [{ title: 'MARKET of' }, { q: 'MARKET of' }],
  [{ title: 'the', accountIds: [account()] }, { q: 'the' }],
])('the filter %j is sent as %j', async (filter, query) => {
  await idsWith(filter);
  expect(graph.sandbox.requests.all.map((one) => Object.fromEntries(one.query))).toEqual([
    { page: '1', limit: '100', ...query },
  ]);
});

test.each<[filter: Variables, argument: string]>([
  [{ accountIds: [] }, 'filter.accountIds'],
  [{ networks: [] }, 'filter.networks'],
  [{ accountIds: [account(), legacyAccount()] }, 'filter.accountIds[1]'],
  [{ accountIds: ['410201'] }, 'filter.accountIds[0]'],
  [{ scheduledFromLocal: '2026-02-30T09:00' }, 'filter.scheduledFromLocal'],
  [{ scheduledFrom: '2026-11-20T09:00:00Z' }, 'SERVICE_TIME_ZONE'],
  [
    { scheduledUntil: '2026-11-20T09:00:00Z', scheduledUntilLocal: '2026-11-20T09:00' },
    'filter.scheduledUntil',
  ],
])('the filter %j is refused with the name %s, and nothing is sent', async (filter, argument) => {
  const answer = await list({ filter });
  expect(errorsOf(answer)).toEqual(['queuedPosts BAD_USER_INPUT']);
  expect(onlyError(answer).message).toContain(argument);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('with the zone of the service’s clock, instants are compared to the minute', async () => {
  const berlin = await startGraph({
    environment: { SERVICE_TIME_ZONE: 'Europe/Berlin' },
    sandbox: { now: () => Date.parse('2026-11-20T08:00:00Z') },
  });
  const ids = harbour(berlin).queue.map(({ postId }) => postId);
  // The sandbox's clock shows 11:05 for the first post, which is 10:05 of UTC in the zone.
  expect(due(0)).toBe('2026-11-20T11:05');
  expect(await idsWith({ scheduledFrom: '2026-11-20T10:05:00Z' }, berlin)).toEqual(ids);
  expect(await idsWith({ scheduledFrom: '2026-11-20T10:05:01Z' }, berlin)).toEqual(ids.slice(1));
  expect(await idsWith({ scheduledUntil: '2026-11-20T11:05:00+01:00' }, berlin)).toEqual([]);
  expect(await idsWith({ scheduledUntil: '2026-11-20T10:05:30Z' }, berlin)).toEqual(ids.slice(0, 1));
  expect(await idsWith({ scheduledUntil: '9999-12-31T23:59:59Z' }, berlin)).toEqual(ids);
  expect(await idsWith({ scheduledFrom: '9999-12-31T23:59:59Z' }, berlin)).toEqual([]);
});

describe('a post on which a filter cannot decide', () => {
  test.each<[wire: string, value: unknown, filter: Variables]>([
    ['loginId', {}, { accountIds: [account()] }],
    ['loginId', null, { accountIds: [account()] }],
    ['scenario', {}, { networks: ['X'] }],
    ['postTitle', {}, { text: 'nowhere' }],
  ])('fails the list: %s is %j', async (wire, value, filter) => {
    graph.sandbox.faults.add(changingRecord(QUEUE, wire, value, 7));
    const answer = await list({ filter });
    expect(errorsOf(answer)).toEqual(['queuedPosts UPSTREAM_MALFORMED']);
    expect(answer.data.queuedPosts).toBeNull();
  });

  test('fails no list where something else decides', async () => {
    graph.sandbox.faults.add(changingRecord(QUEUE, 'postTitle', {}, 7));
    expect(await idsWith({ accountIds: [account()] })).toEqual(idsOf(isOf(plainId)));
  });

  test('fails a list of a time if it shows an unreadable time, and is left out if it shows none', async () => {
    const filter = { scheduledFromLocal: due(0) };
    const showing = (label: string) =>
      changingEach(QUEUE, (index) => (index === 7 ? queueLabels(label) : {}));
    graph.sandbox.faults.add(showing('03/04/2026 09:30'));
    expect(errorsOf(await list({ filter }))).toEqual(['queuedPosts UPSTREAM_MALFORMED']);
    onlyFaults(graph.sandbox, showing(''));
    expect(await idsWith(filter)).toEqual(idsOf((_, index) => index !== 7));
  });
});

const BY_TIME = { field: 'SCHEDULED_AT' };
const DOWN = { field: 'SCHEDULED_AT', direction: 'DESC' };

describe('the queue by time', () => {
  /** Hours of the posts by their place in the queue; null for a time that cannot be read. All others are at noon. */
  const HOURS: readonly (number | null)[] = [15, null, 9, 15, 9, null, 18];
  const shuffle = () =>
    graph.sandbox.faults.add(
      changingEach(QUEUE, (index) => {
        const hour = HOURS[index] === undefined ? 12 : HOURS[index];
        return queueLabels(hour === null ? 'some day' : `2031-05-20 ${String(hour).padStart(2, '0')}:00`);
      }),
    );
  const places = (): number[] => harbour(graph).queue.map((_, place) => place);
  const noon = (): number[] => places().slice(HOURS.length);
  const placesOf = ({ nodes }: { nodes: { postId: string }[] }): number[] =>
    nodes.map(({ postId }) => harbour(graph).queue.findIndex((post) => post.postId === postId));

  async function placesIn(variables: Variables): Promise<number[]> {
    const data = await graph.dataOf(LIST, { variables: { first: 100, ...variables } });
    return placesOf(data.queuedPosts);
  }

  test('has equal times in the order of the queue, and unreadable ones last in both directions', async () => {
    shuffle();
    const ascending = [2, 4, ...noon(), 0, 3, 6, 1, 5];
    const descending = [6, 0, 3, ...noon(), 2, 4, 1, 5];
    expect(await placesIn({ orderBy: [BY_TIME] })).toEqual(ascending);
    expect(await placesIn({ orderBy: [{ ...BY_TIME, direction: null }] })).toEqual(ascending);
    expect(await placesIn({ orderBy: [DOWN] })).toEqual(descending);
    expect(await placesIn({ orderBy: [DOWN, BY_TIME] })).toEqual(descending);
    expect(await placesIn({ orderBy: [DOWN], first: null, last: 3 })).toEqual(descending.slice(-3));
    for (const orderBy of [null, []]) expect(await placesIn({ orderBy })).toEqual(places());
  });

  test('can be filtered, and is that of an account and of a group as well', async () => {
    shuffle();
    const own = (loginIds: readonly number[]) => (place: number) =>
      loginIds.includes(harbour(graph).queue[place]?.account.loginId ?? 0);
    const all = await placesIn({ orderBy: [DOWN] });
    const ofAccount = all.filter(own([plainId]));
    expect(ofAccount.length).toBeGreaterThan(1);
    expect(await placesIn({ orderBy: [DOWN], filter: { accountIds: [account()] } })).toEqual(ofAccount);
    const data = await graph.dataOf(
      `query ($id: ID!, $orderBy: [QueuedPostOrder!]) {
        account(id: $id) { queuedPosts(orderBy: $orderBy) { nodes { postId } } }
        accountGroups(first: 1) { nodes { accounts { nodes { loginId } } queuedPosts(orderBy: $orderBy) { nodes { postId } } } } }`,
      { variables: { id: account(), orderBy: [DOWN] } },
    );
    expect(placesOf(data.account.queuedPosts)).toEqual(ofAccount);
    const [group] = data.accountGroups.nodes;
    const members = (group.accounts.nodes as { loginId: string }[]).map(({ loginId }) => Number(loginId));
    expect(placesOf(group.queuedPosts)).toEqual(all.filter(own(members)).slice(0, 20));
  });
});

test('a filtered or ordered list is paginated by cursors that no other list accepts', () =>
  eachCase<Variables>([{ filter: { accountIds: [account()] } }, { orderBy: [DOWN] }], async (variables) => {
    const { data: whole } = await list({ ...variables, first: 100 });
    const { data: page } = await list({ ...variables, first: 3 });
    const after = page.queuedPosts.pageInfo.endCursor as string;
    const { data: rest } = await list({ ...variables, first: 100, after });
    expect([...page.queuedPosts.nodes, ...rest.queuedPosts.nodes]).toEqual(whole.queuedPosts.nodes);
    for (const other of [{}, { filter: { text: 'e' } }, { orderBy: [BY_TIME] }, { orderBy: [] }])
      expect(errorsOf(await list({ ...other, after }))).toEqual(['queuedPosts INVALID_CURSOR']);
  }));

describe('a queue of several pages', () => {
  test('is read once for all filters and orders of an operation', async () => {
    const data = await large.dataOf(`{ a: queuedPosts(filter: { networks: [X] }) { totalCount }
         b: queuedPosts(filter: { text: "espresso" }, last: 5) { totalCount nodes { text } }
         c: queuedPosts(last: 2, orderBy: { field: SCHEDULED_AT, direction: DESC }) { totalCount } }`);
    const { queue } = harbour(large);
    expect(data.a.totalCount).toBe(queue.filter((post) => networkOf(post.account) === 'X').length);
    const wanted = queue.filter(({ content }) =>
      /espresso/i.test(`${content.title}\n${content.description}`),
    );
    expect(data.b).toEqual({
      totalCount: wanted.length,
      nodes: wanted.slice(-5).map(({ content }) => ({ text: content.description })),
    });
    expect(callsOf(large)).toEqual({ [QUEUE]: 20 });
  });

  test.each<[Variables]>([[{ filter: { networks: ['X'] } }], [{ orderBy: [BY_TIME] }]])(
    'of more than twenty is SCAN_LIMIT_REACHED with %j, and no part of it is shown',
    async (variables) => {
      const answer = await list(variables, endless);
      expect(errorsOf(answer)).toEqual(['queuedPosts SCAN_LIMIT_REACHED']);
      expect(onlyError(answer).message).toContain('more than 20 pages');
      expect(answer.data.queuedPosts).toBeNull();
      expect(callsOf(endless)).toEqual({ [QUEUE]: 20 });
    },
  );
});

interface Listed {
  readonly totalCount: number;
  readonly nodes: readonly { readonly text: string }[];
}
const shown = ({ nodes }: Listed): string[] => nodes.map(({ text }) => text);

const queueOf = (args: string, loginId: number = plainId): string =>
  `{ account(id: "${account(loginId)}") { queuedPosts(${args}) { totalCount nodes { text } pageInfo { endCursor } } } }`;

describe('the queue of an account', () => {
  test('is its posts in the order of the queue, with one reading for all accounts of an operation', async () => {
    const data = await graph.dataOf(
      '{ accounts(first: 50) { nodes { loginId queuedPosts(first: 50) { totalCount nodes { text } } } } }',
    );
    const nodes = data.accounts.nodes as { loginId: string; queuedPosts: Listed }[];
    expect(nodes).toHaveLength(currentAccounts(graph).length);
    for (const { loginId, queuedPosts } of nodes) {
      expect(shown(queuedPosts)).toEqual(textsOf(Number(loginId)));
      expect(queuedPosts.totalCount).toBe(queuedPosts.nodes.length);
    }
    expect(callsOf(graph)).toEqual({ 'GET /accounts/list': 1, [QUEUE]: 1 });
  });

  test('can be filtered further, and has cursors of its own', async () => {
    const [first = '', ...rest] = textsOf(plainId);
    const page = (await graph.query(queueOf('first: 1'))).data.account.queuedPosts;
    expect(shown(page)).toEqual([first]);
    const after = `after: "${page.pageInfo.endCursor}"`;
    expect(shown((await graph.query(queueOf(after))).data.account.queuedPosts)).toEqual(rest);
    expect(errorsOf(await graph.query(queueOf(after, pausedId)))).toEqual([
      'account.queuedPosts INVALID_CURSOR',
    ]);
    const swim = await graph.query(queueOf('filter: { text: "swimmers" }'));
    expect(shown(swim.data.account.queuedPosts)).toEqual(rest.filter((text) => text.includes('swimmers')));
    const others = await graph.query(queueOf(`filter: { accountIds: ["${account(pausedId)}"] }`));
    expect(others.data.account.queuedPosts.totalCount).toBe(0);
  });

  test('is null on the legacy surface, as that of a group is, and unlike that of the counterpart', async () => {
    const data =
      await graph.dataOf(`{ account(id: "${legacyAccount()}") { queuedPosts { totalCount } counterpart { queuedPosts { totalCount } } }
         accountGroup(id: "${legacyGroup(5_103)}") { queuedPosts { totalCount } } }`);
    const counterpart = { queuedPosts: { totalCount: textsOf(plainId).length } };
    expect(data).toEqual({
      account: { queuedPosts: null, counterpart },
      accountGroup: { queuedPosts: null },
    });
  });
});

describe('the queue of a group', () => {
  const ALL =
    '{ accountGroups(first: 10) { nodes { groupId queuedPosts(first: 50) { totalCount nodes { text } } } } }';
  interface Group {
    readonly groupId: string;
    readonly queuedPosts: Listed | null;
  }

  test('is that of its members, in the order of the queue', async () => {
    const data = await graph.dataOf(ALL);
    const groups = data.accountGroups.nodes as Group[];
    for (const { groupId, queuedPosts } of groups) {
      const group = harbour(graph).groups.find((one) => String(one.groupId) === groupId);
      const members = (group?.members ?? []).filter(({ surfaces }) => surfaces.current);
      expect(queuedPosts && shown(queuedPosts)).toEqual(textsOf(...members.map(({ loginId }) => loginId)));
    }
    expect(groups.map(({ queuedPosts }) => queuedPosts?.totalCount)).toEqual([10, 4, 6, 0]);
    expect(callsOf(graph)).toEqual({ 'GET /group/list': 1, [QUEUE]: 1 });
  });

  test('is found from an account, and is null if the list of groups lacks the group', async () => {
    const query = `{ account(id: "${account()}") { groups { groupId queuedPosts(first: 1) { totalCount } } } }`;
    const groups = async () => (await graph.dataOf(query)).account.groups as unknown;
    expect(await groups()).toEqual([{ groupId: '5101', queuedPosts: { totalCount: 10 } }]);
    expect(callsOf(graph)['GET /group/list']).toBe(1);
    graph.sandbox.faults.add(changingRecord('GET /group/list', 'groupId', 999));
    expect(await groups()).toEqual([{ groupId: '5101', queuedPosts: null }]);
  });

  test('fails where a member shows no id, and no other group does', async () => {
    graph.sandbox.faults.add(changingRecord('GET /group/list', 'accounts.0.loginId', MISSING));
    const answer = await graph.query(ALL);
    expect(errorsOf(answer)).toEqual(['accountGroups.nodes.0.queuedPosts UPSTREAM_MALFORMED']);
    const groups = answer.data.accountGroups.nodes as Group[];
    expect(groups.map(({ queuedPosts }) => queuedPosts?.totalCount)).toEqual([undefined, 4, 6, 0]);
  });
});

test('a filter of thousands of ids is read once, however many fields it is passed to', async () => {
  const query = `query ($ids: [ID!]) {
    accounts(first: 100) { nodes { queuedPosts(filter: { accountIds: $ids }) { totalCount } } } }`;
  const cpuMs = async (count: number): Promise<number> => {
    const ids = Array.from({ length: count }, (_, index) => account(900_000 + index));
    const before = process.cpuUsage();
    const { data, errors } = await large.query(query, { variables: { ids } });
    const { user, system } = process.cpuUsage(before);
    expect([errors, data.accounts.nodes.length]).toEqual([[], 100]);
    return (user + system) / 1_000;
  };
  // The first ones compile.
  for (const count of [9, 9_000]) await cpuMs(count);
  // Fifteen times as long, where each field reads them.
  expect(await cpuMs(9_000)).toBeLessThan(7 * Math.max(await cpuMs(9), 50));
});
