import { boolean, code, defineBody, list, number, optional, part, string, type Encoded } from '../body.ts';
import { malformed } from '../client.ts';
import { flag, flagInAnySpelling, id, integer, listOf, markup, text, url } from '../decode.ts';
import { undocumented, undocumentedList, undocumentedObject } from '../decode.ts';
import { endpoint, LIST_READ, WRITE } from '../endpoint.ts';
import { Mismatch } from '../drift.ts';
import { defineView, field, inspected, isNoList, mapOf, originOf, readable, record } from '../view.ts';
import { type Decoder, type Seen } from '../view.ts';
import { accountIdentity } from './accounts.ts';
import { readPage, type CurrentClient, type Page, type PageRequest } from './client.ts';
import { postItem } from './post-item.ts';

// The queue of posts waiting to be published, and the call that creates posts.

const POSTS_QUEUED = endpoint('current', 'GET /posts/queued', LIST_READ);
const POSTS_CREATE = endpoint('current', 'POST /posts/create', WRITE);

/** A place tagged in a post. */
export const place = defineView({
  placeId: field('id', id),
  name: field('name', text),
});
export type Place = Seen<typeof place>;

/** The audience of a post on Facebook; the meaning of the codes is undocumented. */
export const facebookAudience = defineView({
  minAge: field('minAge', integer),
  maxAge: field('maxAge', integer),
  gender: field('gender', listOf(integer)),
  limitAudience: field('limitAudiance', undocumented),
});
export type FacebookAudience = Seen<typeof facebookAudience>;

/** A person or page mentioned in a post. */
export const mention = defineView({
  mentionedId: field('id', id),
  name: field('name', text),
  userName: field('username', text),
  displayName: field('display_name', text),
  linkUrl: field('link', url),
  avatarUrl: field('avatar', url),
  mentionAccountId: field('accountId', id),
  activeTab: field('activeTab', text),
});
export type Mention = Seen<typeof mention>;

/** The account embedded in a queued post. */
export const queuedAccount = defineView({
  ...accountIdentity,
  platformCode: field('scenario', text),
  accessCode: field('accessType', text),
  networkAccountId: field('uniqueId', id),
  isFacebookAppInstalled: field('fbAppInstall', flag),
  isLocked: field('isLocked', flag),
  needsReconnect: field('isReconnect', flag),
  isPaused: field('isAccountPaused', flag),
});
export type QueuedAccount = Seen<typeof queuedAccount>;

/** A post waiting in the queue. Its dates are display texts. */
export const queuedPost = defineView(
  {
    postId: field('postId', id),
    account: field('', (value, holder) => queuedAccount(value, originOf(holder))),
    title: field('postTitle', text),
    text: field('postDesc', text),
    longText: field('longPostDesc', text),
    linkUrl: field('postUrl', url),
    videoUrl: field('postVideo', url),
    documentUrl: field('postDocument', url),
    imageUrls: field('postImage', listOf(url)),
    thumbnailUrls: field('thumbImage', listOf(url)),
    statusCode: field('postStatus', text),
    contentCode: field('postType', text),
    instagramPostTypeCode: field('instagramPostType', text),
    place: field('extraData.place', record(place)),
    facebookAudience: field('extraData.fbAudianceTargeting', record(facebookAudience)),
    mentions: field('extraData.mention', mapOf(record(mention))),
    comment: field('extraData.comment', text),
    isUrlShorteningEnabled: field('extraData.enableShortUrl', flag),
    tagIds: field('tagIds', listOf(id)),
    failureText: field('errorMsg', markup),
    scheduledLabel: field('formatedPostDate', text),
    scheduledDateLabel: field('postDateFormat', text),
    scheduledTimeLabel: field('postTimeFormat', text),
    postDateLabel: field('postDate', text),
    createdLabel: field('createdOn', text),
    via: field('via', text),
    companyId: field('companyId', id),
    companyName: field('companyName', text),
    isAutomatic: field('isAuto', flag),
    isAdvanced: field('isAdvancePost', flag),
    canMoveToTop: field('canMoveToTop', flag),
    isLocked: field('isLocked', flag),
    isPaused: field('isPaused', flag),
    isAccountPaused: field('isAccountPaused', flag),
    needsReconnect: field('isReconnect', flag),
    needsInstagramCommentReconnect: field('isInstaCommentReconnect', flag),
    isFacebookAppInstalled: field('fbAppInstall', flag),
    isVerified: field('isVerified', flag),
    isDeleted: field('isDeleted', flag),
    isCreated: field('isCreated', flag),
    isSpam: field('isSpam', flag),
    publishesDirectly: field('directPublish', flag),
    isCommentAdded: field('isCommentAdded', flag),
    isCommentUnread: field('isCommentUnread', flag),
    verifiedType: field('verifiedType', text),
    subscriptionType: field('subscriptionType', text),
    accountExtraParameters: field('accountExtraParam', undocumentedObject),
    spamData: field('spamData', undocumentedObject),
  },
  { unread: queuedAccount.documented },
);
export type QueuedPost = Seen<typeof queuedPost>;

/** Filters of the queue. */
export interface QueueParams {
  /** `q`: part of a post's title. */
  readonly title?: string;
}

/**
 * GET /posts/queued: one page of the queue, which shrinks from its front as posts fall due.
 *
 * Repeatable: yes.  Interface: "Queued post (list item of the queue)", "Current surface".
 */
export function listQueuedPosts(
  client: CurrentClient,
  { page, size }: PageRequest,
  params: QueueParams = {},
): Promise<Page<QueuedPost>> {
  return readPage(client, POSTS_QUEUED, queuedPost, page, { page, limit: size, q: params.title });
}

/** When posts are published, as the service's numeric codes. */
export const SHARE_TYPES = { queue: 0, now: 1, next: 2, schedule: 3 } as const;

const utmParameter = defineBody({
  parameter: part('parameter', string),
  type: part('type', string),
  value: part('value', string),
});

const newPost = defineBody({
  // `YYYY-MM-DD HH:mm`, for `schedule` only.
  scheduleDateTimes: optional('scheduleDateTime', list(string)),
  share: part('shareType', code(SHARE_TYPES)),
  loginIds: part('loginIds', list(number)),
  items: part('posts', list(postItem)),
  utmSetId: optional('utmSetId', string),
  utmParameters: optional('utmParameters', list(utmParameter)),
  sendForClientReview: optional('sendForClientReview', boolean),
});
/** The input of `POST /posts/create`. */
export type NewPost = Encoded<typeof newPost>;

const ids = listOf(id);

/** Ids of created posts, each once. If all are blank, they do not say that nothing was created. */
const createdIds: Decoder<string[]> = (value, holder) => {
  const read = ids(value, holder);
  if (read?.length === 0 && !isNoList(value)) throw new Mismatch('a list of ids');
  return read && [...new Set(read)];
};

const createdCount: Decoder<number> = (value, holder) => {
  const count = integer(value, holder);
  if (count !== null && count < 0) throw new Mismatch('a number of posts');
  return count;
};

/** The result of `POST /posts/create`. Which id belongs to which account and time is undocumented. */
export const createdPosts = defineView({
  postIds: field('postIds', createdIds),
  isScheduledLimitReached: field('postScheduledLimitOver', flagInAnySpelling),
  customResponse: field('customResponse', undocumentedList),
  createdCount: field('postCreatedCount', createdCount),
});
export interface CreatedPosts extends Seen<typeof createdPosts> {
  readonly message: string | null;
}

/**
 * POST /posts/create: creates posts, for the queue, immediately, or for given times.
 *
 * Repeatable: no; each call creates the posts again.
 * Interface: "POST /posts/create body", "Share type of a post being created".
 */
export async function createPosts(client: CurrentClient, post: NewPost): Promise<CreatedPosts> {
  const { response, message, origin } = await client.call(POSTS_CREATE, { body: newPost(post) });
  const seen = inspected(createdPosts, response, origin);
  // The posts have been created even if another field is damaged.
  const created = {
    postIds: readable(() => seen.postIds),
    createdCount: readable(() => seen.createdCount),
    isScheduledLimitReached: readable(() => seen.isScheduledLimitReached),
    customResponse: readable(() => seen.customResponse),
  };
  if (created.postIds === null && created.createdCount === null)
    throw malformed(POSTS_CREATE, 'created posts', origin);
  return { message: message(), ...created };
}
