import { accountOf } from '../records/account.ts';
import { scheduledAt, scheduledAtLocal, type QueuedPostRecord } from '../records/queued-post.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import { Account } from './account.ts';
import { builder, defineEnum } from './builder.ts';
import { boolean, coded, field, json, serviceId, shown, string, url } from './data.ts';
import { contentKind, FacebookAudience, Mention, Place } from './post-content.ts';

const PostStatus = defineEnum(
  'PostStatus',
  'Status of a queued post. Codes other than `N` are undocumented by the service.',
  {
    QUEUED: 'Queued (code `N`).',
    UNKNOWN: 'A status that this version does not recognise; see `statusCode`.',
  },
);

const InstagramPostType = defineEnum(
  'InstagramPostType',
  'Instagram post type: regular post, reel or story.',
  {
    POST: 'A regular post, the service’s default.',
    REELS: 'Published as a reel (`reels`).',
    STORY: 'Published as one of the account’s stories (`story`).',
    UNKNOWN: 'A value that this version does not recognise; see `instagramPostTypeCode`.',
  },
);

/** Returns the global id of a queued post. */
export function queuedPostIdOf(postId: string): string {
  return encodeGlobalId({ type: 'QueuedPost', surface: 'current', rawId: postId });
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
      resolve: ({ postId }) => queuedPostIdOf(postId),
    }),
    postId: t.expose('postId', {
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

builder.objectFields(QueuedPost, (t) =>
  shown(t, {
    // Text, time and status.
    title: string('Title of the post, if any.'),
    text: string('The text of the post.'),
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
    status: coded(PostStatus, 'Status in the queue.', { entry: 'statusCode', names: { N: 'QUEUED' } }),
    statusCode: string('Raw code behind `status`.'),
    // Long text and media.
    longText: string('Long description of the post, if any.'),
    linkUrl: url('URL that the post links to.'),
    videoUrl: url('URL of the video file.'),
    documentUrl: url('URL of the document file.'),
    imageUrls: field(['URL'], 'URLs of the images.'),
    thumbnailUrls: field(['URL'], 'URLs of the thumbnail images.'),
    // Kind.
    contentKind: contentKind('Content type of the post.'),
    contentCode: string('Raw code behind `contentKind`.'),
    instagramPostType: coded(InstagramPostType, 'Instagram post type: regular post, reel or story.', {
      entry: 'instagramPostTypeCode',
      names: { post: 'POST', reels: 'REELS', story: 'STORY' },
    }),
    instagramPostTypeCode: string('Raw code behind `instagramPostType`, such as `reels`.'),
    // Attached content.
    place: field(Place, 'Location of the post.'),
    facebookAudience: field(FacebookAudience, 'Audience targeting on Facebook.'),
    mentions: field([Mention], 'People and pages mentioned in the post.'),
    comment: string('A comment on the post.'),
    isUrlShorteningEnabled: boolean('Whether links are shortened.'),
    tagIds: field(['ServiceId'], 'The service’s own ids for the post’s tags.'),
    failureText: string('Error message, as plain text.'),
    // Display texts and people.
    scheduledLabel: string('Scheduled date and time, as display text.'),
    scheduledDateLabel: string('Scheduled day, as display text.'),
    scheduledTimeLabel: string('Scheduled time of day, as display text.'),
    postDateLabel: string('Post date (`postDate` in the service), as display text.'),
    createdLabel: string('When the post was created, as display text.'),
    via: string('How the post was created, such as `Web`.'),
    companyId: serviceId('The service’s own id for the company.'),
    companyName: string('Name of the company that the post belongs to.'),
  }),
);

builder.objectFields(QueuedPost, (t) =>
  shown(t, {
    // Flags.
    isAutomatic: boolean('Whether the queue entry is flagged as automatic.'),
    isAdvanced: boolean('Whether the queue entry is flagged as advanced.'),
    canMoveToTop: boolean('Whether the queue entry is flagged as movable to the top of the queue.'),
    isLocked: boolean(
      'Whether the queue entry is flagged as locked. Whether this means the post or its account is undocumented by the service.',
    ),
    isPaused: boolean(
      'Whether the queue entry is flagged as paused. Whether this means the post or its account is undocumented by the service.',
    ),
    isAccountPaused: boolean('Whether the queue entry flags its account as paused.'),
    needsReconnect: boolean('Whether the queue entry is flagged for reconnection.'),
    needsInstagramCommentReconnect: boolean(
      'Whether the queue entry is flagged for reconnection because of Instagram comments.',
    ),
    isFacebookAppInstalled: boolean('Whether the queue entry flags the Facebook app as installed.'),
    // Other flags.
    isVerified: boolean('Whether the queue entry is flagged as verified.'),
    isDeleted: boolean('Whether the queue entry is flagged as deleted.'),
    isCreated: boolean('Whether the queue entry is flagged as created.'),
    isSpam: boolean('Whether the queue entry is flagged as spam.'),
    publishesDirectly: boolean('Whether the queue entry is flagged for direct publishing.'),
    isCommentAdded: boolean('Whether the queue entry is flagged as having a comment.'),
    isCommentUnread: boolean('Whether the queue entry is flagged as having an unread comment.'),
    // The service's own texts, and undocumented fields.
    verifiedType: string('Type of verification, as reported by the service.'),
    subscriptionType: string('Type of subscription. Undocumented by the service.'),
    accountExtraParameters: json('Extra parameters of the account. Undocumented by the service.'),
    spamData: json('Spam data. Undocumented by the service.'),
  }),
);
