import { findQueuedPost, queuedPostOf } from '../records/queued-post.ts';
import { decodeGlobalId } from './arguments.ts';
import { builder } from './builder.ts';
import { connect } from './pagination.ts';
import { QueuedPost } from './queued-post.ts';
import { QUEUE_ORDER, QueuedPostFilter, QueuedPostOrder, queueOf } from './queued-post-filter.ts';

// Queries for queued posts: one by its id, or the queue.

export const QueuedPostConnection = builder.connectionObject(
  { type: QueuedPost, name: 'QueuedPostConnection', description: 'A connection to the queue.' },
  { name: 'QueuedPostEdge', description: 'An edge in a connection.' },
);

builder.queryFields((t) => ({
  queuedPosts: t.connection(
    {
      type: QueuedPost,
      description:
        'The queue: posts waiting to be published, in the service’s order. Pagination stays exact while posts leave the queue. The order is undocumented by the service.',
      args: {
        filter: t.arg({ type: QueuedPostFilter, description: 'Filters the posts.' }),
        orderBy: t.arg({ type: [QueuedPostOrder], description: QUEUE_ORDER }),
      },
      resolve: (_root, args, context) => connect(args, queueOf(args, context), queuedPostOf),
    },
    QueuedPostConnection,
  ),
  queuedPost: t.field({
    type: QueuedPost,
    description:
      'A queued post by its ID; null if it is not, or no longer, in the queue. Requires a search of the queue.',
    args: { id: t.arg.id({ required: true, description: 'ID of a queued post.' }) },
    resolve: (_root, { id }, context) =>
      findQueuedPost(decodeGlobalId(id, 'id', 'QueuedPost').rawId, context),
  }),
}));
