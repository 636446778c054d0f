import type { CreatedDraft } from '../sources/current/drafts.ts';
import { checkDraft, createDraft } from '../writes/create-draft.ts';
import { builder, defineInput } from './builder.ts';
import { serviceId, shown, string } from './data.ts';
import {
  CallToActionInput,
  DraftVariant,
  EditorTabInput,
  FacebookAudienceInput,
  InstagramPostTypeInput,
  LinkedInAudienceInput,
  PlaceInput,
  TaggedPeopleInput,
  YouTubeSettingsInput,
} from './post-input.ts';
import { InputValidation, defineKeyedPayload, inputOf, KEY_DESCRIPTION } from './write.ts';

const CarouselCardInput = defineInput(
  'CarouselCardInput',
  'One image or video of a carousel, with its link.',
  (t) => ({
    mediaId: t.field({ type: 'ServiceId', description: 'The service’s own id for the card’s media item.' }),
    title: t.string({ description: 'Title of the card.' }),
    linkUrl: t.field({ type: 'URL', description: 'URL to link to.' }),
    facebookAction: t.string({ description: 'The service’s code for a Facebook action of the card.' }),
  }),
);

export const DraftVariantInput = defineInput(
  'DraftVariantInput',
  'Content of one variant of a draft or library item.',
  (t) => ({
    variant: t.field({
      type: DraftVariant,
      description: 'The variant that this content is for. Must be unique.',
    }),
    text: t.string({ description: 'The text of the post.' }),
    // A default value would change the inputs that the journal compares with those of earlier calls.
    instagramPostType: t.field({
      type: InstagramPostTypeInput,
      description: 'Instagram post type. Defaults to `POST`.',
    }),
    comment: t.string({ description: 'A comment on the post.' }),
    mediaIds: t.field({
      type: ['ServiceId'],
      description: 'Ids of media already in the service; its API has no upload call.',
    }),
    altTexts: t.stringList({
      description:
        'Alternative texts of images. Which text belongs to which image is undocumented by the service.',
    }),
    carousel: t.field({ type: [CarouselCardInput], description: 'Cards of a carousel.' }),
    removeCarousel: t.boolean({
      description: 'Passed to the service as `removeCarousel`. Undocumented by the service.',
    }),
    facebookAudience: t.field({
      type: FacebookAudienceInput,
      description: 'Audience targeting on Facebook.',
    }),
    linkedInAudience: t.field({
      type: LinkedInAudienceInput,
      description: 'Audience targeting on LinkedIn.',
    }),
    place: t.field({ type: PlaceInput, description: 'Location of the post.' }),
    action: t.field({ type: CallToActionInput, description: 'Call to action on the post.' }),
    youTube: t.field({ type: YouTubeSettingsInput, description: 'Settings for YouTube.' }),
    adDetails: t.field({ type: 'JSON', description: 'Details of an ad. Undocumented by the service.' }),
    previewImageUrl: t.field({ type: 'URL', description: 'URL of an image to show as the preview.' }),
    pinTitle: t.string({ description: 'Title of the pin on Pinterest.' }),
    destinationUrl: t.field({ type: 'URL', description: 'URL to link to.' }),
    title: t.string({ description: 'Title of the post.' }),
    taggedPeople: t.field({
      type: [TaggedPeopleInput],
      description: 'People tagged in the images. Image URLs must be unique.',
    }),
  }),
);

const CreateDraftInput = defineInput(
  'CreateDraftInput',
  'Input for `createDraft`. A draft may be empty.',
  (t) => ({
    idempotencyKey: t.string({ description: KEY_DESCRIPTION }),
    accountIds: t.idList({
      required: true,
      description: 'IDs of accounts on the current surface. Must be unique.',
    }),
    variants: t.field({ type: [DraftVariantInput], description: 'Content, one variant per network.' }),
    activeTab: t.field({
      type: EditorTabInput,
      description: 'Editor tab that is active when the draft is saved.',
    }),
    isUrlShorteningEnabled: t.boolean({ description: 'Whether links are shortened.' }),
  }),
);

const CreateDraftPayload = defineKeyedPayload<CreatedDraft>('createDraft', (t) =>
  shown(t, {
    draftId: serviceId('The service’s own id for the draft. The service has no call that reads drafts.'),
    message: string('Message from the service on success.'),
  }),
);

builder.mutationField('createDraft', (t) =>
  t.field({
    type: CreateDraftPayload,
    description:
      'Saves a draft, which can be continued in the service’s own editor. The service has no call to read, change or publish it.',
    args: inputOf(CreateDraftInput, 'The draft to save.'),
    resolve: (_root, { input }, context) => createDraft(context, input),
  }),
);

builder.queryField('validateDraft', (t) =>
  t.field({
    type: InputValidation,
    description:
      'Validates a draft without saving it. Makes no call to the service, so the accounts are not checked.',
    args: inputOf(CreateDraftInput, 'The draft to validate.'),
    resolve: (_root, { input }) => checkDraft(input).problems.list,
  }),
);
