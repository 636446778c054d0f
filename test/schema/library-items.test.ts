import { describe, expect, test } from 'vitest';
import { harbour } from '../support/accounts.ts';
import { onlyError, startGraph, shareGraph } from '../support/graph.ts';
import { EXAMPLES, write } from '../support/writes.ts';

describe('the filter of the library', () => {
  const graph = shareGraph();

  test.each([
    ['{ text: "tags" }', { q: 'tags' }, 4],
    ['{ kind: POST }', { type: 'post' }, 11],
    ['{ kind: HASHTAG }', { type: 'hashTag' }, 4],
    ['{ tags: ["loft", "market"] }', { tags: 'loft,market' }, 4],
    ['{ userId: "641" }', { filterBy: '641' }, 15],
    ['{ userId: "642" }', { filterBy: '642' }, 0],
    ['{ text: "t", kind: POST, tags: ["shop"] }', { q: 't', type: 'post', tags: 'shop' }, null],
  ] as const)('%s is sent as %j', async (filter, sent, count) => {
    const { data, errors } = await graph.query(`{ libraryItems(filter: ${filter}) { totalCount } }`);
    expect(errors).toEqual([]);
    const [request] = graph.sandbox.requests.of('GET /library/list');
    expect(Object.fromEntries(request?.query ?? [])).toEqual({ currentPage: '1', ...sent });
    if (count !== null) expect(data.libraryItems.totalCount).toBe(count);
  });

  test.each(['', '64x', '-1', '1'.repeat(21)])('has no user id %j, and nothing is sent', async (id) => {
    const query = 'query ($id: ServiceId!) { libraryItems(filter: { userId: $id }) { totalCount } }';
    expect(onlyError(await graph.query(query, { variables: { id } }))).toMatchObject({
      message: 'filter.userId must be a number.',
      extensions: { code: 'BAD_USER_INPUT' },
    });
    expect(graph.sandbox.requests.count()).toBe(0);
  });
});

const ITEM = `id itemId title kind tags useCount lastEditedAt lastEditedLabel content { text activeTab altTexts }`;

test('a new item is in the library, and can be read by its id', async () => {
  const graph = await startGraph();
  const input = { ...EXAMPLES.createLibraryItem, kind: 'HASHTAG', activeTab: 'TIKTOK' };
  const payload = await write(graph, 'createLibraryItem', input, {
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
  const { data, errors } = await graph.query(
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
  const graph = await startGraph();
  const LIST = 'query ($after: String) { libraryItems(first: 3, after: $after) { nodes { itemId } } }';
  const { data: before } = await graph.query(LIST);
  const payload = await write(graph, 'createLibraryItem', EXAMPLES.createLibraryItem, {
    selection: 'libraryItem { itemId } libraryItemEdge { cursor node { itemId } } accountNumbers',
  });
  const edge = payload['libraryItemEdge'] as { readonly cursor: string; readonly node: unknown };
  expect(edge.node).toEqual(payload['libraryItem']);
  expect(payload['accountNumbers']).toEqual([]);
  const { data: after } = await graph.query(LIST, { variables: { after: edge.cursor } });
  expect(after).toEqual(before);
});

test('the payload of a refused item has nothing of an item', async () => {
  const graph = await startGraph();
  const input = { ...EXAMPLES.createLibraryItem, title: ' ' };
  const payload = await write(graph, 'createLibraryItem', input, {
    selection: 'libraryItem { itemId } libraryItemEdge { cursor } accountNumbers message',
  });
  expect(payload).toMatchObject({
    outcome: 'REJECTED',
    libraryItem: null,
    libraryItemEdge: null,
    accountNumbers: null,
    message: null,
  });
});

test('the payload has the service’s numbers of platforms', async () => {
  const graph = await startGraph();
  const input = { ...EXAMPLES.createLibraryItem, variants: [{ variant: 'FACEBOOK', text: 'Here' }] };
  const { accountNumbers } = await write(graph, 'createLibraryItem', input, { selection: 'accountNumbers' });
  const kinds = harbour(graph).library.at(-1)?.accountIds;
  expect(kinds?.length).toBeGreaterThan(0);
  expect(accountNumbers).toEqual(kinds);
});
