import { expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { errorsOf } from '../support/answers.ts';
import { callsOf, globalId } from '../support/calls.ts';
import { isDeep } from '../support/depth.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();
const large = shareGraph({ sandbox: { data: 'large' } });

/** A kind of record that has no look-up in the service, so that its list is searched. */
interface Searched {
  readonly type: 'QueuedPost' | 'AiGeneration' | 'AccountGroup';
  readonly field: string;
  readonly endpoint: EndpointName;
  /** Largest page with which the large list is longer than twenty pages. */
  readonly maxLimit: number;
  /** Own ids of the records, in the order of the list. */
  readonly ids: (running: RunningGraph, owner?: string) => string[];
}

const SEARCHED: readonly Searched[] = [
  {
    type: 'QueuedPost',
    field: 'queuedPost',
    endpoint: 'GET /posts/queued',
    maxLimit: 40,
    ids: ({ sandbox }, owner = 'harbour') => sandbox.state.owner(owner).queue.map(({ postId }) => postId),
  },
  {
    type: 'AiGeneration',
    field: 'aiGeneration',
    endpoint: 'GET /openai/historyList',
    maxLimit: 20,
    ids: ({ sandbox }, owner = 'harbour') =>
      sandbox.state
        .owner(owner)
        .history.map(({ contentId }) => contentId)
        .toReversed(),
  },
  {
    type: 'AccountGroup',
    field: 'accountGroup',
    endpoint: 'GET /group/list',
    maxLimit: 1,
    ids: ({ sandbox }, owner = 'harbour') =>
      sandbox.state.owner(owner).groups.map(({ groupId }) => String(groupId)),
  },
];
const NAMED = SEARCHED.map((searched) => [searched.type, searched] as const);

const lookUp = (running: RunningGraph, { type, field }: Searched, rawId: string) =>
  running.query(`query ($id: ID!) { ${field}(id: $id) { id } node(id: $id) { id __typename } }`, {
    variables: { id: globalId(type, rawId) },
  });

test.each(NAMED)(
  'a %s is found by its id, with one call where its list is one page',
  async (type, searched) => {
    const ids = searched.ids(graph);
    for (const rawId of isDeep ? ids : [ids[0], ids[ids.length >> 1], ids.at(-1)]) {
      graph.sandbox.requests.clear();
      const { data, errors } = await lookUp(graph, searched, rawId ?? '');
      expect(errors).toEqual([]);
      const id = globalId(type, rawId ?? '');
      expect(data).toEqual({ [searched.field]: { id }, node: { id, __typename: type } });
      expect(callsOf(graph)).toEqual({ [searched.endpoint]: 1 });
    }
  },
);

test.each(NAMED)('a %s of the last page is found, and no page is read after it', async (_type, searched) => {
  const ids = searched.ids(large);
  const { data, errors } = await lookUp(large, searched, ids.at(-1) ?? '');
  expect(errors).toEqual([]);
  expect(data.node).not.toBeNull();
  expect(callsOf(large)).toEqual({ [searched.endpoint]: Math.ceil(ids.length / 100) });
});

test.each(NAMED)('a %s that is not there is null once its whole list was read', async (_type, searched) => {
  const { data, errors } = await lookUp(large, searched, '0'.repeat(24));
  expect(errors).toEqual([]);
  expect(data).toEqual({ [searched.field]: null, node: null });
  const pages = Math.ceil(searched.ids(large).length / 100);
  const calls = large.sandbox.requests.count(searched.endpoint);
  expect(callsOf(large)).toEqual({ [searched.endpoint]: calls });
  expect(calls).toBeGreaterThanOrEqual(pages);
  // A list of several pages is looked at again: in one reading alone a record may slip past.
  expect(calls).toBeLessThanOrEqual(pages === 1 ? 1 : 2 * pages);
});

test.each(NAMED)('a %s of another owner is null', async (_type, searched) => {
  const [foreign = ''] = searched.ids(graph, 'fernlight');
  const { data, errors } = await lookUp(graph, searched, foreign);
  expect(errors).toEqual([]);
  expect(data).toEqual({ [searched.field]: null, node: null });
});

test.each(NAMED)(
  'a %s beyond the twentieth page is SCAN_LIMIT_REACHED, never null alone; one on that page is found',
  async (_type, searched) => {
    const { maxLimit } = searched;
    const own = await startGraph({ sandbox: { data: 'large', quirks: { maxLimit } } });
    const ids = searched.ids(own);
    for (const rawId of ['0'.repeat(24), ids[20 * maxLimit] ?? '']) {
      own.sandbox.requests.clear();
      const answer = await lookUp(own, searched, rawId);
      expect(errorsOf(answer)).toEqual(
        [`${searched.field} SCAN_LIMIT_REACHED`, 'node SCAN_LIMIT_REACHED'].toSorted(),
      );
      expect(answer.data).toEqual({ [searched.field]: null, node: null });
      expect(callsOf(own)).toEqual({ [searched.endpoint]: 20 });
    }
    const { data, errors } = await lookUp(own, searched, ids[20 * maxLimit - 1] ?? '');
    expect(errors).toEqual([]);
    expect(data.node).not.toBeNull();
  },
);

test.each(NAMED)('a %s is an error where a page of its list can’t be read', async (_type, searched) => {
  const own = await startGraph({ sandbox: { data: 'large', quirks: { maxLimit: 10 } } });
  own.sandbox.faults.add({ kind: 'status', status: 503, endpoint: searched.endpoint, skip: 2, times: 99 });
  const answer = await lookUp(own, searched, '0'.repeat(24));
  expect(errorsOf(answer)).toEqual(
    [`${searched.field} SURFACE_UNAVAILABLE`, 'node SURFACE_UNAVAILABLE'].toSorted(),
  );
});

test.each(NAMED)(
  'several %s records and the ids of other kinds cost one search a list',
  async (_type, searched) => {
    const ids = SEARCHED.flatMap(({ type, ids: of }) => of(graph).map((rawId) => globalId(type, rawId)));
    const { data, errors } = await graph.query('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      variables: { ids },
    });
    expect(errors).toEqual([]);
    expect((data.nodes as { id: string }[]).map(({ id }) => id)).toEqual(ids);
    expect(callsOf(graph)[searched.endpoint]).toBe(1);
  },
);

test('a post that left the queue is null', async () => {
  const own = await startGraph();
  const [post] = own.sandbox.state.owner('harbour').drainQueue(1);
  const { data, errors } = await own.query(
    `{ queuedPost(id: "${globalId('QueuedPost', post?.postId ?? '')}") { title } }`,
  );
  expect(errors).toEqual([]);
  expect(data.queuedPost).toBeNull();
});

test('an id of another kind, or of none, is bad input and asks nothing', async () => {
  const ids = [globalId('LibraryItem', 'x'), globalId('QueuedPost', ''), '', 'x', '1qc:abc'];
  for (const id of ids) {
    const answer = await graph.query('query ($id: ID!) { queuedPost(id: $id) { id } }', {
      variables: { id },
    });
    expect(errorsOf(answer), id).toEqual(['queuedPost BAD_USER_INPUT']);
  }
  expect(graph.sandbox.requests.count()).toBe(0);
});
