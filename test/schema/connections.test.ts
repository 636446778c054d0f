import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { errorsOf, type Answer, shareGraph } from '../support/graph.ts';
import { callsOf } from '../support/calls.ts';
import { SEARCHED, VIEWED, type Kind } from '../support/kinds.ts';
import { changing, changingPage, MISSING, onlyFaults } from '../support/sandbox.ts';
import { WRONG_VALUES } from '../support/faults.ts';

// Each list of the graph as a connection. What windows cost, and how they follow a list that changes, is tested for all
// lists at once in test/lists.

const graph = shareGraph();
const large = shareGraph({ sandbox: { data: 'large' } });
const LISTS = [...VIEWED, ...SEARCHED];
const [ACCOUNTS] = VIEWED as [Kind];
const WAYS = ['forwards', 'backwards'] as const;
type Way = (typeof WAYS)[number];

/** One window of a list. */
interface Window {
  readonly names: readonly string[];
  readonly totalCount: number;
  readonly pageInfo: Readonly<
    Record<'hasNextPage' | 'hasPreviousPage' | 'drifted', boolean> &
      Record<'startCursor' | 'endCursor', string | null>
  >;
}
/** The facts about a page without records of an empty list. */
const NO_PAGE = {
  hasPreviousPage: false,
  hasNextPage: false,
  startCursor: null,
  endCursor: null,
  drifted: false,
};
const PAGE_INFO = 'pageInfo { hasPreviousPage hasNextPage startCursor endCursor drifted }';

async function readWindow({ field, name }: Kind, window: string): Promise<Window> {
  const data = await large.dataOf(`{ ${field}s(${window}) { totalCount nodes { ${name} } ${PAGE_INFO} } }`);
  const { nodes, ...facts } = data[`${field}s`];
  return { names: nodes.map((node: Readonly<Record<string, string>>) => node[name]), ...facts };
}

/** Walks a list from one end to the other by windows of a hundred. */
async function walk(list: Kind, way: Way) {
  const windows: Window[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const args: string =
      way === 'forwards' ? `first: 100, after: "${cursor}"` : `last: 100, before: "${cursor}"`;
    const window: Window = await readWindow(list, args);
    windows.push(window);
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = window.pageInfo;
    cursor = way === 'forwards' ? (hasNextPage ? endCursor : null) : hasPreviousPage ? startCursor : null;
  }
  const inOrder = way === 'forwards' ? windows : windows.toReversed();
  return { windows, names: inOrder.flatMap(({ names }) => names) };
}

const WALKS = LISTS.map((list, index) => [list.field, WAYS[index % 2] ?? 'forwards', list] as const);

test.each(WALKS)('%s walked %s shows each record once, in order', async (_field, way, list) => {
  const all = list.ids(large.sandbox.state.owner('harbour')).map(String);
  expect(all.length).toBeGreaterThanOrEqual(40);
  const { windows, names } = await walk(list, way);
  expect(names).toEqual(all);
  expect(windows).toHaveLength(Math.ceil(all.length / 100));
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
/** Reads a page of every list, without what is around it. */
async function readAll(args: string, facts: string): Promise<Record<string, unknown>> {
  const fields = Object.entries(FIELDS).map(
    ([name, field]) => `${name}: ${field.replace('ARGS', args).replace('FACTS', facts)}`,
  );
  const data = await large.dataOf(`{ ${fields.join(' ')} }`);
  return { ...data, members: data.members.nodes[0].accounts } as Record<string, unknown>;
}

test('a page of no records shows the length of its list, and which side of it is left', async () => {
  const all = Object.entries(await readAll('first: 1', 'totalCount')) as [string, Window][];
  for (const { totalCount } of all.map(([, list]) => list)) expect(totalCount).toBeGreaterThan(0);
  for (const args of ['first: 0', 'first: 0, after: ""', 'last: 0', 'last: 0, before: ""']) {
    const isFirst = args.startsWith('first');
    const pageInfo = { ...NO_PAGE, hasPreviousPage: !isFirst, hasNextPage: isFirst };
    const empty = all.map(([name, list]) => [name, { ...list, nodes: [], edges: [], pageInfo }]);
    expect(
      await readAll(args, `totalCount nodes { __typename } edges { cursor } ${PAGE_INFO}`),
      args,
    ).toEqual(Object.fromEntries(empty));
  }
});

test('a page of no records costs one call for the facts about its list, and none without them', async () => {
  await readAll('first: 0', 'nodes { id }');
  expect(callsOf(large)).toEqual({ 'GET /group/list': 1 });
  const { endCursor } = (await readWindow(ACCOUNTS, 'first: 3')).pageInfo;
  for (const args of [`first: 0, after: "${endCursor}"`, `last: 0, before: "${endCursor}"`]) {
    large.sandbox.requests.clear();
    expect(await readWindow(ACCOUNTS, args)).toMatchObject({
      names: [],
      totalCount: 250,
      pageInfo: { hasPreviousPage: true, hasNextPage: true },
    });
    expect(callsOf(large)).toEqual({ 'GET /accounts/list': 1 });
  }
});

describe('where the numbers of a page are wrong', () => {
  const NAMES = LISTS.map(({ field }) => `${field}s`);
  /** All lists beside a field that must be complete whatever happens to them. */
  const QUERY = `{ ${LISTS.map(({ field, name }) => `${field}s(first: 3) { totalCount nodes { ${name} } ${PAGE_INFO} }`).join(' ')}
    membership { currentPlan { name } } }`;
  let right: Answer | undefined;

  /** Puts a value into the page of every list; returns the lists that are null with an error, and checks the others. */
  async function malformedWith(path: string, value: unknown): Promise<string[]> {
    graph.sandbox.faults.clear();
    right ??= await graph.query(QUERY);
    expect(right.errors).toEqual([]);
    for (const { list } of LISTS) graph.sandbox.faults.add(changing(list, path, value));
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
      const malformed = [];
      for (const value of wrong) malformed.push(...(await malformedWith(`response.${name}`, value)));
      for (const field of NAMES) {
        // The library has its length under other names too, so that neither nothing nor null does any harm.
        const readable = field === 'libraryItems' ? 2 : 1;
        const count = malformed.filter((one) => one === field).length;
        expect(count, field).toBeGreaterThanOrEqual(wrong.length - readable);
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
      onlyFaults(graph.sandbox, changingPage('GET /accounts/list', { [name]: value }));
      const data = await graph.dataOf('{ accounts(first: 12) { totalCount } }');
      expect(data.accounts.totalCount).toBe(12);
    }
  });

  test('the library has its length under one of three names, the documented one first', async () => {
    const totals = async (totalRecords: unknown, totalRecord: unknown, totalCount: unknown) => {
      onlyFaults(graph.sandbox, changingPage('GET /library/list', { totalRecords, totalRecord, totalCount }));
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

  test('lists without records are empty connections, however that is written', async () => {
    const windows = ['first: 5', 'last: 5'].flatMap((args, at) =>
      NAMES.map(
        (field) => `${field}${at}: ${field}(${args}) { totalCount nodes { __typename } ${PAGE_INFO} }`,
      ),
    );
    for (const values of EMPTY_PAGES) {
      graph.sandbox.faults.clear();
      for (const { list } of LISTS) graph.sandbox.faults.add(changingPage(list, { ...NO_TOTALS, ...values }));
      const { data, errors } = await graph.query(`{ ${windows.join(' ')} }`);
      expect(errors, inspect(values)).toEqual([]);
      for (const shown of Object.values(data))
        expect(shown, inspect(values)).toEqual({ totalCount: 0, nodes: [], pageInfo: NO_PAGE });
    }
  });
});
