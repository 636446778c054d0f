import { describe, expect, test } from 'vitest';
import { clientOf } from '../../packages/sandbox/test/running-sandbox.ts';
import { isDeep } from '../support/depth.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { namesOf, walk, type Walkable, type Way } from '../support/walking.ts';

const graph = shareGraph({ sandbox: { data: 'large' } });

interface Walked extends Walkable {
  /** The service's own call for the same list, without its page, and the wire name of a record. */
  readonly path: string;
  readonly page: string;
  readonly wire: string;
}

const ACCOUNTS: Walked = {
  field: 'accounts',
  name: 'loginId',
  path: '/accounts/list?limit=100',
  page: 'page',
  wire: 'loginId',
};
const GROUPS: Walked = {
  field: 'accountGroups',
  name: 'groupId',
  path: '/group/list?limit=100',
  page: 'page',
  wire: 'groupId',
};
const QUEUE: Walked = {
  field: 'queuedPosts',
  name: 'postId',
  path: '/posts/queued?limit=100',
  page: 'page',
  wire: 'postId',
};
const LIBRARY: Walked = {
  field: 'libraryItems',
  name: 'itemId',
  path: '/library/list?',
  page: 'currentPage',
  wire: 'id',
};
const HISTORY: Walked = {
  field: 'aiGenerations',
  name: 'contentId',
  path: '/openai/historyList?limit=100',
  page: 'page',
  wire: 'contentId',
};

/** What is walked by small windows: of the longest lists a part. */
const SHORT: readonly Walked[] = [
  ACCOUNTS,
  GROUPS,
  { ...QUEUE, args: 'filter: { title: "9" }', path: '/posts/queued?limit=100&q=9' },
  { ...LIBRARY, args: 'filter: { kind: HASHTAG }', path: '/library/list?type=hashTag' },
];

const known = new Map<string, Promise<readonly string[]>>();

/** The names of a list as the service itself gives them; it always gives the same. */
function namesOfService(list: Walked): Promise<readonly string[]> {
  const names = known.get(list.path) ?? readNames(list);
  known.set(list.path, names);
  return names;
}

/** Reads them page by page. */
async function readNames({ path, page, wire }: Walked): Promise<readonly string[]> {
  const { get } = clientOf(graph.sandbox);
  const names: string[] = [];
  for (let number = 1; ; number += 1) {
    const reply = await get(`${path}&${page}=${number}`);
    names.push(...reply.pluck(wire).map(String));
    if (number >= Number(reply.at('response.totalPages'))) return names;
  }
}

const LISTS = [ACCOUNTS, GROUPS, QUEUE, LIBRARY, HISTORY];
const LENGTHS: Readonly<Record<string, number>> = {
  accounts: 250,
  accountGroups: 40,
  queuedPosts: 1_000,
  libraryItems: 600,
  aiGenerations: 500,
};

describe.each(['forwards', 'backwards'] as const)('walked %s', (way) => {
  test.each(LISTS.map((list) => [list.field, list] as const))(
    'all of %s is there once, in order, by windows of a hundred',
    async (field, list) => {
      const all = await namesOfService(list);
      expect(all).toHaveLength(LENGTHS[field] ?? 0);
      await expectWholeWalk(list, way, 100, all);
    },
  );

  test.each(SHORT.map((list) => [list.field, list] as const))(
    'all of %s is there once, in order, by small windows',
    async (field, list) => {
      const all = await namesOfService(list);
      expect(all.length).toBeGreaterThanOrEqual(field === 'accountGroups' ? 40 : 120);
      await expectWholeWalk(list, way, 17, all);
      if (isDeep || field === 'accountGroups') await expectWholeWalk(list, way, 1, all);
    },
  );
});

async function expectWholeWalk(list: Walked, way: Way, size: number, all: readonly string[]): Promise<void> {
  const windows = await walk(graph, list, { way, size });
  expect(namesOf(windows, way)).toEqual(all);
  expect(windows).toHaveLength(Math.ceil(all.length / size));
  for (const [index, { names, totalCount, pageInfo }] of windows.entries()) {
    const [isFirst, isLast] = [index === 0, index === windows.length - 1];
    const [atStart, atEnd] = way === 'forwards' ? [isFirst, isLast] : [isLast, isFirst];
    expect({ totalCount, ...pageInfo }).toMatchObject({
      totalCount: all.length,
      hasPreviousPage: !atStart,
      hasNextPage: !atEnd,
      drifted: false,
    });
    if (!isLast) expect(names).toHaveLength(size);
  }
}

test('an order that the service knows is kept across a walk', async () => {
  const ordered: Walked = {
    ...LIBRARY,
    args: 'orderBy: { field: MOST_USED }',
    path: '/library/list?sortBy=mostUsed',
  };
  const windows = await walk(graph, ordered, { way: 'forwards', size: 100 });
  expect(namesOf(windows, 'forwards')).toEqual(await namesOfService(ordered));
});

test('a filter that nothing fits gives an empty list without cursors', async () => {
  const { data, errors } = await graph.query(
    `{ queuedPosts(filter: { title: "no such title" }) { totalCount nodes { id } edges { cursor }
       pageInfo { startCursor endCursor hasNextPage hasPreviousPage drifted } }
       libraryItems(last: 5, filter: { text: "no such title" }) { totalCount nodes { id } } }`,
  );
  expect(errors).toEqual([]);
  expect(data.queuedPosts).toEqual({
    totalCount: 0,
    nodes: [],
    edges: [],
    pageInfo: {
      startCursor: null,
      endCursor: null,
      hasNextPage: false,
      hasPreviousPage: false,
      drifted: false,
    },
  });
  expect(data.libraryItems).toEqual({ totalCount: 0, nodes: [] });
});

test('a walk by hundreds costs one call a window where the service takes the size', async () => {
  const windows = await walk(graph, QUEUE, { way: 'forwards', size: 100 });
  // Each window but the first reads on from a record whose page it looks at again.
  expect(graph.sandbox.requests.count('GET /posts/queued')).toBeLessThanOrEqual(2 * windows.length);
});
