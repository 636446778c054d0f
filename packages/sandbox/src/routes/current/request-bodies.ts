import { z } from 'zod';
import type { Quirks } from '../../quirks.ts';

const text = z.string().optional();
const flag = z.boolean().optional();
const texts = z.array(z.string()).optional();
const numbers = z.array(z.number()).optional();
const objects = z.array(z.looseObject({})).optional();

const place = z.looseObject({ name: z.string(), id: z.string() }).nullable().optional();
const instagramPostType = z.enum(['post', 'reels', 'story']);

const facebookAudience = z
  .looseObject({
    minAge: z.number().optional(),
    maxAge: z.number().optional(),
    gender: numbers,
    interests: objects,
    city: objects,
    language: objects,
    relationshipStatus: numbers,
    educationalStatus: numbers,
  })
  .optional();

const option = z.looseObject({ label: text, value: text, id: text, name: text });
const options = z.array(option).optional();

const linkedinAudience = z
  .looseObject({
    industry: options,
    staffCount: options,
    seniority: options,
    superTitle: options,
    language: options,
    location: options,
  })
  .optional();

const shared = {
  postDesc: text,
  comment: text,
  mediaId: texts,
  altTexts: z.array(z.unknown()).optional(),
  removeCarousel: flag,
  place,
  fbAudianceTargeting: facebookAudience,
  linkedinAudianceTargeting: linkedinAudience,
  postTitle: text,
  action: z.looseObject({ cta: text, link: text }).optional(),
  youtubePrivacy: text,
  youtubeTags: texts,
  videoCategory: text,
  youtubeAllowEmbedding: flag,
  youtubeNotifySubscriber: flag,
  youtubeMadeForKids: flag,
  youtubeLicense: text,
};

const variant = z.enum(['original', 'facebook', 'twitter', 'linkedin', 'gmb', 'youtube']);

/** One variant of a post to create. */
export const postItem = z.looseObject({
  ...shared,
  type: variant,
  instagramPostType,
  tagIds: numbers,
  mention: z.record(z.string(), z.looseObject({})).optional(),
  fbAction: z.string().nullable().optional(),
  postUrl: text,
  longPostDesc: text,
});
export type PostItem = z.infer<typeof postItem>;

/** One variant of a draft or of a library item; nothing in it is required. */
export const draftItem = z.looseObject({
  ...shared,
  type: z
    .enum(['original', 'facebook', 'twitter', 'linkedin', 'gmb', 'youtube', 'instagram', 'pinterest'])
    .optional(),
  instagramPostType: instagramPostType.optional(),
  carousel: z.array(z.looseObject({ mediaId: text, title: text, link: text, fbAction: text })).optional(),
  adDetails: z.looseObject({}).optional(),
  previewImgUrl: text,
  pinTitle: text,
  destinationUrl: text,
  taggedPeople: z.looseObject({}).optional(),
});
export type DraftItem = z.infer<typeof draftItem>;

/** The screens that a draft or a library item can be saved from. */
export const activeTab = z
  .enum([
    'original',
    'instagram',
    'pinterest',
    'facebook',
    'twitter',
    'linkedin',
    'gmb',
    'youtube',
    'tumblr',
    'tiktok',
  ])
  .optional();

const shareType = z.int().min(0).max(3);

const createPostsBody = z.looseObject({
  scheduleDateTime: z.array(z.string()).optional(),
  shareType,
  loginIds: z.array(z.int()).min(1),
  posts: z.array(postItem).min(1),
  utmSetId: text,
  utmParameters: z.array(z.looseObject({ parameter: text, type: text, value: text })).optional(),
  sendForClientReview: flag,
});
export type CreatePostsBody = z.infer<typeof createPostsBody>;

/** Body of POST /posts/create, by the quirk that determines what it requires. */
export const createPostsBodies: Readonly<Record<Quirks['createPostsRequires'], z.ZodType<CreatePostsBody>>> =
  {
    'main-fields': createPostsBody,
    instagramPostType: createPostsBody.extend({
      shareType: shareType.default(0),
      loginIds: z.array(z.int()).default([]),
      posts: z.array(postItem.extend({ type: variant.default('original') })).default([]),
    }),
  };

/** Body of POST /draft/create. */
export const createDraftBody = z.looseObject({
  enableShortUrl: flag,
  currentActiveTab: activeTab,
  loginIds: z.array(z.int()).min(1),
  posts: z.array(draftItem).optional(),
});

/** Body of POST /library/create. */
export const createLibraryItemBody = z.looseObject({
  title: z.string().min(1),
  type: z.enum(['Post', 'Hashtag']),
  currentActiveTab: activeTab,
  tags: z.array(z.unknown()).optional(),
  posts: z.array(draftItem).min(1),
});
export type CreateLibraryItemBody = z.infer<typeof createLibraryItemBody>;

/** Body of POST /openai/response. */
export const generateBody = z.looseObject({
  content: z.string().min(1),
  tone: z.string().min(1),
  generatedFrom: z.enum(['post', 'hashtag']).optional(),
  templateUsed: text,
});
