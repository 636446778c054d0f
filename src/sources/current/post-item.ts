import {
  anything,
  boolean,
  defineBody,
  list,
  map,
  nullable,
  number,
  optional,
  part,
  string,
  word,
  type Encoded,
} from '../body.ts';

// The content of one variant of a post, and of one variant of a draft or a library item.

const place = defineBody({ placeId: part('id', string), name: part('name', string) });

const interest = defineBody({
  description: optional('description', string),
  label: optional('label', string),
  name: optional('name', string),
  path: optional('path', list(string)),
  topic: optional('topic', string),
  value: optional('value', string),
  interestId: part('id', string),
  audienceSizeLowerBound: optional('audience_size_lower_bound', number),
  audienceSizeUpperBound: optional('audience_size_upper_bound', number),
});

const city = defineBody({
  key: part('key', string),
  label: optional('label', string),
  name: optional('name', string),
  region: optional('region', string),
  type: optional('type', string),
  value: optional('value', string),
  countryCode: optional('country_code', string),
  countryName: optional('country_name', string),
  regionId: optional('region_id', anything),
  supportsRegion: optional('supports_region', boolean),
  supportsCity: optional('supports_city', boolean),
});

const language = defineBody({
  key: optional('key', anything),
  label: optional('label', string),
  name: optional('name', string),
  value: optional('value', string),
});

/** The audience of a post on Facebook. Most names are the service's, which passes them on to Facebook. */
const facebookAudience = defineBody({
  educationalStatus: optional('educationalStatus', list(number)),
  gender: optional('gender', list(number)),
  maxAge: optional('maxAge', number),
  minAge: optional('minAge', number),
  relationshipStatus: optional('relationshipStatus', list(number)),
  interests: optional('interests', list(interest)),
  cities: optional('city', list(city)),
  languages: optional('language', list(language)),
  limitAudience: optional('limitAudiance', anything),
});

/** One option of LinkedIn targeting. */
const facet = defineBody({
  facetId: optional('id', string),
  label: optional('label', string),
  name: optional('name', string),
  value: optional('value', string),
});

const linkedInAudience = defineBody({
  industry: optional('industry', list(facet)),
  language: optional('language', list(facet)),
  location: optional('location', list(facet)),
  seniority: optional('seniority', list(facet)),
  staffCount: optional('staffCount', list(facet)),
  superTitle: optional('superTitle', list(facet)),
});

/** How a video is published on YouTube: fields of the item itself. */
const youTube = defineBody({
  privacy: optional('youtubePrivacy', string),
  tags: optional('youtubeTags', list(string)),
  category: optional('videoCategory', string),
  allowEmbedding: optional('youtubeAllowEmbedding', boolean),
  notifySubscribers: optional('youtubeNotifySubscriber', boolean),
  madeForKids: optional('youtubeMadeForKids', boolean),
  license: optional('youtubeLicense', string),
});

const callToAction = defineBody({ callToAction: part('cta', string), linkUrl: part('link', string) });

/** The fields that posts and drafts share. */
const content = {
  text: optional('postDesc', string),
  comment: optional('comment', string),
  mediaIds: optional('mediaId', list(string)),
  altTexts: optional('altTexts', list(string)),
  removeCarousel: optional('removeCarousel', boolean),
  facebookAudience: optional('fbAudianceTargeting', facebookAudience),
  linkedInAudience: optional('linkedinAudianceTargeting', linkedInAudience),
  title: optional('postTitle', string),
  action: optional('action', callToAction),
  youTube: optional('', youTube),
} as const;

const VARIANTS = ['original', 'facebook', 'twitter', 'linkedin', 'gmb', 'youtube'] as const;
const variant = word(...VARIANTS);
const draftVariant = word(...VARIANTS, 'instagram', 'pinterest');
const instagramPostType = word('post', 'reels', 'story');

/** A person or page mentioned in the text. */
const mention = defineBody({
  mentionedId: optional('id', string),
  name: optional('name', string),
  userName: optional('username', string),
  linkUrl: optional('link', string),
  mentionAccountId: optional('accountId', string),
  activeTab: optional('activeTab', string),
  avatarUrl: optional('avatar', string),
  displayName: optional('display_name', string),
});
/** A mention with the key used in the text. */
type Mention = Encoded<typeof mention> & { readonly key: string };

/** One variant of a post. */
export const postItem = defineBody({
  ...content,
  type: part('type', variant),
  // Always sent because the service requires it for every network.
  instagramPostType: part('instagramPostType', instagramPostType),
  place: nullable('place', place),
  tagIds: optional('tagIds', list(number)),
  mentions: optional(
    'mention',
    map(({ key }: Mention) => key, mention),
  ),
  facebookAction: nullable('fbAction', string),
  linkUrl: optional('postUrl', string),
  longText: optional('longPostDesc', string),
});
export type PostItem = Encoded<typeof postItem>;

const carouselCard = defineBody({
  mediaId: optional('mediaId', string),
  title: optional('title', string),
  linkUrl: optional('link', string),
  facebookAction: optional('fbAction', string),
});

/** People tagged in one image. */
export interface TaggedPeople {
  readonly imageUrl: string;
  readonly people: readonly unknown[];
}

/** One variant of a draft or of a library item. */
export const draftItem = defineBody({
  ...content,
  type: optional('type', draftVariant),
  instagramPostType: optional('instagramPostType', instagramPostType),
  place: optional('place', place),
  carousel: optional('carousel', list(carouselCard)),
  adDetails: optional('adDetails', anything),
  previewImageUrl: optional('previewImgUrl', string),
  pinTitle: optional('pinTitle', string),
  destinationUrl: optional('destinationUrl', string),
  taggedPeople: optional(
    'taggedPeople',
    map(
      ({ imageUrl }: TaggedPeople) => imageUrl,
      ({ people }) => people,
    ),
  ),
});
export type DraftItem = Encoded<typeof draftItem>;
