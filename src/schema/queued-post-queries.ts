import type { WindowArguments } from '../lists/window.ts';
import { findQueuedPost, queuedPostOf } from '../records/queued-post.ts';
import { builder } from './builder.ts';
import { costs, type PlannedField, type ResultSet } from './cost.ts';
import { decodeGlobalId } from './global-id.ts';
import { addNarrowedWindow, addScan } from './list-cost.ts';
import { connect } from './pagination.ts';
import { QueuedPost } from './queued-post.ts';
import { QueuedPostFilter, queueOf, type QueueFilter } from './queued-post-filter.ts';

// Queries for queued posts: one by its id, or the queue.

export const QueuedPostConnection = builder.connectionObject(
  { type: QueuedPost, name: 'QueuedPostConnection', description: 'A page of the queue.' },
  { name: 'QueuedPostEdge', description: 'A post at its place in the queue.' },
);

interface QueueArguments extends WindowArguments {
  readonly filter?: QueueFilter | null | undefined;
}

function queueCost({ args, context, tally }: PlannedField<QueueArguments>): ResultSet[] {
  return addNarrowedWindow(tally, queueOf(args.filter, context), {
    args,
    type: 'QueuedPost',
    part: 'whole',
  });
}

builder.queryFields((t) => ({
  queuedPosts: t.connection(
    {
      type: QueuedPost,
      description:
        'The queue: posts that wait to be published, in the service’s order, which it does not document. Pagination stays exact while posts leave the queue.',
      args: { filter: t.arg({ type: QueuedPostFilter, description: 'Which posts to list.' }) },
      resolve: (_root, { filter, ...window }, context) =>
        connect(window, queueOf(filter, context).list, queuedPostOf),
      ...costs(queueCost),
    },
    QueuedPostConnection,
  ),
  queuedPost: t.field({
    type: QueuedPost,
    description:
      'One post of the queue by its id; null when the queue does not hold it (any more). The queue is searched.',
    args: { id: t.arg.id({ required: true, description: 'The id of a `QueuedPost`.' }) },
    resolve: (_root, { id }, context) =>
      findQueuedPost(decodeGlobalId(id, 'id', 'QueuedPost').rawId, context),
    ...costs<{ readonly id: string }>(({ args, tally }) => {
      addScan(tally, 'queue');
      return [{ type: 'QueuedPost', part: 'whole', name: args.id, count: 1 }];
    }),
  }),
}));
