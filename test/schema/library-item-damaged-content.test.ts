import { expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingEach, MISSING } from '../support/wire-changes.ts';

const graph = shareGraph();

const CONTENT =
  '{ libraryItems(first: 10) { nodes { title content { text imageUrls contentKind place { name } } } } }';
const NOTHING = [MISSING, null, '', [], 'null'];
const NO_OBJECTS = [0, 'Y', [1], 1e21, true];

test('a library item without content shows none, and content that is no object is an error there alone', async () => {
  const contents = [...NOTHING, ...NO_OBJECTS];
  graph.sandbox.faults.add(
    changingEach('GET /library/list', (index) =>
      index < contents.length ? { content: contents[index] } : {},
    ),
  );
  const answer = await graph.query(CONTENT);
  expect(answer.data.libraryItems.nodes).toEqual(
    contents.map(() => ({ title: expect.any(String) as string, content: null })),
  );
  expect(errorsOf(answer)).toEqual(
    NO_OBJECTS.map((_, index) => `libraryItems.nodes.${NOTHING.length + index}.content UPSTREAM_MALFORMED`),
  );
});

test('a library item whose content is an empty object has content without anything in it', async () => {
  graph.sandbox.faults.add(changingEach('GET /library/list', () => ({ content: {} })));
  const { data, errors } = await graph.query(CONTENT);
  expect(errors).toEqual([]);
  expect(data.libraryItems.nodes[0]).toEqual({
    title: expect.any(String) as string,
    content: { text: null, imageUrls: null, contentKind: null, place: null },
  });
});

test('an item whose id comes under its other name is read', async () => {
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'GET /library/list',
    change: (answer) => JSON.parse(JSON.stringify(answer).replaceAll('"id":"', '"_id":"')) as unknown,
  });
  const { data, errors } = await graph.query('{ libraryItems(first: 12) { nodes { itemId } } }');
  expect(errors).toEqual([]);
  const ids = graph.sandbox.state.owner('harbour').library.map(({ id }) => id);
  expect(ids).toEqual(
    expect.arrayContaining((data.libraryItems.nodes as { itemId: string }[]).map(({ itemId }) => itemId)),
  );
});
