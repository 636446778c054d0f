import { readGroup } from '../records/account-group.ts';
import { queuedPostOf } from '../records/queued-post.ts';
import { SourceError } from '../sources/errors.ts';
import { Account } from './account.ts';
import { AccountGroup } from './account-group.ts';
import { builder } from './builder.ts';
import { connect } from './pagination.ts';
import { QUEUE_ORDER, QueuedPostFilter, QueuedPostOrder, queueOf } from './queued-post-filter.ts';
import { QueuedPostConnection } from './queued-post-queries.ts';
import { QueuedPost } from './queued-post.ts';

// The queued posts of one account, or of the accounts of one group.

const FILTER = 'Filters the posts. `accountIds` can only narrow the list further.';

builder.objectField(Account, 'queuedPosts', (t) =>
  t.connection(
    {
      type: QueuedPost,
      description:
        'Queued posts of the account, in queue order. The service cannot filter its queue by account, so the whole queue is read (up to 2,000 posts), once per operation. Null on the legacy surface, which has no queue; use `counterpart`.',
      args: {
        filter: t.arg({ type: QueuedPostFilter, description: FILTER }),
        orderBy: t.arg({ type: [QueuedPostOrder], description: QUEUE_ORDER }),
      },
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
      args: {
        filter: t.arg({ type: QueuedPostFilter, description: FILTER }),
        orderBy: t.arg({ type: [QueuedPostOrder], description: QUEUE_ORDER }),
      },
      resolve: async (group, args, context) => {
        if (group.surface === 'legacy') return null;
        const members = await readGroup(group, 'accounts', context);
        if (members === null) return null;
        const loginIds = members.map(({ loginId }) => {
          if (loginId === null) throw new SourceError('malformed', 'current', 'a group member without an id');
          return loginId;
        });
        return connect(args, queueOf(args, context, loginIds), queuedPostOf);
      },
    },
    QueuedPostConnection,
  ),
);
