import { builder } from './builder.ts';
import { TAB_CODES } from './post-content.ts';
import { enumOf } from './write.ts';

// The parts that posts, drafts and library items are written with.

const { ORIGINAL, FACEBOOK, X, LINKEDIN, GOOGLE_BUSINESS, YOUTUBE, INSTAGRAM, PINTEREST, TUMBLR, TIKTOK } =
  TAB_CODES;

const POST_VARIANTS = {
  ORIGINAL: [ORIGINAL, 'The original, before any network’s own variant.'],
  FACEBOOK: [FACEBOOK, 'For Facebook.'],
  X: [X, 'For X.'],
  LINKEDIN: [LINKEDIN, 'For LinkedIn.'],
  GOOGLE_BUSINESS: [GOOGLE_BUSINESS, 'For Google Business; takes a title, a link and a long text.'],
  YOUTUBE: [YOUTUBE, 'For YouTube; takes a title, a link, a long text and `youTube`.'],
} as const;

const DRAFT_VARIANTS = {
  ...POST_VARIANTS,
  INSTAGRAM: [INSTAGRAM, 'For Instagram.'],
  PINTEREST: [PINTEREST, 'For Pinterest.'],
} as const;

export const PostVariant = builder.enumType('PostVariant', {
  description: 'Which networks a variant of a post is for.',
  values: enumOf(POST_VARIANTS),
});

export const DraftVariant = builder.enumType('DraftVariant', {
  description: 'Which networks a variant of a draft or library item is for.',
  values: enumOf(DRAFT_VARIANTS),
});

export const EditorTabInput = builder.enumType('EditorTabInput', {
  description: 'A tab of the service’s editor, where you say it.',
  values: enumOf({
    ...DRAFT_VARIANTS,
    TUMBLR: [TUMBLR, 'For Tumblr.'],
    TIKTOK: [TIKTOK, 'For TikTok.'],
  } as const),
});

export const InstagramPostType = builder.enumType('InstagramPostType', {
  description: 'How Instagram shows a post.',
  values: enumOf({
    POST: ['post', 'In the feed.'],
    REELS: ['reels', 'As a reel.'],
    STORY: ['story', 'As a story.'],
  } as const),
});

export const PlaceInput = builder.inputType('PlaceInput', {
  description: 'A location that a post names.',
  fields: (t) => ({
    id: t.string({ required: true, description: 'Id of the place in its network.' }),
    name: t.string({ required: true, description: 'What the place is called.' }),
  }),
});

export const MentionInput = builder.inputType('MentionInput', {
  description: 'Somebody whom a post mentions.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Key of the mention within the post.' }),
    id: t.string({ description: 'Id of the one mentioned, in its network.' }),
    name: t.string({ description: 'Full name.' }),
    username: t.string({ description: 'Name that follows the @.' }),
    displayName: t.string({ description: 'Name as the network shows it.' }),
    link: t.string({ description: 'Address of the profile.' }),
    avatarUrl: t.string({ description: 'Address of the picture.' }),
    accountId: t.string({ description: 'The service’s own number that goes with the mention.' }),
    activeTab: t.string({ description: 'Tab of the editor it is made in.' }),
  }),
});

export const CallToActionInput = builder.inputType('CallToActionInput', {
  description: 'A button under a post.',
  fields: (t) => ({
    callToAction: t.string({ required: true, description: 'The service’s own code of the button.' }),
    link: t.string({ required: true, description: 'Address that the button leads to.' }),
  }),
});

export const YouTubeSettingsInput = builder.inputType('YouTubeSettingsInput', {
  description:
    'How YouTube publishes a video. The service documents no lists of values: what you say is passed on.',
  fields: (t) => ({
    privacy: t.string({ description: 'Who may see it.' }),
    tags: t.stringList({ description: 'Words that it is found by.' }),
    category: t.string({ description: 'Category of the video.' }),
    allowEmbedding: t.boolean({ description: 'Whether other sites may show it.' }),
    notifySubscribers: t.boolean({ description: 'Whether subscribers are told.' }),
    madeForKids: t.boolean({ description: 'Whether it is made for children.' }),
    license: t.string({ description: 'Its licence.' }),
  }),
});

const FacebookInterestInput = builder.inputType('FacebookInterestInput', {
  description: 'An interest, as Facebook’s search for targeting gives it.',
  fields: (t) => ({
    id: t.string({ required: true, description: 'Id of the interest.' }),
    name: t.string({ description: 'What it is called.' }),
    audienceSizeLowerBound: t.float({ description: 'How many people at least.' }),
    audienceSizeUpperBound: t.float({ description: 'How many people at most.' }),
    path: t.stringList({ description: 'Where it stands among the interests, from the top.' }),
    description: t.string({ description: 'What it is about.' }),
    topic: t.string({ description: 'What it belongs to.' }),
    label: t.string({ description: 'The editor’s own text for it; passed on.' }),
    value: t.string({ description: 'The editor’s own value for it; passed on.' }),
  }),
});

const FacebookCityInput = builder.inputType('FacebookCityInput', {
  description: 'A city, as Facebook’s search for targeting gives it.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Facebook’s own key of the city.' }),
    name: t.string({ description: 'What it is called.' }),
    type: t.string({ description: 'Facebook’s own word for the kind of place.' }),
    countryCode: t.string({ description: 'Two letters for the state that it lies in.' }),
    countryName: t.string({ description: 'What the state is called that it lies in.' }),
    region: t.string({ description: 'Name of its region.' }),
    regionId: t.field({ type: 'JSON', description: 'Id of its region, a number or a text.' }),
    supportsRegion: t.boolean({ description: 'Whether its region can be targeted.' }),
    supportsCity: t.boolean({ description: 'Whether the city itself can be targeted.' }),
    label: t.string({ description: 'The editor’s own text for it; passed on.' }),
    value: t.string({ description: 'The editor’s own value for it; passed on.' }),
  }),
});

const FacebookLanguageInput = builder.inputType('FacebookLanguageInput', {
  description: 'A language, as Facebook’s search for targeting gives it.',
  fields: (t) => ({
    key: t.field({
      type: 'JSON',
      required: true,
      description: 'Facebook’s own key of it, a number or a text.',
    }),
    name: t.string({ description: 'What it is called.' }),
    value: t.string({ description: 'The editor’s own value for it; passed on.' }),
    label: t.string({ description: 'The editor’s own text for it; passed on.' }),
  }),
});

export const FacebookAudienceInput = builder.inputType('FacebookAudienceInput', {
  description: 'Whom Facebook shows a post to. Codes without a documented meaning are passed on.',
  fields: (t) => ({
    minAge: t.int({ description: 'Youngest age.' }),
    maxAge: t.int({ description: 'Oldest age.' }),
    gender: t.intList({ description: 'Codes of genders.' }),
    interests: t.field({ type: [FacebookInterestInput], description: 'Interests that people have.' }),
    cities: t.field({ type: [FacebookCityInput], description: 'Cities that people live in.' }),
    languages: t.field({ type: [FacebookLanguageInput], description: 'Languages that people speak.' }),
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
    id: t.string({ description: 'LinkedIn’s own id of it.' }),
    name: t.string({ description: 'What it is called.' }),
    label: t.string({ description: 'The editor’s own text for it; passed on.' }),
    value: t.string({ description: 'The editor’s own value for it; passed on.' }),
  }),
});

export const LinkedInAudienceInput = builder.inputType('LinkedInAudienceInput', {
  description: 'Whom LinkedIn shows a post to.',
  fields: (t) => ({
    industry: t.field({ type: [LinkedInFacetInput], description: 'Industries that people work in.' }),
    staffCount: t.field({ type: [LinkedInFacetInput], description: 'Sizes of companies.' }),
    seniority: t.field({ type: [LinkedInFacetInput], description: 'Ranks that people have.' }),
    superTitle: t.field({ type: [LinkedInFacetInput], description: 'Functions that people have.' }),
    language: t.field({ type: [LinkedInFacetInput], description: 'Languages that people use.' }),
    location: t.field({ type: [LinkedInFacetInput], description: 'Places that people are in.' }),
  }),
});

export const TaggedPeopleInput = builder.inputType('TaggedPeopleInput', {
  description: 'People who are tagged in one image.',
  fields: (t) => ({
    imageUrl: t.string({ required: true, description: 'Address of the image.' }),
    people: t.field({
      type: ['JSON'],
      required: true,
      description: 'Who is tagged, in a shape that is not documented.',
    }),
  }),
});
