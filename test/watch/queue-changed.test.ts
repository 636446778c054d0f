import { describe, expect, test } from 'vitest';
import { globalId } from '../support/calls.ts';
import { startWatched, watchQueue } from '../support/watching.ts';
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
