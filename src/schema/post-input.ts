import { defineEnum, defineInput } from './builder.ts';
import { TABS } from './post-content.ts';

// Input types shared by posts, drafts and library items.

const POST_VARIANTS = {
  ORIGINAL: [
    'original',
    'The service’s `original` variant. Which networks it applies to is undocumented by the service.',
  ],
  FACEBOOK: ['facebook', 'The variant for Facebook.'],
  X: ['twitter', 'The variant for X.'],
  LINKEDIN: ['linkedin', 'The variant for LinkedIn.'],
  GOOGLE_BUSINESS: ['gmb', 'The variant for Google Business.'],
  YOUTUBE: ['youtube', 'The variant for YouTube.'],
} as const;

export const PostVariant = defineEnum(
  'PostVariant',
  'Variants of a post: the original, or one for a network. Only `GOOGLE_BUSINESS` and `YOUTUBE` take a title, a link and a long description.',
  POST_VARIANTS,
);

export const DraftVariant = defineEnum(
  'DraftVariant',
  'Variants of a draft or library item: the original, or one for a network.',
  {
    ...POST_VARIANTS,
    INSTAGRAM: ['instagram', 'The variant for Instagram.'],
    PINTEREST: ['pinterest', 'The variant for Pinterest.'],
  },
);

export const EditorTabInput = defineEnum(
  'EditorTabInput',
  'A tab of the service’s post editor, as an input.',
  TABS,
);

export const InstagramPostTypeInput = defineEnum(
  'InstagramPostTypeInput',
  'Instagram post type, as an input.',
  {
    POST: ['post', 'A regular post, the service’s default.'],
    REELS: ['reels', 'Published as a reel.'],
    STORY: ['story', 'Published as one of the account’s stories.'],
  },
);

export const PlaceInput = defineInput('PlaceInput', 'A location attached to a post.', (t) => ({
  placeId: t.field({
    type: 'ServiceId',
    required: true,
    description: 'Id of the place. Undocumented by the service.',
  }),
  name: t.string({ required: true, description: 'Name of the place.' }),
}));

export const MentionInput = defineInput('MentionInput', 'A person or page mentioned in a post.', (t) => ({
  key: t.string({ required: true, description: 'Key of the mention, unique within the post.' }),
  mentionedId: t.field({ type: 'ServiceId', description: 'Id of the person or page.' }),
  name: t.string({ description: 'Name of the person or page.' }),
  userName: t.string({ description: 'User name of the person or page.' }),
  displayName: t.string({ description: 'Display name of the person or page.' }),
  linkUrl: t.field({ type: 'URL', description: 'URL that the mention links to.' }),
  avatarUrl: t.field({ type: 'URL', description: 'URL of a picture of the person or page.' }),
  mentionAccountId: t.field({
    type: 'ServiceId',
    description: 'The service’s `accountId` of the mention. Undocumented by the service.',
  }),
  activeTab: t.string({ description: 'Editor tab that the mention belongs to.' }),
}));

export const CallToActionInput = defineInput('CallToActionInput', 'A call to action on a post.', (t) => ({
  callToAction: t.string({
    required: true,
    description: 'Code of the call to action. The codes are undocumented by the service.',
  }),
  linkUrl: t.field({ type: 'URL', required: true, description: 'URL that the call to action leads to.' }),
}));

export const YouTubeSettingsInput = defineInput(
  'YouTubeSettingsInput',
  'Settings for YouTube, passed to the service unchanged. Accepted values are undocumented by the service.',
  (t) => ({
    privacy: t.string({ description: 'Privacy setting of the video.' }),
    tags: t.stringList({ description: 'Tags of the video on YouTube.' }),
    category: t.string({ description: 'Category of the video.' }),
    allowEmbedding: t.boolean({ description: 'Whether embedding is allowed.' }),
    notifySubscribers: t.boolean({ description: 'Whether subscribers are notified.' }),
    madeForKids: t.boolean({ description: 'Whether the video is made for children.' }),
    license: t.string({ description: 'Licence of the video.' }),
  }),
);

const FacebookInterestInput = defineInput(
  'FacebookInterestInput',
  'An interest to target on Facebook.',
  (t) => ({
    interestId: t.field({
      type: 'ServiceId',
      required: true,
      description: 'Facebook’s id for the interest.',
    }),
    name: t.string({ description: 'Human-readable name.' }),
    audienceSizeLowerBound: t.float({ description: 'Lower bound of the audience size, in people.' }),
    audienceSizeUpperBound: t.float({ description: 'Upper bound of the audience size, in people.' }),
    path: t.stringList({ description: 'Path of the interest in Facebook’s categories.' }),
    description: t.string({ description: 'Description of the interest.' }),
    topic: t.string({ description: 'Topic of the interest.' }),
    label: t.string({ description: 'Display label, passed to the service unchanged.' }),
    value: t.string({ description: 'Option value, passed to the service unchanged.' }),
  }),
);

const FacebookCityInput = defineInput('FacebookCityInput', 'A city to target on Facebook.', (t) => ({
  key: t.string({ required: true, description: 'Facebook’s key for the city.' }),
  name: t.string({ description: 'Human-readable name.' }),
  type: t.string({ description: 'Kind of place.' }),
  countryCode: t.string({ description: 'Code of the country that the city is in.' }),
  countryName: t.string({ description: 'Name of the country that the city is in.' }),
  region: t.string({ description: 'Name of the region.' }),
  regionId: t.field({ type: 'JSON', description: 'Id of the region, a number or a string.' }),
  supportsRegion: t.boolean({ description: 'Passed to the service as `supports_region`.' }),
  supportsCity: t.boolean({ description: 'Passed to the service as `supports_city`.' }),
  label: t.string({ description: 'Display label, passed to the service unchanged.' }),
  value: t.string({ description: 'Option value, passed to the service unchanged.' }),
}));

const FacebookLanguageInput = defineInput(
  'FacebookLanguageInput',
  'A language to target on Facebook.',
  (t) => ({
    key: t.field({
      type: 'JSON',
      required: true,
      description: 'Facebook’s key for the language, a number or a string.',
    }),
    name: t.string({ description: 'Human-readable name.' }),
    value: t.string({ description: 'Option value, passed to the service unchanged.' }),
    label: t.string({ description: 'Display label, passed to the service unchanged.' }),
  }),
);

export const FacebookAudienceInput = defineInput(
  'FacebookAudienceInput',
  'Audience targeting on Facebook. Codes are passed to the service unchanged.',
  (t) => ({
    minAge: t.int({ description: 'Minimum age of the audience.' }),
    maxAge: t.int({ description: 'Maximum age of the audience.' }),
    gender: t.intList({ description: 'Gender codes. Undocumented by the service.' }),
    interests: t.field({ type: [FacebookInterestInput], description: 'Interests to target.' }),
    cities: t.field({ type: [FacebookCityInput], description: 'Cities to target.' }),
    languages: t.field({ type: [FacebookLanguageInput], description: 'Languages to target.' }),
    relationshipStatus: t.intList({ description: 'Relationship status codes. Undocumented by the service.' }),
    educationalStatus: t.intList({ description: 'Education status codes. Undocumented by the service.' }),
    limitAudience: t.field({
      type: 'JSON',
      description: 'A further limit on the audience. Undocumented by the service.',
    }),
  }),
);

const LinkedInFacetInput = defineInput('LinkedInFacetInput', 'A targeting option on LinkedIn.', (t) => ({
  facetId: t.field({ type: 'ServiceId', description: 'LinkedIn’s id for the option.' }),
  name: t.string({ description: 'Human-readable name.' }),
  label: t.string({ description: 'Display label, passed to the service unchanged.' }),
  value: t.string({ description: 'Option value, passed to the service unchanged.' }),
}));

export const LinkedInAudienceInput = defineInput(
  'LinkedInAudienceInput',
  'Audience targeting on LinkedIn.',
  (t) => ({
    industry: t.field({ type: [LinkedInFacetInput], description: 'Industries to target.' }),
    staffCount: t.field({
      type: [LinkedInFacetInput],
      description: 'Company sizes to target, by number of staff.',
    }),
    seniority: t.field({ type: [LinkedInFacetInput], description: 'Seniorities to target.' }),
    superTitle: t.field({
      type: [LinkedInFacetInput],
      description: 'Super titles to target. Undocumented by the service.',
    }),
    language: t.field({ type: [LinkedInFacetInput], description: 'Languages to target.' }),
    location: t.field({ type: [LinkedInFacetInput], description: 'Locations to target.' }),
  }),
);

export const TaggedPeopleInput = defineInput('TaggedPeopleInput', 'People tagged in one image.', (t) => ({
  imageUrl: t.field({ type: 'URL', required: true, description: 'URL of the tagged image.' }),
  people: t.field({
    type: ['JSON'],
    required: true,
    description: 'Tagged people. Undocumented by the service.',
  }),
}));
