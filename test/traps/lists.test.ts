import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { Quirks } from '../../packages/sandbox/src/quirks.ts';
import { errorsOf, onlyError } from '../support/answers.ts';
import { globalId } from '../support/calls.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { namesOf, walk } from '../support/walking.ts';

const graph = shareGraph();

/** The query parameters of every request of a call, in order. */
function sentTo({ sandbox }: RunningGraph, endpoint: EndpointName): Record<string, string>[] {
  return sandbox.requests.of(endpoint).map(({ query }) => Object.fromEntries(query));
}

describe('the library', () => {
  test('is paged by its own parameter and is never asked for a size', async () => {
    await graph.query('{ libraryItems(first: 15) { nodes { title } } }');
    expect(sentTo(graph, 'GET /library/list')).toEqual([{ currentPage: '1' }, { currentPage: '2' }]);
  });

  test.each([1, 4, 7, 50])(
    'has pages of whatever size the service likes, such as %d',
    async (libraryPageSize) => {
      const other = await startGraph({ sandbox: { quirks: { libraryPageSize } } });
      for (const way of ['forwards', 'backwards'] as const) {
        const windows = await walk(other, { field: 'libraryItems', name: 'itemId' }, { way, size: 4 });
        const newestFirst = other.sandbox.state
          .owner('harbour')
          .library.toSorted((one, two) => two.createdAt - one.createdAt);
        expect(namesOf(windows, way)).toEqual(newestFirst.map(({ id }) => id));
      }
    },
  );

  test('costs no more calls than its pages, once their size is known', async () => {
    await graph.query('{ libraryItems(first: 1) { totalCount } }');
    graph.sandbox.requests.clear();
    await graph.query('{ libraryItems(first: 12) { nodes { title } } }');
    expect(graph.sandbox.requests.count()).toBe(1);
  });

  test.each([
    ['{ field: RECENTLY_USED }', { sortBy: 'recentlyUsed' }],
    ['{ field: NOT_RECENTLY_USED, direction: ASC }', { sortBy: 'notRecentlyUsed', sortOrder: 'ASC' }],
    ['{ field: MOST_USED, direction: DESC }', { sortBy: 'mostUsed', sortOrder: 'DESC' }],
    ['{ field: LEAST_USED }', { sortBy: 'leastUsed' }],
    ['[{ field: LEAST_USED, direction: DESC }]', { sortBy: 'leastUsed', sortOrder: 'DESC' }],
  ])('is ordered by %s as the service says it', async (orderBy, sent) => {
    const { errors } = await graph.query(`{ libraryItems(first: 1, orderBy: ${orderBy}) { totalCount } }`);
    expect(errors).toEqual([]);
    expect(sentTo(graph, 'GET /library/list')).toEqual([{ currentPage: '1', ...sent }]);
  });
});

test('accounts are ordered by pairs in one text, groups by a field and a direction apart', async () => {
  const { errors } = await graph.query(
    `{ accounts(first: 1, orderBy: [{ field: DISPLAY_NAME, direction: DESC }, { field: LOGIN_ID }]) { totalCount }
       accountGroups(first: 1, orderBy: [{ field: NAME, direction: DESC }]) { totalCount } }`,
  );
  expect(errors).toEqual([]);
  expect(sentTo(graph, 'GET /accounts/list')).toEqual([
    { page: '1', limit: '1', sortBy: 'accountUsername,DESC,loginId,ASC' },
  ]);
  expect(sentTo(graph, 'GET /group/list')).toEqual([
    { page: '1', limit: '1', sortBy: 'groupName', sortOrder: 'DESC' },
  ]);
});

test('filters that nobody has explained pass to the service as the text that they are', async () => {
  const { errors } = await graph.query(
    `{ accounts(first: 1, filter: { displayName: "kelp & co", clientId: "71", teamIds: ["12", "14"], multiFilter: "a,b=c" }) { totalCount } }`,
  );
  expect(errors).toEqual([]);
  expect(sentTo(graph, 'GET /accounts/list')).toEqual([
    { page: '1', limit: '1', q: 'kelp & co', clientId: '71', team: '12,14', multiFilter: 'a,b=c' },
  ]);
});

const COMMAS = [
  ['libraryItems(filter: { tags: ["shop", "a,b"] })', 'filter.tags[1]'],
  ['accounts(filter: { teamIds: ["a,b"] })', 'filter.teamIds[0]'],
  [
    `accounts(filter: { accountGroupIds: ["${globalId('AccountGroup', '5101,5102')}"] })`,
    'filter.accountGroupIds[0]',
  ],
] as const;

test.each(COMMAS)(
  'a comma inside %s can’t be said to the service, so that it is refused',
  async (field, argument) => {
    const answer = await graph.query(`{ ${field} { totalCount } }`);
    expect(onlyError(answer).extensions['code']).toBe('BAD_USER_INPUT');
    expect(onlyError(answer).message).toContain(argument);
    expect(graph.sandbox.requests.count()).toBe(0);
  },
);

test.each([
  'libraryItems(filter: { tags: [] })',
  'accounts(filter: { teamIds: [] })',
  'accounts(filter: { accountGroupIds: [] })',
  'accounts(filter: { platformIds: [] })',
])('an empty list of %s would list everything, so that it is refused', async (field) => {
  const answer = await graph.query(`{ ${field} { totalCount } }`);
  expect(onlyError(answer).extensions['code']).toBe('BAD_USER_INPUT');
  expect(graph.sandbox.requests.count()).toBe(0);
});

const LISTS = [
  ['queuedPosts', 'postId', 'GET /posts/queued'],
  ['aiGenerations', 'contentId', 'GET /openai/historyList'],
  ['accountGroups', 'groupId', 'GET /group/list'],
  ['accounts', 'loginId', 'GET /accounts/list'],
] as const;

test.each(LISTS)('%s is whole where the service clamps pages in silence', async (field, name, endpoint) => {
  const other = await startGraph({ sandbox: { quirks: { maxLimit: 3 } } });
  const { data, errors } = await other.query(`{ ${field}(first: 100) { totalCount nodes { ${name} } } }`);
  expect(errors).toEqual([]);
  const names = (data[field].nodes as Record<string, string>[]).map((node) => node[name]);
  expect(new Set(names).size).toBe(data[field].totalCount);
  expect(other.sandbox.requests.count(endpoint)).toBeLessThanOrEqual(
    Math.ceil(data[field].totalCount / 3) + 1,
  );
});

test('the last hundred of a list with pages of ten cost one call a page and at most one more', async () => {
  const other = await startGraph({ sandbox: { data: 'large', quirks: { maxLimit: 10 } } });
  const { data, errors } = await other.query(
    '{ queuedPosts(last: 100) { nodes { postId } pageInfo { hasNextPage } } }',
  );
  expect(errors).toEqual([]);
  expect((data.queuedPosts.nodes as { postId: string }[]).map(({ postId }) => postId)).toEqual(
    other.sandbox.state
      .owner('harbour')
      .queue.slice(-100)
      .map(({ postId }) => postId),
  );
  expect(other.sandbox.requests.count()).toBeLessThanOrEqual(12);
});

const BEYOND: readonly Quirks['beyondLastPage'][] = ['empty', 'last-page', 'repeat-last', 'error'];

describe.each(BEYOND)('where a page beyond the end is answered with: %s', (beyondLastPage) => {
  test.each([
    ['queuedPosts', 'drain'],
    ['accounts', 'remove'],
  ] as const)('a cursor of %s beyond the end of a list that shrank leads to nothing', async (field, how) => {
    const other = await startGraph({ sandbox: { quirks: { beyondLastPage } } });
    const owner = other.sandbox.state.owner('harbour');
    const { data } = await other.query(`{ ${field}(last: 2) { edges { cursor } } }`);
    const [{ cursor }] = data[field].edges;
    if (how === 'drain') owner.drainQueue(24);
    else for (const { loginId } of owner.accounts.slice(1, 12)) owner.removeAccount(loginId);
    const again = await other.query(
      `{ ${field}(first: 5, after: "${cursor}") { totalCount nodes { id } pageInfo { hasNextPage drifted } } }`,
    );
    expect(again.errors).toEqual([]);
    expect(again.data[field].totalCount).toBe(1);
    expect(again.data[field].nodes.length).toBeLessThanOrEqual(1);
    expect(again.data[field].pageInfo).toEqual({ hasNextPage: false, drifted: true });
  });

  test('a library whose pages turn out longer than thought is read to its end', async () => {
    const other = await startGraph({ sandbox: { quirks: { beyondLastPage, libraryPageSize: 15 } } });
    const { data, errors } = await other.query(
      '{ libraryItems(first: 100) { totalCount nodes { itemId } } }',
    );
    expect(errors).toEqual([]);
    expect(new Set((data.libraryItems.nodes as { itemId: string }[]).map(({ itemId }) => itemId)).size).toBe(
      15,
    );
  });

  test('an empty list is empty in both directions', async () => {
    const other = await startGraph({ sandbox: { quirks: { beyondLastPage, totalPagesOfEmptyList: 1 } } });
    other.sandbox.state.owner('harbour').drainQueue(25);
    const { data, errors } = await other.query(
      '{ one: queuedPosts(first: 9) { totalCount nodes { id } } two: queuedPosts(last: 9) { totalCount nodes { id } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({ one: { totalCount: 0, nodes: [] }, two: { totalCount: 0, nodes: [] } });
  });
});

test('the filter of the queue looks at titles alone, as its name says', async () => {
  const { data } = await graph.query(
    '{ title: queuedPosts(filter: { title: "harbour swim" }) { totalCount } text: queuedPosts(filter: { title: "wet hair" }) { totalCount } }',
  );
  expect(data).toEqual({ title: { totalCount: 1 }, text: { totalCount: 0 } });
});

test('a cursor of one filter or order is none of another', async () => {
  const { data } = await graph.query(
    '{ libraryItems(first: 1, filter: { kind: POST }) { edges { cursor } } }',
  );
  const [{ cursor }] = data.libraryItems.edges;
  for (const args of [
    '',
    'filter: { kind: HASHTAG }',
    'filter: { kind: POST }, orderBy: { field: MOST_USED }',
  ]) {
    const answer = await graph.query(
      `{ libraryItems(first: 1, after: "${cursor}" ${args}) { totalCount } queuedPosts(after: "${cursor}") { totalCount } }`,
    );
    expect(errorsOf(answer)).toEqual(['libraryItems INVALID_CURSOR', 'queuedPosts INVALID_CURSOR']);
  }
});
