import {
  agreement,
  code,
  flag,
  id,
  ids,
  integer,
  integers,
  json,
  jsonObject,
  label,
  named,
  network,
  platform,
  record,
  text,
  url,
  urls,
  whenPresent,
  withoutValues,
  words,
} from '../support/readings.ts';
import { copyIds, pageOf, spreadInto, type FieldTable, type ReadCall } from './interface-table.ts';

const OTHER_TIME = 'Tue, Mar 4, 2031 at 01:23 AM';
const OTHER_DAY = 'Mar 04, 2031';
const OTHER_CLOCK = '01:23 AM';
/** The kind of a post or a library item. */
export const contentKind = named({ T: 'TEXT', I: 'IMAGE' });

const instagramPostType = named({ post: 'POST', reels: 'REELS', story: 'STORY' });

/** List item of the queue. */
export const queuedPostFields: FieldTable = {
  postId: { postId: id },
  loginId: { 'account.loginId': id },
  companyId: { companyId: id },
  accountId: { 'account.platformId': integer },
  isAuto: { isAutomatic: flag },
  postTitle: { title: text },
  postDesc: { text },
  longPostDesc: { longText: text },
  postUrl: { linkUrl: url },
  postVideo: { videoUrl: url },
  postDocument: { documentUrl: url },
  postImage: { imageUrls: urls },
  thumbImage: { thumbnailUrls: urls },
  postStatus: { statusCode: code, status: named({ N: 'QUEUED' }) },
  postType: { contentCode: code, contentKind },
  'extraData.place.id': { 'place.placeId': id },
  'extraData.place.name': { 'place.name': text },
  'extraData.fbAudianceTargeting.minAge': { 'facebookAudience.minAge': integer },
  'extraData.fbAudianceTargeting.maxAge': { 'facebookAudience.maxAge': integer },
  'extraData.fbAudianceTargeting.gender': { 'facebookAudience.gender': integers },
  'extraData.fbAudianceTargeting.limitAudiance': { 'facebookAudience.limitAudience': json },
  'extraData.enableShortUrl': { isUrlShorteningEnabled: flag },
  'extraData.comment': { comment: text },
  'extraData.mention.*.name': { 'mentions.*.name': text },
  'extraData.mention.*.link': { 'mentions.*.linkUrl': url },
  'extraData.mention.*.avatar': { 'mentions.*.avatarUrl': url },
  'extraData.mention.*.id': { 'mentions.*.mentionedId': id },
  'extraData.mention.*.username': { 'mentions.*.userName': text },
  'extraData.mention.*.accountId': { 'mentions.*.mentionAccountId': id },
  'extraData.mention.*.activeTab': { 'mentions.*.activeTab': text },
  'extraData.mention.*.display_name': { 'mentions.*.displayName': text },
  errorMsg: { failureText: words },
  createdOn: { createdLabel: text },
  postDate: { postDateLabel: label(OTHER_TIME), scheduledAtLocal: agreement(OTHER_TIME) },
  formatedPostDate: { scheduledLabel: label(OTHER_TIME), scheduledAtLocal: agreement(OTHER_TIME) },
  postDateFormat: { scheduledDateLabel: label(OTHER_DAY), scheduledAtLocal: agreement(OTHER_DAY) },
  postTimeFormat: { scheduledTimeLabel: label(OTHER_CLOCK), scheduledAtLocal: agreement(OTHER_CLOCK) },
  via: { via: text },
  isAdvancePost: { isAdvanced: flag },
  canMoveToTop: { canMoveToTop: flag },
  isLocked: { isLocked: flag, 'account.isLocked': flag },
  isReconnect: { needsReconnect: flag, 'account.health.needsReconnect': flag },
  fbAppInstall: { isFacebookAppInstalled: flag, 'account.isFacebookAppInstalled': flag },
  isAccountPaused: { isAccountPaused: flag, 'account.isPaused': flag },
  isPaused: { isPaused: flag },
  isVerified: { isVerified: flag },
  isDeleted: { isDeleted: flag },
  isInstaCommentReconnect: { needsInstagramCommentReconnect: flag },
  isCreated: { isCreated: flag },
  isSpam: { isSpam: flag },
  directPublish: { publishesDirectly: flag },
  isCommentAdded: { isCommentAdded: flag },
  isCommentUnread: { isCommentUnread: flag },
  accountUsername: { 'account.displayName': text },
  profilePicture: { 'account.avatarUrl': url },
  accountUrl: { 'account.profileUrl': url },
  color: { 'account.color': text },
  accessType: { 'account.accessCode': code },
  uniqueId: { 'account.networkAccountId': id },
  scenario: { 'account.platformCode': platform, 'account.network': network },
  verifiedType: { verifiedType: text },
  subscriptionType: { subscriptionType: text },
  companyName: { companyName: text },
  accountExtraParam: { accountExtraParameters: jsonObject },
  spamData: { spamData: jsonObject },
  instagramPostType: { instagramPostType, instagramPostTypeCode: text },
  tagIds: { tagIds: ids },
};

/** A map of mentions: each entry that is an object becomes a mention, whatever stands in it. */
const mentions = whenPresent(
  (value, before) => {
    if (Array.isArray(value)) return value.length === 0 ? { value: null } : 'malformed';
    if (typeof value !== 'object' || value === null) return 'malformed';
    const [mention] = Object.values(before ?? {});
    const keys = Object.keys(value);
    const shown = keys.map((key) => [key, { ...(withoutValues(mention ?? {}) as object), key }]);
    return { value: keys.length === 0 ? [] : Object.fromEntries(shown) };
  },
  (value) => value,
);

/** What reading the queue answers. */
export const QUEUE: ReadCall = {
  endpoint: 'GET /posts/queued',
  type: 'QueuedPost',
  record: 'response.list.#',
  where: 'queuedPosts.nodes.#',
  query: (selection, _graph, count) =>
    `{ queuedPosts(first: ${count}) { totalCount nodes { ${selection} } } }`,
  sample: {
    postTitle: 'A title',
    longPostDesc: 'A long text',
    postUrl: 'https://kelpgate.example/a',
    postVideo: 'https://kelpgate.example/a.mp4',
    postDocument: 'https://kelpgate.example/a.pdf',
    postImage: ['https://kelpgate.example/a.jpg'],
    thumbImage: ['https://kelpgate.example/a-thumb.jpg'],
    extraData: {
      place: { id: 'place-1', name: 'Tarn Row' },
      fbAudianceTargeting: { minAge: 18, maxAge: 65, gender: [1, 2], limitAudiance: { by: 'city' } },
      enableShortUrl: true,
      comment: 'A comment',
      mention: {
        '*': {
          name: 'Net Loft',
          link: 'https://kelpgate.example/n',
          avatar: 'https://kelpgate.example/n.png',
          id: '77',
          username: 'net.loft',
          accountId: 1,
          activeTab: 'facebook',
          display_name: 'The Net Loft',
        },
      },
    },
    errorMsg: 'It failed.',
    accountUsername: 'kelpgate',
    verifiedType: 'business',
    subscriptionType: 'Basic',
    accountExtraParam: { locale: 'en' },
    spamData: { score: 0.5 },
    tagIds: [4],
  },
  copies: { wire: 'postId', ids: copyIds(String) },
  apart: ['postId', 'loginId'],
  fields: queuedPostFields,
  wholes: {
    extraData: spreadInto(queuedPostFields, 'extraData', 1),
    'extraData.place': { place: record },
    'extraData.fbAudianceTargeting': { facebookAudience: record },
    'extraData.mention': { mentions },
  },
  around: pageOf('queuedPosts'),
};
