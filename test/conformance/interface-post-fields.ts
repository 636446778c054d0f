import type { RunningGraph } from '../support/graph.ts';
import {
  agreement,
  code,
  flag,
  id,
  ids,
  instant,
  integer,
  integers,
  json,
  jsonObject,
  jsons,
  label,
  named,
  network,
  platform,
  record,
  text,
  texts,
  url,
  whenPresent,
  withoutValues,
  words,
} from '../support/readings.ts';
import {
  allOmitted,
  copyIds,
  pageOf,
  RECORD_AROUND,
  spreadInto,
  type FieldTable,
  type ReadCall,
} from './interface-table.ts';

const OTHER_TIME = 'Tue, Mar 4, 2031 at 01:23 AM';
const OTHER_DAY = 'Mar 04, 2031';
const OTHER_CLOCK = '01:23 AM';
const contentKind = named({ T: 'TEXT', I: 'IMAGE' });

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
  postUrl: { linkUrl: text },
  postVideo: { videoUrl: text },
  postDocument: { documentUrl: text },
  postImage: { imageUrls: texts },
  thumbImage: { thumbnailUrls: texts },
  postStatus: { statusCode: code, status: named({ N: 'QUEUED' }) },
  postType: { contentCode: code, contentKind },
  'extraData.place.id': { 'place.id': id },
  'extraData.place.name': { 'place.name': text },
  'extraData.fbAudianceTargeting.minAge': { 'facebookAudience.minAge': integer },
  'extraData.fbAudianceTargeting.maxAge': { 'facebookAudience.maxAge': integer },
  'extraData.fbAudianceTargeting.gender': { 'facebookAudience.gender': integers },
  'extraData.fbAudianceTargeting.limitAudiance': { 'facebookAudience.limitAudience': json },
  'extraData.enableShortUrl': { isUrlShorteningEnabled: flag },
  'extraData.comment': { comment: text },
  'extraData.mention.*.name': { 'mentions.*.name': text },
  'extraData.mention.*.link': { 'mentions.*.link': text },
  'extraData.mention.*.avatar': { 'mentions.*.avatarUrl': text },
  'extraData.mention.*.id': { 'mentions.*.id': id },
  'extraData.mention.*.username': { 'mentions.*.username': text },
  'extraData.mention.*.accountId': { 'mentions.*.accountId': id },
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
  instagramPostType: { instagramPostType: text },
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

const QUEUE: ReadCall = {
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

const CONTENT: FieldTable = {
  postDesc: { 'content.text': text },
  postTitle: { 'content.title': text },
  postUrl: { 'content.linkUrl': text },
  longPostDesc: { 'content.longText': text },
  postVideo: { 'content.videoUrl': text },
  postType: { 'content.contentCode': code, 'content.contentKind': contentKind },
  utmSetId: { 'content.utmSetId': id },
  postImage: { 'content.imageUrls': texts },
  companyId: { 'content.companyId': id },
  ownerId: { 'content.ownerId': id },
  createdOn: { 'content.createdAt': instant },
  taggedPeople: {
    'content.taggedPeople.0.people': whenPresent(
      () => ({ value: [{ username: 'another' }] }),
      () => ({ 'https://kelpgate.example/a.jpg': [{ username: 'another' }] }),
    ),
  },
  utmParameters: { 'content.utmParameters': jsonObject },
  boostExtraParams: { 'content.boostParameters': jsonObject },
};

const otherPlace = (): unknown => ({ id: 'place-9', name: 'Saltmarket' });
const place = {
  'content.place.id': whenPresent(() => ({ value: 'place-9' }), otherPlace),
  'content.place.name': whenPresent(() => ({ value: 'Saltmarket' }), otherPlace),
};

const TABS = { original: 'ORIGINAL', twitter: 'X' };

/** Library content of the list; `content.taggedPeople` stands for a map that has one entry. */
export const libraryItemFields: FieldTable = {
  id: { itemId: id },
  title: { title: text },
  type: { kindCode: code, kind: named({ post: 'POST', hashTag: 'HASHTAG' }) },
  tags: { tags: texts },
  ownerId: { ownerId: id },
  createdBy: { createdById: id },
  lastEditedBy: { lastEditedById: id },
  createdOn: { createdAt: instant },
  lastUsed: { lastUsedAt: instant },
  lastEditedOn: { lastEditedLabel: label('a year ago') },
  totalUsed: { useCount: integer },
  'userData.lastName': { 'lastEditor.lastName': text },
  'userData.userName': { 'lastEditor.userName': text },
  ...Object.fromEntries(Object.entries(CONTENT).map(([wire, shows]) => [`content.${wire}`, shows])),
  'content.extraData.place': place,
  'content.extraData.enableShortUrl': { 'content.isUrlShorteningEnabled': flag },
  'content.extraData.currentActiveTab': { 'content.activeTabCode': code, 'content.activeTab': named(TABS) },
  'content.extraData.altTexts': { 'content.altTexts': jsons },
  ...allOmitted(
    Object.keys(CONTENT).map((name) => `content.extraData.original.${name}`),
    'repeats the content that it lies in',
  ),
};

/** What is put into a library item first, so that nothing in it is empty. */
export const LIBRARY_SAMPLE = {
  lastUsed: '2026-01-02T03:04:05.000Z',
  'content.postTitle': 'A title',
  'content.postUrl': 'https://kelpgate.example/a',
  'content.longPostDesc': 'A long text',
  'content.postVideo': 'https://kelpgate.example/a.mp4',
  'content.postImage': ['https://kelpgate.example/a.jpg'],
  'content.utmSetId': 'utm-1',
  'content.utmParameters': { utm_source: 'library' },
  'content.boostExtraParams': { budget: 5 },
  'content.taggedPeople': { 'https://kelpgate.example/a.jpg': [{ username: 'somebody' }] },
  'content.extraData.place': { id: 'place-1', name: 'Tarn Row' },
  'content.extraData.altTexts': ['A cup'],
};

/** A map by image: each entry must be a list. */
const taggedPeople = whenPresent(
  (value) => {
    if (Array.isArray(value) && value.length === 0) return { value: null };
    const isMap = typeof value === 'object' && Object.values(value as object).every(Array.isArray);
    return isMap ? { value: [] } : 'malformed';
  },
  (value) => value,
);

const libraryItemWholes = {
  'content.taggedPeople': { 'content.taggedPeople': taggedPeople },
  'content.extraData.place': { 'content.place': record },
  userData: { lastEditor: record },
  'content.extraData': spreadInto(libraryItemFields, 'content.extraData', 2),
};

const libraryIds = ({ sandbox }: RunningGraph): string[] =>
  sandbox.state.owner('harbour').library.map((item) => item.id);

const LIBRARY: ReadCall = {
  endpoint: 'GET /library/list',
  type: 'LibraryItem',
  record: 'response.list.#',
  where: 'libraryItems.nodes.#',
  query: (selection, _graph, count) =>
    `{ libraryItems(first: ${count}) { totalCount nodes { ${selection} } } }`,
  sample: LIBRARY_SAMPLE,
  copies: { wire: 'id', ids: copyIds(String) },
  apart: ['id', 'content.taggedPeople', 'content.extraData.place'],
  fields: libraryItemFields,
  wholes: libraryItemWholes,
  around: { ...pageOf('libraryItems'), 'response.totalCount': { omitted: 'repeats totalRecords' } },
};

const LIBRARY_VIEW: ReadCall = {
  endpoint: 'GET /library/view/{contentid}',
  type: 'LibraryItem',
  record: 'response',
  where: 'nodes.#',
  query: (selection, graph, count) => {
    const itemIds = libraryIds(graph).slice(0, count);
    const globalIds = itemIds.map((itemId) => Buffer.from(`1ic:${itemId}`).toString('base64url'));
    return `{ nodes(ids: ${JSON.stringify(globalIds)}) { ... on LibraryItem { ${selection} } } }`;
  },
  sample: LIBRARY_SAMPLE,
  copies: { wire: 'id', ids: libraryIds },
  apart: ['content.taggedPeople', 'content.extraData.place'],
  wholes: libraryItemWholes,
  fields: { ...libraryItemFields, id: { omitted: 'the id that was asked for stands' } },
  around: RECORD_AROUND,
};

/** What the reads of the queue and of the library answer. */
export const postCalls = {
  'GET /posts/queued': QUEUE,
  'GET /library/list': LIBRARY,
  'GET /library/view/{contentid}': LIBRARY_VIEW,
};
