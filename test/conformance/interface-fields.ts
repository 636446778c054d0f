import type { RunningGraph } from '../support/graph.ts';
import { landmarks } from '../support/landmarks.ts';
import type { MutationName } from '../support/writes.ts';
import {
  agreement,
  allOmitted,
  code,
  decimal,
  epoch,
  flag,
  id,
  ids,
  instant,
  integer,
  integers,
  isFlag,
  isListOf,
  isListOfObjects,
  isMapOfLists,
  isNumber,
  isObject,
  isText,
  json,
  jsonObject,
  jsons,
  label,
  letter,
  list,
  listedPermission,
  matches,
  mentions,
  named,
  network,
  numericId,
  omit,
  only,
  pageOf,
  percent,
  permissionFact,
  permissionFacts,
  planFeatures,
  platform,
  record,
  RECORD_AROUND,
  schedule,
  SECRET,
  sentAs,
  spread,
  taggedPeople,
  text,
  texts,
  unknownNetwork,
  url,
  urls,
  whenPresent,
  within,
  words,
  type FieldTable,
  type InterfaceTable,
  type ReadCall,
  type Reading,
  type WriteAnswer,
} from './interface-table.ts';

const isStatus = matches(/^(?:Running|Paused)$/);
const run = whenPresent(
  isStatus,
  (value) => (isText(value) ? { value } : 'malformed'),
  (value) => (value === 'Paused' ? 'Running' : 'Paused'),
);
const isPaused: Reading = whenPresent(
  isStatus,
  (value) => (isStatus(value) ? { value: value === 'Paused' } : 'malformed'),
  run.other,
);

/** Times of one day, of which the tests use only single ones. */
const isSlot = matches(/^(?:0[1-9]|1[0-2]):[0-5]\d (?:AM|PM)$/);
const slots = only((value) => Array.isArray(value) && value.every(isSlot), ['01:05 AM'], ['01:05']);

const otherGroups = [{ id: 9, group_name: 'Another' }];
const groups = {
  'groups.0.groupId': only(isListOfObjects, otherGroups, '9'),
  'groups.0.name': only(isListOfObjects, otherGroups, 'Another'),
};

/** Another id that no account has: one that has a detail would show its permissions. */
const otherId: Reading = { ...numericId, other: () => 999_999 };

const isTextOrNull = (value: unknown): boolean => value === null || isText(value);

const LIST_ITEM: FieldTable = {
  loginId: { loginId: otherId },
  accountId: { platformId: integer },
  accountUsername: { displayName: text },
  accountUrl: { profileUrl: url },
  profilePicture: { avatarUrl: url },
  isPaused: { isPaused: letter },
  profileUniqueId: { networkProfileId: numericId },
  uniqueId: { networkAccountId: numericId },
  expiryHeader: { 'health.credentialExpiresAt': sentAs(isNumber, epoch) },
  accessToken: SECRET,
  pageAccessToken: omit(SECRET.omitted, isTextOrNull),
  accessSecret: SECRET,
  systemBaseStatus: { systemBaseStatusCode: code },
  pageId: { pageId: text },
  color: { color: text },
  isLocked: { isLocked: letter },
  inboxCount: { inboxCount: integer },
  fbAppInstall: { isFacebookAppInstalled: letter },
  isBlocked: { isBlocked: letter },
  shortenerId: { 'linkShortener.shortenerId': numericId },
  'shortenerMaster.shortenerScenario': { 'linkShortener.code': code },
  'shortenerMaster.shortenerName': { 'linkShortener.name': text },
  errors: { errorCount: integer },
  queued: { queuedPostCount: integer },
  hasAnalytics: { hasAnalytics: letter },
  hasInbox: { hasInbox: letter },
  accessType: { accessCode: code },
  inboxAccess: { 'permissions.inbox': listedPermission },
  analyticsAccess: { 'permissions.analytics': listedPermission },
  accountType: { platformCode: platform, network },
  'groups.0.id': { 'groups.0.groupId': numericId },
  'groups.0.group_name': { 'groups.0.name': text },
};

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const isDigits = matches(/^\d+$/);
const isTimeOrNothing = matches(/^$|Z$/);

const DETAIL: FieldTable = {
  isReconnect: { 'health.needsReconnect': flag },
  accountId: { platformId: integer },
  accessToken: SECRET,
  accessSecret: SECRET,
  tokenEncrypted: { 'health.areCredentialsEncrypted': flag },
  expiryHeader: { 'health.credentialExpiresAt': sentAs(isDigits, epoch) },
  profileUniqueId: { networkProfileId: sentAs(isDigits, id) },
  profilePicture: { avatarUrl: url },
  accountUsername: { displayName: text },
  accountUrl: { profileUrl: url },
  uniqueId: { networkAccountId: sentAs(isDigits, id) },
  color: { color: text },
  clientApprovalApplicable: { requiresClientApproval: flag },
  settingId: { settingId: id },
  fbAppInstall: { isFacebookAppInstalled: flag },
  extraData: { extraData: jsonObject },
  pageAccessToken: SECRET,
  'postSharingAccess.hasPermission': { 'permissions.publishing': permissionFact },
  'postSharingAccess.hasTask': { 'permissions.publishing': permissionFact },
  'socialInboxAccess.hasPermission': { 'permissions.inbox': permissionFact },
  'socialInboxAccess.hasTask': { 'permissions.inbox': permissionFact },
  'pageAnalyticsAccess.hasPermission': { 'permissions.analytics': permissionFact },
  'pageAnalyticsAccess.hasTask': { 'permissions.analytics': permissionFact },
  isBlocked: { isBlocked: flag },
  isLocked: { isLocked: flag },
  isDeleted: { isDeleted: flag },
  connectedBy: { connectedByCompanyId: numericId },
  createdOn: { connectedAt: instant },
  loginId: omit('the id that was asked for stands', isNumber),
  socialDashboardConnect: { isSocialDashboardConnected: flag },
  accountReconnectType: { 'health.reconnectKind': text },
  reconnectedBy: { reconnectedByCompanyId: numericId },
  disconnectArea: { 'health.disconnectReason': text },
  lastDisconnectOn: { 'health.disconnectedAt': sentAs(isTimeOrNothing, instant) },
  userAccess: { userAccess: jsons },
  adminData: { adminData: jsons },
  isPaused: { isPaused: flag },
  extraParam: { extraParameters: jsonObject },
  accessType: { accessCode: code },
  accountType: { platformCode: platform, network },
  groups,
  ...Object.fromEntries(
    DAYS.map((day, index) => [`scheduleSlots.${day}`, { [`postingSchedule.${index}.times`]: slots }]),
  ),
};

const GROUP: FieldTable = {
  groupId: { groupId: id },
  groupName: { name: text },
  createdOn: { createdAt: instant },
  companyId: { companyId: numericId },
  'accounts.0.accountId': { 'accounts.nodes.0.platformId': integer },
  'accounts.0.profilePicture': { 'accounts.nodes.0.avatarUrl': url },
  'accounts.0.accountUsername': { 'accounts.nodes.0.displayName': text },
  'accounts.0.accountUrl': { 'accounts.nodes.0.profileUrl': url },
  'accounts.0.color': { 'accounts.nodes.0.color': text },
  'accounts.0.fbAppInstall': { 'accounts.nodes.0.isFacebookAppInstalled': flag },
  'accounts.0.isLocked': { 'accounts.nodes.0.isLocked': flag },
  'accounts.0.isReconnect': { 'accounts.nodes.0.health.needsReconnect': flag },
  'accounts.0.loginId': { 'accounts.nodes.0.loginId': numericId },
  'accounts.0.accountMaster.scenario': {
    'accounts.nodes.0.platformCode': platform,
    'accounts.nodes.0.network': network,
  },
  'accounts.0.accountMaster.accountName': { 'accounts.nodes.0.platformName': text },
};

const LEGACY_ACCOUNT: FieldTable = {
  id: { loginId: id },
  nickname: { displayName: text },
  url: { profileUrl: url },
  status: { statusCode: run, isPaused },
  account_type: { platformCode: platform, network },
};

const LEGACY_GROUP: FieldTable = {
  id: { groupId: id },
  group_name: { name: text },
  ...within({ ...LEGACY_ACCOUNT, id: { loginId: numericId } }, 'accounts.0.', 'accounts.nodes.0.'),
};

type ListCall = Omit<ReadCall, 'record' | 'where' | 'query' | 'copies' | 'wholes' | 'around'> &
  Partial<Pick<ReadCall, 'wholes' | 'around'>>;

/** A read that the graph shows as a list; `wire` is the id of its records, of which copies get other ones. */
function listCall(field: string, wire: string, makeId: (id: number) => unknown, call: ListCall): ReadCall {
  const isLegacy = call.endpoint.includes('/oauth/');
  const surface = isLegacy ? ', surface: LEGACY' : '';
  return {
    record: isLegacy ? '#' : 'response.list.#',
    where: `${field}.nodes.#`,
    query: (selection, _graph, count) =>
      `{ ${field}(first: ${count}${surface}) { totalCount nodes { ${selection} } } }`,
    copies: { wire, ids: () => Array.from({ length: 60 }, (_, index) => makeId(900_000 + index)) },
    wholes: {},
    around: isLegacy ? {} : pageOf(field),
    ...call,
  };
}

/** The accounts of the sandbox, which are numbered consecutively. */
const LOGIN_IDS = Array.from({ length: 12 }, (_, index) => landmarks.plainId + index);
const GLOBAL_IDS = LOGIN_IDS.map((loginId) => Buffer.from(`1ac:${loginId}`).toString('base64url'));

/** What the reads of accounts and of their groups answer. */
const ACCOUNTS: readonly ReadCall[] = [
  listCall('accounts', 'id', String, {
    endpoint: 'GET /oauth/accounts',
    type: 'Account',
    apart: ['id'],
    fields: LEGACY_ACCOUNT,
  }),
  listCall('accountGroups', 'id', String, {
    endpoint: 'GET /oauth/groups',
    type: 'AccountGroup',
    apart: ['id', 'accounts.0.id'],
    fields: LEGACY_GROUP,
  }),
  listCall('accounts', 'loginId', Number, {
    endpoint: 'GET /accounts/list',
    type: 'Account',
    sample: { shortenerMaster: {}, inboxAccess: 'Y', analyticsAccess: 'Y' },
    apart: ['loginId', 'groups.0.id'],
    optional: ['shortenerMaster'],
    fields: LIST_ITEM,
    wholes: { groups: { groups: list }, shortenerMaster: spread(LIST_ITEM, 'shortenerMaster') },
  }),
  {
    endpoint: 'GET /accounts/view/{loginId}',
    type: 'Account',
    record: 'response',
    where: 'nodes.#',
    query: (selection, _graph, count) =>
      `{ nodes(ids: ${JSON.stringify(GLOBAL_IDS.slice(0, count))}) { ... on Account { ${selection} } } }`,
    sample: {
      // Without the account's token in their texts: a changed token could not be known there.
      extraData: { reason: 'expired' },
      extraParam: { locale: 'en' },
      userAccess: [{ role: 'editor' }],
      postSharingAccess: { hasPermission: true, hasTask: true },
      socialInboxAccess: { hasPermission: true, hasTask: true },
      pageAnalyticsAccess: { hasPermission: true, hasTask: true },
      adminData: [{ name: 'Page admin' }],
      ...Object.fromEntries(DAYS.map((day) => [`scheduleSlots.${day}`, ['09:30 AM']])),
    },
    copies: { wire: 'loginId', ids: () => LOGIN_IDS },
    apart: ['groups', ...DAYS.map((day) => `scheduleSlots.${day}`)],
    optional: ['postSharingAccess', 'socialInboxAccess', 'pageAnalyticsAccess'],
    fields: DETAIL,
    wholes: {
      postSharingAccess: { 'permissions.publishing': permissionFacts({ isListed: false }) },
      socialInboxAccess: { 'permissions.inbox': permissionFacts({ isListed: true }) },
      pageAnalyticsAccess: { 'permissions.analytics': permissionFacts({ isListed: true }) },
      groups: { groups: list },
      scheduleSlots: { postingSchedule: schedule },
    },
    around: RECORD_AROUND,
  },
  listCall('accountGroups', 'groupId', String, {
    endpoint: 'GET /group/list',
    type: 'AccountGroup',
    apart: ['groupId', 'accounts.0.loginId'],
    fields: GROUP,
    wholes: {
      'accounts.0.accountMaster': {
        ...spread(GROUP, 'accounts.0.accountMaster'),
        'accounts.nodes.0.network': unknownNetwork,
      },
    },
  }),
];

const isDisplayTime = matches(/^\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d (?:AM|PM)$/);
const OTHER_TIME = 'Tue, Mar 4, 2031 at 01:23 AM';
const OTHER_DAY = 'Mar 04, 2031';
const OTHER_CLOCK = '01:23 AM';
/** The kind of a post or a library item. */
const contentKind = named({ T: 'TEXT', I: 'IMAGE' });

const instagramPostType = named({ post: 'POST', reels: 'REELS', story: 'STORY' });

/** List item of the queue. */
const queuedPostFields: FieldTable = {
  postId: { postId: id },
  loginId: { 'account.loginId': numericId },
  companyId: { companyId: numericId },
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
  'extraData.fbAudianceTargeting.limitAudiance': { 'facebookAudience.limitAudience': sentAs(isFlag, json) },
  'extraData.enableShortUrl': { isUrlShorteningEnabled: flag },
  'extraData.comment': { comment: text },
  'extraData.mention.*.name': { 'mentions.*.name': text },
  'extraData.mention.*.link': { 'mentions.*.linkUrl': url },
  'extraData.mention.*.avatar': { 'mentions.*.avatarUrl': url },
  'extraData.mention.*.id': { 'mentions.*.mentionedId': id },
  'extraData.mention.*.username': { 'mentions.*.userName': text },
  'extraData.mention.*.accountId': { 'mentions.*.mentionAccountId': numericId },
  'extraData.mention.*.activeTab': { 'mentions.*.activeTab': text },
  'extraData.mention.*.display_name': { 'mentions.*.displayName': text },
  errorMsg: { failureText: words },
  createdOn: { createdLabel: sentAs(isDisplayTime, text) },
  postDate: { postDateLabel: label(isDisplayTime, OTHER_TIME), scheduledAtLocal: agreement(OTHER_TIME) },
  formatedPostDate: { scheduledLabel: label(isText, OTHER_TIME), scheduledAtLocal: agreement(OTHER_TIME) },
  postDateFormat: { scheduledDateLabel: label(isText, OTHER_DAY), scheduledAtLocal: agreement(OTHER_DAY) },
  postTimeFormat: {
    scheduledTimeLabel: label(isText, OTHER_CLOCK),
    scheduledAtLocal: agreement(OTHER_CLOCK),
  },
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
  tagIds: { tagIds: sentAs(isListOf(isNumber), ids) },
};

/** What reading the queue answers. */
const QUEUE: ReadCall = listCall('queuedPosts', 'postId', String, {
  endpoint: 'GET /posts/queued',
  type: 'QueuedPost',
  sample: { extraData: { place: {}, fbAudianceTargeting: {}, mention: { '*': {} } } },
  apart: ['postId', 'loginId'],
  optional: ['extraData.place', 'extraData.fbAudianceTargeting', 'extraData.mention'],
  fields: queuedPostFields,
  wholes: {
    extraData: spread(queuedPostFields, 'extraData', 1),
    'extraData.place': { place: record },
    'extraData.fbAudianceTargeting': { facebookAudience: record },
    'extraData.mention': { mentions },
  },
});

const TAGGED_IMAGE = 'https://kelpgate.example/a.jpg';
const OTHER_PEOPLE = [{ username: 'another' }];

const CONTENT: FieldTable = {
  postDesc: { text: text },
  postTitle: { title: text },
  postUrl: { linkUrl: url },
  longPostDesc: { longText: text },
  postVideo: { videoUrl: url },
  postType: { contentCode: code, contentKind: contentKind },
  utmSetId: { utmSetId: id },
  postImage: { imageUrls: urls },
  companyId: { companyId: numericId },
  ownerId: { ownerId: numericId },
  createdOn: { createdAt: instant },
  taggedPeople: {
    'taggedPeople.0.people': only(isMapOfLists, { [TAGGED_IMAGE]: OTHER_PEOPLE }, OTHER_PEOPLE),
  },
  utmParameters: { utmParameters: jsonObject },
  boostExtraParams: { boostParameters: jsonObject },
};

const otherPlace = { id: 'place-9', name: 'Saltmarket' };
const place = {
  'content.place.placeId': only(isObject, otherPlace, otherPlace.id),
  'content.place.name': only(isObject, otherPlace, otherPlace.name),
};

const TABS = { original: 'ORIGINAL', twitter: 'X' };

/** Library content of the list; `content.taggedPeople` stands for a map that has one entry. */
const libraryItemFields: FieldTable = {
  id: { itemId: id },
  title: { title: text },
  type: {
    kindCode: sentAs(matches(/^(?:post|hashTag)$/), code),
    kind: named({ post: 'POST', hashTag: 'HASHTAG' }),
  },
  tags: { tags: texts },
  ownerId: { ownerId: numericId },
  createdBy: { createdById: numericId },
  lastEditedBy: { lastEditedById: numericId },
  createdOn: { createdAt: instant },
  lastUsed: { lastUsedAt: sentAs(isTimeOrNothing, instant) },
  lastEditedOn: { lastEditedLabel: label(matches(/ago$/), 'a year ago') },
  totalUsed: { useCount: integer },
  'userData.lastName': { 'lastEditor.lastName': text },
  'userData.userName': { 'lastEditor.userName': text },
  ...within(CONTENT, 'content.', 'content.'),
  'content.extraData.place': place,
  'content.extraData.enableShortUrl': { 'content.isUrlShorteningEnabled': flag },
  'content.extraData.currentActiveTab': { 'content.activeTabCode': code, 'content.activeTab': named(TABS) },
  'content.extraData.altTexts': { 'content.altTexts': sentAs(isListOf(isText), jsons) },
  ...allOmitted(CONTENT, 'content.extraData.original.', 'repeats the content that it lies in'),
};

/** What has only one other value. */
const LIBRARY_SAMPLE = {
  'content.taggedPeople': { [TAGGED_IMAGE]: [{ username: 'somebody' }] },
  'content.extraData.place': { id: 'place-1', name: 'Tarn Row' },
};

const libraryItemWholes = {
  'content.taggedPeople': { 'content.taggedPeople': taggedPeople },
  'content.extraData.place': { 'content.place': record },
  userData: { lastEditor: record },
  'content.extraData': spread(libraryItemFields, 'content.extraData', 2),
};

const libraryIds = ({ sandbox }: RunningGraph): string[] =>
  sandbox.state.owner('harbour').library.map((item) => item.id);

/** What reading the library answers. */
const LIBRARY: ReadCall = listCall('libraryItems', 'id', String, {
  endpoint: 'GET /library/list',
  type: 'LibraryItem',
  sample: LIBRARY_SAMPLE,
  apart: ['id', 'content.taggedPeople', 'content.extraData.place'],
  fields: libraryItemFields,
  wholes: libraryItemWholes,
  around: { ...pageOf('libraryItems'), 'response.totalCount': omit('repeats totalRecords', isNumber) },
});

/** What reading one item of the library answers. */
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
  fields: { ...libraryItemFields, id: omit('the id that was asked for stands') },
  around: RECORD_AROUND,
};

const historyTime = whenPresent(
  isDisplayTime,
  (value) => (value === '05-Mar-2031 12:07 AM' ? { value: '2031-03-05T00:07' } : 'malformed'),
  () => '05-Mar-2031 12:07 AM',
);

/** Record of the AI history. */
const aiHistoryFields: FieldTable = {
  userInput: { prompt: text },
  aiResponse: { text },
  tone: { tone: text },
  ownerId: { ownerId: numericId },
  companyId: { companyId: numericId },
  'aiToken.inputToken': { 'tokenUsage.input': integer },
  'aiToken.outputToken': { 'tokenUsage.output': integer },
  'aiToken.totalToken': { 'tokenUsage.total': integer },
  generatedFrom: { originCode: code, origin: named({ post: 'POST', hashtag: 'HASHTAG' }) },
  templateUsed: { template: text },
  createdOn: { createdAtLocal: historyTime },
  contentId: { contentId: id },
};

/** Only a text that is absent makes a record pending: one that can't be read is there. */
const historyStatus: Reading = {
  ...text,
  of: (value, before) => ({
    value: text.of(value, before) === 'malformed' || (isText(value) && value !== '') ? 'COMPLETE' : 'PENDING',
  }),
};

const HISTORY: ReadCall = listCall('aiGenerations', 'contentId', String, {
  endpoint: 'GET /openai/historyList',
  type: 'AiGeneration',
  apart: ['contentId'],
  fields: aiHistoryFields,
  wholes: { aiToken: { tokenUsage: record }, aiResponse: { status: historyStatus, text } },
});

const YES_NO = [
  'Priority Support,White Label,Personalized Onboarding,Client Management,Curated Content,Boost Post',
  'Social Media Analytics,Bulk Scheduling,Brandable PDF Analytics Report,Social Inbox,LinkedIn Analytics',
  'enableRssFeed,enableTeam,enableCreatePostPreview,schedulePdf,enableAdvancedPost,enableCustomFields',
  'enableDraft,enableDropbox,enableFbBranding,enableGiphy,enableBuffer,enableCanva,enableFacebookEvent',
  'enableStore,enableVideoPostLabels,enableInstagramFirstComment,enableImageEditor,enableYouTube,enableUTM',
  'enableContentLibrary,enablePdfLogo,enableWatermark',
].flatMap((names) => names.split(','));
const COUNTS =
  'Connected Profiles,Connected Ad Accounts,RSS Feeds,Post In scheduling queue,Team Members'.split(',');

const isYesOrNo = matches(/^(?:Yes|No)$/);
const swapped = (value: unknown): unknown => (value === 'Yes' ? 'No' : 'Yes');
const isEnabled = whenPresent(isYesOrNo, (value) => ({ value: value === 'Yes' }), swapped);
const yesNoText = whenPresent(isYesOrNo, (value) => ({ value }), swapped);
const countText: Reading = { ...integer, of: (value) => ({ value: String(value) }) };

const feature = (key: string, part: string): string => `currentPlan.features.${key}.${part}`;
const features: FieldTable = {
  ...Object.fromEntries(
    YES_NO.map((key) => [key, { [feature(key, 'isEnabled')]: isEnabled, [feature(key, 'text')]: yesNoText }]),
  ),
  ...Object.fromEntries(
    COUNTS.map((key) => [key, { [feature(key, 'limit')]: integer, [feature(key, 'text')]: countText }]),
  ),
  Post: { [feature('Post', 'text')]: text },
};

/** `response` of the plan list. */
const membershipFields: FieldTable = {
  'currentPlan.planName': { 'currentPlan.name': text },
  'currentPlan.palnType': { 'currentPlan.typeCode': code },
  'currentPlan.membershipId': { 'currentPlan.membershipId': numericId },
  'currentPlan.mmId': { 'currentPlan.mmId': numericId },
  'currentPlan.price': { 'currentPlan.price': text },
  'currentPlan.paymentKey': { 'currentPlan.planKey': code },
  'currentPlan.planGroup': { 'currentPlan.planGroup': text },
  'currentPlan.summary': { 'currentPlan.summary': texts },
  ...within(features, 'currentPlan.features.', ''),
  praposedPlans: { proposedPlans: jsons },
  list: { plans: jsons },
  discountRuning: { isDiscountActive: flag },
  numberOfBillingCycle: { billingCycleCount: integer },
  discountPercent: { discountPercent: decimal },
  ownerConnectedAccounts: { connectedAccountCount: integer },
  ownerAdsAccounts: { connectedAdAccountCount: integer },
  optionDiscountRuning: { isOptionDiscountActive: flag },
  biannual: { isBiannual: flag },
  biannualDiscountPercent: { biannualDiscountPercent: percent },
};

const MEMBERSHIP: ReadCall = {
  endpoint: 'GET /membership/plan/list',
  type: 'Membership',
  record: 'response',
  where: 'membership',
  query: (selection) => `{ membership { ${selection} } }`,
  apart: Object.keys(features).map((key) => `currentPlan.features.${key}`),
  fields: membershipFields,
  wholes: {
    currentPlan: { currentPlan: record },
    'currentPlan.features': { 'currentPlan.features': planFeatures },
  },
  around: RECORD_AROUND,
};

const DECIDES = omit('decides between success and failure; the outcome of the mutation tells', isNumber);
const CONSTANT = omit('a constant that names the kind of object');
const OTHER_ID = omit('repeats the id of the answer');

/** Epoch seconds. */
const seconds = whenPresent(
  isNumber,
  (value) => ({ value: new Date(Number(value) * 1_000).toISOString() }),
  (value) => Number(value) + 86_400,
);

// A text that is still to come is not there yet, whatever the answer holds in its place.
const pendingStatus: Reading = {
  ...flag,
  of: (value) => ({ value: value === true ? 'PENDING' : 'COMPLETE' }),
};
const pendingText: Reading = {
  ...flag,
  of: (value, before) => ({ value: value === true ? null : before }),
};

const GENERATION: FieldTable = {
  message: { message: text },
  'response.contentId': { 'aiGeneration.contentId': id },
  'response.timeConsuming': { 'aiGeneration.status': pendingStatus, 'aiGeneration.text': pendingText },
  ...within(aiHistoryFields, 'response.', 'aiGeneration.'),
  'response.createdOn': { 'aiGeneration.createdAt': instant },
  'response.totalCredit': { 'aiGeneration.creditsRemaining': integer },
};

// The created item is the record that the library's list shows, with an instant where that has a relative text.
const CREATED_ITEM: FieldTable = {
  message: { message: text },
  'response.id': { 'libraryItem.itemId': id },
  ...within(libraryItemFields, 'response.post.', 'libraryItem.'),
  'response.post.id': OTHER_ID,
  'response.post._id': OTHER_ID,
  'response.post.lastEditedOn': { 'libraryItem.lastEditedAt': instant },
  'response.post.accountId': { accountNumbers: integers },
};
const CREATED_SAMPLE = Object.fromEntries(
  Object.entries(LIBRARY_SAMPLE).map(([wire, value]) => [`response.post.${wire}`, value]),
);

const CUSTOMER = 'response.portal.linked_customers.0';
const SESSION: FieldTable = {
  message: omit('prose; the session itself tells that there is one'),
  'response.portalUrl': { 'session.portalUrl': url },
  'response.portal.id': { 'session.sessionId': id },
  'response.portal.token': { 'session.token': text },
  'response.portal.access_url': { 'session.accessUrl': url },
  'response.portal.status': { 'session.status': code },
  'response.portal.created_at': { 'session.createdAt': seconds },
  'response.portal.expires_at': { 'session.expiresAt': seconds },
  'response.portal.object': CONSTANT,
  'response.portal.customer_id': { 'session.customerId': id },
  'response.portal.redirect_url': { 'session.redirectUrl': url },
  [`${CUSTOMER}.object`]: CONSTANT,
  [`${CUSTOMER}.customer_id`]: { 'session.linkedCustomers.0.customerId': id },
  [`${CUSTOMER}.email`]: { 'session.linkedCustomers.0.email': text },
  [`${CUSTOMER}.has_billing_address`]: { 'session.linkedCustomers.0.hasBillingAddress': flag },
  [`${CUSTOMER}.has_payment_method`]: { 'session.linkedCustomers.0.hasPaymentMethod': flag },
  [`${CUSTOMER}.has_active_subscription`]: { 'session.linkedCustomers.0.hasActiveSubscription': flag },
};

/** What a call with an effect answers, which the payload of its mutation shows. */
function answerOf(mutation: MutationName, fields: FieldTable, sample = {}): WriteAnswer {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Payload`;
  return { mutation, type, fields, sample };
}

const statusUpdate = answerOf('createStatusUpdate', { error: DECIDES, 'data.post_id': { postId: id } });

/** Every documented field of every answer of the interface: where the graph shows it, or why it does not. */
export const interfaceFields: InterfaceTable = {
  ...Object.fromEntries(
    [...ACCOUNTS, QUEUE, LIBRARY, LIBRARY_VIEW, HISTORY, MEMBERSHIP].map((call) => [call.endpoint, call]),
  ),
  'GET /oauth/account/status/:id': answerOf('pauseAccount', {
    error: DECIDES,
    'data.new_status': omit(DECIDES.omitted, isStatus),
  }),
  'GET /oauth/account/delete/:id': answerOf('deleteAccount', { error: DECIDES }),
  'GET /oauth/group/delete/:id': answerOf('deleteAccountGroup', { error: DECIDES }),
  'POST /oauth/post/update': statusUpdate,
  'POST /oauth/post/updatewithimage': statusUpdate,
  'POST /openai/response': answerOf('generateAiText', GENERATION),
  'POST /library/create': answerOf('createLibraryItem', CREATED_ITEM, CREATED_SAMPLE),
  'POST /posts/create': answerOf('createPost', {
    message: { message: text },
    'response.postIds': { postIds: sentAs(isListOf(isText), ids) },
    'response.postScheduledLimitOver': { isScheduledLimitReached: flag },
    'response.customResponse': { customResponse: jsons },
    'response.postCreatedCount': { createdCount: integer },
  }),
  'POST /draft/create': answerOf('createDraft', {
    message: { message: text },
    'response.draftId': { draftId: id },
  }),
  'GET /payment/billing/portalcreate': answerOf('createBillingPortalSession', SESSION),
};

/** Fields of the graph that no single field of the service feeds, and where their values come from. */
export const computedFields: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['Account', 'AccountGroup', 'QueuedPost', 'LibraryItem', 'AiGeneration'].map((type) => [
      `${type}.id`,
      'made from the record’s own id',
    ]),
  ),
  'Account.surface': 'the call that answered',
  'Account.label': 'displayName, or else the network and the id',
  'AccountGroup.surface': 'the call that answered',
  'AccountHealth.state': 'the flags of the account',
  'PostingScheduleDay.day': 'the key of the day',
  'QueuedPost.scheduledAt': 'scheduledAtLocal and the configured zone',
  'Mention.key': 'the key of the entry',
  'TaggedPeople.imageUrl': 'the key of the entry',
  'PlanFeature.key': 'the key of the entry',
};
