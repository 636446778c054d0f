import {
  envelope,
  flag,
  integer,
  isoTime,
  keyed,
  letter,
  listOf,
  matching,
  number,
  object,
  orNothing,
  orNull,
  pageOf,
  record,
  text,
} from './shape.ts';
import type { Shape } from './shape.ts';

const all = (names: string, shape: Shape): Record<string, Shape> =>
  Object.fromEntries(names.split(' ').map((name) => [name, shape]));

const displayTime = matching('display time', /^\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d (AM|PM)$/);
const relativeTime = matching('relative time', /ago$/);
const slot = matching('slot', /^(0[1-9]|1[0-2]):[0-5]\d (AM|PM)$/);

const legacyFields = {
  nickname: text,
  url: text,
  status: matching('status', /^(Running|Paused)$/),
  account_type: text,
};
const legacyAccount = record({ id: text, ...legacyFields });
const legacyMember = record({ id: integer, ...legacyFields });

const accountItem = record({
  ...all(
    'loginId accountId profileUniqueId uniqueId expiryHeader inboxCount shortenerId errors queued',
    number,
  ),
  ...all(
    'accountUsername accountUrl profilePicture accessToken accessSecret systemBaseStatus pageId color',
    text,
  ),
  ...all('accessType accountType', text),
  ...all(
    'isPaused isLocked fbAppInstall isBlocked hasAnalytics hasInbox inboxAccess analyticsAccess',
    letter,
  ),
  pageAccessToken: orNull(text),
  shortenerMaster: orNothing(record({ shortenerScenario: text, shortenerName: text })),
  groups: listOf(record({ id: number, group_name: text })),
});

const permission = orNothing(record({ hasPermission: flag, hasTask: flag }));

const accountDetail = record({
  ...all(
    'isReconnect tokenEncrypted clientApprovalApplicable fbAppInstall isBlocked isLocked isDeleted',
    flag,
  ),
  ...all('socialDashboardConnect isPaused', flag),
  ...all('accountId connectedBy loginId reconnectedBy', number),
  ...all(
    'accessToken accessSecret profilePicture accountUsername accountUrl color settingId pageAccessToken',
    text,
  ),
  ...all('accountReconnectType disconnectArea accessType accountType', text),
  ...all('expiryHeader profileUniqueId uniqueId', matching('digits', /^\d+$/)),
  ...all('postSharingAccess socialInboxAccess pageAnalyticsAccess', permission),
  ...all('extraData extraParam', object),
  createdOn: isoTime,
  lastDisconnectOn: matching('ISO time or nothing', /^$|Z$/),
  userAccess: listOf(object),
  adminData: listOf(object),
  groups: listOf(object),
  scheduleSlots: record(all('Sun Mon Tue Wed Thu Fri Sat', listOf(slot))),
});

const group = record({
  groupId: text,
  groupName: text,
  createdOn: isoTime,
  companyId: number,
  accounts: listOf(
    record({
      ...all('accountId loginId', number),
      ...all('profilePicture accountUsername accountUrl color', text),
      ...all('fbAppInstall isLocked isReconnect', flag),
      accountMaster: record({ scenario: text, accountName: text }),
    }),
  ),
});

const mention = record({
  ...all('name link avatar id username activeTab display_name', text),
  accountId: number,
});

const queuedPost = record({
  ...all(
    'postId postTitle postDesc longPostDesc postUrl postVideo postDocument postStatus postType errorMsg',
    text,
  ),
  ...all('formatedPostDate postDateFormat postTimeFormat via instagramPostType', text),
  ...all('accountUsername profilePicture accountUrl color accessType uniqueId scenario verifiedType', text),
  ...all('subscriptionType companyName', text),
  ...all('createdOn postDate', displayTime),
  ...all('loginId companyId accountId', number),
  ...all(
    'isAuto isAdvancePost canMoveToTop isLocked isReconnect fbAppInstall isAccountPaused isPaused',
    flag,
  ),
  ...all('isVerified isDeleted isInstaCommentReconnect isCreated isSpam directPublish isCommentAdded', flag),
  isCommentUnread: flag,
  ...all('postImage thumbImage', listOf(text)),
  extraData: record({
    place: orNothing(record({ id: text, name: text })),
    fbAudianceTargeting: orNothing(
      record({ minAge: number, maxAge: number, gender: listOf(number), limitAudiance: flag }),
    ),
    enableShortUrl: flag,
    comment: text,
    mention: orNothing(keyed(mention)),
  }),
  ...all('accountExtraParam spamData', object),
  tagIds: listOf(number),
});

const contentFields = {
  ...all('postDesc postTitle postUrl longPostDesc postVideo postType utmSetId', text),
  postImage: listOf(text),
  ...all('companyId ownerId', number),
  createdOn: isoTime,
  taggedPeople: keyed(listOf(object)),
  ...all('utmParameters boostExtraParams', object),
};

const libraryFields = {
  ...all('id title', text),
  type: matching('type', /^(post|hashTag)$/),
  tags: listOf(text),
  ...all('ownerId createdBy lastEditedBy totalUsed', number),
  createdOn: isoTime,
  lastUsed: matching('ISO time or nothing', /^$|Z$/),
  userData: record({ lastName: text, userName: text }),
  content: record({
    ...contentFields,
    extraData: record({
      place: object,
      enableShortUrl: flag,
      currentActiveTab: text,
      altTexts: listOf(text),
      original: record(contentFields),
    }),
  }),
};

const libraryItem = record({ ...libraryFields, lastEditedOn: relativeTime });

const aiToken = record(all('inputToken outputToken totalToken', number));
const generationFields = {
  ...all('userInput aiResponse tone generatedFrom templateUsed contentId', text),
  ...all('ownerId companyId', number),
  aiToken,
};

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

const features = record({
  ...Object.fromEntries(YES_NO.map((name) => [name, matching('Yes or No', /^(Yes|No)$/)])),
  ...Object.fromEntries(COUNTS.map((name) => [name, number])),
  Post: text,
});

const plan = record({
  currentPlan: record({
    ...all('planName palnType price paymentKey planGroup', text),
    ...all('membershipId mmId', number),
    summary: listOf(text),
    features,
  }),
  ...all('praposedPlans list', listOf(object)),
  ...all('discountRuning optionDiscountRuning biannual', flag),
  ...all('numberOfBillingCycle discountPercent ownerConnectedAccounts ownerAdsAccounts', number),
  // Declared a boolean; a number is what comes.
  biannualDiscountPercent: number,
});

const portal = record({
  portalUrl: text,
  portal: record({
    ...all('id token access_url status object customer_id redirect_url', text),
    ...all('created_at expires_at', integer),
    linked_customers: listOf(
      record({
        ...all('object customer_id email', text),
        ...all('has_billing_address has_payment_method has_active_subscription', flag),
      }),
    ),
  }),
});

const success = { error: integer };
const created = record({ ...success, data: record({ post_id: text }) });

/** What each call answers, field by field, as the interface documents it. */
export const documentedShapes = {
  'GET /oauth/accounts': listOf(legacyAccount),
  'GET /oauth/account/status/:id': record({ ...success, data: record({ new_status: legacyFields.status }) }),
  'GET /oauth/account/delete/:id': record(success),
  'GET /oauth/groups': listOf(record({ id: text, group_name: text, accounts: listOf(legacyMember) })),
  'GET /oauth/group/delete/:id': record(success),
  'POST /oauth/post/update': created,
  'POST /oauth/post/updatewithimage': created,
  'GET /posts/queued': pageOf(queuedPost),
  'GET /accounts/list': pageOf(accountItem),
  'GET /accounts/view/{loginId}': envelope(accountDetail),
  'GET /openai/historyList': pageOf(record({ ...generationFields, createdOn: displayTime })),
  'POST /openai/response': envelope(
    record({ ...generationFields, createdOn: isoTime, timeConsuming: flag, totalCredit: number }),
  ),
  'GET /group/list': pageOf(group),
  'GET /library/list': pageOf(libraryItem, { totalCount: integer }),
  'POST /library/create': envelope(
    record({
      id: text,
      post: record({ ...libraryFields, lastEditedOn: isoTime, accountId: listOf(number), _id: text }),
    }),
  ),
  'GET /library/view/{contentid}': envelope(libraryItem),
  'POST /posts/create': envelope(
    record({
      postIds: listOf(text),
      postScheduledLimitOver: flag,
      customResponse: listOf(object),
      postCreatedCount: number,
    }),
  ),
  'POST /draft/create': envelope(record({ draftId: text })),
  'GET /membership/plan/list': envelope(plan),
  'GET /payment/billing/portalcreate': envelope(portal),
} as const;
