import { accountOf } from '../records/account.ts';
import { scheduledAt, scheduledAtLocal, type QueuedPostRecord } from '../records/queued-post.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import type { QueuedPost as QueuedPostView } from '../sources/current/posts.ts';
import { Account } from './account.ts';
import { builder } from './builder.ts';
import { costs } from './cost.ts';
import { ContentKind, contentKindOf, FacebookAudience, Mention, nameOf, Place } from './post-content.ts';

const PostStatus = builder.enumType('PostStatus', {
  description: 'Status of a post in the queue. The service shows one code only, and documents no meaning.',
  values: {
    QUEUED: { description: 'The service’s code `N`, which posts in the queue have.' },
    UNKNOWN: { description: 'A status that this version does not know; `statusCode` says which.' },
  } as const,
});

const InstagramPostType = builder.enumType('InstagramPostType', {
  description: 'What a post is on Instagram.',
  values: {
    POST: { description: 'The service’s default, `post`.' },
    REELS: { description: 'Told as `reels`.' },
    STORY: { description: 'Told as `story`.' },
    UNKNOWN: { description: 'A value that this version does not know; `instagramPostTypeCode` says what.' },
  } as const,
});

const INSTAGRAM_TYPES = { post: 'POST', reels: 'REELS', story: 'STORY' } as const;
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
    postId: t.expose('postId', {
      type: 'ServiceId',
      nullable: false,
      description: 'Id of the post in the service itself.',
    }),
    account: t.field({
      type: Account,
      description:
        'The account of the post. What the queue itself tells of it costs no further call; `isLocked`, `needsReconnect` and `isFacebookAppInstalled` are then those of the queue’s entry.',
      resolve: ({ view }) => view.account && accountOf('current', view.account),
      ...costs(({ sets }) =>
        sets
          .filter(({ type }) => type === 'QueuedPost')
          .map((posts) => ({ ...posts, type: 'Account', part: 'queued', name: `${posts.name} account` })),
      ),
    }),
  }),
});

// Text and media.
builder.objectFields(QueuedPost, (t) => ({
  title: t.string({ description: 'Title, where it has one.', resolve: reading('title') }),
  text: t.string({ description: 'What it says.', resolve: reading('text') }),
  longText: t.string({ description: 'A longer text, where it has one.', resolve: reading('longText') }),
  linkUrl: t.field({ type: 'URL', description: 'Address that it links to.', resolve: reading('linkUrl') }),
  videoUrl: t.field({ type: 'URL', description: 'Address of its video.', resolve: reading('videoUrl') }),
  documentUrl: t.field({
    type: 'URL',
    description: 'Address of its document.',
    resolve: reading('documentUrl'),
  }),
  imageUrls: t.field({
    type: ['URL'],
    nullable: OPTIONAL_LIST,
    description: 'Addresses of its images.',
    resolve: reading('imageUrls'),
  }),
  thumbnailUrls: t.field({
    type: ['URL'],
    nullable: OPTIONAL_LIST,
    description: 'Addresses of its thumbnail images.',
    resolve: reading('thumbnailUrls'),
  }),
}));

// Kind.
builder.objectFields(QueuedPost, (t) => ({
  status: t.field({
    type: PostStatus,
    description: 'Its status in the queue.',
    resolve: ({ view }) => nameOf(POST_STATUSES, view.statusCode, { view, field: 'statusCode' }),
  }),
  statusCode: t.string({
    description: 'The service’s own code of its status.',
    resolve: reading('statusCode'),
  }),
  contentKind: t.field({
    type: ContentKind,
    description: 'What kind of content it has.',
    resolve: ({ view }) => contentKindOf(view),
  }),
  contentCode: t.string({
    description: 'The service’s own code of what it is.',
    resolve: reading('contentCode'),
  }),
  instagramPostType: t.field({
    type: InstagramPostType,
    description: 'What it is on Instagram.',
    resolve: ({ view }) =>
      nameOf(INSTAGRAM_TYPES, view.instagramPostTypeCode, { view, field: 'instagramPostTypeCode' }),
  }),
  instagramPostTypeCode: t.string({
    description: 'The service’s own word for what it is on Instagram, such as `post`, `reels` or `story`.',
    resolve: reading('instagramPostTypeCode'),
  }),
}));

// Attached content.
builder.objectFields(QueuedPost, (t) => ({
  place: t.field({ type: Place, description: 'The location of the post.', resolve: reading('place') }),
  facebookAudience: t.field({
    type: FacebookAudience,
    description: 'Audience targeting on Facebook.',
    resolve: reading('facebookAudience'),
  }),
  mentions: t.field({
    type: [Mention],
    nullable: OPTIONAL_LIST,
    description: 'Whom it mentions.',
    resolve: reading('mentions'),
  }),
  comment: t.string({ description: 'A comment on the post.', resolve: reading('comment') }),
  isUrlShorteningEnabled: t.boolean({
    description: 'Whether short links are used.',
    resolve: reading('isUrlShorteningEnabled'),
  }),
  tagIds: t.field({
    type: ['ServiceId'],
    nullable: OPTIONAL_LIST,
    description: 'The service’s own ids of its tags.',
    resolve: reading('tagIds'),
  }),
  failureText: t.string({
    description: 'An error message, as plain text.',
    resolve: reading('failureText'),
  }),
}));

// Times and people.
builder.objectFields(QueuedPost, (t) => ({
  scheduledAtLocal: t.field({
    type: 'LocalDateTime',
    description:
      'Its date and time by the service’s own clock, read from the service’s display texts; null where those could be read in two ways.',
    resolve: scheduledAtLocal,
  }),
  scheduledAt: t.field({
    type: 'DateTime',
    description: 'The instant of `scheduledAtLocal`; null unless the operator has set `SERVICE_TIME_ZONE`.',
    resolve: (post, _args, context) => scheduledAt(post, context),
  }),
  scheduledLabel: t.string({
    description: 'Its date and time, as the service shows them.',
    resolve: reading('scheduledLabel'),
  }),
  scheduledDateLabel: t.string({
    description: 'Its day, as the service shows it.',
    resolve: reading('scheduledDateLabel'),
  }),
  scheduledTimeLabel: t.string({
    description: 'Its time of day, as the service shows it.',
    resolve: reading('scheduledTimeLabel'),
  }),
  postDateLabel: t.string({ description: 'Its date, as display text.', resolve: reading('postDateLabel') }),
  createdLabel: t.string({
    description: 'When it was made, as the service shows it: display text, not a date.',
    resolve: reading('createdLabel'),
  }),
  via: t.string({
    description: 'The service’s own word for the way it came, such as `Web`.',
    resolve: reading('via'),
  }),
  companyId: t.field({
    type: 'ServiceId',
    description: 'The service’s own id of the company.',
    resolve: reading('companyId'),
  }),
  companyName: t.string({
    description: 'Name of the company, as the queue shows it.',
    resolve: reading('companyName'),
  }),
}));

// Flags.
builder.objectFields(QueuedPost, (t) => ({
  isAutomatic: t.boolean({
    description: 'Whether the entry is marked as automatic.',
    resolve: reading('isAutomatic'),
  }),
  isAdvanced: t.boolean({
    description: 'Whether the entry is marked as advanced.',
    resolve: reading('isAdvanced'),
  }),
  canMoveToTop: t.boolean({
    description: 'Whether the entry is marked as one that can be moved to the top.',
    resolve: reading('canMoveToTop'),
  }),
  isLocked: t.boolean({
    description:
      'Whether the entry is marked as locked. Whether the post or its account is meant is not documented.',
    resolve: reading('isLocked'),
  }),
  isPaused: t.boolean({
    description:
      'Whether the entry is marked as paused. Whether the post or its account is meant is not documented.',
    resolve: reading('isPaused'),
  }),
  isAccountPaused: t.boolean({
    description: 'Whether the entry marks its account as paused.',
    resolve: reading('isAccountPaused'),
  }),
  needsReconnect: t.boolean({
    description: 'Whether the entry is marked for reconnection.',
    resolve: reading('needsReconnect'),
  }),
  needsInstagramCommentReconnect: t.boolean({
    description: 'Whether the entry is marked for reconnection because of Instagram comments.',
    resolve: reading('needsInstagramCommentReconnect'),
  }),
  isFacebookAppInstalled: t.boolean({
    description: 'Whether the entry marks the Facebook app as installed.',
    resolve: reading('isFacebookAppInstalled'),
  }),
}));

// Other flags.
builder.objectFields(QueuedPost, (t) => ({
  isVerified: t.boolean({
    description: 'Whether the entry is marked as verified.',
    resolve: reading('isVerified'),
  }),
  isDeleted: t.boolean({
    description: 'Whether the entry is marked as deleted.',
    resolve: reading('isDeleted'),
  }),
  isCreated: t.boolean({
    description: 'Whether the entry is marked as created.',
    resolve: reading('isCreated'),
  }),
  isSpam: t.boolean({ description: 'Whether the entry is marked as spam.', resolve: reading('isSpam') }),
  publishesDirectly: t.boolean({
    description: 'Whether the entry is marked for direct publishing.',
    resolve: reading('publishesDirectly'),
  }),
  isCommentAdded: t.boolean({
    description: 'Whether the entry is marked as having a comment.',
    resolve: reading('isCommentAdded'),
  }),
  isCommentUnread: t.boolean({
    description: 'Whether the entry is marked as having an unread comment.',
    resolve: reading('isCommentUnread'),
  }),
}));

// The service's own texts, and undocumented fields.
builder.objectFields(QueuedPost, (t) => ({
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
    description: 'Data about spam, in a shape that the service does not document; without secrets.',
    resolve: reading('spamData'),
  }),
}));
