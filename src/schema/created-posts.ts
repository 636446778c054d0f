import type { OperationContext } from '../operation/operation.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import { findQueuedPost, type QueuedPostRecord } from '../records/queued-post.ts';
import type { CreatedPostsData } from '../writes/create-post.ts';
import type { WriteResult } from '../writes/outcome.ts';
import { QueuedPost } from './queued-post.ts';
import { definePayload } from './write.ts';
import { boolean, field, int, shown, string } from './data.ts';

export const CreatePostPayload = definePayload<CreatedPostsData>('createPost', { takesKey: true }, (t) =>
  shown(t, {
    postIds: field(
      ['ServiceId'],
      'The service’s own ids for all posts created. To read those in the queue, use `queuedPosts`. How ids map to accounts and times is undocumented by the service.',
    ),
    queuedPostIds: t.idList({
      description:
        'IDs of the created posts that are in the queue, in the order of `postIds`; null if `postIds` is null. Requires a search of the queue. To read the posts, use `queuedPosts`.',
      resolve: async ({ result }, _args, context) =>
        (await waitingPosts(result, context))?.map(globalIdOf) ?? null,
    }),
    queuedPosts: t.field({
      type: [QueuedPost],
      description:
        'The created posts that are in the queue. Posts that were published immediately are not included.',
      resolve: ({ result }, _args, context) => waitingPosts(result, context),
    }),
    createdCount: int('Number of posts created.'),
    isScheduledLimitReached: boolean('Whether the scheduling limit was exceeded.'),
    customResponse: field(['JSON'], 'Additional response data. Undocumented by the service.'),
    message: string('Message from the service on success.'),
  }),
);

function globalIdOf({ postId }: QueuedPostRecord): string {
  return encodeGlobalId({ type: 'QueuedPost', surface: 'current', rawId: postId });
}

async function waitingPosts(
  { data }: WriteResult<CreatedPostsData>,
  context: OperationContext,
): Promise<QueuedPostRecord[] | null> {
  if (data === null || data.postIds === null) return null;
  const found = await Promise.all(data.postIds.map((postId) => findQueuedPost(postId, context)));
  return found.filter((post) => post !== null);
}
