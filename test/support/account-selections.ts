/** Every field of an account but `id` and `counterpart`; a group in its short form. */
export const ACCOUNT_FIELDS = `
  fragment AccountFields on Account {
    surface loginId label displayName profileUrl avatarUrl color network platformCode platformName platformId
    isPaused statusCode isLocked isBlocked isDeleted isFacebookAppInstalled
    networkProfileId networkAccountId pageId
    health {
      state needsReconnect reconnectKind credentialExpiresAt disconnectReason disconnectedAt areCredentialsEncrypted
    }
    permissions { publishing inbox analytics }
    inboxCount queuedPostCount errorCount hasAnalytics hasInbox
    linkShortener { shortenerId code name }
    accessCode systemBaseStatusCode requiresClientApproval settingId isSocialDashboardConnected
    postingSchedule { day times }
    connectedAt connectedByCompanyId reconnectedByCompanyId
    groups { groupId name }
    userAccess adminData extraData extraParameters
  }`;

/** What the account list of the current surface answers by itself. */
export const LIST_ONLY_FIELDS = `
  fragment ListFields on Account {
    id surface loginId label displayName profileUrl avatarUrl color network platformCode platformId
    isPaused isLocked isBlocked isFacebookAppInstalled networkProfileId networkAccountId pageId
    health { credentialExpiresAt }
    inboxCount queuedPostCount errorCount hasAnalytics hasInbox
    linkShortener { shortenerId code name }
    accessCode systemBaseStatusCode
    groups { id groupId name }
  }`;

/** What only the detail of an account tells. */
export const DETAIL_FIELDS = `
  fragment DetailFields on Account {
    isDeleted requiresClientApproval settingId isSocialDashboardConnected
    health { needsReconnect reconnectKind disconnectReason disconnectedAt areCredentialsEncrypted }
    permissions { publishing }
    postingSchedule { day times }
    connectedAt connectedByCompanyId reconnectedByCompanyId
    userAccess adminData extraData extraParameters
  }`;
