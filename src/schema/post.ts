import { createPost } from '../writes/create-post.ts';
import { SEARCH_CALLS } from '../writes/find-created.ts';
import { builder } from './builder.ts';
import { costs } from './cost.ts';
import { CreatePostPayload, createdPostsIn } from './created-posts.ts';
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
import { enumOf, KEY_DESCRIPTION } from './write.ts';

const PostPlacement = builder.enumType('PostPlacement', {
  description: 'Ways to share a post without a time of its own. The service documents only their names.',
  values: enumOf({
    QUEUE: ['queue', 'The service’s “queue” (share type 0): adds the post to the queue.'],
    NOW: ['now', 'The service’s “share now” (share type 1).'],
    NEXT: ['next', 'The service’s “share next” (share type 2).'],
  } as const),
});

const PostTimingInput = builder.inputType('PostTimingInput', {
  isOneOf: true,
  description: 'When a post goes out: through the queue, now, next, or at given times.',
  fields: (t) => ({
    placement: t.field({ type: PostPlacement, description: 'Through the queue, now or next.' }),
    scheduledAtLocal: t.field({
      type: ['LocalDateTime'],
      description: 'At these times of the service’s own clock, such as `2030-01-15T09:00`.',
    }),
    scheduledAt: t.field({
      type: ['DateTime'],
      description: 'At these instants; only if the operator has set `SERVICE_TIME_ZONE`.',
    }),
  }),
});

const UtmParameterInput = builder.inputType('UtmParameterInput', {
  description: 'A UTM parameter of a post.',
  fields: (t) => ({
    parameter: t.string({ required: true, description: 'Name of the parameter.' }),
    type: t.string({
      required: true,
      description: 'The service’s own code of its kind; its meaning is not documented.',
    }),
    value: t.string({ required: true, description: 'What it is set to.' }),
  }),
});

const PostVariantInput = builder.inputType('PostVariantInput', {
  description: 'The content of a post for one network, or the original.',
  fields: (t) => ({
    variant: t.field({
      type: PostVariant,
      required: true,
      description: 'Which variant it is; each once.',
    }),
    text: t.string({ description: 'What it says.' }),
    instagramPostType: t.field({
      type: InstagramPostTypeInput,
      required: true,
      defaultValue: 'post',
      description: 'What it is on Instagram; sent whatever the variant, since the service requires it.',
    }),
    place: t.field({
      type: PlaceInput,
      description: 'The location that it names; null says that there is none.',
    }),
    comment: t.string({ description: 'A comment on the post.' }),
    tagIds: t.field({ type: ['ServiceId'], description: 'The service’s own numbers of its tags.' }),
    mediaIds: t.field({
      type: ['ServiceId'],
      description: 'The service’s own ids of media. The service has no call to upload any.',
    }),
    altTexts: t.stringList({
      description: 'Alternative texts. Which text belongs to which image is not documented.',
    }),
    removeCarousel: t.boolean({
      description: 'Passed on as the service’s `removeCarousel`; its meaning is not documented.',
    }),
    mentions: t.field({ type: [MentionInput], description: 'Whom it mentions; each key once.' }),
    facebookAction: t.string({
      description:
        'The service’s own code of a Facebook action, passed on, also when null; its meaning is not documented.',
    }),
    facebookAudience: t.field({
      type: FacebookAudienceInput,
      description: 'Audience targeting on Facebook.',
    }),
    linkedInAudience: t.field({
      type: LinkedInAudienceInput,
      description: 'Audience targeting on LinkedIn.',
    }),
    title: t.string({ description: 'Its title; for GOOGLE_BUSINESS and YOUTUBE only.' }),
    linkUrl: t.field({
      type: 'URL',
      description: 'Address that it links to; for GOOGLE_BUSINESS and YOUTUBE only.',
    }),
    longText: t.string({ description: 'A longer text; for GOOGLE_BUSINESS and YOUTUBE only.' }),
    action: t.field({ type: CallToActionInput, description: 'A call to action that goes with it.' }),
    youTube: t.field({ type: YouTubeSettingsInput, description: 'Settings for YouTube.' }),
  }),
});

export const CreatePostInput = builder.inputType('CreatePostInput', {
  description: 'A post: on which accounts, when, and what. It is checked as a whole before anything is sent.',
  fields: (t) => ({
    idempotencyKey: t.string({ description: KEY_DESCRIPTION }),
    accountIds: t.idList({
      required: true,
      description: 'Accounts of the current surface, each by its `Account.id`, not its `loginId`; each once.',
    }),
    timing: t.field({ type: PostTimingInput, required: true, description: 'When it goes out.' }),
    variants: t.field({
      type: [PostVariantInput],
      required: true,
      description: 'The content, one variant for each network.',
    }),
    utmSetId: t.field({ type: 'ServiceId', description: 'The service’s own id of a set of UTM parameters.' }),
    utmParameters: t.field({ type: [UtmParameterInput], description: 'UTM parameters of the post.' }),
    sendForClientReview: t.boolean({
      description:
        'Whether the post is sent for client review. What that means for its timing is not documented.',
    }),
  }),
});

/** Converts the input to the field names of the posts source. */
export function toPost({ variants, ...input }: typeof CreatePostInput.$inferInput) {
  return {
    ...input,
    variants: variants.map(({ action, ...variant }) => ({ ...variant, callToAction: action })),
  };
}

builder.mutationField('createPost', (t) =>
  t.field({
    type: CreatePostPayload,
    description:
      'Creates posts on several accounts: through the queue, now, next, or at given times. Send an `idempotencyKey`: then a call that is repeated within 24 hours does not post twice. It does not look at the health of the accounts; `validatePost` does.',
    args: { input: t.arg({ type: CreatePostInput, required: true, description: 'The post.' }) },
    resolve: (_root, { input }, context) => createPost(context, toPost(input)),
    ...costs<{ readonly input: typeof CreatePostInput.$inferInput }>(({ args, context, place, tally }) => {
      const { accountIds, idempotencyKey, timing } = args.input;
      tally.add(place, 1 + (context.readsBeforeWrites && idempotencyKey != null ? SEARCH_CALLS : 0));
      const times = timing.scheduledAtLocal?.length ?? timing.scheduledAt?.length ?? 1;
      return createdPostsIn(place, accountIds.length * times);
    }),
  }),
);
