import { isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { harbour } from '../support/account-records.ts';
import { globalId } from '../support/calls.ts';
import { QUEUED_POST_FIELDS, queuedPost } from '../support/post-records.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingRecord } from '../support/wire-changes.ts';

const graph = shareGraph();

test('the tests of fields cover every field of a queued post', () => {
  const [post] = harbour(graph).queue;
  const type = schema.getType('QueuedPost');
  if (!post || !isObjectType(type)) throw new Error('not there');
  expect(Object.keys(type.getFields()).toSorted()).toEqual(
    [...Object.keys(queuedPost(graph, post)), 'id'].toSorted(),
  );
});

test('the queue is true to its posts in every field', async () => {
  const { data, errors } = await graph.query(
    `{ queuedPosts(first: 100) { totalCount nodes { ${QUEUED_POST_FIELDS} } edges { node { postId } } } }`,
  );
  expect(errors).toEqual([]);
  const { queue } = harbour(graph);
  expect(data.queuedPosts.totalCount).toBe(25);
  expect(data.queuedPosts.nodes).toEqual(queue.map((post) => queuedPost(graph, post)));
  expect(data.queuedPosts.edges).toEqual(queue.map(({ postId }) => ({ node: { postId } })));
});

test('a post read by its id is true to its record in every field', async () => {
  for (const post of harbour(graph).queue.slice(0, 11)) {
    const id = globalId('QueuedPost', post.postId);
    const { data, errors } = await graph.query(
      `query ($id: ID!) { queuedPost(id: $id) { id ${QUEUED_POST_FIELDS} } node(id: $id) { ... on QueuedPost { id ${QUEUED_POST_FIELDS} } } }`,
      { variables: { id } },
    );
    expect(errors).toEqual([]);
    const expected = { id, ...queuedPost(graph, post) };
    expect(data).toEqual({ queuedPost: expected, node: expected });
  }
});

const BIG = '9007199254740993';
const IDS = [BigInt(BIG), BIG] as const;
const PLACES = [
  ['postId', 'postId'],
  ['loginId', 'account.loginId'],
  ['companyId', 'companyId'],
  ['uniqueId', 'account.networkAccountId'],
] as const;

test.each(PLACES.flatMap(([wire, path]) => IDS.map((id) => [wire, id, path] as const)))(
  'the %s of a queued post that comes as %o keeps its digits',
  async (wire, id, path) => {
    graph.sandbox.faults.add(changingRecord('GET /posts/queued', wire, id));
    const { data, errors } = await graph.query(
      '{ queuedPosts(first: 1) { nodes { postId companyId account { loginId networkAccountId } } } }',
    );
    expect(errors).toEqual([]);
    const [node] = data.queuedPosts.nodes;
    const [name = '', inner] = path.split('.');
    expect(inner === undefined ? node[name] : node[name][inner]).toBe(BIG);
  },
);

test('ids within lists and nested records beyond 2^53 keep their digits', async () => {
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'tagIds', [BigInt(BIG), 7]));
  const { data, errors } = await graph.query('{ queuedPosts(first: 1) { nodes { tagIds } } }');
  expect(errors).toEqual([]);
  expect(data.queuedPosts.nodes).toEqual([{ tagIds: [BIG, '7'] }]);
});

test.each([
  'The secret: patience, and a kettle.',
  'Our password is "moonbeam" until noon, password: moonbeam',
  'Token=AB12CD gets you a second cup',
  'api_key, secret and signature = the three cocktails',
])('a text that only speaks of secrets comes as it was written: %s', async (text) => {
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'postDesc', text));
  const { data, errors } = await graph.query('{ queuedPosts(first: 1) { nodes { text } } }');
  expect(errors).toEqual([]);
  expect(data.queuedPosts.nodes).toEqual([{ text }]);
});
