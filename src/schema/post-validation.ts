import type { LookedAt } from '../writes/post-outlook.ts';
import type {
  PostWarning as PostWarningView,
  PostWarningCode as PostWarningCodeName,
} from '../writes/post-warnings.ts';
import { lookAtPost, type CheckedPost } from '../writes/validate-post.ts';
import { Account } from './account.ts';
import { addAccounts } from './account-cost.ts';
import { builder } from './builder.ts';
import { costs, type PlannedField } from './cost.ts';
import { addWhole } from './list-cost.ts';
import { CreatePostInput, toPost } from './post.ts';
import { UserError } from './write.ts';

// Validation of a post before it is sent: errors, and warnings about what may go wrong later.

const WARNING_DESCRIPTIONS: Readonly<Record<PostWarningCodeName, string>> = {
  TEXT_LONGER_THAN_NETWORK_ALLOWS:
    'A text is longer than the network documents as its limit, in the unit that the network counts: weighted characters for X, UTF-16 code units for TikTok, code points for the others. Networks change their limits, so it may be published all the same.',
  SAME_TEXT_IN_QUEUE:
    'A post with the same text, but for white space, waits in the queue for the same account.',
  SAME_MINUTE_AS_QUEUED_POST: 'Another post waits in the queue for the same account and the same minute.',
  QUEUE_NEAR_LIMIT:
    'The queue holds nine tenths or more of what the plan lets wait (its feature `Post In scheduling queue`), or has no room for one post for each account and time. Whether the service counts alike is not documented.',
  TIME_OUTSIDE_SCHEDULE:
    'A time is none of the posting schedule of an account. An account without a schedule is not warned of.',
};

const PostWarningCode = builder.enumType('PostWarningCode', {
  description: 'What a warning about a post is about.',
  values: Object.fromEntries(
    Object.entries(WARNING_DESCRIPTIONS).map(([code, description]) => [code, { description }]),
  ) as Readonly<Record<PostWarningCodeName, { description: string }>>,
});

const PostWarning = builder.objectRef<PostWarningView>('PostWarning').implement({
  description:
    'Something that may go wrong with a post later. It does not keep `createPost` from sending the post.',
  fields: (t) => ({
    code: t.expose('code', {
      type: PostWarningCode,
      nullable: false,
      description: 'What it is about, for programs.',
    }),
    message: t.exposeString('message', { nullable: false, description: 'The warning, for people.' }),
    path: t.field({
      type: ['String'],
      nullable: { list: true, items: false },
      description: 'The argument that it is about, step by step from `input`; null where there is none.',
      resolve: ({ path }) => path,
    }),
    accountIds: t.field({
      type: ['ID'],
      nullable: { list: false, items: false },
      description:
        'The accounts that it is about, each by its `Account.id`; empty where it is about the whole post.',
      resolve: ({ accountIds }) => accountIds,
    }),
    queuedPostIds: t.field({
      type: ['ID'],
      nullable: { list: false, items: false },
      description:
        'The posts of the queue that it is about, each by its `QueuedPost.id`, ten at most; empty where it is about none.',
      resolve: ({ queuedPostIds }) => queuedPostIds,
    }),
  }),
});

const PostValidationScope = builder.objectRef<LookedAt>('PostValidationScope').implement({
  description:
    'How much was looked at for the warnings of a post. Where something could not be read, nothing is known of what it would have told.',
  fields: (t) => ({
    queueTotal: t.exposeInt('queueTotal', {
      nullable: true,
      description: 'How many posts wait in the queue; null if that could not be read.',
    }),
    queuedPostCount: t.exposeInt('queuedPostCount', {
      nullable: true,
      description:
        'How many posts of the queue the post was compared with: all of them, or null if the queue could not be read as a whole, such as one of more than 2,000 posts.',
    }),
    unreadablePostCount: t.exposeInt('unreadablePostCount', {
      nullable: true,
      description:
        'How many of these show no account, text or time that can be read; null where `queuedPostCount` is.',
    }),
    queueLimit: t.exposeInt('queueLimit', {
      nullable: true,
      description:
        'How many posts the plan lets wait in the queue; null if it could not be read, or tells no number.',
    }),
    scheduleCount: t.exposeInt('scheduleCount', {
      nullable: false,
      description: 'How many of the accounts have a posting schedule that was read.',
    }),
    notLookedFor: t.field({
      type: [PostWarningCode],
      nullable: { list: false, items: false },
      description:
        'The warnings that were not looked for, or not everywhere, because something could not be read. Without one of these, what was not found is not there.',
      resolve: ({ notLookedFor }) => notLookedFor,
    }),
  }),
});

const PostValidation = builder.objectRef<CheckedPost>('PostValidation').implement({
  description: 'The problems of a post, found without sending it.',
  fields: (t) => ({
    isValid: t.boolean({
      nullable: false,
      description: 'Whether `userErrors` is empty. Warnings do not count.',
      resolve: ({ userErrors }) => userErrors.length === 0,
    }),
    userErrors: t.expose('userErrors', {
      type: [UserError],
      nullable: { list: false, items: false },
      description:
        'What was found: everything that `createPost` would refuse, and accounts whose state is not `HEALTHY`.',
    }),
    warnings: t.field({
      type: [PostWarning],
      nullable: { list: false, items: false },
      description:
        'What may go wrong later, such as a text that is longer than the network of an account allows, or that waits in the queue already. Look at them before you send: a post cannot be edited afterwards. The whole queue and the plan are read for them; `lookedAt` tells what could not be.',
      resolve: async ({ outlook }) => (await outlook()).warnings,
      ...costs(addOutlook),
    }),
    lookedAt: t.field({
      type: PostValidationScope,
      nullable: false,
      description: 'How much was looked at for `warnings`.',
      resolve: async ({ outlook }) => (await outlook()).lookedAt,
      ...costs(addOutlook),
    }),
    accounts: t.field({
      type: [Account],
      nullable: { list: true, items: true },
      description: 'The accounts, in the order of `accountIds`; null for one that is not there.',
      resolve: ({ accounts }) => accounts,
    }),
  }),
});

function addOutlook({ context, tally }: PlannedField): void {
  addWhole(tally, context.loaders.queue({}));
  // For a queue that is too long to read.
  tally.add('length of the queue', 1);
  tally.add('membership', 1);
}

builder.queryField('validatePost', (t) =>
  t.field({
    type: PostValidation,
    description:
      'Checks a post without creating it: everything that `createPost` would refuse, the health of the accounts, and warnings. Sends nothing that has an effect.',
    args: {
      input: t.arg({
        type: CreatePostInput,
        required: true,
        description: 'The post, as `createPost` takes it.',
      }),
    },
    resolve: (_root, { input }, context) => lookAtPost(context, toPost(input)),
    ...costs<{ readonly input: typeof CreatePostInput.$inferInput }>(({ args, tally }) =>
      addAccounts(tally, args.input.accountIds),
    ),
  }),
);
