import type { OperationContext } from '../operation/operation.ts';
import type { WindowArguments } from '../lists/window.ts';
import { findQueuedPost, queuedPostOf } from '../records/queued-post.ts';
import { builder } from './builder.ts';
import { costs } from './cost.ts';
import { decodeGlobalId } from './global-id.ts';
import { addScan, addWindow } from './list-cost.ts';
import { connect } from './pagination.ts';
import { QueuedPost } from './queued-post.ts';

// How queued posts are found: one by its id, or the queue.

const QueuedPostConnection = builder.connectionObject(
  { type: QueuedPost, name: 'QueuedPostConnection', description: 'A page of the queue.' },
  { name: 'QueuedPostEdge', description: 'A post at its place in the queue.' },
);

const QueuedPostFilter = builder.inputType('QueuedPostFilter', {
  description: 'Narrows the queue.',
  fields: (t) => ({
    title: t.string({
      description: 'Searches by post title; how the service matches titles is not documented.',
    }),
  }),
});

interface QueueArguments extends WindowArguments {
  readonly filter?: typeof QueuedPostFilter.$inferInput | null | undefined;
}

function queueOf({ filter }: QueueArguments, context: OperationContext) {
  return context.loaders.queue(filter?.title == null ? {} : { title: filter.title });
}

builder.queryFields((t) => ({
  queuedPosts: t.connection(
    {
      type: QueuedPost,
      description:
        'The queue: posts that wait to be published, in the service’s order, which it does not document. Pagination stays exact while posts leave the queue.',
      args: { filter: t.arg({ type: QueuedPostFilter, description: 'Which posts to list.' }) },
      resolve: (_root, { filter, ...window }, context) => {
        return connect(window, queueOf({ filter }, context), queuedPostOf);
      },
      ...costs<QueueArguments>(({ args, context, tally }) =>
        addWindow(tally, queueOf(args, context), { args, type: 'QueuedPost', part: 'whole' }),
      ),
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
