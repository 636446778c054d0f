import { isInterfaceType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { startGraph } from '../support/graph.ts';
import { openTransport } from '../support/transports.ts';
import { account, documentOf, EXAMPLES, idOf, legacyAccount, write } from '../support/writes.ts';

// What a client reads again in the request that has written.

const ITEM = 'input: { title: "Tides", kind: POST, variants: [{ text: "High water" }] }';
const COUNTS = 'query { libraryItems(first: 1) { totalCount } queuedPosts(first: 1) { totalCount } }';

test('every payload has query, and so has what they have in common', () => {
  const payloads = Object.values(schema.getTypeMap()).filter(({ name }) => name.endsWith('Payload'));
  expect(payloads).toHaveLength(14);
  for (const type of payloads) {
    if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`${type.name} has no fields`);
    expect(String(type.getFields()['query']?.type), type.name).toBe('Query!');
  }
});

const counts = (items: number, posts: number) => ({
  libraryItems: { totalCount: items },
  queuedPosts: { totalCount: posts },
});

test('each of several writes shows the lists as they are after it, not as an earlier one read them', async () => {
  const graph = await startGraph();
  const { data: before } = await graph.query('{ libraryItems(first: 1) { totalCount } }');
  const count = before.libraryItems.totalCount as number;
  const run = openTransport('HTTP', graph.url, graph.caller.both);
  const { data, errors } = await run({
    query: `mutation ($post: CreatePostInput!) {
      a: createLibraryItem(${ITEM}) { ${COUNTS} }
      b: createLibraryItem(${ITEM}) { ${COUNTS} again: ${COUNTS} }
      c: createPost(input: $post) { ${COUNTS} }
      d: createLibraryItem(input: { title: " ", kind: POST, variants: [] }) { outcome ${COUNTS} }
    }`,
    variables: { post: EXAMPLES.createPost },
  });
  expect(errors).toEqual([]);
  const queued = data.a.query.queuedPosts.totalCount as number;
  expect(data.a.query).toEqual(counts(count + 1, queued));
  expect(data.b.query).toEqual(counts(count + 2, queued));
  expect(data.b.again).toEqual(data.b.query);
  expect(data.c.query).toEqual(counts(count + 2, queued + 1));
  expect(data.d).toMatchObject({ outcome: 'REJECTED', query: counts(count + 2, queued + 1) });
  // Each write has its lists read again: two lists below each, once for all aliases.
  expect(graph.sandbox.requests.count('GET /posts/queued')).toBe(4);
});

const listed = ({ query }: { query: { accounts: { nodes: { id: string; isPaused: boolean }[] } } }) =>
  query.accounts.nodes.find(({ id }) => id === legacyAccount())?.isPaused;

test('an action on an account shows it as it is then in every list, and counts what is left', async () => {
  const graph = await startGraph();
  const READ = `query {
    account(id: "${account()}") { isPaused }
    accounts(first: 100, surface: LEGACY) { totalCount nodes { id isPaused } }
  }`;
  const { data, errors } = await graph.query(
    `mutation ($id: ID!) {
      pause: pauseAccount(input: { accountId: $id }) { account { isPaused counterpart { isPaused } } ${READ} }
      resume: resumeAccount(input: { accountId: $id }) { ${READ} }
      delete: deleteAccount(input: { accountId: $id }) { ${READ} }
    }`,
    { variables: { id: account() } },
  );
  expect(errors).toEqual([]);
  expect(data.pause.query.account).toEqual({ isPaused: true });
  expect(data.resume.query.account).toEqual({ isPaused: false });
  expect([data.pause, data.resume, data.delete].map(listed)).toEqual([true, false, undefined]);
  expect(data.delete.query.account).toBeNull();
  expect(data.delete.query.accounts.totalCount).toBe(data.pause.query.accounts.totalCount - 1);
});

test('what is told of an earlier write by its key can be read after, too', async () => {
  const graph = await startGraph();
  await write(graph, 'createPost', { ...EXAMPLES.createPost, idempotencyKey: 'k' });
  const { data, errors } = await graph.query(
    `{ writeOutcome(idempotencyKey: "k") { payload {
      query { libraryItems(first: 1) { totalCount } }
      ... on CreatePostPayload { queuedPostIds queuedPosts { id } }
    } } }`,
  );
  expect(errors).toEqual([]);
  const { query, queuedPosts, queuedPostIds } = data.writeOutcome.payload;
  expect(query.libraryItems.totalCount).toBeGreaterThan(0);
  expect(queuedPosts).toEqual((queuedPostIds as string[]).map((id) => ({ id })));
  expect(queuedPosts).toHaveLength(1);
});

const SELECTION = 'postIds queuedPostIds queuedPosts { id postId text account { loginId displayName } }';

test('a created post shows those that wait, with the ids under which caches know them', async () => {
  const graph = await startGraph();
  const input = { ...EXAMPLES.createPost, accountIds: [account(410_201), account(410_206)] };
  const payload = await write(graph, 'createPost', input, { selection: SELECTION });
  const postIds = payload['postIds'] as string[];
  const ids = postIds.map((postId) => idOf('QueuedPost', 'current', postId));
  expect(postIds).toHaveLength(2);
  expect(payload).toMatchObject({
    queuedPostIds: ids,
    queuedPosts: postIds.map((postId, index) => ({ id: ids[index], postId, text: 'Doors at seven.' })),
  });
  // One look into the queue is enough for both fields.
  expect(graph.sandbox.requests.count('GET /posts/queued')).toBe(1);
  const { data } = await graph.query('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
    variables: { ids },
  });
  expect(data.nodes).toEqual(ids.map((id) => ({ id })));
});

test('a post that was published at once does not wait, and one that was refused is none', async () => {
  const graph = await startGraph();
  const now = { ...EXAMPLES.createPost, timing: { placement: 'NOW' } };
  const published = await write(graph, 'createPost', now, { selection: SELECTION });
  expect(published).toMatchObject({ postIds: [expect.any(String)], queuedPostIds: [], queuedPosts: [] });
  const refused = await write(graph, 'createPost', { ...now, variants: [] }, { selection: SELECTION });
  expect(refused).toMatchObject({ postIds: null, queuedPostIds: null, queuedPosts: null });
});

test('a queue that can’t be read costs these fields, and not the post', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'status', endpoint: 'GET /posts/queued', status: 503, times: 99 });
  const { data, errors } = await graph.query(documentOf('createPost', 'postIds queuedPostIds'), {
    variables: { input: EXAMPLES.createPost },
  });
  expect(data.createPost).toMatchObject({
    outcome: 'COMPLETED',
    postIds: [expect.any(String)],
    queuedPostIds: null,
  });
  expect(errors.map(({ path }) => path)).toEqual([['createPost', 'queuedPostIds']]);
});
