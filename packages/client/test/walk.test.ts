import { describe, expect, test } from 'vitest';
import { QueuedPosts, type QueuedPostsQuery } from '../src/documents.ts';
import { walk, type WalkOptions } from '../src/walk.ts';
import { startGraph, type RunningGraph } from '../../../test/support/graph.ts';
import { clientOf, respond, scriptedClient } from './clients.ts';

const LIST = 'GET /posts/queued';
const queueOf = ({ queuedPosts }: QueuedPostsQuery) => queuedPosts;

async function walkQueue(graph: RunningGraph, options?: WalkOptions): Promise<string[]> {
  const ids: string[] = [];
  for await (const post of walk(clientOf(graph), QueuedPosts, { first: 100 }, queueOf, options))
    ids.push(post.postId);
  return ids;
}

/** A scripted list: each page by its cursor and whether there is a next one. */
function scriptedWalk(
  pages: readonly (readonly [string | null, boolean])[],
  options: WalkOptions = {},
  variables: { readonly first: number; readonly after?: string } = { first: 1 },
) {
  const answers = pages.map(([endCursor, hasNextPage]) => () => {
    const pageInfo = { hasNextPage, endCursor, drifted: false };
    return respond({ data: { queuedPosts: { nodes: [{ postId: endCursor }, null], pageInfo } } });
  });
  const { client, sent } = scriptedClient(answers);
  return { nodes: walk(client, QueuedPosts, variables, queueOf, options), sent };
}

async function idsOf(nodes: AsyncIterable<{ readonly postId: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { postId } of nodes) ids.push(postId);
  return ids;
}

describe('a long list that loses the place of the cursor', () => {
  async function startMoving() {
    const graph = await startGraph({ sandbox: { data: 'large' } });
    const state = graph.sandbox.state.owner(graph.sandbox.owners[0].name);
    const ids = state.queue.map(({ postId }) => postId);
    expect(ids.length).toBeGreaterThan(900);
    graph.sandbox.faults.add({
      kind: 'rewrite',
      endpoint: LIST,
      change: (answer) => {
        state.drainQueue(150);
        return answer;
      },
    });
    return { graph, ids };
  }

  test('ends the walk with an error', async () => {
    const { graph } = await startMoving();
    await expect(walkQueue(graph)).rejects.toMatchObject({ name: 'WalkError', code: 'DRIFTED' });
  });

  test('is walked to its end, each record once and in order, by a caller who accepts that', async () => {
    const { graph, ids } = await startMoving();
    let drifts = 0;
    const seen = await walkQueue(graph, { onDrift: () => (drifts += 1) });
    expect(seen).toEqual([...ids.slice(0, 100), ...ids.slice(150)]);
    expect(drifts).toBe(1);
  });
});

test('a page that failed for the moment is requested again', async () => {
  const graph = await startGraph();
  const fault = graph.sandbox.faults.add({ kind: 'status', status: 503, endpoint: LIST });
  expect(await walkQueue(graph)).toHaveLength(25);
  expect(fault.hits).toBe(1);
});

test('a page that is damaged in part ends the walk with its error, unless the caller accepts that and the list is there', async () => {
  const pageInfo = { hasNextPage: false, endCursor: 'a', drifted: false };
  const data = { queuedPosts: { nodes: [{ postId: '1' }, null, { postId: '3' }], pageInfo } };
  const errors = [{ message: 'Damaged.', path: ['queuedPosts', 'nodes', 1], extensions: {} }];
  const seen: string[] = [];
  const walked = (body: object, options: WalkOptions = {}): Promise<string[]> =>
    idsOf(walk(scriptedClient([() => respond(body)]).client, QueuedPosts, { first: 3 }, queueOf, options));
  const onError = ({ message }: Error): unknown => seen.push(message);
  const damaged = { name: 'GraphError', message: 'Damaged.' };
  await expect(walked({ data, errors })).rejects.toMatchObject(damaged);
  expect(await walked({ data, errors }, { onError })).toEqual(['1', '3']);
  expect(seen).toEqual(['Damaged.']);
  await expect(walked({ data: { queuedPosts: null }, errors }, { onError })).rejects.toMatchObject(damaged);
});

test('records that are null are left out, and the next page is not requested before it is needed', async () => {
  const { nodes, sent } = scriptedWalk([
    ['a', true],
    ['b', false],
  ]);
  expect((await nodes.next()).value).toEqual({ postId: 'a' });
  expect(sent).toHaveLength(1);
  expect((await nodes.next()).value).toEqual({ postId: 'b' });
  expect((await nodes.next()).done).toBe(true);
  expect(sent.map(({ body }) => body.variables)).toEqual([
    { first: 1, after: null },
    { first: 1, after: 'a' },
  ]);
});

test('a walk starts after a cursor', async () => {
  const { nodes, sent } = scriptedWalk([['b', false]], {}, { first: 1, after: 'a' });
  await idsOf(nodes);
  expect(sent[0]?.body.variables).toEqual({ first: 1, after: 'a' });
});

test.each([
  ['STUCK', 'the cursor does not move', ['a', 'a'], {}],
  ['STUCK', 'the cursor is missing', ['a', null], {}],
  ['TOO_LONG', 'the largest number of pages is reached', ['a', 'b', 'c'], { maxPages: 2 }],
])('a walk ends with the error %s when %s', async (code, _, cursors, options) => {
  const { nodes, sent } = scriptedWalk(
    cursors.map((cursor) => [cursor, true]),
    options,
  );
  await expect(idsOf(nodes)).rejects.toMatchObject({ name: 'WalkError', code });
  expect(sent).toHaveLength(2);
});

test('a result without the list is an error', async () => {
  const { client } = scriptedClient([() => respond({ data: { queuedPosts: null } })]);
  const walking = idsOf(walk(client, QueuedPosts, { first: 1 }, queueOf));
  await expect(walking).rejects.toMatchObject({ name: 'WalkError', code: 'NO_LIST' });
});

test('a walk ends with the reason of its signal', async () => {
  const leaving = new AbortController();
  const { nodes } = scriptedWalk([['a', true]], { signal: leaving.signal });
  await nodes.next();
  leaving.abort(new Error('enough'));
  await expect(nodes.next()).rejects.toThrow();
});
