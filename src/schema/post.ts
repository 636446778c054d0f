import { createPost, type CreatedPostsData } from '../writes/create-post.ts';
import { validatePost, type PostValidation as PostValidationView } from '../writes/validate-post.ts';
import { Account } from './account.ts';
import { addAccounts } from './account-cost.ts';
import { builder } from './builder.ts';
import { costs, costsCalls } from './cost.ts';
import {
  CallToActionInput,
  FacebookAudienceInput,
  InstagramPostType,
  LinkedInAudienceInput,
  MentionInput,
  PlaceInput,
  PostVariant,
  YouTubeSettingsInput,
} from './post-input.ts';
import { definePayload, enumOf, KEY_DESCRIPTION, UserError } from './write.ts';

const PostPlacement = builder.enumType('PostPlacement', {
  description: 'When a post goes out, by its place in the queue.',
  values: enumOf({
    QUEUE: ['queue', 'At the end of the queue, at the account’s next free time.'],
    NOW: ['now', 'At once. It never shows up in the queue.'],
    NEXT: ['next', 'At the front of the queue.'],
  } as const),
});

const PostTimingInput = builder.inputType('PostTimingInput', {
  isOneOf: true,
  description: 'When a post goes out: by the queue, or at given times.',
  fields: (t) => ({
    placement: t.field({ type: PostPlacement, description: 'By its place in the queue.' }),
    at: t.field({
      type: ['LocalDateTime'],
      description: 'At these times of the service’s own clock, such as `2030-01-15T09:00`.',
    }),
    atInstants: t.field({
      type: ['DateTime'],
      description:
        'At these instants; only where the operator told the server the zone of the service’s clock.',
    }),
  }),
});

const UtmParameterInput = builder.inputType('UtmParameterInput', {
  description: 'A UTM parameter that links of a post carry.',
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
  description: 'The content of a post for one network, or for all that have no variant of their own.',
  fields: (t) => ({
    variant: t.field({
      type: PostVariant,
      required: true,
      description: 'Which networks it is for; each once.',
    }),
    text: t.string({ description: 'What it says.' }),
    instagramPostType: t.field({
      type: InstagramPostType,
      required: true,
      defaultValue: 'post',
      description: 'How Instagram shows it; sent whatever the network, since the service requires it.',
    }),
    place: t.field({
      type: PlaceInput,
      description: 'The location that it names; null says that there is none.',
    }),
    comment: t.string({ description: 'A first comment that goes with it.' }),
    tagIds: t.idList({ description: 'The service’s own numbers of its tags.' }),
    mediaIds: t.idList({
      description: 'The service’s own ids of media. The service has no call to upload any.',
    }),
    altTexts: t.stringList({ description: 'Alternative texts of its images, in their order.' }),
    removeCarousel: t.boolean({ description: 'Whether a carousel is left out.' }),
    mentions: t.field({ type: [MentionInput], description: 'Whom it mentions; each key once.' }),
    facebookAction: t.string({
      description: 'The service’s own code of a Facebook action; null says that there is none.',
    }),
    facebookAudience: t.field({ type: FacebookAudienceInput, description: 'Whom Facebook shows it to.' }),
    linkedInAudience: t.field({ type: LinkedInAudienceInput, description: 'Whom LinkedIn shows it to.' }),
    title: t.string({ description: 'Its title; for GOOGLE_BUSINESS and YOUTUBE only.' }),
    linkUrl: t.string({ description: 'Address that it links to; for GOOGLE_BUSINESS and YOUTUBE only.' }),
    longText: t.string({ description: 'A longer text; for GOOGLE_BUSINESS and YOUTUBE only.' }),
    action: t.field({ type: CallToActionInput, description: 'A button under it.' }),
    youTube: t.field({ type: YouTubeSettingsInput, description: 'How YouTube publishes it.' }),
  }),
});

const CreatePostInput = builder.inputType('CreatePostInput', {
  description: 'A post: on which accounts, when, and what. It is checked as a whole before anything is sent.',
  fields: (t) => ({
    idempotencyKey: t.string({ description: KEY_DESCRIPTION }),
    accountIds: t.idList({
      required: true,
      description: 'Accounts of the current side, each by its `Account.id`, not its `loginId`; each once.',
    }),
    timing: t.field({ type: PostTimingInput, required: true, description: 'When it goes out.' }),
    variants: t.field({
      type: [PostVariantInput],
      required: true,
      description: 'What it says, network by network.',
    }),
    utmSetId: t.id({ description: 'The service’s own id of a set of UTM parameters.' }),
    utmParameters: t.field({ type: [UtmParameterInput], description: 'UTM parameters of its links.' }),
    sendForClientReview: t.boolean({
      description:
        'Whether a client is to approve it first. What that means for a post at once is not documented.',
    }),
  }),
});

const CreatePostPayload = definePayload<CreatedPostsData>('CreatePostPayload', { takesKey: true }, (t) => ({
  postIds: t.idList({
    nullable: { list: true, items: false },
    description:
      'The service’s own ids of the posts, each the `QueuedPost.postId` of one that waits. Which belongs to which account and time, it does not say.',
    resolve: ({ result }) => result.data?.postIds ?? null,
  }),
  createdCount: t.int({
    description: 'How many posts were made.',
    resolve: ({ result }) => result.data?.createdCount ?? null,
  }),
  isScheduledLimitReached: t.boolean({
    description: 'Whether the plan’s limit of scheduled posts kept some from being made.',
    resolve: ({ result }) => result.data?.isScheduledLimitReached ?? null,
  }),
  customResponse: t.field({
    type: ['JSON'],
    nullable: { list: true, items: false },
    description: 'What else the service says, in a shape that it does not document.',
    resolve: ({ result }) => result.data?.customResponse ?? null,
  }),
  message: t.string({
    description: 'The service’s own words on success.',
    resolve: ({ result }) => result.data?.message ?? null,
  }),
}));

const PostValidation = builder.objectRef<PostValidationView>('PostValidation').implement({
  description: 'What stands in the way of a post, found without sending it.',
  fields: (t) => ({
    isValid: t.boolean({
      nullable: false,
      description: 'Whether nothing was found.',
      resolve: ({ userErrors }) => userErrors.length === 0,
    }),
    userErrors: t.expose('userErrors', {
      type: [UserError],
      nullable: { list: false, items: false },
      description:
        'What was found: everything that `createPost` would refuse, and accounts that can’t publish.',
    }),
    accounts: t.field({
      type: [Account],
      nullable: { list: true, items: true },
      description: 'The accounts, in the order of `accountIds`; null for one that is not there.',
      resolve: ({ accounts }) => accounts,
    }),
  }),
});

// Names that differ between the graph and the source of posts.
function toPost({ variants, ...input }: typeof CreatePostInput.$inferInput) {
  return {
    ...input,
    variants: variants.map(({ action, ...variant }) => ({ ...variant, callToAction: action })),
  };
}

builder.queryField('validatePost', (t) =>
  t.field({
    type: PostValidation,
    description:
      'Looks whether a post could be published: everything that `createPost` would refuse, and the health of the accounts. Sends nothing that has an effect.',
    args: {
      input: t.arg({
        type: CreatePostInput,
        required: true,
        description: 'The post, as `createPost` takes it.',
      }),
    },
    resolve: (_root, { input }, context) => validatePost(context, toPost(input)),
    ...costs<{ readonly input: typeof CreatePostInput.$inferInput }>(({ args, tally }) =>
      addAccounts(tally, args.input.accountIds),
    ),
  }),
);

builder.mutationField('createPost', (t) =>
  t.field({
    type: CreatePostPayload,
    nullable: false,
    description:
      'Publishes: on several accounts, by the queue, at once or at given times. Send an `idempotencyKey`: then a repeated call can never post twice. It does not look at the health of the accounts; `validatePost` does.',
    args: { input: t.arg({ type: CreatePostInput, required: true, description: 'The post.' }) },
    resolve: (_root, { input }, context) => createPost(context, toPost(input)),
    ...costsCalls(1),
  }),
);
