// Operations that make the server read each kind of answer of the service, with as much of it selected as one call gives.

const MIB = 1_024 * 1_024;

const ACCOUNT = `id loginId displayName profileUrl avatarUrl color network platformCode platformId isPaused isLocked isBlocked
  isFacebookAppInstalled networkProfileId networkAccountId pageId inboxCount queuedPostCount errorCount hasAnalytics
  hasInbox linkShortener { shortenerId code name } accessCode systemBaseStatusCode health { credentialExpiresAt }
  groups { groupId name }`;
const DETAIL = `${ACCOUNT.replace('inboxCount queuedPostCount errorCount hasAnalytics', '').replace('hasInbox linkShortener { shortenerId code name }', '')}
  isDeleted requiresClientApproval settingId connectedAt connectedByCompanyId userAccess adminData extraData extraParameters
  postingSchedule { day times } health { state disconnectReason disconnectedAt }`;
const POST = `id postId text longText title comment linkUrl imageUrls thumbnailUrls videoUrl documentUrl failureText via
  companyName contentCode createdLabel scheduledAt scheduledAtLocal scheduledLabel postDateLabel status statusCode tagIds
  spamData accountExtraParameters mentions { __typename } place { __typename } account { loginId displayName }`;
const ITEM = `id itemId title kind kindCode tags createdAt lastEditedAt lastEditedLabel lastUsedAt ownerId useCount
  lastEditor { __typename } content { text longText title linkUrl imageUrls videoUrl altTexts boostParameters utmParameters
  createdAt taggedPeople { __typename } place { __typename } }`;
const GENERATION =
  'id contentId prompt text template tone origin status createdAt createdAtLocal companyId ownerId';
const PAYLOAD = 'outcome userErrors { code message path }';

/** The operations by the call that each makes first; `ids` are those of records of the sandbox. */
export function operationsOf(ids) {
  return { ...readsOf(ids), ...writesOfCurrent(ids), ...writesOfLegacy(ids) };
}

function read(endpoint, query, maxBytes = 8 * MIB) {
  return { endpoint, query, maxBytes };
}

function write(endpoint, query) {
  return read(endpoint, `mutation { ${query} }`, MIB);
}

/** A write that the sandbox is not asked for, since it would do it. */
function answered(operation, answer) {
  return { ...operation, answer: JSON.stringify(answer) };
}

function readsOf(ids) {
  return {
    accounts: read(
      'GET /accounts/list',
      `{ accounts(first: 100) { totalCount edges { cursor node { ${ACCOUNT} } } } }`,
    ),
    'search of accounts': read(
      'GET /accounts/list',
      `{ accounts(last: 100, filter: { displayName: "e" }) { nodes { ${ACCOUNT} } } }`,
    ),
    account: read('GET /accounts/view/{loginId}', `{ account(id: "${ids.account}") { ${DETAIL} } }`, MIB),
    groups: read(
      'GET /group/list',
      `{ accountGroups(first: 100) { nodes { id name createdAt companyId accounts(first: 100) { nodes { id loginId
        displayName platformName profileUrl avatarUrl } } } } }`,
    ),
    'names of platforms': read(
      'GET /group/list',
      `{ accounts(first: 100, surface: CURRENT) { nodes { platformName } } }`,
    ),
    queue: read('GET /posts/queued', `{ queuedPosts(first: 100) { totalCount nodes { ${POST} } } }`),
    'a queued post': read('GET /posts/queued', `{ queuedPost(id: "${ids.post}") { ${POST} } }`),
    library: read('GET /library/list', `{ libraryItems(first: 100) { nodes { ${ITEM} } } }`),
    'library item': read(
      'GET /library/view/{contentid}',
      `{ libraryItem(id: "${ids.item}") { ${ITEM} } }`,
      MIB,
    ),
    history: read('GET /openai/historyList', `{ aiGenerations(first: 100) { nodes { ${GENERATION} } } }`),
    membership: read(
      'GET /membership/plan/list',
      '{ membership { discountPercent currentPlan { __typename } plans proposedPlans } }',
      MIB,
    ),
    'legacy accounts': read(
      'GET /oauth/accounts',
      `{ accounts(surface: LEGACY, first: 100, orderBy: [{ field: DISPLAY_NAME, direction: DESC }]) { totalCount nodes {
        id loginId displayName profileUrl avatarUrl network platformCode statusCode isPaused } } }`,
    ),
    'legacy groups': read(
      'GET /oauth/groups',
      `{ accountGroups(surface: LEGACY, first: 100, filter: { name: "e" }) { nodes { id name accounts(first: 40) { nodes {
        id loginId displayName profileUrl groups { groupId name } } } } } }`,
    ),
  };
}

function writesOfCurrent(ids) {
  return {
    createPost: write(
      'POST /posts/create',
      `createPost(input: { accountIds: ["${ids.account}"], timing: { placement: QUEUE }, variants: [{ variant: ORIGINAL,
        text: "x" }] }) { ${PAYLOAD} postIds createdCount customResponse message }`,
    ),
    createDraft: write(
      'POST /draft/create',
      `createDraft(input: { accountIds: ["${ids.account}"], variants: [{ variant: ORIGINAL, text: "x" }] }) { ${PAYLOAD}
        draftId message }`,
    ),
    createLibraryItem: write(
      'POST /library/create',
      `createLibraryItem(input: { title: "t", kind: POST, variants: [{ variant: ORIGINAL, text: "x" }] }) { ${PAYLOAD}
        libraryItem { ${ITEM} } message }`,
    ),
    generateAiText: write(
      'POST /openai/response',
      `generateAiText(input: { prompt: "x", tone: "Warm" }) { ${PAYLOAD} aiGeneration { ${GENERATION} } message }`,
    ),
    billing: write(
      'GET /payment/billing/portalcreate',
      `createBillingPortalSession { ${PAYLOAD} session { portalUrl sessionId accessUrl token } }`,
    ),
  };
}

function writesOfLegacy(ids) {
  return {
    createStatusUpdate: write(
      'POST /oauth/post/update',
      `createStatusUpdate(input: { text: "x", accountIds: ["${ids.legacyAccount}"] }) { ${PAYLOAD} postId }`,
    ),
    'createStatusUpdate with image': write(
      'POST /oauth/post/updatewithimage',
      `createStatusUpdate(input: { text: "x", imageUrl: "https://images.example/a.jpg",
        accountIds: ["${ids.legacyAccount}"] }) { ${PAYLOAD} postId }`,
    ),
    pauseAccount: write(
      'GET /oauth/account/status/:id',
      `pauseAccount(input: { accountId: "${ids.legacyAccount}" }) { ${PAYLOAD} account { id isPaused } }`,
    ),
    deleteAccount: answered(
      write(
        'GET /oauth/account/delete/:id',
        `deleteAccount(input: { accountId: "${ids.legacyAccount}" }) { ${PAYLOAD} deletedAccountIds }`,
      ),
      'success',
    ),
    deleteAccountGroup: answered(
      write(
        'GET /oauth/group/delete/:id',
        `deleteAccountGroup(input: { accountGroupId: "${ids.legacyGroup}" }) { ${PAYLOAD} deletedAccountGroupId }`,
      ),
      'success',
    ),
    exchangeAuthorizationCode: answered(
      write(
        'POST /oauth/accesstoken',
        `exchangeAuthorizationCode(input: { code: "${'c'.repeat(80)}", redirectUri: "http://127.0.0.1/" }) { ${PAYLOAD} accessToken
        tokenType expiresAt }`,
      ),
      { access_token: 'abcdefgh', token_type: 'bearer', expires_in: 3600 },
    ),
  };
}
