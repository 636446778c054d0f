import {
  validatePost,
  type CheckedPost,
  type LookedAt,
  type PostWarning as PostWarningView,
} from '../writes/validate-post.ts';
import { Account } from './account.ts';
import { builder, defineEnum } from './builder.ts';
import { dateTime, field, int, nonNull, shown, string } from './data.ts';
import { CreatePostInput } from './post.ts';
import { inputOf, UserError } from './write.ts';

// Validation of a post before it is sent: errors, and warnings about what may go wrong later.

const PostWarningCode = defineEnum('PostWarningCode', 'Reasons for a warning about a post.', {
  TEXT_LONGER_THAN_NETWORK_ALLOWS:
    'A text exceeds the network’s documented limit, in the unit that the network counts (see `Query.textLimits`). Networks change their limits, so the post may still be published.',
  SAME_TEXT_IN_QUEUE: 'A post with the same text, ignoring white space, is queued for the same account.',
  SAME_MINUTE_AS_QUEUED_POST: 'Another post is queued for the same account and minute.',
  QUEUE_NEAR_LIMIT:
    'The queue is at least 90% full (see the plan’s feature `Post In scheduling queue`), or has no room for one post per account and time. Whether the service counts this way is undocumented by the service.',
  TIME_OUTSIDE_SCHEDULE:
    'A time is outside the posting schedule of an account. Accounts without a schedule are not checked.',
});

const PostWarning = builder.objectRef<PostWarningView>('PostWarning').implement({
  description: 'A possible problem with a post. It does not prevent `createPost` from sending the post.',
  fields: (t) =>
    shown(t, {
      code: nonNull(field(PostWarningCode, 'Machine-readable code.')),
      message: nonNull(string('A human-readable message.')),
      path: field(['String'], 'Path to the argument concerned, starting at `input`; null if there is none.'),
      accountIds: nonNull(
        field(['ID'], 'IDs of the accounts concerned; empty if the whole post is concerned.'),
      ),
      queuedPostIds: nonNull(
        field(['ID'], 'IDs of the queued posts concerned, at most ten; empty if there are none.'),
      ),
    }),
});

const PostValidationScope = builder.objectRef<LookedAt>('PostValidationScope').implement({
  description: 'Coverage of the checks behind the warnings of a post.',
  fields: (t) =>
    shown(t, {
      queueReadAt: dateTime(
        'When the server began to read the queue and the plan, at most a few seconds ago; null if that failed.',
      ),
      queueTotal: int('Number of posts in the queue; null if it could not be read.'),
      queuedPostCount: int(
        'Number of queued posts that the post was compared with; null if the whole queue could not be read (for example, if it has more than 2,000 posts).',
      ),
      unreadablePostCount: int(
        'Number of queued posts whose account, text or time is unreadable; null if `queuedPostCount` is null.',
      ),
      queueLimit: int(
        'Maximum number of queued posts in the plan; null if it could not be read or the service reports none.',
      ),
      scheduleCount: nonNull(int('Number of accounts whose posting schedule was read.')),
      notLookedFor: nonNull(
        field([PostWarningCode], 'Checks that were skipped or incomplete. If empty, all checks ran in full.'),
      ),
    }),
});

const PostValidation = builder.objectRef<CheckedPost>('PostValidation').implement({
  description: 'The result of validating a post without sending it.',
  fields: (t) =>
    shown(t, {
      isValid: t.boolean({
        nullable: false,
        description: 'Whether `userErrors` is empty, regardless of warnings.',
        resolve: ({ userErrors }) => userErrors.length === 0,
      }),
      userErrors: nonNull(
        field(
          [UserError],
          'Problems that would make `createPost` reject the input, and accounts that are known not to be `HEALTHY`.',
        ),
      ),
      warnings: t.field({
        type: [PostWarning],
        nullable: false,
        description:
          'Possible problems, such as a text that is too long for a network or is already queued. Check before sending, since posts cannot be edited afterwards. Requires reading the whole queue and the plan; see `lookedAt` for the coverage of the checks.',
        resolve: async ({ outlook }) => (await outlook()).warnings,
      }),
      lookedAt: t.field({
        type: PostValidationScope,
        nullable: false,
        description: 'Coverage of the checks behind `warnings`.',
        resolve: async ({ outlook }) => (await outlook()).lookedAt,
      }),
      accounts: t.field({
        type: [Account],
        nullable: { list: true, items: true },
        description: 'Accounts in the order of `accountIds`; null for an unknown account.',
        resolve: ({ accounts }) => accounts,
      }),
    }),
});

builder.queryField('validatePost', (t) =>
  t.field({
    type: PostValidation,
    description:
      'Validates a post without creating it: everything that `createPost` would reject, the health of the accounts, and warnings.',
    args: inputOf(CreatePostInput, 'The post to validate.'),
    resolve: (_root, { input }, context) => validatePost(context, input),
  }),
);
