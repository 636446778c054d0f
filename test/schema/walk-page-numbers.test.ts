import { expect, test } from 'vitest';
import type { EndpointName } from '../../src/sandbox/endpoints.ts';
import { errorsOf } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changing } from '../support/wire-changes.ts';
import { WRONG_VALUES } from '../support/wrong-values.ts';

const graph = shareGraph();

interface List {
  readonly endpoint: EndpointName;
  readonly field: string;
  readonly title: string;
}

const LISTS: readonly List[] = [
  { endpoint: 'GET /posts/queued', field: 'queuedPosts', title: 'text' },
  { endpoint: 'GET /library/list', field: 'libraryItems', title: 'title' },
  { endpoint: 'GET /openai/historyList', field: 'aiGenerations', title: 'prompt' },
  { endpoint: 'GET /group/list', field: 'accountGroups', title: 'name' },
  { endpoint: 'GET /accounts/list', field: 'accounts', title: 'avatarUrl' },
];

const PAGE_INFO = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor drifted }';

/** A list beside one field that must stand whatever happens to it. */
const queryOf = ({ field, title }: List, window: string): string =>
  `{ ${field}(${window}) { totalCount nodes { ${title} } ${PAGE_INFO} } membership { currentPlan { name } } }`;

const STANDS = { currentPlan: { name: 'Small Team' } };

/** Runs the list with a value in its page, and checks that it is either right or null with its error. */
async function expectRightOrMalformed(list: List, path: string, value: unknown): Promise<boolean> {
  const query = queryOf(list, 'first: 3');
  graph.sandbox.faults.clear();
  const right = await graph.query(query);
  expect(right.errors).toEqual([]);
  graph.sandbox.faults.add(changing(list.endpoint, path, value));
  const answer = await graph.query(query);
  const isMalformed = answer.data[list.field] === null;
  expect(errorsOf(answer), String(value)).toEqual(isMalformed ? [`${list.field} UPSTREAM_MALFORMED`] : []);
  expect(answer.data, String(value)).toEqual({
    [list.field]: isMalformed ? null : right.data[list.field],
    membership: STANDS,
  });
  return isMalformed;
}

const NUMBERS = ['currentPage', 'pageLimit', 'totalRecords'];
const PLACES = LISTS.flatMap((list) => NUMBERS.map((name) => [list.field, name, list] as const));

test.each(PLACES)('%s whose %s is wrong is null with its error, or right', async (_field, name, list) => {
  let malformed = 0;
  for (const value of WRONG_VALUES) {
    malformed += Number(await expectRightOrMalformed(list, `response.${name}`, value));
  }
  // The library tells its length under other names too: there, neither nothing nor null does any harm.
  expect(malformed).toBeGreaterThanOrEqual(WRONG_VALUES.length - (list.field === 'libraryItems' ? 2 : 1));
});

test.each(LISTS.map((list) => [list.field, list] as const))(
  '%s whose number of pages is wrong, or not there, is right',
  async (_field, list) => {
    for (const value of WRONG_VALUES) {
      expect(await expectRightOrMalformed(list, 'response.totalPages', value), String(value)).toBe(false);
    }
  },
);

const NO_LISTS = WRONG_VALUES.filter((value) => !Array.isArray(value));

test.each(LISTS.map((list) => [list.field, list] as const))(
  '%s without a list is null with its error',
  async (_field, list) => {
    for (const value of NO_LISTS) {
      expect(await expectRightOrMalformed(list, 'response.list', value), String(value)).toBe(true);
    }
  },
);

test.each(LISTS.map((list) => [list.field, list] as const))(
  '%s that counts records but shows none is null with its error',
  async (_field, list) => {
    expect(await expectRightOrMalformed(list, 'response.list', [])).toBe(true);
  },
);

test.each(LISTS.map((list) => [list.field, list] as const))(
  '%s that shows more records than it counts is null with its error',
  async (_field, list) => {
    for (const total of [0, 1, 2]) {
      expect(await expectRightOrMalformed(list, 'response.totalRecords', total), String(total)).toBe(true);
    }
  },
);

test.each(LISTS.map((list) => [list.field, list] as const))(
  '%s longer than the graph can count is null with its error',
  async (_field, list) => {
    for (const total of [2 ** 31, 3_000_000_000, Number.MAX_SAFE_INTEGER]) {
      expect(await expectRightOrMalformed(list, 'response.totalRecords', total), String(total)).toBe(true);
    }
  },
);

test('a page in the middle without records never leaves a reader with more to come and no cursor to it', async () => {
  const { data } = await graph.query('{ queuedPosts(first: 5) { pageInfo { endCursor } } }');
  const after: string = data.queuedPosts.pageInfo.endCursor;
  graph.sandbox.faults.add(changing('GET /posts/queued', 'response.list', []));
  const answer = await graph.query(
    `{ queuedPosts(first: 5, after: "${after}") { nodes { text } pageInfo { hasNextPage endCursor } } }`,
  );
  const page = answer.data.queuedPosts as {
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  } | null;
  expect(page === null || !page.pageInfo.hasNextPage || page.pageInfo.endCursor !== null).toBe(true);
  expect(page === null).toBe(answer.errors.length === 1);
});

test('one answer with an odd page size never makes a later operation ask for more than the largest page', async () => {
  const fresh = await startGraph();
  fresh.sandbox.faults.add({ ...changing('GET /posts/queued', 'response.pageLimit', 1_000), times: 1 });
  for (const window of ['first: 3', 'first: 1', 'last: 2']) {
    const { errors } = await fresh.query(`{ queuedPosts(${window}) { totalCount } }`);
    expect(errors).toEqual([]);
  }
  const sizes = fresh.sandbox.requests.of('GET /posts/queued').map(({ query }) => Number(query.get('limit')));
  expect(sizes.filter((size) => size > 100)).toEqual([]);
});

test('the library is counted by any of its numbers, the declared one first', async () => {
  const library: List = { endpoint: 'GET /library/list', field: 'libraryItems', title: 'title' };
  const totals = async (values: Readonly<Record<string, unknown>>): Promise<unknown> => {
    graph.sandbox.faults.clear();
    const change = (answer: unknown): unknown => {
      const { response } = answer as { response: Record<string, unknown> };
      for (const name of ['totalRecords', 'totalRecord', 'totalCount']) {
        if (values[name] === undefined) delete response[name];
        else response[name] = values[name];
      }
      return answer;
    };
    graph.sandbox.faults.add({ kind: 'rewrite', endpoint: library.endpoint, times: 9, change });
    const { data } = await graph.query(queryOf(library, 'first: 3'));
    return data.libraryItems?.totalCount ?? null;
  };
  expect(await totals({ totalRecords: 15 })).toBe(15);
  expect(await totals({ totalRecord: 15 })).toBe(15);
  expect(await totals({ totalCount: 15 })).toBe(15);
  expect(await totals({ totalRecords: 15, totalRecord: 17, totalCount: 18 })).toBe(15);
  expect(await totals({ totalRecord: 15, totalCount: 18 })).toBe(15);
  expect(await totals({})).toBeNull();
});
