import { expect, test } from 'vitest';
import { postCalls } from '../conformance/interface-post-fields.ts';
import { errorsOf } from '../support/answers.ts';
import { isAbsent, record, type Reading } from '../support/readings.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingRecord, MISSING } from '../support/wire-changes.ts';
import { expectWrongValuesToSpoil, shownFields, showsThrough } from '../support/wrong-fields.ts';
import type { Shows } from '../support/reading-fields.ts';

const graph = shareGraph();
const library = postCalls['GET /library/list'];

const asBefore = (value: unknown): unknown => value;
/** A map by image: each entry must be a list. */
const taggedPeople: Reading = {
  of: (value) => {
    if (isAbsent(value) || (Array.isArray(value) && value.length === 0)) return { value: null };
    const isMap = typeof value === 'object' && Object.values(value as object).every(Array.isArray);
    return isMap ? { value: [] } : 'malformed';
  },
  other: asBefore,
};

/** Fields that are records or maps themselves; how their own fields are read is none of this table. */
const WHOLE: Readonly<Record<string, Shows>> = {
  'content.taggedPeople': { 'content.taggedPeople': taggedPeople },
  'content.extraData.place': { 'content.place': record },
  userData: { lastEditor: record },
  'content.extraData': throughExtraData(),
};
const fields = [
  ...shownFields(library).filter(([wire]) => wire !== 'id' && !(wire in WHOLE)),
  ...Object.entries(WHOLE),
];

function throughExtraData(): Shows {
  const paths = Object.entries(showsThrough(library.fields, 'content.extraData'));
  return Object.fromEntries(
    paths.map(([path, reading]) => [path.replace(/^(content\.\w+).*$/, '$1'), reading]),
  );
}

test.each(fields)('a library item whose %s is wrong loses what that shows alone', async (wire, shows) => {
  await expectWrongValuesToSpoil(graph, library, wire, shows);
});

const CONTENT =
  '{ libraryItems(first: 4) { nodes { title content { text imageUrls contentKind place { name } } } } }';

test.each([
  [MISSING, null],
  [null, null],
  ['', null],
  [[], null],
  ['null', null],
  [{}, { text: null, imageUrls: null, contentKind: null, place: null }],
])('a library item whose content is %o shows %o there', async (content, shown) => {
  graph.sandbox.faults.add(changingRecord('GET /library/list', 'content', content));
  const { data, errors } = await graph.query(CONTENT);
  expect(errors).toEqual([]);
  expect(data.libraryItems.nodes[0]).toEqual({ title: expect.any(String) as string, content: shown });
});

test.each([0, 'Y', [1], 1e21, true])(
  'a library item whose content is %o has an error there alone',
  async (content) => {
    graph.sandbox.faults.add(changingRecord('GET /library/list', 'content', content, 2));
    const answer = await graph.query(CONTENT);
    expect(errorsOf(answer)).toEqual(['libraryItems.nodes.2.content UPSTREAM_MALFORMED']);
    const nodes = answer.data.libraryItems.nodes as { title: string; content: unknown }[];
    expect(nodes.map(({ content: shown }) => shown === null)).toEqual([false, false, true, false]);
    expect(nodes.every(({ title }) => title !== null)).toBe(true);
  },
);

test.each([MISSING, null, '', [], {}, 1e21, true])(
  'a library item whose own id is %o is null, and the others stand',
  async (value) => {
    graph.sandbox.faults.add(changingRecord('GET /library/list', 'id', value, 1));
    const answer = await graph.query('{ libraryItems(first: 3) { totalCount nodes { title } } }');
    expect(errorsOf(answer)).toEqual(['libraryItems.nodes.1 UPSTREAM_MALFORMED']);
    expect(answer.data.libraryItems.totalCount).toBe(15);
    expect(answer.data.libraryItems.nodes).toEqual([
      { title: expect.any(String) as string },
      null,
      { title: expect.any(String) as string },
    ]);
  },
);

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
