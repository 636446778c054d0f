import type { CreatedDraft } from '../sources/current/drafts.ts';
import { createDraft } from '../writes/create-draft.ts';
import { builder } from './builder.ts';
import { costsCalls } from './cost.ts';
import {
  CallToActionInput,
  DraftVariant,
  EditorTabInput,
  FacebookAudienceInput,
  InstagramPostType,
  LinkedInAudienceInput,
  PlaceInput,
  TaggedPeopleInput,
  YouTubeSettingsInput,
} from './post-input.ts';
import { definePayload, KEY_DESCRIPTION } from './write.ts';

const CarouselCardInput = builder.inputType('CarouselCardInput', {
  description: 'One card of a carousel.',
  fields: (t) => ({
    mediaId: t.string({ description: 'The service’s own id of its medium.' }),
    title: t.string({ description: 'What it is titled.' }),
    link: t.string({ description: 'Address that it leads to.' }),
    facebookAction: t.string({ description: 'The service’s own code of its Facebook action.' }),
  }),
});

export const DraftVariantInput = builder.inputType('DraftVariantInput', {
  description:
    'The content of a draft or library item for one network, or for all that have no variant of their own.',
  fields: (t) => ({
    variant: t.field({ type: DraftVariant, description: 'Which networks it is for; each once.' }),
    text: t.string({ description: 'What it says.' }),
    instagramPostType: t.field({
      type: InstagramPostType,
      description: 'How Instagram shows it; in the feed if left out.',
    }),
    comment: t.string({ description: 'A first comment that goes with it.' }),
    mediaIds: t.idList({
      description: 'The service’s own ids of media. The service has no call to upload any.',
    }),
    altTexts: t.stringList({ description: 'Alternative texts of its images, in their order.' }),
    carousel: t.field({ type: [CarouselCardInput], description: 'Cards of a carousel, in their order.' }),
    removeCarousel: t.boolean({ description: 'Whether a carousel is left out.' }),
    facebookAudience: t.field({ type: FacebookAudienceInput, description: 'Whom Facebook shows it to.' }),
    linkedInAudience: t.field({ type: LinkedInAudienceInput, description: 'Whom LinkedIn shows it to.' }),
    place: t.field({ type: PlaceInput, description: 'The location that it names.' }),
    action: t.field({ type: CallToActionInput, description: 'A button under it.' }),
    youTube: t.field({ type: YouTubeSettingsInput, description: 'How YouTube publishes it.' }),
    adDetails: t.field({ type: 'JSON', description: 'Details of an ad, in a shape that is not documented.' }),
    previewImageUrl: t.string({ description: 'Address of a preview image.' }),
    pinTitle: t.string({ description: 'Title of a pin on Pinterest.' }),
    destinationUrl: t.string({ description: 'Address that a pin leads to.' }),
    title: t.string({ description: 'What stands above it.' }),
    taggedPeople: t.field({
      type: [TaggedPeopleInput],
      description: 'People tagged in its images; each image once.',
    }),
  }),
});

/** Gives the variants of an input the names that the source of drafts has. */
export function toDraftVariants(variants: readonly (typeof DraftVariantInput.$inferInput)[]) {
  return variants.map(({ action, ...variant }) => ({ ...variant, callToAction: action }));
}

const CreateDraftInput = builder.inputType('CreateDraftInput', {
  description: 'A draft. It may be without content.',
  fields: (t) => ({
    idempotencyKey: t.string({ description: KEY_DESCRIPTION }),
    accountIds: t.idList({
      required: true,
      description: 'Ids of `Account`s of the current side; each once.',
    }),
    variants: t.field({ type: [DraftVariantInput], description: 'What it says, network by network.' }),
    activeTab: t.field({ type: EditorTabInput, description: 'The editor’s tab that opens with it.' }),
    isUrlShorteningEnabled: t.boolean({ description: 'Whether its links are shortened.' }),
  }),
});

const CreateDraftPayload = definePayload<CreatedDraft>('CreateDraftPayload', { takesKey: true }, (t) => ({
  draftId: t.id({
    description: 'The service’s own id of the draft. The service has no call that shows a draft again.',
    resolve: ({ result }) => result.data?.draftId ?? null,
  }),
  message: t.string({
    description: 'The service’s own words on success.',
    resolve: ({ result }) => result.data?.message ?? null,
  }),
}));

builder.mutationField('createDraft', (t) =>
  t.field({
    type: CreateDraftPayload,
    nullable: false,
    description: 'Stores a draft, to be gone on with in the service’s own editor.',
    args: { input: t.arg({ type: CreateDraftInput, required: true, description: 'The draft.' }) },
    resolve: (_root, { input: { variants, ...input } }, context) =>
      createDraft(context, { ...input, variants: variants == null ? null : toDraftVariants(variants) }),
    ...costsCalls(1),
  }),
);
