import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { errorsOf } from '../support/answers.ts';
import { startGraph, type Answer } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changing } from '../support/wire-changes.ts';
import { WRONG_VALUES } from '../support/wrong-values.ts';

const graph = shareGraph();

interface List {
  readonly endpoint: EndpointName;
  readonly field: string;
  readonly title: string;
}

const LIBRARY: List = { endpoint: 'GET /library/list', field: 'libraryItems', title: 'title' };
const LISTS: readonly List[] = [
  { endpoint: 'GET /posts/queued', field: 'queuedPosts', title: 'text' },
  LIBRARY,
  { endpoint: 'GET /openai/historyList', field: 'aiGenerations', title: 'prompt' },
  { endpoint: 'GET /group/list', field: 'accountGroups', title: 'name' },
  { endpoint: 'GET /accounts/list', field: 'accounts', title: 'avatarUrl' },
];
const FIELDS = LISTS.map(({ field }) => field);

const PAGE_INFO = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor drifted }';

/** All lists beside one field that must stand whatever happens to them. */
const QUERY = `{ ${LISTS.map(({ field, title }) => `${field}(first: 3) { totalCount nodes { ${title} } ${PAGE_INFO} }`).join(' ')}
  membership { currentPlan { name } } }`;

const STANDS = { currentPlan: { name: 'Small Team' } };

/** What is right, as long as nothing changes. */
let right: Answer | undefined;

/**
 * Reads all lists with a value in the page of each, and checks that each list is either right or null with its error;
 * returns those that are null.
 */
async function malformedWith(path: string, value: unknown): Promise<string[]> {
  graph.sandbox.faults.clear();
  right ??= await graph.query(QUERY);
  expect(right.errors).toEqual([]);
  for (const { endpoint } of LISTS) graph.sandbox.faults.add(changing(endpoint, path, value));
  const answer = await graph.query(QUERY);
  const malformed = FIELDS.filter((field) => answer.data[field] === null);
  const label = `${path} = ${inspect(value).slice(0, 60)}`;
  expect(errorsOf(answer), label).toEqual(malformed.map((field) => `${field} UPSTREAM_MALFORMED`).toSorted());
  const lists = FIELDS.map(
    (field) => [field, malformed.includes(field) ? null : right?.data[field]] as const,
  );
  expect(answer.data, label).toEqual({ ...Object.fromEntries(lists), membership: STANDS });
  return malformed;
}

test.each(['currentPage', 'pageLimit', 'totalRecords'])(
  'a list whose %s is wrong is null with its error, or right',
  async (name) => {
    const malformed = Object.fromEntries(FIELDS.map((field) => [field, 0]));
    for (const value of WRONG_VALUES) {
      for (const field of await malformedWith(`response.${name}`, value)) {
        malformed[field] = (malformed[field] ?? 0) + 1;
      }
    }
    for (const [field, count] of Object.entries(malformed)) {
      // The library tells its length under other names too: there, neither nothing nor null does any harm.
      const readable = field === 'libraryItems' ? 2 : 1;
      expect(count, field).toBeGreaterThanOrEqual(WRONG_VALUES.length - readable);
    }
  },
);

test('a list whose number of pages is wrong, or not there, is right', async () => {
  for (const value of WRONG_VALUES) expect(await malformedWith('response.totalPages', value)).toEqual([]);
});

test('a page that holds no list, or no records although it counts some, is null with its error', async () => {
  const noLists = [...WRONG_VALUES.filter((value) => !Array.isArray(value)), []];
  for (const value of noLists) expect(await malformedWith('response.list', value)).toEqual(FIELDS);
});

test('a list that shows more records than it counts is null with its error', async () => {
  for (const total of [0, 1, 2]) {
    expect(await malformedWith('response.totalRecords', total)).toEqual(FIELDS);
  }
});

test('a list longer than the graph can count is null with its error', async () => {
  for (const total of [2 ** 31, 3_000_000_000, Number.MAX_SAFE_INTEGER]) {
    expect(await malformedWith('response.totalRecords', total)).toEqual(FIELDS);
  }
});

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
    graph.sandbox.faults.add({ kind: 'rewrite', endpoint: LIBRARY.endpoint, times: 9, change });
    const { data } = await graph.query('{ libraryItems(first: 3) { totalCount } }');
    return data.libraryItems?.totalCount ?? null;
  };
  expect(await totals({ totalRecords: 15 })).toBe(15);
  expect(await totals({ totalRecord: 15 })).toBe(15);
  expect(await totals({ totalCount: 15 })).toBe(15);
  expect(await totals({ totalRecords: 15, totalRecord: 17, totalCount: 18 })).toBe(15);
  expect(await totals({ totalRecord: 15, totalCount: 18 })).toBe(15);
  expect(await totals({})).toBeNull();
});
