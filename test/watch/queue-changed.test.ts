import { describe, expect, test } from 'vitest';
import { globalId } from '../support/calls.ts';
import { QUEUE_CALL, startWatched, watchQueue } from '../support/watching.ts';
import { changingEach, changingRecord } from '../support/wire-changes.ts';
import { EXAMPLES, write } from '../support/writes.ts';

describe.each(['socket', 'sse'] as const)('over %s, who watches the queue', (over) => {
  test('is told what waits there, and then of each post that leaves and that comes', async () => {
    const graph = await startWatched();
    const owner = graph.sandbox.state.owner('harbour');
    const ids = owner.queue.map(({ postId }) => globalId('QueuedPost', postId));
    const watching = watchQueue(graph, { over });
    await watching.received(1);
    const [left] = owner.drainQueue(1);
    await watching.received(2);
    const { postIds } = await write(graph, 'createPost', EXAMPLES.createPost);
    const [snapshot, departure, arrival] = await watching.received(3);
    expect(snapshot).toMatchObject({
      kind: 'SNAPSHOT',
      totalCount: ids.length,
      queuedPostIds: ids,
      queuedPost: null,
    });
    expect(departure).toMatchObject({
      kind: 'LEFT',
      totalCount: ids.length - 1,
      queuedPost: {
        id: globalId('QueuedPost', left?.postId ?? ''),
        postId: left?.postId,
        text: left?.content.description,
      },
    });
    expect(arrival).toMatchObject({
      kind: 'ADDED',
      totalCount: ids.length,
      queuedPost: { postId: (postIds as string[])[0] },
    });
  });
});

test('a post of which something changes is told with the names of what is different, and as it is now', async () => {
  const graph = await startWatched();
  const watching = watchQueue(graph);
  await watching.received(1);
  const [post] = graph.sandbox.state.owner('harbour').queue;
  graph.sandbox.faults.add(changingRecord(QUEUE_CALL, 'postDesc', 'Doors at eight.'));
  const [, changed] = await watching.received(2);
  expect(changed).toMatchObject({
    kind: 'CHANGED',
    changedFields: ['text'],
    isFollowedByChanges: null,
    queuedPost: { postId: post?.postId, text: 'Doors at eight.' },
  });
});

test('what the graph does not show of a post is no change: undocumented fields, and numbers sent as text', async () => {
  const graph = await startWatched();
  const watching = watchQueue(graph);
  const { queue } = graph.sandbox.state.owner('harbour');
  const place = { id: 7, name: 'Harbour' };
  const fault = graph.sandbox.faults.add(changingEach(QUEUE_CALL, () => ({ 'extraData.place': place })));
  await watching.received(1);
  graph.sandbox.faults.add(
    changingEach(QUEUE_CALL, () => ({ 'extraData.place': { rating: 4, name: 'Harbour', id: '7' } })),
  );
  fault.remove();
  await graph.sandbox.requests.waitFor(QUEUE_CALL, graph.sandbox.requests.count(QUEUE_CALL) + 5);
  graph.sandbox.state.owner('harbour').drainQueue(queue.length);
  await watching.received(2);
  expect(new Set(watching.kinds.slice(1))).toEqual(new Set(['LEFT']));
});
