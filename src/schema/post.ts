import { createPost, type CreatedPostsData } from '../writes/create-post.ts';
import type { OperationContext } from '../operation/operation.ts';
import { findQueuedPost, type QueuedPostRecord } from '../records/queued-post.ts';
import type { WriteResult } from '../writes/outcome.ts';
import { builder, defineEnum, defineInput } from './builder.ts';
import { boolean, field, int, shown, string } from './data.ts';
import {
  CallToActionInput,
  FacebookAudienceInput,
  InstagramPostTypeInput,
  LinkedInAudienceInput,
  MentionInput,
  PlaceInput,
  PostVariant,
  YouTubeSettingsInput,
} from './post-input.ts';
import { QueuedPost, queuedPostIdOf } from './queued-post.ts';
import { inputOf, KEY_DESCRIPTION, defineKeyedPayload } from './write.ts';

// Posts through the current surface.

const CreatePostPayload = defineKeyedPayload<CreatedPostsData>('createPost', (t) =>
  shown(t, {
    postIds: field(
      ['ServiceId'],
      'The service’s own ids for all posts created. To read those in the queue, use `queuedPosts`. How ids map to accounts and times is undocumented by the service.',
    ),
    queuedPostIds: t.idList({
      description:
        'IDs of the created posts that are in the queue, in the order of `postIds`; null if `postIds` is null. Requires a search of the queue. To read the posts, use `queuedPosts`.',
      resolve: async ({ result }, _args, context) =>
        (await waitingPosts(result, context))?.map(({ postId }) => queuedPostIdOf(postId)) ?? null,
    }),
    queuedPosts: t.field({
      type: [QueuedPost],
      description:
        'The created posts that are in the queue. Posts that were published immediately are not included.',
      resolve: ({ result }, _args, context) => waitingPosts(result, context),
    }),
    createdCount: int('Number of posts created.'),
    isScheduledLimitReached: boolean('Whether the scheduling limit was exceeded.'),
    customResponse: field(['JSON'], 'Additional response data. Undocumented by the service.'),
    message: string('Message from the service on success.'),
  }),
);

async function waitingPosts(
  { data }: WriteResult<CreatedPostsData>,
  context: OperationContext,
): Promise<QueuedPostRecord[] | null> {
  if (data === null || data.postIds === null) return null;
  const found = await Promise.all(data.postIds.map((postId) => findQueuedPost(postId, context)));
  return found.filter((post) => post !== null);
}

const PostPlacement = defineEnum(
  'PostPlacement',
  'Ways to publish a post without a specific time. Their details are undocumented by the service.',
  {
    QUEUE: ['queue', 'Add to the queue (share type 0).'],
    NOW: ['now', 'Share now (share type 1).'],
    NEXT: ['next', 'Share next (share type 2).'],
  },
);

const PostTimingInput = builder.inputType('PostTimingInput', {
  isOneOf: true,
  description:
    'When to publish a post: through the queue, now, next, or at given times. Set exactly one field.',
  fields: (t) => ({
    placement: t.field({ type: PostPlacement, description: 'Add to the queue, share now or share next.' }),
    scheduledAtLocal: t.field({
      type: ['LocalDateTime'],
      description: 'Publish at these times on the service’s clock, such as `2030-01-15T09:00`.',
    }),
    scheduledAt: t.field({
      type: ['DateTime'],
      description: 'Publish at these instants. Requires the operator to set `SERVICE_TIME_ZONE`.',
    }),
  }),
});

const UtmParameterInput = defineInput('UtmParameterInput', 'A UTM parameter of a post.', (t) => ({
  parameter: t.string({ required: true, description: 'Name of the parameter.' }),
  type: t.string({
    required: true,
    description: 'Kind of parameter, as a code. Undocumented by the service.',
  }),
  value: t.string({ required: true, description: 'Value of the parameter.' }),
}));

const PostVariantInput = defineInput('PostVariantInput', 'Content of one variant of a post.', (t) => ({
  variant: t.field({
    type: PostVariant,
    required: true,
    description: 'The variant that this content is for. Must be unique.',
  }),
  text: t.string({ description: 'The text of the post.' }),
  instagramPostType: t.field({
    type: InstagramPostTypeInput,
    required: true,
    defaultValue: 'post',
    description: 'Instagram post type. Sent with every variant, as the service requires it.',
  }),
  place: t.field({
    type: PlaceInput,
    description: 'Location of the post. An explicit null is passed to the service.',
  }),
  comment: t.string({ description: 'A comment on the post.' }),
  tagIds: t.field({ type: ['ServiceId'], description: 'The service’s own ids for the post’s tags.' }),
  mediaIds: t.field({
    type: ['ServiceId'],
    description: 'Ids of media already in the service; its API has no upload call.',
  }),
  altTexts: t.stringList({
    description:
      'Alternative texts of images. Which text belongs to which image is undocumented by the service.',
  }),
  removeCarousel: t.boolean({
    description: 'Passed to the service as `removeCarousel`. Undocumented by the service.',
  }),
  mentions: t.field({
    type: [MentionInput],
    description: 'People and pages mentioned in the post. Keys must be unique.',
  }),
  facebookAction: t.string({
    description:
      'The service’s code for a Facebook action, passed on even if null. Undocumented by the service.',
  }),
  facebookAudience: t.field({
    type: FacebookAudienceInput,
    description: 'Audience targeting on Facebook.',
  }),
  linkedInAudience: t.field({
    type: LinkedInAudienceInput,
    description: 'Audience targeting on LinkedIn.',
  }),
  title: t.string({ description: 'Title of the post. Only for `GOOGLE_BUSINESS` and `YOUTUBE`.' }),
  linkUrl: t.field({
    type: 'URL',
    description: 'URL to link to. Only for `GOOGLE_BUSINESS` and `YOUTUBE`.',
  }),
  longText: t.string({ description: 'Long description. Only for `GOOGLE_BUSINESS` and `YOUTUBE`.' }),
  action: t.field({ type: CallToActionInput, description: 'Call to action on the post.' }),
  youTube: t.field({ type: YouTubeSettingsInput, description: 'Settings for YouTube.' }),
}));

export const CreatePostInput = defineInput(
  'CreatePostInput',
  'Input for `createPost`. It is validated as a whole before anything is sent.',
  (t) => ({
    idempotencyKey: t.string({ description: KEY_DESCRIPTION }),
    accountIds: t.idList({
      required: true,
      description: 'IDs of accounts on the current surface: `Account.id`, not `loginId`. Must be unique.',
    }),
    timing: t.field({ type: PostTimingInput, required: true, description: 'When to publish the post.' }),
    variants: t.field({
      type: [PostVariantInput],
      required: true,
      description: 'Content, one variant per network.',
    }),
    utmSetId: t.field({ type: 'ServiceId', description: 'Id of a set of UTM parameters in the service.' }),
    utmParameters: t.field({ type: [UtmParameterInput], description: 'UTM parameters of the post.' }),
    sendForClientReview: t.boolean({
      description:
        'Whether to send the post for client review. The effect on its timing is undocumented by the service.',
    }),
  }),
);

builder.mutationField('createPost', (t) =>
  t.field({
    type: CreatePostPayload,
    description:
      'Creates posts on one or more accounts: through the queue, now, next, or at given times. With an `idempotencyKey`, a call that is repeated within 24 hours (by default) does not post twice. The health of the accounts is not checked; use `validatePost`.',
    args: inputOf(CreatePostInput, 'The post to create.'),
    resolve: (_root, { input }, context) => createPost(context, input),
  }),
);
