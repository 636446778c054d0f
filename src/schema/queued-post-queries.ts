import { findQueuedPost, queuedPostOf } from '../records/queued-post.ts';
import { currentMembersOf } from '../records/account-group.ts';
import { Account } from './account.ts';
import { AccountGroup } from './account-group.ts';
import { decodeGlobalId } from './arguments.ts';
import { builder } from './builder.ts';
import { connect } from './pagination.ts';
import { QueuedPost } from './queued-post.ts';
import { queueArguments, queueOf } from './queued-post-filter.ts';

// Queries for queued posts: one by its id, or the queue.

const QueuedPostConnection = builder.connectionObject(
  { type: QueuedPost, name: 'QueuedPostConnection', description: 'A connection to the queue.' },
  { name: 'QueuedPostEdge', description: 'An edge in a connection.' },
);

builder.queryFields((t) => ({
  queuedPosts: t.connection(
    {
      type: QueuedPost,
      description:
        'The queue: posts waiting to be published, in the service’s order. Pagination stays exact while posts leave the queue. The order is undocumented by the service.',
      args: queueArguments('Filters the posts.'),
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

// The queued posts of one account, or of the accounts of one group.

const NARROWING = 'Filters the posts. `accountIds` can only narrow the list further.';

builder.objectField(Account, 'queuedPosts', (t) =>
  t.connection(
    {
      type: QueuedPost,
      description:
        'Queued posts of the account, in queue order. The service cannot filter its queue by account, so the whole queue is read (up to 2,000 posts), once per operation. Null on the legacy surface, which has no queue; use `counterpart`.',
      args: queueArguments(NARROWING),
      resolve: ({ surface, loginId }, args, context) =>
        surface === 'legacy' ? null : connect(args, queueOf(args, context, [loginId]), queuedPostOf),
    },
    QueuedPostConnection,
  ),
);

builder.objectField(AccountGroup, 'queuedPosts', (t) =>
  t.connection(
    {
      type: QueuedPost,
      description:
        'Queued posts of the group’s accounts, in queue order, read like `Account.queuedPosts`. Null on the legacy surface, which has no queue, and if the group list does not contain the group.',
      args: queueArguments(NARROWING),
      resolve: async (group, args, context) => {
        const loginIds = (await currentMembersOf(group, context))?.map(({ loginId }) => loginId);
        return loginIds ? connect(args, queueOf(args, context, loginIds), queuedPostOf) : null;
      },
    },
    QueuedPostConnection,
  ),
);
