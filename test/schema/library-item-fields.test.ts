import { isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { harbour } from '../support/account-records.ts';
import { onlyError } from '../support/answers.ts';
import { globalId } from '../support/calls.ts';
import { LIBRARY_ITEM_FIELDS, libraryItem } from '../support/post-records.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

const RELATIVE = expect.stringMatching(/ ago$/) as unknown;

function fieldsOf(type: string): string[] {
  const definition = schema.getType(type);
  return isObjectType(definition) ? Object.keys(definition.getFields()).toSorted() : [];
}

test('the tests of fields cover every field of a library item and of its content', () => {
  const [item] = harbour(graph).library;
  if (!item) throw new Error('not there');
  const shown = libraryItem(graph, item);
  expect(fieldsOf('LibraryItem')).toEqual([...Object.keys(shown), 'id', 'lastEditedLabel'].toSorted());
  expect(fieldsOf('LibraryContent')).toEqual(Object.keys(shown.content).toSorted());
});

test('the library is true to its items in every field, the newest first', async () => {
  const { data, errors } = await graph.query(
    `{ libraryItems(first: 100) { totalCount nodes { ${LIBRARY_ITEM_FIELDS} } } }`,
  );
  expect(errors).toEqual([]);
  const newestFirst = harbour(graph).library.toSorted((one, other) => other.createdAt - one.createdAt);
  expect(data.libraryItems.totalCount).toBe(15);
  expect(data.libraryItems.nodes).toEqual(
    newestFirst.map((item) => ({ ...libraryItem(graph, item), lastEditedLabel: RELATIVE })),
  );
});

test('an item read by its id is true to its record in every field', async () => {
  for (const item of harbour(graph).library) {
    const id = globalId('LibraryItem', item.id);
    const { data, errors } = await graph.query(
      `query ($id: ID!) { libraryItem(id: $id) { id ${LIBRARY_ITEM_FIELDS} } node(id: $id) { ... on LibraryItem { id ${LIBRARY_ITEM_FIELDS} } } }`,
      { variables: { id } },
    );
    expect(errors).toEqual([]);
    const expected = { id, ...libraryItem(graph, item), lastEditedLabel: RELATIVE };
    expect(data).toEqual({ libraryItem: expected, node: expected });
  }
});

const FILTERS = [
  ['{ text: "tags" }', { q: 'tags' }, 4],
  ['{ kind: POST }', { type: 'post' }, 11],
  ['{ kind: HASHTAG }', { type: 'hashTag' }, 4],
  ['{ tags: ["loft", "market"] }', { tags: 'loft,market' }, 4],
  ['{ userId: "641" }', { filterBy: '641' }, 15],
  ['{ userId: "642" }', { filterBy: '642' }, 0],
  ['{ text: "t", kind: POST, tags: ["shop"] }', { q: 't', type: 'post', tags: 'shop' }, null],
] as const;

test.each(FILTERS)('the filter %s goes to the service as %o', async (filter, sent, count) => {
  const { data, errors } = await graph.query(`{ libraryItems(filter: ${filter}) { totalCount } }`);
  expect(errors).toEqual([]);
  const [request] = graph.sandbox.requests.of('GET /library/list');
  expect(Object.fromEntries(request?.query ?? [])).toEqual({ currentPage: '1', ...sent });
  if (count !== null) expect(data.libraryItems.totalCount).toBe(count);
});

test.each(['', '64x', '-1', '1'.repeat(21)])(
  'a user id that is no number (%j) is refused, and nothing sent',
  async (userId) => {
    const answer = await graph.query(
      'query ($id: ServiceId!) { libraryItems(filter: { userId: $id }) { totalCount } }',
      {
        variables: { id: userId },
      },
    );
    expect(onlyError(answer)).toMatchObject({
      message: 'filter.userId must be a number.',
      extensions: { code: 'BAD_USER_INPUT' },
    });
    expect(graph.sandbox.requests.count()).toBe(0);
  },
);
