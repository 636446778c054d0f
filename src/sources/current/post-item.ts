// The content of one variant of a post, with this project's names; only the encoders below use the service's spelling.
// Undefined values are not sent; null is sent only where the service documents it.

/** A location. */
export interface PlaceValue {
  readonly placeId: string;
  readonly name: string;
}

/** A person or page mentioned in the text, with the key used in the text. */
export interface MentionValue {
  readonly key: string;
  readonly mentionedId?: string;
  readonly name?: string;
  readonly userName?: string;
  readonly displayName?: string;
  readonly linkUrl?: string;
  readonly avatarUrl?: string;
  readonly mentionAccountId?: string;
  readonly activeTab?: string;
}

/** The audience of a post on Facebook; the names are the service's, which passes them on to Facebook. */
export interface FacebookAudienceValue {
  readonly minAge?: number;
  readonly maxAge?: number;
  readonly gender?: readonly number[];
  readonly interests?: readonly {
    readonly interestId: string;
    readonly name?: string;
    readonly audienceSizeLowerBound?: number;
    readonly audienceSizeUpperBound?: number;
    readonly path?: readonly string[];
    readonly description?: string;
    readonly topic?: string;
    readonly label?: string;
    readonly value?: string;
  }[];
  readonly cities?: readonly {
    readonly key: string;
    readonly name?: string;
    readonly type?: string;
    readonly countryCode?: string;
    readonly countryName?: string;
    readonly region?: string;
    readonly regionId?: unknown;
    readonly supportsRegion?: boolean;
    readonly supportsCity?: boolean;
    readonly label?: string;
    readonly value?: string;
  }[];
  readonly languages?: readonly {
    readonly key?: unknown;
    readonly name?: string;
    readonly value?: string;
    readonly label?: string;
  }[];
  readonly relationshipStatus?: readonly number[];
  readonly educationalStatus?: readonly number[];
  readonly limitAudience?: unknown;
}

/** One option of LinkedIn targeting. */
export interface LinkedInFacetValue {
  readonly facetId?: string;
  readonly name?: string;
  readonly label?: string;
  readonly value?: string;
}

/** The audience of a post on LinkedIn. */
export type LinkedInAudienceValue = Readonly<
  Partial<
    Record<
      'industry' | 'staffCount' | 'seniority' | 'superTitle' | 'language' | 'location',
      readonly LinkedInFacetValue[]
    >
  >
>;

/** How a video is published on YouTube. */
export interface YouTubeValue {
  readonly privacy?: string;
  readonly tags?: readonly string[];
  readonly category?: string;
  readonly allowEmbedding?: boolean;
  readonly notifySubscribers?: boolean;
  readonly madeForKids?: boolean;
  readonly license?: string;
}

/** The fields that posts and drafts share. */
interface ItemContent {
  readonly text?: string;
  readonly comment?: string;
  readonly mediaIds?: readonly string[];
  readonly altTexts?: readonly string[];
  readonly removeCarousel?: boolean;
  readonly facebookAudience?: FacebookAudienceValue;
  readonly linkedInAudience?: LinkedInAudienceValue;
  readonly title?: string;
  readonly callToAction?: { readonly callToAction: string; readonly linkUrl: string };
  readonly youTube?: YouTubeValue;
}

/** One variant of a post. */
export interface PostItem extends ItemContent {
  readonly type: 'original' | 'facebook' | 'twitter' | 'linkedin' | 'gmb' | 'youtube';
  /** Always sent because the service requires it for every network. */
  readonly instagramPostType: 'post' | 'reels' | 'story';
  readonly place?: PlaceValue | null;
  readonly tagIds?: readonly number[];
  readonly mentions?: readonly MentionValue[];
  readonly facebookAction?: string | null;
  readonly linkUrl?: string;
  readonly longText?: string;
}

/** One variant of a draft or of a library item. */
export interface DraftItem extends ItemContent {
  readonly type?: PostItem['type'] | 'instagram' | 'pinterest';
  readonly instagramPostType?: PostItem['instagramPostType'];
  readonly place?: PlaceValue;
  readonly carousel?: readonly {
    readonly mediaId?: string;
    readonly title?: string;
    readonly linkUrl?: string;
    readonly facebookAction?: string;
  }[];
  readonly adDetails?: unknown;
  readonly previewImageUrl?: string;
  readonly pinTitle?: string;
  readonly destinationUrl?: string;
  readonly taggedPeople?: readonly { readonly imageUrl: string; readonly people: readonly unknown[] }[];
}

/** Encodes a post item for `POST /posts/create`. */
export function encodePostItem(item: PostItem) {
  return {
    ...encodeContent(item),
    type: item.type,
    instagramPostType: item.instagramPostType,
    place: item.place && encodePlace(item.place),
    tagIds: item.tagIds,
    mention: item.mentions && Object.fromEntries(item.mentions.map((one) => [one.key, encodeMention(one)])),
    fbAction: item.facebookAction,
    postUrl: item.linkUrl,
    longPostDesc: item.longText,
  };
}

/** Encodes a draft item for `POST /draft/create` and `POST /library/create`. */
export function encodeDraftItem(item: DraftItem) {
  return {
    ...encodeContent(item),
    type: item.type,
    instagramPostType: item.instagramPostType,
    place: item.place && encodePlace(item.place),
    carousel: item.carousel?.map(({ facebookAction, linkUrl, ...card }) => ({
      ...card,
      link: linkUrl,
      fbAction: facebookAction,
    })),
    adDetails: item.adDetails,
    previewImgUrl: item.previewImageUrl,
    pinTitle: item.pinTitle,
    destinationUrl: item.destinationUrl,
    taggedPeople:
      item.taggedPeople && Object.fromEntries(item.taggedPeople.map((tag) => [tag.imageUrl, tag.people])),
  };
}

function encodeContent(item: ItemContent) {
  return {
    postDesc: item.text,
    comment: item.comment,
    mediaId: item.mediaIds,
    altTexts: item.altTexts,
    removeCarousel: item.removeCarousel,
    fbAudianceTargeting: item.facebookAudience && encodeFacebookAudience(item.facebookAudience),
    linkedinAudianceTargeting: item.linkedInAudience && encodeLinkedInAudience(item.linkedInAudience),
    postTitle: item.title,
    action: item.callToAction && { cta: item.callToAction.callToAction, link: item.callToAction.linkUrl },
    youtubePrivacy: item.youTube?.privacy,
    youtubeTags: item.youTube?.tags,
    videoCategory: item.youTube?.category,
    youtubeAllowEmbedding: item.youTube?.allowEmbedding,
    youtubeNotifySubscriber: item.youTube?.notifySubscribers,
    youtubeMadeForKids: item.youTube?.madeForKids,
    youtubeLicense: item.youTube?.license,
  };
}

function encodePlace({ placeId, name }: PlaceValue) {
  return { id: placeId, name };
}

function encodeMention({ name, activeTab, ...mention }: MentionValue) {
  return {
    id: mention.mentionedId,
    name,
    username: mention.userName,
    link: mention.linkUrl,
    accountId: mention.mentionAccountId,
    activeTab,
    avatar: mention.avatarUrl,
    display_name: mention.displayName,
  };
}

function encodeLinkedInAudience(audience: LinkedInAudienceValue) {
  return Object.fromEntries(
    Object.entries(audience).map(([name, facets]) => [
      name,
      facets?.map(({ facetId, ...facet }) => ({ id: facetId, ...facet })),
    ]),
  );
}

function encodeFacebookAudience({
  cities,
  languages,
  interests,
  limitAudience,
  ...rest
}: FacebookAudienceValue) {
  return {
    ...rest,
    interests: interests?.map(
      ({ interestId, audienceSizeLowerBound, audienceSizeUpperBound, ...interest }) => ({
        ...interest,
        id: interestId,
        audience_size_lower_bound: audienceSizeLowerBound,
        audience_size_upper_bound: audienceSizeUpperBound,
      }),
    ),
    city: cities?.map(({ countryCode, countryName, regionId, supportsRegion, supportsCity, ...city }) => ({
      ...city,
      country_code: countryCode,
      country_name: countryName,
      region_id: regionId,
      supports_region: supportsRegion,
      supports_city: supportsCity,
    })),
    language: languages,
    limitAudiance: limitAudience,
  };
}
