import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { EXAMPLES, write } from '../support/writes.ts';

const ITEM = `id itemId title kind tags useCount lastEditedAt lastEditedLabel content { text activeTab altTexts }`;

test('an item that was made is listed, and can be read by its id', async () => {
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

test('the edge of a new item goes before a list that is on the screen', async () => {
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

test('an item that was refused has no edge, and nothing else of an item', async () => {
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

test('the service’s numbers of platforms come with the item', async () => {
  const graph = await startGraph();
  const input = { ...EXAMPLES.createLibraryItem, variants: [{ variant: 'FACEBOOK', text: 'Here' }] };
  const { accountNumbers } = await write(graph, 'createLibraryItem', input, { selection: 'accountNumbers' });
  const kinds = graph.sandbox.state.owner('harbour').library.at(-1)?.accountIds;
  expect(kinds?.length).toBeGreaterThan(0);
  expect(accountNumbers).toEqual(kinds);
});
