import { expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { Quirks } from '../../packages/sandbox/src/quirks.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const LIST: EndpointName = 'GET /accounts/list';

const WINDOW = `fragment Window on AccountConnection {
  totalCount
  pageInfo { hasPreviousPage hasNextPage startCursor endCursor drifted }
  edges { cursor node { loginId } }
}`;

interface Facts {
  readonly totalCount: number;
  readonly pageInfo: Readonly<Record<'hasPreviousPage' | 'hasNextPage' | 'drifted', boolean>> &
    Readonly<Record<'startCursor' | 'endCursor', string | null>>;
}

interface WireConnection extends Facts {
  readonly edges: readonly { readonly node: { readonly loginId: string } }[];
}

/** What a connection showed. */
interface Shown extends Facts {
  readonly ids: readonly string[];
}

const shown = ({ edges, ...rest }: WireConnection): Shown => ({
  ids: edges.map(({ node }) => node.loginId),
  ...rest,
});

/** A graph before 250 accounts that stay, and one for a test that changes them, or counts from the first call. */
const still = shareGraph({ sandbox: { data: 'large' } });
const large = (quirks: Partial<Quirks> = {}) => startGraph({ sandbox: { data: 'large', quirks } });

/** Reads a window of the accounts as an operation of its own. */
async function read(graph: RunningGraph, args: string): Promise<Shown & { readonly calls: number }> {
  graph.sandbox.requests.clear();
  const { data, errors } = await graph.query(`{ accounts(${args}) { ...Window } } ${WINDOW}`);
  expect(errors).toEqual([]);
  return { ...shown(data.accounts), calls: graph.sandbox.requests.count(LIST) };
}

/** The accounts that the current surface lists, as they stand in the sandbox now. */
function listed({ sandbox }: RunningGraph): string[] {
  const { accounts } = sandbox.state.owner('harbour');
  return accounts.filter(({ surfaces }) => surfaces.current).map(({ loginId }) => String(loginId));
}

test('a window costs one call, also where its pages, counted from its own start, would not line up', async () => {
  const graph = await large();
  const first = await read(graph, 'first: 33');
  const second = await read(graph, `first: 33, after: "${first.pageInfo.endCursor}"`);
  expect([first.calls, second.calls]).toEqual([1, 1]);
  expect([...first.ids, ...second.ids]).toEqual(listed(graph).slice(0, 66));
  expect(second).toMatchObject({
    totalCount: 250,
    pageInfo: { hasPreviousPage: true, hasNextPage: true, drifted: false },
  });
});

test('windows of a hundred walk through 250 accounts forwards in four calls', async () => {
  const graph = await large();
  const windows = [await read(graph, 'first: 100')];
  for (let end = windows[0]?.pageInfo; end?.hasNextPage; end = windows.at(-1)?.pageInfo) {
    windows.push(await read(graph, `first: 100, after: "${end.endCursor}"`));
  }
  expect(windows.flatMap(({ ids }) => ids)).toEqual(listed(graph));
  expect(windows.map(({ calls }) => calls)).toEqual([1, 2, 1]);
  expect(windows.map(({ pageInfo }) => pageInfo.hasPreviousPage)).toEqual([false, true, true]);
});

test('windows of a hundred walk through 250 accounts backwards in six calls', async () => {
  const graph = await large();
  const windows = [await read(graph, 'last: 100')];
  for (let end = windows[0]?.pageInfo; end?.hasPreviousPage; end = windows[0]?.pageInfo) {
    windows.unshift(await read(graph, `last: 100, before: "${end.startCursor}"`));
  }
  expect(windows.flatMap(({ ids }) => ids)).toEqual(listed(graph));
  expect(windows.map(({ calls }) => calls)).toEqual([1, 2, 3]);
  expect(windows.map(({ pageInfo }) => pageInfo.hasNextPage)).toEqual([true, true, false]);
});

test.each([
  [10, 11, 11],
  [25, 5, 5],
  [30, 5, 5],
  [null, 3, 3],
])(
  'where pages hold %j at most, the last hundred accounts cost %i calls, and later %i',
  async (maxLimit, once, later) => {
    const graph = await large({ maxLimit });
    const first = await read(graph, 'last: 100');
    const second = await read(graph, 'last: 100');
    expect([first.calls, second.calls]).toEqual([once, later]);
    expect(first.ids).toEqual(listed(graph).slice(-100));
    expect(second).toEqual({ ...first, calls: later });
    const sizes = graph.sandbox.requests.of(LIST).map(({ query }) => Number(query.get('limit')));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxLimit ?? 100);
  },
);

test('no page larger than the configured maximum is asked for', async () => {
  const graph = await startGraph({
    environment: { CURRENT_MAX_PAGE_SIZE: '40' },
    sandbox: { data: 'large', quirks: { overLimit: 'error', maxLimit: 40 } },
  });
  expect((await read(graph, 'first: 100')).ids).toEqual(listed(graph).slice(0, 100));
  expect((await read(graph, 'last: 100')).ids).toEqual(listed(graph).slice(-100));
});

test('aliases with the same arguments share their calls; other windows and filters have their own', async () => {
  const graph = await large();
  const { data } = await graph.query(
    `{ a: accounts(last: 100) { ...Window } b: accounts(last: 100, filter: {}, orderBy: []) { ...Window } } ${WINDOW}`,
  );
  expect(data.a).toEqual(data.b);
  expect(graph.sandbox.requests.count(LIST)).toBe(3);
  await graph.query(`{ a: accounts(first: 5) { totalCount } b: accounts(first: 6) { totalCount }
    c: accounts(first: 5, filter: { displayName: "1" }) { totalCount } }`);
  expect(graph.sandbox.requests.count(LIST)).toBe(6);
});

test('a list without records has neither cursors nor neighbours', async () => {
  const graph = still;
  const pageInfo = {
    hasPreviousPage: false,
    hasNextPage: false,
    startCursor: null,
    endCursor: null,
    drifted: false,
  };
  for (const end of ['first', 'last']) {
    const seen = await read(graph, `${end}: 5, filter: { displayName: "nobody has this name" }`);
    expect(seen).toEqual({ ids: [], totalCount: 0, pageInfo, calls: 1 });
  }
});

test.each(['empty', 'last-page', 'repeat-last', 'error'] as const)(
  'a window goes on right after its record while accounts come and go (a page past the end: %s)',
  async (beyondLastPage) => {
    const graph = await large({ beyondLastPage });
    const owner = graph.sandbox.state.owner('harbour');
    const first = await read(graph, 'first: 100, after: null');
    for (const id of listed(graph).slice(0, 60)) owner.removeAccount(Number(id));
    owner.insertAccount(0);
    const second = await read(graph, `first: 100, after: "${first.pageInfo.endCursor}"`);
    const now = listed(graph);
    expect(second.ids).toEqual(now.slice(41, 141));
    expect(second.pageInfo.drifted).toBe(false);
    const back = await read(graph, `last: 100, before: "${second.pageInfo.startCursor}"`);
    expect(back).toMatchObject({
      ids: now.slice(0, 41),
      pageInfo: { hasPreviousPage: false, drifted: false },
    });
    for (const id of now.slice(20)) owner.removeAccount(Number(id));
    const gone = await read(graph, `first: 100, after: "${second.pageInfo.endCursor}"`);
    expect(gone).toMatchObject({ totalCount: 20, pageInfo: { hasNextPage: false, drifted: true } });
  },
);

test('a window whose record is gone says that it drifted, and leaves nothing out', async () => {
  const graph = await large();
  const first = await read(graph, 'first: 20');
  graph.sandbox.state.owner('harbour').removeAccount(Number(first.ids.at(-1)));
  const second = await read(graph, `first: 20, after: "${first.pageInfo.endCursor}"`);
  expect(second.ids).toEqual(listed(graph).slice(19, 39));
  expect(second.pageInfo.drifted).toBe(true);
});

test('a list that moves between two pages of one window is read anew', async () => {
  const graph = await large({ maxLimit: 10 });
  await read(graph, 'first: 30');
  let isMoved = false;
  graph.sandbox.faults.add({
    endpoint: LIST,
    kind: 'rewrite',
    change(answer) {
      if (!isMoved) graph.sandbox.state.owner('harbour').insertAccount(0);
      isMoved = true;
      return answer;
    },
  });
  const seen = await read(graph, 'first: 30');
  expect(seen.ids).toEqual(listed(graph).slice(0, 30));
  expect(seen).toMatchObject({ totalCount: 251, pageInfo: { drifted: false } });
});

test('legacy lists cost one call, however many windows, filters and orders are asked of them', async () => {
  const graph = still;
  const { data, errors } = await graph.query(
    `{ a: accounts(surface: LEGACY, first: 100) { ...Window }
       b: accounts(surface: LEGACY, last: 7) { ...Window }
       c: accounts(surface: LEGACY, first: 3, filter: { displayName: "kelpgate" }) { ...Window }
       d: accounts(surface: LEGACY, first: 3, orderBy: [{ field: LOGIN_ID, direction: DESC }]) { ...Window }
       e: accountGroups(surface: LEGACY, first: 2) { nodes { name } }
       f: accountGroups(surface: LEGACY, last: 2) { nodes { name accounts(last: 1) { totalCount } } } } ${WINDOW}`,
  );
  expect(errors).toEqual([]);
  expect(graph.sandbox.requests.count('GET /oauth/accounts')).toBe(1);
  expect(graph.sandbox.requests.count('GET /oauth/groups')).toBe(1);
  expect(graph.sandbox.requests.count()).toBe(2);
  expect(shown(data.a)).toMatchObject({
    ids: { length: 100 },
    pageInfo: { hasPreviousPage: false, hasNextPage: true },
  });
  const end = data.a.pageInfo.endCursor;
  const rest = await read(
    graph,
    `surface: LEGACY, first: 100, after: "${end}", filter: { displayName: null }`,
  );
  expect(rest.ids).not.toContain(shown(data.a).ids.at(-1));
  expect(rest).toMatchObject({ ids: { length: 100 }, calls: 0, pageInfo: { drifted: false } });
});

test('windows of the accounts of a group cost no call beside that for the groups', async () => {
  const graph = still;
  const { data } = await graph.query(
    `{ accountGroups(first: 50) { nodes {
      all: accounts(first: 100) { ...Window } one: accounts(first: 2) { ...Window } end: accounts(last: 1) { ...Window }
    } } } ${WINDOW}`,
  );
  expect(graph.sandbox.requests.all.map(({ endpoint }) => endpoint)).toEqual(['GET /group/list']);
  const groups: Readonly<Record<'all' | 'one' | 'end', WireConnection>>[] = data.accountGroups.nodes;
  expect(groups).toHaveLength(40);
  for (const { all, one, end } of groups) {
    expect(shown(one).ids).toEqual(shown(all).ids.slice(0, 2));
    expect(shown(end).ids).toEqual(shown(all).ids.slice(-1));
    expect([all, one, end].map(({ pageInfo }) => pageInfo.drifted)).toEqual([false, false, false]);
  }
});

const LISTS = {
  accounts: 'accounts(ARGS) { FACTS }',
  legacyAccounts: 'accounts(surface: LEGACY, ARGS) { FACTS }',
  narrowedAccounts: 'accounts(filter: { networks: [FACEBOOK] }, ARGS) { FACTS }',
  groups: 'accountGroups(ARGS) { FACTS }',
  legacyGroups: 'accountGroups(surface: LEGACY, ARGS) { FACTS }',
  members: 'accountGroups(first: 1) { nodes { accounts(ARGS) { FACTS } } }',
  queue: 'queuedPosts(ARGS) { FACTS }',
  library: 'libraryItems(ARGS) { FACTS }',
  aiHistory: 'aiGenerations(ARGS) { FACTS }',
};

/** Reads a page of every list, without what is around it. */
async function readAll(args: string, facts: string): Promise<Record<string, unknown>> {
  const fields = Object.entries(LISTS).map(
    ([name, field]) => `${name}: ${field.replace('ARGS', args).replace('FACTS', facts)}`,
  );
  still.sandbox.requests.clear();
  const { data, errors } = await still.query(`{ ${fields.join(' ')} }`);
  expect(errors).toEqual([]);
  return { ...data, members: data.members.nodes[0].accounts } as Record<string, unknown>;
}

const FACTS =
  'totalCount nodes { __typename } edges { cursor } pageInfo { hasPreviousPage hasNextPage startCursor endCursor drifted }';

test.each(['first: 0', 'first: 0, after: ""', 'last: 0', 'last: 0, before: ""'])(
  'a page of no records tells the length of its list, and where it is: %s',
  async (args) => {
    const all = await readAll('first: 1', 'totalCount');
    const isFirst = args.startsWith('first');
    for (const [name, empty] of Object.entries(await readAll(args, FACTS))) {
      const { totalCount } = all[name] as Facts;
      const cursors = { startCursor: null, endCursor: null, drifted: false };
      const pageInfo = { hasPreviousPage: !isFirst, hasNextPage: isFirst, ...cursors };
      expect([name, totalCount > 0, empty]).toEqual([
        name,
        true,
        { totalCount, nodes: [], edges: [], pageInfo },
      ]);
    }
  },
);

test('a page of no records costs one call for the facts about its list, and none without them', async () => {
  await readAll('first: 0', 'nodes { id }');
  expect(still.sandbox.requests.all.map(({ endpoint }) => endpoint)).toEqual(['GET /group/list']);
  const facts = await read(still, 'first: 0');
  expect([facts.calls, facts.totalCount]).toEqual([1, 250]);
  const { endCursor } = (await read(still, 'first: 3')).pageInfo;
  const after = await read(still, `first: 0, after: "${endCursor}"`);
  expect(after).toMatchObject({ calls: 1, ids: [], pageInfo: { hasPreviousPage: true, hasNextPage: true } });
  const before = await read(still, `last: 0, before: "${endCursor}"`);
  expect(before).toMatchObject({ calls: 1, ids: [], pageInfo: { hasPreviousPage: true, hasNextPage: true } });
});
