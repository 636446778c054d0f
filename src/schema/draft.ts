import type { CreatedDraft } from '../sources/current/drafts.ts';
import { checkDraft, createDraft } from '../writes/create-draft.ts';
import { builder } from './builder.ts';
import { costsCalls } from './cost.ts';
import { InputValidation } from './input-validation.ts';
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
import { definePayload, KEY_DESCRIPTION } from './write.ts';

const CarouselCardInput = builder.inputType('CarouselCardInput', {
  description: 'One card of a carousel.',
  fields: (t) => ({
    mediaId: t.field({ type: 'ServiceId', description: 'The service’s own id of its medium.' }),
    title: t.string({ description: 'What it is titled.' }),
    linkUrl: t.field({ type: 'URL', description: 'Address that it leads to.' }),
    facebookAction: t.string({ description: 'The service’s own code of its Facebook action.' }),
  }),
});

export const DraftVariantInput = builder.inputType('DraftVariantInput', {
  description: 'The content of a draft or library item for one network, or the original.',
  fields: (t) => ({
    variant: t.field({ type: DraftVariant, description: 'Which variant it is; each once.' }),
    text: t.string({ description: 'What it says.' }),
    instagramPostType: t.field({
      type: InstagramPostTypeInput,
      description: 'What it is on Instagram; `POST` if left out.',
    }),
    comment: t.string({ description: 'A comment on the post.' }),
    mediaIds: t.field({
      type: ['ServiceId'],
      description: 'The service’s own ids of media. The service has no call to upload any.',
    }),
    altTexts: t.stringList({
      description: 'Alternative texts. Which text belongs to which image is not documented.',
    }),
    carousel: t.field({ type: [CarouselCardInput], description: 'Cards of a carousel.' }),
    removeCarousel: t.boolean({
      description: 'Passed on as the service’s `removeCarousel`; its meaning is not documented.',
    }),
    facebookAudience: t.field({
      type: FacebookAudienceInput,
      description: 'Audience targeting on Facebook.',
    }),
    linkedInAudience: t.field({
      type: LinkedInAudienceInput,
      description: 'Audience targeting on LinkedIn.',
    }),
    place: t.field({ type: PlaceInput, description: 'The location of the post.' }),
    action: t.field({ type: CallToActionInput, description: 'A call to action that goes with it.' }),
    youTube: t.field({ type: YouTubeSettingsInput, description: 'Settings for YouTube.' }),
    adDetails: t.field({ type: 'JSON', description: 'Details of an ad, in a shape that is not documented.' }),
    previewImageUrl: t.field({ type: 'URL', description: 'Address of a preview image.' }),
    pinTitle: t.string({ description: 'Title of a pin on Pinterest.' }),
    destinationUrl: t.field({ type: 'URL', description: 'Address that it leads to.' }),
    title: t.string({ description: 'Title of the post.' }),
    taggedPeople: t.field({
      type: [TaggedPeopleInput],
      description: 'People tagged in its images; each image once.',
    }),
  }),
});

/** Renames the fields of input variants to those of the drafts source. */
export function toDraftVariants(variants: readonly (typeof DraftVariantInput.$inferInput)[]) {
  return variants.map(({ action, ...variant }) => ({ ...variant, callToAction: action }));
}

const CreateDraftInput = builder.inputType('CreateDraftInput', {
  description: 'A draft. It may be without content.',
  fields: (t) => ({
    idempotencyKey: t.string({ description: KEY_DESCRIPTION }),
    accountIds: t.idList({
      required: true,
      description: 'Ids of `Account`s of the current surface; each once.',
    }),
    variants: t.field({
      type: [DraftVariantInput],
      description: 'The content, one variant for each network.',
    }),
    activeTab: t.field({
      type: EditorTabInput,
      description: 'The editor’s tab that is active when the draft is saved.',
    }),
    isUrlShorteningEnabled: t.boolean({ description: 'Whether short links are used.' }),
  }),
});

const CreateDraftPayload = definePayload<CreatedDraft>('CreateDraftPayload', { takesKey: true }, (t) => ({
  draftId: t.field({
    type: 'ServiceId',
    description: 'The service’s own id of the draft. The service has no call that shows a draft again.',
    resolve: ({ result }) => result.data?.draftId ?? null,
  }),
  message: t.string({
    description: 'The service’s message on success.',
    resolve: ({ result }) => result.data?.message ?? null,
  }),
}));

builder.mutationField('createDraft', (t) =>
  t.field({
    type: CreateDraftPayload,
    description: 'Saves a draft. The service has no call that shows, changes or publishes it.',
    args: { input: t.arg({ type: CreateDraftInput, required: true, description: 'The draft.' }) },
    resolve: (_root, { input }, context) => createDraft(context, toDraft(input)),
    ...costsCalls(1),
  }),
);

builder.queryField('validateDraft', (t) =>
  t.field({
    type: InputValidation,
    description:
      'Checks a draft without saving it: everything that `createDraft` would refuse. Asks nothing of the service, so the accounts are not looked up.',
    args: {
      input: t.arg({
        type: CreateDraftInput,
        required: true,
        description: 'The draft, as `createDraft` takes it.',
      }),
    },
    resolve: (_root, { input }) => checkDraft(toDraft(input)).problems.list,
  }),
);

function toDraft({ variants, ...input }: typeof CreateDraftInput.$inferInput) {
  return { ...input, variants: variants == null ? null : toDraftVariants(variants) };
}
