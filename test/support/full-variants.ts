// Variants with every field that the graph takes, and what the service's interface says is to be sent for them. The
// misspelt names are the service's own.

const FACEBOOK_AUDIENCE = {
  minAge: 18,
  maxAge: 65,
  gender: [1, 2],
  interests: [
    {
      interestId: '6003',
      name: 'Coffee',
      audienceSizeLowerBound: 1_000,
      audienceSizeUpperBound: 3_000_000_000,
      path: ['Interests', 'Drinks'],
      description: 'Hot',
      topic: 'Food',
      label: 'Coffee (Drinks)',
      value: '6003',
    },
  ],
  cities: [
    {
      key: '777',
      name: 'Kelpgate',
      type: 'city',
      countryCode: 'XX',
      countryName: 'Nowhere',
      region: 'Coast',
      regionId: 12,
      supportsRegion: true,
      supportsCity: false,
      label: 'Kelpgate, Coast',
      value: '777',
    },
  ],
  languages: [{ key: 6, name: 'English', value: '6', label: 'English (all)' }],
  relationshipStatus: [1],
  educationalStatus: [2, 3],
  limitAudience: { radius: null, unit: 'km' },
};

const FACEBOOK_AUDIENCE_ON_WIRE = {
  minAge: 18,
  maxAge: 65,
  gender: [1, 2],
  interests: [
    {
      id: '6003',
      name: 'Coffee',
      audience_size_lower_bound: 1_000,
      audience_size_upper_bound: 3_000_000_000,
      path: ['Interests', 'Drinks'],
      description: 'Hot',
      topic: 'Food',
      label: 'Coffee (Drinks)',
      value: '6003',
    },
  ],
  city: [
    {
      key: '777',
      name: 'Kelpgate',
      type: 'city',
      country_code: 'XX',
      country_name: 'Nowhere',
      region: 'Coast',
      region_id: 12,
      supports_region: true,
      supports_city: false,
      label: 'Kelpgate, Coast',
      value: '777',
    },
  ],
  language: [{ key: 6, name: 'English', value: '6', label: 'English (all)' }],
  relationshipStatus: [1],
  educationalStatus: [2, 3],
  limitAudiance: { radius: null, unit: 'km' },
};

const facet = (name: string) => [{ label: `${name} label`, value: `${name} value`, id: `${name}-1`, name }];
const FACETS = ['industry', 'staffCount', 'seniority', 'superTitle', 'language', 'location'];
const LINKEDIN_AUDIENCE_ON_WIRE = Object.fromEntries(FACETS.map((name) => [name, facet(name)]));
const LINKEDIN_AUDIENCE = Object.fromEntries(
  FACETS.map((name) => [name, facet(name).map(({ id, ...choice }) => ({ ...choice, facetId: id }))]),
);

const SHARED = {
  text: 'Doors at “seven” — 7 & 8 <b>',
  comment: 'First!',
  mediaIds: ['m-1', 'm-2'],
  altTexts: ['A door', ''],
  removeCarousel: false,
  facebookAudience: FACEBOOK_AUDIENCE,
  linkedInAudience: LINKEDIN_AUDIENCE,
  action: { callToAction: 'LEARN_MORE', linkUrl: 'https://kelpgate.example/more' },
  title: 'Doors',
  youTube: {
    privacy: 'unlisted',
    tags: ['coffee', 'harbour'],
    category: '22',
    allowEmbedding: false,
    notifySubscribers: true,
    madeForKids: false,
    license: 'youtube',
  },
};

const SHARED_ON_WIRE = {
  postDesc: 'Doors at “seven” — 7 & 8 <b>',
  comment: 'First!',
  mediaId: ['m-1', 'm-2'],
  altTexts: ['A door', ''],
  removeCarousel: false,
  fbAudianceTargeting: FACEBOOK_AUDIENCE_ON_WIRE,
  linkedinAudianceTargeting: LINKEDIN_AUDIENCE_ON_WIRE,
  action: { cta: 'LEARN_MORE', link: 'https://kelpgate.example/more' },
  postTitle: 'Doors',
  youtubePrivacy: 'unlisted',
  youtubeTags: ['coffee', 'harbour'],
  videoCategory: '22',
  youtubeAllowEmbedding: false,
  youtubeNotifySubscriber: true,
  youtubeMadeForKids: false,
  youtubeLicense: 'youtube',
};

/** A variant of a post with every field; it takes a title, since it is for YouTube. */
export const FULL_POST_VARIANT = {
  ...SHARED,
  variant: 'YOUTUBE',
  instagramPostType: 'REELS',
  place: { placeId: 'p-1', name: 'Net Loft Lane' },
  tagIds: ['3', '9007199254740991'],
  mentions: [
    {
      key: '@[410201:Kelpgate]',
      mentionedId: '410201',
      name: 'Kelpgate Roasters',
      userName: 'kelpgate.roasters',
      displayName: 'Kelpgate',
      linkUrl: 'https://www.facebook.example/kelpgate.roasters',
      avatarUrl: 'https://pictures.example.com/k.png',
      mentionAccountId: '1',
      activeTab: 'facebook',
    },
  ],
  facebookAction: 'SHOP_NOW',
  linkUrl: 'https://kelpgate.example/doors',
  longText: 'A longer text.',
};

/** The post item that is sent for it: every field of the interface's table and no other. */
export const FULL_POST_ITEM = {
  ...SHARED_ON_WIRE,
  type: 'youtube',
  instagramPostType: 'reels',
  place: { name: 'Net Loft Lane', id: 'p-1' },
  tagIds: [3, 9_007_199_254_740_991],
  mention: {
    '@[410201:Kelpgate]': {
      name: 'Kelpgate Roasters',
      link: 'https://www.facebook.example/kelpgate.roasters',
      avatar: 'https://pictures.example.com/k.png',
      id: '410201',
      username: 'kelpgate.roasters',
      accountId: '1',
      activeTab: 'facebook',
      display_name: 'Kelpgate',
    },
  },
  fbAction: 'SHOP_NOW',
  postUrl: 'https://kelpgate.example/doors',
  longPostDesc: 'A longer text.',
};

const IMAGE_URL = 'https://pictures.example.com/loft.jpg';

/** A variant of a draft or library item with every field. */
export const FULL_DRAFT_VARIANT = {
  ...SHARED,
  variant: 'PINTEREST',
  instagramPostType: 'STORY',
  carousel: [{ mediaId: 'm-1', title: 'One', linkUrl: 'https://kelpgate.example/1', facebookAction: 'BUY' }],
  place: { placeId: 'p-1', name: 'Net Loft Lane' },
  adDetails: { objective: 'REACH', budget: null },
  previewImageUrl: 'https://pictures.example.com/preview.jpg',
  pinTitle: 'A pin',
  destinationUrl: 'https://kelpgate.example/pin',
  taggedPeople: [{ imageUrl: IMAGE_URL, people: [{ username: 'net.loft', x: 0.4, y: null }] }],
};

/** The draft post item that is sent for it: every field of the interface's list and no other. */
export const FULL_DRAFT_ITEM = {
  ...SHARED_ON_WIRE,
  type: 'pinterest',
  instagramPostType: 'story',
  carousel: [{ mediaId: 'm-1', title: 'One', link: 'https://kelpgate.example/1', fbAction: 'BUY' }],
  place: { name: 'Net Loft Lane', id: 'p-1' },
  adDetails: { objective: 'REACH', budget: null },
  previewImgUrl: 'https://pictures.example.com/preview.jpg',
  pinTitle: 'A pin',
  destinationUrl: 'https://kelpgate.example/pin',
  taggedPeople: { [IMAGE_URL]: [{ username: 'net.loft', x: 0.4, y: null }] },
};
