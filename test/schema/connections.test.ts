import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { currentAccounts, harbour } from '../support/accounts.ts';
import { errorsOf, startGraph, type Answer, type RunningGraph, shareGraph } from '../support/graph.ts';
import { callsOf } from '../support/calls.ts';
import { changing, changingPage, MISSING } from '../support/sandbox.ts';
import { WRONG_VALUES } from '../support/faults.ts';

/** A connection to be walked: its field, further arguments, and which field of a node names the record. */
interface Walkable {
  readonly field: string;
  readonly args?: string;
  readonly name: string;
}

type Way = 'forwards' | 'backwards';

/** One window of a walk. */
interface Window {
  readonly names: readonly string[];
  readonly totalCount: number;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly drifted: boolean;
  };
}

interface Connection {
  readonly totalCount: number;
  readonly edges: readonly { readonly cursor: string; readonly node: Readonly<Record<string, string>> }[];
  readonly pageInfo: Window['pageInfo'];
}

/** One window of a connection; throws what the answer says is wrong. */
async function readWindow(
  graph: RunningGraph,
  { field, args = '', name }: Walkable,
  window: string,
): Promise<Window> {
  const answer: Answer = await graph.query(
    `{ ${field}(${window} ${args}) { totalCount edges { cursor node { ${name} } }
       pageInfo { hasNextPage hasPreviousPage startCursor endCursor drifted } } }`,
  );
  if (answer.errors.length > 0) throw new Error(JSON.stringify(answer.errors));
  const { edges, totalCount, pageInfo } = answer.data[field] as Connection;
  return { names: edges.map(({ node }) => node[name] ?? ''), totalCount, pageInfo };
}

/** Walks a connection from one end to the other by windows of a size; `between` runs after each of them. */
async function walk(
  graph: RunningGraph,
  list: Walkable,
  {
    way,
    size,
    between,
  }: { readonly way: Way; readonly size: number; readonly between?: (step: number) => unknown },
): Promise<Window[]> {
  const [count, place] = way === 'forwards' ? ['first', 'after'] : ['last', 'before'];
  const windows: Window[] = [];
  let cursor: string | null = null;
  do {
    const from: string = cursor === null ? '' : `${place}: "${cursor}"`;
    const window: Window = await readWindow(graph, list, `${count}: ${size} ${from}`);
    windows.push(window);
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = window.pageInfo;
    const goesOn = way === 'forwards' ? hasNextPage : hasPreviousPage;
    cursor = way === 'forwards' ? endCursor : startCursor;
    if (goesOn && cursor === null) throw new Error('there is more, but no cursor to it');
    if (!goesOn) return windows;
    await between?.(windows.length);
  } while (windows.length < 2_000);
  throw new Error('the walk has no end');
}

/** The names of a walk in the list's own order. */
function namesOf(windows: readonly Window[], way: Way): string[] {
  const inOrder = way === 'forwards' ? windows : windows.toReversed();
  return inOrder.flatMap(({ names }) => names);
}

// Each list of the graph as a connection. What windows cost, and how they follow a list that changes, is tested for all
// lists at once in test/lists.

const graph = shareGraph();
const large = shareGraph({ sandbox: { data: 'large' } });
const WAYS: readonly Way[] = ['forwards', 'backwards'];

interface List extends Walkable {
  readonly endpoint: EndpointName;
  /** The names of all records, in the order of the list. */
  readonly all: (running: RunningGraph) => readonly string[];
}

const ACCOUNTS: List = {
  field: 'accounts',
  name: 'loginId',
  endpoint: 'GET /accounts/list',
  all: (running) => currentAccounts(running).map(({ loginId }) => String(loginId)),
};
const QUEUE: List = {
  field: 'queuedPosts',
  name: 'postId',
  endpoint: 'GET /posts/queued',
  all: (running) => harbour(running).queue.map(({ postId }) => postId),
};
const HISTORY: List = {
  field: 'aiGenerations',
  name: 'contentId',
  endpoint: 'GET /openai/historyList',
  all: (running) =>
    harbour(running)
      .history.map(({ contentId }) => contentId)
      .toReversed(),
};
const LISTS: readonly List[] = [
  ACCOUNTS,
  {
    field: 'accountGroups',
    name: 'groupId',
    endpoint: 'GET /group/list',
    all: (running) => harbour(running).groups.map(({ groupId }) => String(groupId)),
  },
  QUEUE,
  {
    field: 'libraryItems',
    name: 'itemId',
    endpoint: 'GET /library/list',
    all: (running) =>
      harbour(running)
        .library.toSorted((one, other) => other.createdAt - one.createdAt)
        .map(({ id }) => id),
  },
  HISTORY,
];
/** A part of the queue, which is walked by small windows. */
const PART: List = {
  ...QUEUE,
  args: 'filter: { title: "9" }',
  all: (running) =>
    harbour(running)
      .queue.filter(({ content }) => content.title.includes('9'))
      .map(({ postId }) => postId),
};

const MOST_USED: List = {
  field: 'libraryItems',
  name: 'itemId',
  args: 'orderBy: { field: MOST_USED }',
  endpoint: 'GET /library/list',
  all: (running) =>
    harbour(running)
      .library.toSorted((one, other) => other.totalUsed - one.totalUsed)
      .map(({ id }) => id),
};

const WALKS = [...[...LISTS, MOST_USED].map((list) => [list, 100] as const), [PART, 17] as const].flatMap(
  ([list, size]) => WAYS.map((way) => [list.field, way, size, list] as const),
);

test.each(WALKS)('%s walked %s by %d shows each record once, in order', async (...row) => {
  const [, way, size, list] = row;
  const all = list.all(large);
  expect(all.length).toBeGreaterThanOrEqual(40);
  const windows = await walk(large, list, { way, size });
  expect(namesOf(windows, way)).toEqual(all);
  expect(windows).toHaveLength(Math.ceil(all.length / size));
  for (const [index, { totalCount, pageInfo }] of windows.entries()) {
    const [isFirst, isLast] = [index === 0, index === windows.length - 1];
    expect({ totalCount, ...pageInfo }).toMatchObject({
      totalCount: all.length,
      hasPreviousPage: way === 'forwards' ? !isFirst : !isLast,
      hasNextPage: way === 'forwards' ? !isLast : !isFirst,
      drifted: false,
    });
  }
});

test('250 accounts by windows of a hundred cost four calls forwards and six backwards', async () => {
  const own = await startGraph({ sandbox: { data: 'large' } });
  await walk(own, ACCOUNTS, { way: 'forwards', size: 100 });
  expect(callsOf(own)).toEqual({ 'GET /accounts/list': 4 });
  await walk(own, ACCOUNTS, { way: 'backwards', size: 100 });
  expect(callsOf(own)).toEqual({ 'GET /accounts/list': 10 });
});

test('no page exceeds the configured size', async () => {
  const own = await startGraph({
    environment: { CURRENT_MAX_PAGE_SIZE: '40' },
    sandbox: { data: 'large', quirks: { overLimit: 'error', maxLimit: 40 } },
  });
  const all = ACCOUNTS.all(own);
  expect((await readWindow(own, ACCOUNTS, 'first: 100')).names).toEqual(all.slice(0, 100));
  expect((await readWindow(own, ACCOUNTS, 'last: 100')).names).toEqual(all.slice(-100));
});

test('fields with equal arguments share their calls, and other windows and filters have their own', async () => {
  const count = async (fields: string): Promise<number> => {
    large.sandbox.requests.clear();
    expect((await large.query(`{ ${fields} }`)).errors).toEqual([]);
    return large.sandbox.requests.count();
  };
  const once = await count('a: accounts(last: 100) { nodes { id } }');
  const twice =
    'a: accounts(last: 100) { nodes { id } } b: accounts(last: 100, filter: {}, orderBy: []) { totalCount }';
  expect(await count(twice)).toBe(once);
  const others = `a: accounts(first: 5) { totalCount } b: accounts(first: 6) { totalCount }
    c: accounts(first: 5, filter: { displayName: "1" }) { totalCount }`;
  expect(await count(others)).toBe(3);
});

test('a legacy list costs one call, whatever windows, filters and orders are read of it', async () => {
  const { data, errors } = await large.query(
    `{ a: accounts(surface: LEGACY, first: 100) { nodes { id } pageInfo { endCursor } }
       b: accounts(surface: LEGACY, last: 7) { nodes { id } }
       c: accounts(surface: LEGACY, first: 3, filter: { displayName: "kelpgate" }) { nodes { id } }
       d: accounts(surface: LEGACY, first: 3, orderBy: [{ field: LOGIN_ID, direction: DESC }]) { nodes { id } }
       e: accountGroups(surface: LEGACY, first: 2) { nodes { name } }
       f: accountGroups(surface: LEGACY, last: 2) { nodes { name accounts(last: 1) { totalCount } } } }`,
  );
  expect(errors).toEqual([]);
  expect(callsOf(large)).toEqual({ 'GET /oauth/accounts': 1, 'GET /oauth/groups': 1 });
  expect(data.a.nodes).toHaveLength(100);
  const args = `surface: LEGACY, after: "${data.a.pageInfo.endCursor}", filter: { displayName: null }`;
  const rest = await readWindow(large, { ...ACCOUNTS, args }, 'first: 100');
  expect(rest).toMatchObject({ names: { length: 100 }, pageInfo: { drifted: false } });
});

test('the accounts of a group are paginated without another call', async () => {
  const { data, errors } = await large.query(
    `{ accountGroups(first: 50) { nodes {
      all: accounts(first: 100) { nodes { id } } one: accounts(first: 2) { nodes { id } } end: accounts(last: 1) { nodes { id } }
    } } }`,
  );
  expect(errors).toEqual([]);
  expect(callsOf(large)).toEqual({ 'GET /group/list': 1 });
  const groups = data.accountGroups.nodes as Record<'all' | 'one' | 'end', { nodes: unknown[] }>[];
  expect(groups).toHaveLength(40);
  for (const { all, one, end } of groups)
    expect([one.nodes, end.nodes]).toEqual([all.nodes.slice(0, 2), all.nodes.slice(-1)]);
});

const FIELDS: Readonly<Record<string, string>> = {
  accounts: 'accounts(ARGS) { FACTS }',
  legacyAccounts: 'accounts(surface: LEGACY, ARGS) { FACTS }',
  filteredAccounts: 'accounts(filter: { networks: [FACEBOOK] }, ARGS) { FACTS }',
  groups: 'accountGroups(ARGS) { FACTS }',
  legacyGroups: 'accountGroups(surface: LEGACY, ARGS) { FACTS }',
  members: 'accountGroups(first: 1) { nodes { accounts(ARGS) { FACTS } } }',
  queue: 'queuedPosts(ARGS) { FACTS }',
  library: 'libraryItems(ARGS) { FACTS }',
  history: 'aiGenerations(ARGS) { FACTS }',
};
const PAGE_INFO = 'pageInfo { hasPreviousPage hasNextPage startCursor endCursor drifted }';

/** Reads a page of every list, without what is around it. */
async function readAll(args: string, facts: string): Promise<Record<string, unknown>> {
  const fields = Object.entries(FIELDS).map(
    ([name, field]) => `${name}: ${field.replace('ARGS', args).replace('FACTS', facts)}`,
  );
  const { data, errors } = await large.query(`{ ${fields.join(' ')} }`);
  expect(errors).toEqual([]);
  return { ...data, members: data.members.nodes[0].accounts } as Record<string, unknown>;
}

test.each(['first: 0', 'first: 0, after: ""', 'last: 0', 'last: 0, before: ""'])(
  'a page with %s shows the length of its list, and which side of it is left',
  async (args) => {
    const all = await readAll('first: 1', 'totalCount');
    const isFirst = args.startsWith('first');
    const cursors = { startCursor: null, endCursor: null, drifted: false };
    const pageInfo = { hasPreviousPage: !isFirst, hasNextPage: isFirst, ...cursors };
    for (const [name, empty] of Object.entries(
      await readAll(args, `totalCount nodes { __typename } edges { cursor } ${PAGE_INFO}`),
    )) {
      const { totalCount } = all[name] as Window;
      expect(totalCount, name).toBeGreaterThan(0);
      expect(empty, name).toEqual({ totalCount, nodes: [], edges: [], pageInfo });
    }
  },
);

test('a page of no records costs one call for the facts about its list, and none without them', async () => {
  await readAll('first: 0', 'nodes { id }');
  expect(callsOf(large)).toEqual({ 'GET /group/list': 1 });
  const { endCursor } = (await readWindow(large, ACCOUNTS, 'first: 3')).pageInfo;
  for (const args of [`first: 0, after: "${endCursor}"`, `last: 0, before: "${endCursor}"`]) {
    large.sandbox.requests.clear();
    expect(await readWindow(large, ACCOUNTS, args)).toMatchObject({
      names: [],
      totalCount: 250,
      pageInfo: { hasPreviousPage: true, hasNextPage: true },
    });
    expect(callsOf(large)).toEqual({ 'GET /accounts/list': 1 });
  }
});

/** Checks that the records that were there throughout came once each, in their order, and no record came twice. */
function expectNothingLost(windows: readonly Window[], way: Way, throughout: readonly string[]): void {
  const seen = namesOf(windows, way);
  expect(new Set(seen).size).toBe(seen.length);
  const stayed = new Set(throughout);
  expect(seen.filter((name) => stayed.has(name))).toEqual(throughout);
}

describe('while a list changes', () => {
  test.each(WAYS)('no post that stays is lost or repeated as the queue drains, walked %s', async (way) => {
    const own = await startGraph({ sandbox: { data: 'large' } });
    const drain = (step: number) => harbour(own).drainQueue([50, 0, 7, 120][step % 4] ?? 0);
    const windows = await walk(own, QUEUE, { way, size: 100, between: drain });
    expectNothingLost(windows, way, QUEUE.all(own));
  });

  test.each(WAYS)('no generation is lost or repeated as the history grows, walked %s', async (way) => {
    const own = await startGraph();
    harbour(own).addHistory(150);
    const throughout = HISTORY.all(own);
    // A history that grows as fast as it is read has no end.
    const grow = (step: number) => step <= 5 && harbour(own).addHistory([3, 0, 10, 1][step % 4] ?? 0);
    const windows = await walk(own, HISTORY, { way, size: 17, between: grow });
    expectNothingLost(windows, way, throughout);
    expect(windows.every(({ pageInfo }) => !pageInfo.drifted)).toBe(true);
  });

  test.each(WAYS)('no account that stays is lost as others come and go, walked %s', async (way) => {
    const own = await startGraph({ sandbox: { data: 'large' } });
    const owner = harbour(own);
    const before = ACCOUNTS.all(own);
    const change = (step: number): void => {
      owner.insertAccount(step * 3, { username: `Newcomer ${step}` });
      const gone = owner.accounts[120 + step];
      if (gone) owner.removeAccount(gone.loginId);
    };
    const windows = await walk(own, ACCOUNTS, { way, size: 20, between: change });
    const after = new Set(ACCOUNTS.all(own));
    const throughout = before.filter((id) => after.has(id));
    expect(throughout.length).toBeGreaterThan(220);
    expectNothingLost(windows, way, throughout);
  });

  test('a window whose record is gone has drifted and leaves nothing out', async () => {
    const own = await startGraph();
    const { endCursor } = (await readWindow(own, QUEUE, 'first: 5')).pageInfo;
    harbour(own).drainQueue(8);
    expect(await readWindow(own, QUEUE, `first: 5, after: "${endCursor}"`)).toMatchObject({
      names: QUEUE.all(own).slice(0, 5),
      pageInfo: { drifted: true },
    });
    expect(await readWindow(own, QUEUE, `last: 3, before: "${endCursor}"`)).toMatchObject({
      names: [],
      pageInfo: { drifted: true, hasPreviousPage: false, hasNextPage: true },
    });
  });
});

describe('where the numbers of a page are wrong', () => {
  const NAMES = LISTS.map(({ field }) => field);
  /** All lists beside a field that must be complete whatever happens to them. */
  const QUERY = `{ ${LISTS.map(({ field, name }) => `${field}(first: 3) { totalCount nodes { ${name} } ${PAGE_INFO} }`).join(' ')}
    membership { currentPlan { name } } }`;
  let right: Answer | undefined;

  /** Puts a value into the page of every list; returns the lists that are null with an error, and checks the others. */
  async function malformedWith(path: string, value: unknown): Promise<string[]> {
    graph.sandbox.faults.clear();
    right ??= await graph.query(QUERY);
    expect(right.errors).toEqual([]);
    for (const { endpoint } of LISTS) graph.sandbox.faults.add(changing(endpoint, path, value));
    const answer = await graph.query(QUERY);
    const malformed = NAMES.filter((field) => answer.data[field] === null);
    const label = `${path} = ${inspect(value).slice(0, 60)}`;
    expect(errorsOf(answer), label).toEqual(
      malformed.map((field) => `${field} UPSTREAM_MALFORMED`).toSorted(),
    );
    const nulls = Object.fromEntries(malformed.map((field) => [field, null]));
    expect(answer.data, label).toEqual({ ...right.data, ...nulls });
    return malformed;
  }

  test.each(['currentPage', 'pageLimit', 'totalRecords'])(
    'a list with a wrong %s is null with an error, or right',
    async (name) => {
      const wrong = [...WRONG_VALUES, 1.5];
      const lists = [];
      for (const value of wrong) lists.push(...(await malformedWith(`response.${name}`, value)));
      for (const field of NAMES) {
        // The library has its length under other names too, so that neither nothing nor null does any harm.
        const readable = field === 'libraryItems' ? 2 : 1;
        const malformed = lists.filter((one) => one === field);
        expect(malformed.length, field).toBeGreaterThanOrEqual(wrong.length - readable);
      }
    },
  );

  test.each<[path: string, values: readonly unknown[]]>([
    ['response', [MISSING, null, 'x', [], {}]],
    ['response.list', [...WRONG_VALUES.filter((value) => !Array.isArray(value)), []]],
    ['response.currentPage', [0, 2]],
    ['response.totalRecords', [0, 1, 2, 2 ** 31, Number.MAX_SAFE_INTEGER]],
  ])('a list is null with an error where %s is %j', async (path, values) => {
    for (const value of values) expect(await malformedWith(path, value)).toEqual(NAMES);
  });

  test('a wrong number of pages does no harm, nor do numbers that are text', async () => {
    for (const value of WRONG_VALUES) expect(await malformedWith('response.totalPages', value)).toEqual([]);
    for (const [name, value] of [['currentPage', '1'] as const, ['totalRecords', '12'] as const]) {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(changingPage('GET /accounts/list', { [name]: value }));
      const { data, errors } = await graph.query('{ accounts(first: 12) { totalCount } }');
      expect([errors, data]).toEqual([[], { accounts: { totalCount: 12 } }]);
    }
  });

  test('the library has its length under one of three names, the documented one first', async () => {
    const totals = async (totalRecords: unknown, totalRecord: unknown, totalCount: unknown) => {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(changingPage('GET /library/list', { totalRecords, totalRecord, totalCount }));
      const { data } = await graph.query('{ libraryItems(first: 3) { totalCount } }');
      return (data.libraryItems as Window | null)?.totalCount ?? null;
    };
    expect(await totals(15, 17, 18)).toBe(15);
    expect(await totals(MISSING, 15, 18)).toBe(15);
    expect(await totals(MISSING, MISSING, 15)).toBe(15);
    expect(await totals(MISSING, MISSING, MISSING)).toBeNull();
  });

  const NO_TOTALS = { totalRecords: 0, totalRecord: 0, totalCount: 0, totalPages: 0 };
  const EMPTY_PAGES: readonly Readonly<Record<string, unknown>>[] = [
    ...[[], MISSING, null, '', 'null', {}].map((list) => ({ list })),
    { list: null, totalRecords: '0', totalRecord: MISSING, totalCount: MISSING },
    { list: null, totalRecords: MISSING, totalCount: 0 },
    { list: [], currentPage: 0, pageLimit: 0 },
    { list: null, currentPage: null, pageLimit: MISSING },
  ];

  test.each(LISTS)(
    '$field without records are an empty connection, however that is written',
    async (list) => {
      for (const values of EMPTY_PAGES) {
        graph.sandbox.faults.clear();
        graph.sandbox.faults.add(changingPage(list.endpoint, { ...NO_TOTALS, ...values }));
        for (const args of ['first: 5', 'last: 5'])
          expect(await readWindow(graph, list, args), inspect(values)).toEqual({
            names: [],
            totalCount: 0,
            pageInfo: {
              hasNextPage: false,
              hasPreviousPage: false,
              startCursor: null,
              endCursor: null,
              drifted: false,
            },
          });
      }
    },
  );
});
