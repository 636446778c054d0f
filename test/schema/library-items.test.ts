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
  const { data, errors } = await graph.query(
    `{ libraryItems(first: 1, ${args}) { totalCount nodes { id } } }`,
  );
  expect([errors, data.libraryItems.totalCount]).toEqual([[], totalCount]);
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

const ITEM = `id itemId title kind tags useCount lastEditedAt lastEditedLabel content { text activeTab altTexts }`;

test('a new item is in the library, and can be read by its id', async () => {
  const own = await startGraph();
  const input = { ...EXAMPLES.createLibraryItem, kind: 'HASHTAG', activeTab: 'TIKTOK' };
  const payload = await write(own, 'createLibraryItem', input, {
    selection: `replayed message libraryItem { ${ITEM} }`,
  });
  const item = payload['libraryItem'] as Readonly<Record<string, unknown>>;
  expect(payload).toMatchObject({
    outcome: 'COMPLETED',
    userErrors: [],
    replayed: false,
    message: 'Content saved.',
  });
  expect(item).toMatchObject({
    title: 'Tide table',
    kind: 'HASHTAG',
    tags: ['tides'],
    useCount: 0,
    lastEditedLabel: null,
    content: { text: 'High water at nine.', activeTab: 'TIKTOK', altTexts: [] },
  });
  expect(Date.parse(String(item['lastEditedAt']))).toBeGreaterThan(Date.now() - 60_000);
  const { data, errors } = await own.query(
    `query ($id: ID!) {
      libraryItem(id: $id) { id itemId title }
      libraryItems(filter: { text: "tide table" }) { nodes { id } }
    }`,
    { variables: { id: item['id'] } },
  );
  expect(errors).toEqual([]);
  expect(data.libraryItem).toEqual({ id: item['id'], itemId: item['itemId'], title: 'Tide table' });
  expect(data.libraryItems.nodes).toEqual([{ id: item['id'] }]);
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
