import { expect, test } from 'vitest';
import { errorsOf, onlyError, startGraph, shareGraph } from '../support/graph.ts';
import { EXAMPLES, write } from '../support/writes.ts';

const graph = shareGraph();

test.each<[args: string, sent: Readonly<Record<string, string>>, totalCount: number]>([
  ['filter: { text: "tags" }', { q: 'tags' }, 4],
  ['filter: { kind: POST }', { type: 'post' }, 11],
  ['filter: { kind: HASHTAG }', { type: 'hashTag' }, 4],
  ['filter: { tags: ["loft", "market"] }', { tags: 'loft,market' }, 4],
  ['filter: { userId: "641" }', { filterBy: '641' }, 15],
  ['filter: { userId: "642" }', { filterBy: '642' }, 0],
  ['filter: { text: "t", kind: POST, tags: ["shop"] }', { q: 't', type: 'post', tags: 'shop' }, 2],
  [
    'orderBy: { field: NOT_RECENTLY_USED, direction: ASC }',
    { sortBy: 'notRecentlyUsed', sortOrder: 'ASC' },
    15,
  ],
  ['orderBy: [{ field: MOST_USED, direction: DESC }]', { sortBy: 'mostUsed', sortOrder: 'DESC' }, 15],
  ['orderBy: { field: RECENTLY_USED }', { sortBy: 'recentlyUsed' }, 15],
  ['orderBy: { field: LEAST_USED }', { sortBy: 'leastUsed' }, 15],
])('the library with %s is asked for with %j', async (args, sent, totalCount) => {
  const data = await graph.dataOf(`{ libraryItems(first: 1, ${args}) { totalCount nodes { id } } }`);
  expect(data.libraryItems.totalCount).toBe(totalCount);
  expect(graph.sandbox.requests.all.map(({ query }) => Object.fromEntries(query))).toEqual([
    { currentPage: '1', ...sent },
  ]);
});

test.each<[filter: object, message: string]>([
  ...['', '64x', '-1', '1'.repeat(21)].map((userId): [object, string] => [
    { userId },
    'filter.userId must be a number.',
  ]),
  // A comma in a tag would be two tags to the service, and no tags would be all.
  [{ tags: ['shop', 'a,b'] }, 'filter.tags[1]'],
  [{ tags: [] }, 'filter.tags'],
])('the filter %j of the library is refused, and nothing is sent', async (filter, message) => {
  const query = 'query ($filter: LibraryItemFilter) { libraryItems(filter: $filter) { totalCount } }';
  const answer = await graph.query(query, { variables: { filter } });
  expect(errorsOf(answer)).toEqual(['libraryItems BAD_USER_INPUT']);
  expect(onlyError(answer).message).toContain(message);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a new item can be read by its id', async () => {
  const own = await startGraph();
  const input = { ...EXAMPLES.createLibraryItem, kind: 'HASHTAG', activeTab: 'TIKTOK' };
  const item = 'id itemId title kind tags useCount content { text activeTab altTexts }';
  const payload = await write(own, 'createLibraryItem', input, { selection: `libraryItem { ${item} }` });
  const created = payload['libraryItem'] as Readonly<Record<string, unknown>>;
  expect(created).toMatchObject({ title: 'Tide table', kind: 'HASHTAG', tags: ['tides'], useCount: 0 });
  const data = await own.dataOf(`query ($id: ID!) { libraryItem(id: $id) { ${item} } }`, {
    variables: { id: created['id'] },
  });
  expect(data.libraryItem).toEqual(created);
});

test('the cursor of a new item’s edge is the place before all others', async () => {
  const own = await startGraph();
  const LIST = 'query ($after: String) { libraryItems(first: 3, after: $after) { nodes { itemId } } }';
  const { data: before } = await own.query(LIST);
  const payload = await write(own, 'createLibraryItem', EXAMPLES.createLibraryItem, {
    selection: 'libraryItem { itemId } libraryItemEdge { cursor node { itemId } } accountNumbers',
  });
  const edge = payload['libraryItemEdge'] as { readonly cursor: string; readonly node: unknown };
  expect(edge.node).toEqual(payload['libraryItem']);
  expect(payload['accountNumbers']).toEqual([]);
  const { data: after } = await own.query(LIST, { variables: { after: edge.cursor } });
  expect(after).toEqual(before);
});

test('the payload of a refused item has nothing of an item', async () => {
  const input = { ...EXAMPLES.createLibraryItem, title: ' ' };
  const selection = 'libraryItem { itemId } libraryItemEdge { cursor } accountNumbers message';
  expect(await write(graph, 'createLibraryItem', input, { selection })).toMatchObject({
    outcome: 'REJECTED',
    libraryItem: null,
    libraryItemEdge: null,
    accountNumbers: null,
    message: null,
  });
});
