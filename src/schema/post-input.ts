import { builder } from './builder.ts';
import { TAB_CODES } from './post-content.ts';
import { enumOf } from './write.ts';

// Input types shared by posts, drafts and library items.

const { ORIGINAL, FACEBOOK, X, LINKEDIN, GOOGLE_BUSINESS, YOUTUBE, INSTAGRAM, PINTEREST, TUMBLR, TIKTOK } =
  TAB_CODES;

const POST_VARIANTS = {
  ORIGINAL: [ORIGINAL, 'The service’s `original`; which networks it is for is not documented.'],
  FACEBOOK: [FACEBOOK, 'For Facebook.'],
  X: [X, 'For X.'],
  LINKEDIN: [LINKEDIN, 'For LinkedIn.'],
  GOOGLE_BUSINESS: [GOOGLE_BUSINESS, 'For Google Business.'],
  YOUTUBE: [YOUTUBE, 'For YouTube.'],
} as const;

const DRAFT_VARIANTS = {
  ...POST_VARIANTS,
  INSTAGRAM: [INSTAGRAM, 'For Instagram.'],
  PINTEREST: [PINTEREST, 'For Pinterest.'],
} as const;

export const PostVariant = builder.enumType('PostVariant', {
  description:
    'Variants of a post: the original, or one for a network. GOOGLE_BUSINESS and YOUTUBE take a title, a link and a long text.',
  values: enumOf(POST_VARIANTS),
});

export const DraftVariant = builder.enumType('DraftVariant', {
  description: 'Variants of a draft or library item: the original, or one for a network.',
  values: enumOf(DRAFT_VARIANTS),
});

export const EditorTabInput = builder.enumType('EditorTabInput', {
  description: 'A tab of the service’s editor, in an input.',
  values: enumOf({
    ...DRAFT_VARIANTS,
    TUMBLR: [TUMBLR, 'For Tumblr.'],
    TIKTOK: [TIKTOK, 'For TikTok.'],
  } as const),
});

export const InstagramPostTypeInput = builder.enumType('InstagramPostTypeInput', {
  description: 'What a post is on Instagram, in an input.',
  values: enumOf({
    POST: ['post', 'The service’s default, `post`.'],
    REELS: ['reels', 'For reels.'],
    STORY: ['story', 'For stories.'],
  } as const),
});

export const PlaceInput = builder.inputType('PlaceInput', {
  description: 'The location of a post.',
  fields: (t) => ({
    placeId: t.field({
      type: 'ServiceId',
      required: true,
      description: 'Id of the place; where it comes from is not documented.',
    }),
    name: t.string({ required: true, description: 'Name of the place.' }),
  }),
});

export const MentionInput = builder.inputType('MentionInput', {
  description: 'A person or page that a post mentions.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Key of the mention within the post: an id.' }),
    mentionedId: t.field({ type: 'ServiceId', description: 'Id of who is mentioned.' }),
    name: t.string({ description: 'Name of who is mentioned.' }),
    userName: t.string({ description: 'User name of who is mentioned.' }),
    displayName: t.string({ description: 'Display name of who is mentioned.' }),
    linkUrl: t.field({ type: 'URL', description: 'Address that goes with the mention.' }),
    avatarUrl: t.field({ type: 'URL', description: 'Address of a picture of who is mentioned.' }),
    mentionAccountId: t.field({
      type: 'ServiceId',
      description: 'The service’s own number that goes with the mention; its meaning is not documented.',
    }),
    activeTab: t.string({ description: 'Tab of the editor that goes with the mention.' }),
  }),
});

export const CallToActionInput = builder.inputType('CallToActionInput', {
  description: 'A call to action of a post.',
  fields: (t) => ({
    callToAction: t.string({
      required: true,
      description: 'The service’s own code of it; the codes are not documented.',
    }),
    linkUrl: t.field({ type: 'URL', required: true, description: 'Address that goes with it.' }),
  }),
});

export const YouTubeSettingsInput = builder.inputType('YouTubeSettingsInput', {
  description: 'Settings for YouTube. The service documents no lists of values: what you say is passed on.',
  fields: (t) => ({
    privacy: t.string({ description: 'The privacy setting.' }),
    tags: t.stringList({ description: 'Tags on YouTube.' }),
    category: t.string({ description: 'Category of the video.' }),
    allowEmbedding: t.boolean({ description: 'Whether embedding is allowed.' }),
    notifySubscribers: t.boolean({ description: 'Whether subscribers are notified.' }),
    madeForKids: t.boolean({ description: 'Whether it is made for children.' }),
    license: t.string({ description: 'Its licence.' }),
  }),
});

const FacebookInterestInput = builder.inputType('FacebookInterestInput', {
  description: 'An interest to target on Facebook.',
  fields: (t) => ({
    interestId: t.field({ type: 'ServiceId', required: true, description: 'Facebook’s id of the interest.' }),
    name: t.string({ description: 'What it is called.' }),
    audienceSizeLowerBound: t.float({ description: 'Lower bound of its audience, in people.' }),
    audienceSizeUpperBound: t.float({ description: 'Upper bound of its audience, in people.' }),
    path: t.stringList({ description: 'Path of the interest.' }),
    description: t.string({ description: 'A description of the interest.' }),
    topic: t.string({ description: 'Topic of the interest.' }),
    label: t.string({ description: 'A label, passed on as it is.' }),
    value: t.string({ description: 'A value, passed on as it is.' }),
  }),
});

const FacebookCityInput = builder.inputType('FacebookCityInput', {
  description: 'A city to target on Facebook.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Key of the city.' }),
    name: t.string({ description: 'What it is called.' }),
    type: t.string({ description: 'A word for the kind of place.' }),
    countryCode: t.string({ description: 'Code of the country that it is in.' }),
    countryName: t.string({ description: 'Name of the country that it is in.' }),
    region: t.string({ description: 'Name of its region.' }),
    regionId: t.field({ type: 'JSON', description: 'Id of its region, a number or a text.' }),
    supportsRegion: t.boolean({ description: 'Passed on as the service’s `supports_region`.' }),
    supportsCity: t.boolean({ description: 'Passed on as the service’s `supports_city`.' }),
    label: t.string({ description: 'A label, passed on as it is.' }),
    value: t.string({ description: 'A value, passed on as it is.' }),
  }),
});

const FacebookLanguageInput = builder.inputType('FacebookLanguageInput', {
  description: 'A language to target on Facebook.',
  fields: (t) => ({
    key: t.field({
      type: 'JSON',
      required: true,
      description: 'Key of the language, a number or a text.',
    }),
    name: t.string({ description: 'What it is called.' }),
    value: t.string({ description: 'A value, passed on as it is.' }),
    label: t.string({ description: 'A label, passed on as it is.' }),
  }),
});

export const FacebookAudienceInput = builder.inputType('FacebookAudienceInput', {
  description: 'Audience targeting on Facebook. Codes without a documented meaning are passed on.',
  fields: (t) => ({
    minAge: t.int({ description: 'Youngest age.' }),
    maxAge: t.int({ description: 'Oldest age.' }),
    gender: t.intList({ description: 'Codes of genders.' }),
    interests: t.field({ type: [FacebookInterestInput], description: 'Interests to target.' }),
    cities: t.field({ type: [FacebookCityInput], description: 'Cities to target.' }),
    languages: t.field({ type: [FacebookLanguageInput], description: 'Languages to target.' }),
    relationshipStatus: t.intList({ description: 'Codes of relationships.' }),
    educationalStatus: t.intList({ description: 'Codes of education.' }),
    limitAudience: t.field({
      type: 'JSON',
      description: 'A further limit, in a shape that is not documented.',
    }),
  }),
});

const LinkedInFacetInput = builder.inputType('LinkedInFacetInput', {
  description: 'One choice of LinkedIn’s targeting.',
  fields: (t) => ({
    facetId: t.field({ type: 'ServiceId', description: 'LinkedIn’s id of the choice.' }),
    name: t.string({ description: 'What it is called.' }),
    label: t.string({ description: 'A label, passed on as it is.' }),
    value: t.string({ description: 'A value, passed on as it is.' }),
  }),
});

export const LinkedInAudienceInput = builder.inputType('LinkedInAudienceInput', {
  description: 'Audience targeting on LinkedIn.',
  fields: (t) => ({
    industry: t.field({ type: [LinkedInFacetInput], description: 'Industries to target.' }),
    staffCount: t.field({ type: [LinkedInFacetInput], description: 'Staff counts to target.' }),
    seniority: t.field({ type: [LinkedInFacetInput], description: 'Seniorities to target.' }),
    superTitle: t.field({
      type: [LinkedInFacetInput],
      description: 'Super titles to target; what they are is not documented.',
    }),
    language: t.field({ type: [LinkedInFacetInput], description: 'Languages to target.' }),
    location: t.field({ type: [LinkedInFacetInput], description: 'Locations to target.' }),
  }),
});

export const TaggedPeopleInput = builder.inputType('TaggedPeopleInput', {
  description: 'People who are tagged in one image.',
  fields: (t) => ({
    imageUrl: t.field({ type: 'URL', required: true, description: 'Address of the image.' }),
    people: t.field({
      type: ['JSON'],
      required: true,
      description: 'Who is tagged, in a shape that is not documented.',
    }),
  }),
});
