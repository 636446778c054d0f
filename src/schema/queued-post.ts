import type { OperationContext } from '../operation/operation.ts';
import type { WindowArguments } from '../lists/window.ts';
import { accountOf } from '../records/account.ts';
import {
  findQueuedPost,
  queuedPostOf,
  scheduledAt,
  scheduledAtLocal,
  type QueuedPostRecord,
} from '../records/queued-post.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import type { QueuedPost as QueuedPostView } from '../sources/current/posts.ts';
import { Account } from './account.ts';
import { builder } from './builder.ts';
import { costs } from './cost.ts';
import { decodeGlobalId } from './global-id.ts';
import { addScan, addWindow } from './list-cost.ts';
import { connect } from './pagination.ts';
import { ContentKind, contentKindOf, FacebookAudience, Mention, nameOf, Place } from './post-content.ts';

const PostStatus = builder.enumType('PostStatus', {
  description: 'Where a post stands. The service documents one state only.',
  values: {
    QUEUED: { description: 'Waits to be published.' },
    UNKNOWN: { description: 'A state that has no name here yet; `statusCode` says which.' },
  } as const,
});

const POST_STATUSES = { N: 'QUEUED' } as const;
const OPTIONAL_LIST = { list: true, items: false } as const;

/** A resolver that reads one field of a post. */
function reading<K extends keyof QueuedPostView>(name: K) {
  return ({ view }: QueuedPostRecord): QueuedPostView[K] => view[name];
}

export const QueuedPost = builder.objectRef<QueuedPostRecord>('QueuedPost');

QueuedPost.implement({
  description:
    'A post that waits in the queue. The service lists no published posts: one that left the queue was not necessarily published.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      nullable: false,
      description: 'Opaque id; good for as long as the post waits in the queue.',
      resolve: ({ postId }) => encodeGlobalId({ type: 'QueuedPost', surface: 'current', rawId: postId }),
    }),
    postId: t.exposeID('postId', { nullable: false, description: 'Id of the post in the service itself.' }),
    account: t.field({
      type: Account,
      description:
        'The account that it will be published on. What the queue itself tells of it costs no further call.',
      resolve: ({ view }) => view.account && accountOf('current', view.account),
      ...costs(({ sets }) =>
        sets
          .filter(({ type }) => type === 'QueuedPost')
          .map((posts) => ({ ...posts, type: 'Account', part: 'queued', name: `${posts.name} account` })),
      ),
    }),
    title: t.string({ description: 'Title, where it has one.', resolve: reading('title') }),
    text: t.string({ description: 'What it says.', resolve: reading('text') }),
    longText: t.string({
      description: 'A longer text, for networks that take one.',
      resolve: reading('longText'),
    }),
    linkUrl: t.string({ description: 'Address that it links to.', resolve: reading('linkUrl') }),
    videoUrl: t.string({ description: 'Address of its video.', resolve: reading('videoUrl') }),
    documentUrl: t.string({ description: 'Address of its document.', resolve: reading('documentUrl') }),
    imageUrls: t.stringList({
      nullable: OPTIONAL_LIST,
      description: 'Addresses of its images.',
      resolve: reading('imageUrls'),
    }),
    thumbnailUrls: t.stringList({
      nullable: OPTIONAL_LIST,
      description: 'Addresses of small images of it.',
      resolve: reading('thumbnailUrls'),
    }),
    status: t.field({
      type: PostStatus,
      description: 'Where it stands.',
      resolve: ({ view }) => nameOf(POST_STATUSES, view.statusCode, { view, field: 'statusCode' }),
    }),
    statusCode: t.string({
      description: 'The service’s own code of where it stands.',
      resolve: reading('statusCode'),
    }),
    contentKind: t.field({
      type: ContentKind,
      description: 'What it mainly is.',
      resolve: ({ view }) => contentKindOf(view),
    }),
    contentCode: t.string({
      description: 'The service’s own code of what it is.',
      resolve: reading('contentCode'),
    }),
    instagramPostType: t.string({
      description: 'How Instagram shows it: `post`, `reels` or `story`.',
      resolve: reading('instagramPostType'),
    }),
    place: t.field({ type: Place, description: 'The location that it names.', resolve: reading('place') }),
    facebookAudience: t.field({
      type: FacebookAudience,
      description: 'Whom Facebook shows it to.',
      resolve: reading('facebookAudience'),
    }),
    mentions: t.field({
      type: [Mention],
      nullable: OPTIONAL_LIST,
      description: 'Whom it mentions.',
      resolve: reading('mentions'),
    }),
    comment: t.string({ description: 'A first comment that goes with it.', resolve: reading('comment') }),
    isUrlShorteningEnabled: t.boolean({
      description: 'Whether its links are shortened.',
      resolve: reading('isUrlShorteningEnabled'),
    }),
    tagIds: t.idList({
      nullable: OPTIONAL_LIST,
      description: 'The service’s own ids of its tags.',
      resolve: reading('tagIds'),
    }),
    failureText: t.string({
      description: 'What went wrong, as plain text.',
      resolve: reading('failureText'),
    }),
    scheduledAtLocal: t.field({
      type: 'LocalDateTime',
      description:
        'When it is due by the service’s own clock; null where the service’s text could be read in two ways.',
      resolve: scheduledAtLocal,
    }),
    scheduledAt: t.field({
      type: 'DateTime',
      description:
        'The instant at which it is due; null unless the operator told the server the zone of the service’s clock.',
      resolve: (post, _args, context) => scheduledAt(post, context),
    }),
    scheduledLabel: t.string({
      description: 'When it is due, as the service shows it.',
      resolve: reading('scheduledLabel'),
    }),
    scheduledDateLabel: t.string({
      description: 'The day on which it is due, as the service shows it.',
      resolve: reading('scheduledDateLabel'),
    }),
    scheduledTimeLabel: t.string({
      description: 'The time at which it is due, as the service shows it.',
      resolve: reading('scheduledTimeLabel'),
    }),
    postDateLabel: t.string({
      description: 'Its date, as the service shows it.',
      resolve: reading('postDateLabel'),
    }),
    createdLabel: t.string({
      description: 'When it was made, as the service shows it: display text, not a date.',
      resolve: reading('createdLabel'),
    }),
    via: t.string({ description: 'What it was made with, such as `Web`.', resolve: reading('via') }),
    companyId: t.id({ description: 'The service’s own id of the company.', resolve: reading('companyId') }),
    companyName: t.string({ description: 'Whose post it is.', resolve: reading('companyName') }),
    isAutomatic: t.boolean({
      description: 'Whether it was made automatically.',
      resolve: reading('isAutomatic'),
    }),
    isAdvanced: t.boolean({
      description: 'Whether it is what the service calls advanced.',
      resolve: reading('isAdvanced'),
    }),
    canMoveToTop: t.boolean({
      description: 'Whether it can be moved to the front.',
      resolve: reading('canMoveToTop'),
    }),
    isLocked: t.boolean({ description: 'Whether it is marked as locked.', resolve: reading('isLocked') }),
    isPaused: t.boolean({ description: 'Whether the post itself is paused.', resolve: reading('isPaused') }),
    isAccountPaused: t.boolean({
      description: 'Whether publishing is stopped on its account.',
      resolve: reading('isAccountPaused'),
    }),
    needsReconnect: t.boolean({
      description: 'Whether its account must be connected again.',
      resolve: reading('needsReconnect'),
    }),
    needsInstagramCommentReconnect: t.boolean({
      description: 'Whether Instagram must be connected again for the first comment.',
      resolve: reading('needsInstagramCommentReconnect'),
    }),
    isFacebookAppInstalled: t.boolean({
      description: 'Whether the service’s app is installed on the Facebook side.',
      resolve: reading('isFacebookAppInstalled'),
    }),
    isVerified: t.boolean({
      description: 'Whether it is marked as verified.',
      resolve: reading('isVerified'),
    }),
    isDeleted: t.boolean({ description: 'Whether it is marked as deleted.', resolve: reading('isDeleted') }),
    isCreated: t.boolean({ description: 'Whether it is marked as created.', resolve: reading('isCreated') }),
    isSpam: t.boolean({
      description: 'Whether it is taken for spam.',
      resolve: reading('isSpam'),
    }),
    publishesDirectly: t.boolean({
      description: 'Whether it is marked as published directly.',
      resolve: reading('publishesDirectly'),
    }),
    isCommentAdded: t.boolean({
      description: 'Whether it has a comment.',
      resolve: reading('isCommentAdded'),
    }),
    isCommentUnread: t.boolean({
      description: 'Whether it has an unread comment.',
      resolve: reading('isCommentUnread'),
    }),
    verifiedType: t.string({
      description: 'The service’s own word for a verification.',
      resolve: reading('verifiedType'),
    }),
    subscriptionType: t.string({
      description: 'The service’s own word for a subscription; its meaning is not documented.',
      resolve: reading('subscriptionType'),
    }),
    accountExtraParameters: t.field({
      type: 'JSON',
      description:
        'Further parameters of the account, in a shape that the service does not document; without secrets.',
      resolve: reading('accountExtraParameters'),
    }),
    spamData: t.field({
      type: 'JSON',
      description:
        'What the service notes about spam, in a shape that the service does not document; without secrets.',
      resolve: reading('spamData'),
    }),
  }),
});

const QueuedPostConnection = builder.connectionObject(
  { type: QueuedPost, name: 'QueuedPostConnection', description: 'A window of the queue.' },
  { name: 'QueuedPostEdge', description: 'A post at its place in the queue.' },
);

const QueuedPostFilter = builder.inputType('QueuedPostFilter', {
  description: 'Narrows the queue.',
  fields: (t) => ({ title: t.string({ description: 'Part of a post’s title; texts are not searched.' }) }),
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
        'The queue: posts that wait to be published, next one first, as the service orders them. It drains from its front while you read; cursors follow.',
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
