import { accountOf } from '../records/account.ts';
import { scheduledAt, scheduledAtLocal, type QueuedPostRecord } from '../records/queued-post.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import type { QueuedPost as QueuedPostView } from '../sources/current/posts.ts';
import { Account } from './account.ts';
import { builder } from './builder.ts';
import { ContentKind, contentKindOf, FacebookAudience, Mention, nameOf, Place } from './post-content.ts';

const PostStatus = builder.enumType('PostStatus', {
  description: 'Status of a queued post. Codes other than `N` are undocumented by the service.',
  values: {
    QUEUED: { description: 'Queued (code `N`).' },
    UNKNOWN: { description: 'A status that this version does not recognise; see `statusCode`.' },
  } as const,
});

const InstagramPostType = builder.enumType('InstagramPostType', {
  description: 'Instagram post type: regular post, reel or story.',
  values: {
    POST: { description: 'A regular post, the service’s default.' },
    REELS: { description: 'Published as a reel (`reels`).' },
    STORY: { description: 'Published as one of the account’s stories (`story`).' },
    UNKNOWN: { description: 'A value that this version does not recognise; see `instagramPostTypeCode`.' },
  } as const,
});

const INSTAGRAM_TYPES = { post: 'POST', reels: 'REELS', story: 'STORY' } as const;
const POST_STATUSES = { N: 'QUEUED' } as const;
const OPTIONAL_LIST = { list: true, items: false } as const;

/** A resolver that reads one field of a post. */
function reading<K extends keyof QueuedPostView>(name: K) {
  return {
    resolve: ({ part }: QueuedPostRecord): QueuedPostView[K] => part[name],
    extensions: { shows: name },
  };
}

export const QueuedPost = builder.objectRef<QueuedPostRecord>('QueuedPost');

QueuedPost.implement({
  description:
    'A post waiting in the queue. The service does not list published posts; a post that left the queue was not necessarily published.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      nullable: false,
      description: 'Globally unique ID, valid while the post is in the queue.',
      resolve: ({ postId }) => encodeGlobalId({ type: 'QueuedPost', surface: 'current', rawId: postId }),
    }),
    postId: t.field({
      resolve: ({ postId }) => postId,
      type: 'ServiceId',
      nullable: false,
      description: 'The service’s own id for the post.',
    }),
    account: t.field({
      type: Account,
      description:
        'Account of the post. Fields that the queue itself contains require no extra call; `isLocked`, `needsReconnect` and `isFacebookAppInstalled` are then those of the queue entry.',
      resolve: ({ part }) => part.account && accountOf('current', part.account),
    }),
  }),
});

// Text, time and status.
builder.objectFields(QueuedPost, (t) => ({
  title: t.string({ description: 'Title of the post, if any.', ...reading('title') }),
  text: t.string({ description: 'The text of the post.', ...reading('text') }),
  scheduledAtLocal: t.field({
    type: 'LocalDateTime',
    description:
      'Scheduled date and time on the service’s clock, parsed from its display texts; null if they are ambiguous.',
    resolve: scheduledAtLocal,
  }),
  scheduledAt: t.field({
    type: 'DateTime',
    description: 'Instant of `scheduledAtLocal`; null unless the operator has set `SERVICE_TIME_ZONE`.',
    resolve: (post, _args, context) => scheduledAt(post, context),
  }),
  status: t.field({
    type: PostStatus,
    description: 'Status in the queue.',
    resolve: ({ part }) => nameOf(POST_STATUSES, part.statusCode, { view: part, field: 'statusCode' }),
  }),
  statusCode: t.string({
    description: 'Raw code behind `status`.',
    ...reading('statusCode'),
  }),
}));

// Long text and media.
builder.objectFields(QueuedPost, (t) => ({
  longText: t.string({ description: 'Long description of the post, if any.', ...reading('longText') }),
  linkUrl: t.field({ type: 'URL', description: 'URL that the post links to.', ...reading('linkUrl') }),
  videoUrl: t.field({ type: 'URL', description: 'URL of the video file.', ...reading('videoUrl') }),
  documentUrl: t.field({
    type: 'URL',
    description: 'URL of the document file.',
    ...reading('documentUrl'),
  }),
  imageUrls: t.field({
    type: ['URL'],
    nullable: OPTIONAL_LIST,
    description: 'URLs of the images.',
    ...reading('imageUrls'),
  }),
  thumbnailUrls: t.field({
    type: ['URL'],
    nullable: OPTIONAL_LIST,
    description: 'URLs of the thumbnail images.',
    ...reading('thumbnailUrls'),
  }),
}));

// Kind.
builder.objectFields(QueuedPost, (t) => ({
  contentKind: t.field({
    type: ContentKind,
    description: 'Content type of the post.',
    resolve: ({ part }) => contentKindOf(part),
  }),
  contentCode: t.string({
    description: 'Raw code behind `contentKind`.',
    ...reading('contentCode'),
  }),
  instagramPostType: t.field({
    type: InstagramPostType,
    description: 'Instagram post type: regular post, reel or story.',
    resolve: ({ part }) =>
      nameOf(INSTAGRAM_TYPES, part.instagramPostTypeCode, { view: part, field: 'instagramPostTypeCode' }),
  }),
  instagramPostTypeCode: t.string({
    description: 'Raw code behind `instagramPostType`, such as `reels`.',
    ...reading('instagramPostTypeCode'),
  }),
}));

// Attached content.
builder.objectFields(QueuedPost, (t) => ({
  place: t.field({ type: Place, description: 'Location of the post.', ...reading('place') }),
  facebookAudience: t.field({
    type: FacebookAudience,
    description: 'Audience targeting on Facebook.',
    ...reading('facebookAudience'),
  }),
  mentions: t.field({
    type: [Mention],
    nullable: OPTIONAL_LIST,
    description: 'People and pages mentioned in the post.',
    ...reading('mentions'),
  }),
  comment: t.string({ description: 'A comment on the post.', ...reading('comment') }),
  isUrlShorteningEnabled: t.boolean({
    description: 'Whether links are shortened.',
    ...reading('isUrlShorteningEnabled'),
  }),
  tagIds: t.field({
    type: ['ServiceId'],
    nullable: OPTIONAL_LIST,
    description: 'The service’s own ids for the post’s tags.',
    ...reading('tagIds'),
  }),
  failureText: t.string({
    description: 'Error message, as plain text.',
    ...reading('failureText'),
  }),
}));

// Display texts and people.
builder.objectFields(QueuedPost, (t) => ({
  scheduledLabel: t.string({
    description: 'Scheduled date and time, as display text.',
    ...reading('scheduledLabel'),
  }),
  scheduledDateLabel: t.string({
    description: 'Scheduled day, as display text.',
    ...reading('scheduledDateLabel'),
  }),
  scheduledTimeLabel: t.string({
    description: 'Scheduled time of day, as display text.',
    ...reading('scheduledTimeLabel'),
  }),
  postDateLabel: t.string({
    description: 'Post date (`postDate` in the service), as display text.',
    ...reading('postDateLabel'),
  }),
  createdLabel: t.string({
    description: 'When the post was created, as display text.',
    ...reading('createdLabel'),
  }),
  via: t.string({
    description: 'How the post was created, such as `Web`.',
    ...reading('via'),
  }),
  companyId: t.field({
    type: 'ServiceId',
    description: 'The service’s own id for the company.',
    ...reading('companyId'),
  }),
  companyName: t.string({
    description: 'Name of the company that the post belongs to.',
    ...reading('companyName'),
  }),
}));

// Flags.
builder.objectFields(QueuedPost, (t) => ({
  isAutomatic: t.boolean({
    description: 'Whether the queue entry is flagged as automatic.',
    ...reading('isAutomatic'),
  }),
  isAdvanced: t.boolean({
    description: 'Whether the queue entry is flagged as advanced.',
    ...reading('isAdvanced'),
  }),
  canMoveToTop: t.boolean({
    description: 'Whether the queue entry is flagged as movable to the top of the queue.',
    ...reading('canMoveToTop'),
  }),
  isLocked: t.boolean({
    description:
      'Whether the queue entry is flagged as locked. Whether this means the post or its account is undocumented by the service.',
    ...reading('isLocked'),
  }),
  isPaused: t.boolean({
    description:
      'Whether the queue entry is flagged as paused. Whether this means the post or its account is undocumented by the service.',
    ...reading('isPaused'),
  }),
  isAccountPaused: t.boolean({
    description: 'Whether the queue entry flags its account as paused.',
    ...reading('isAccountPaused'),
  }),
  needsReconnect: t.boolean({
    description: 'Whether the queue entry is flagged for reconnection.',
    ...reading('needsReconnect'),
  }),
  needsInstagramCommentReconnect: t.boolean({
    description: 'Whether the queue entry is flagged for reconnection because of Instagram comments.',
    ...reading('needsInstagramCommentReconnect'),
  }),
  isFacebookAppInstalled: t.boolean({
    description: 'Whether the queue entry flags the Facebook app as installed.',
    ...reading('isFacebookAppInstalled'),
  }),
}));

// Other flags.
builder.objectFields(QueuedPost, (t) => ({
  isVerified: t.boolean({
    description: 'Whether the queue entry is flagged as verified.',
    ...reading('isVerified'),
  }),
  isDeleted: t.boolean({
    description: 'Whether the queue entry is flagged as deleted.',
    ...reading('isDeleted'),
  }),
  isCreated: t.boolean({
    description: 'Whether the queue entry is flagged as created.',
    ...reading('isCreated'),
  }),
  isSpam: t.boolean({
    description: 'Whether the queue entry is flagged as spam.',
    ...reading('isSpam'),
  }),
  publishesDirectly: t.boolean({
    description: 'Whether the queue entry is flagged for direct publishing.',
    ...reading('publishesDirectly'),
  }),
  isCommentAdded: t.boolean({
    description: 'Whether the queue entry is flagged as having a comment.',
    ...reading('isCommentAdded'),
  }),
  isCommentUnread: t.boolean({
    description: 'Whether the queue entry is flagged as having an unread comment.',
    ...reading('isCommentUnread'),
  }),
}));

// The service's own texts, and undocumented fields.
builder.objectFields(QueuedPost, (t) => ({
  verifiedType: t.string({
    description: 'Type of verification, as reported by the service.',
    ...reading('verifiedType'),
  }),
  subscriptionType: t.string({
    description: 'Type of subscription. Undocumented by the service.',
    ...reading('subscriptionType'),
  }),
  accountExtraParameters: t.field({
    type: 'JSON',
    description: 'Extra parameters of the account. Undocumented by the service.',
    ...reading('accountExtraParameters'),
  }),
  spamData: t.field({
    type: 'JSON',
    description: 'Spam data. Undocumented by the service.',
    ...reading('spamData'),
  }),
}));
