import { expect, test } from 'vitest';
import { ACCOUNT_FIELDS, LIST_ONLY_FIELDS } from '../support/account-selections.ts';
import { startGraph } from '../support/graph.ts';
import { byName, expectToSpoilOnly, type WrongField, type WrongPlace } from '../support/wrong-records.ts';

const LIST: WrongPlace = {
  endpoint: 'GET /accounts/list',
  where: 'accounts.nodes',
  query: `{ accounts(first: 12) { nodes { ...ListFields } } } ${LIST_ONLY_FIELDS}`,
};

const LIST_FIELDS: readonly WrongField[] = [
  ['accountId', 'integer', ['platformId']],
  ['accountUsername', 'text', ['displayName']],
  ['accountUrl', 'url', ['profileUrl']],
  ['profilePicture', 'url', ['avatarUrl']],
  ['isPaused', 'letter', ['isPaused']],
  ['profileUniqueId', 'id', ['networkProfileId']],
  ['uniqueId', 'id', ['networkAccountId']],
  ['expiryHeader', 'epoch', ['health.credentialExpiresAt']],
  ['systemBaseStatus', 'text', ['systemBaseStatusCode']],
  ['pageId', 'text', ['pageId']],
  ['color', 'text', ['color']],
  ['isLocked', 'letter', ['isLocked']],
  ['inboxCount', 'integer', ['inboxCount']],
  ['fbAppInstall', 'letter', ['isFacebookAppInstalled']],
  ['isBlocked', 'letter', ['isBlocked']],
  ['errors', 'integer', ['errorCount']],
  ['queued', 'integer', ['queuedPostCount']],
  ['hasAnalytics', 'letter', ['hasAnalytics']],
  ['hasInbox', 'letter', ['hasInbox']],
  ['accessType', 'text', ['accessCode']],
  ['inboxAccess', 'letter', ['permissions.inbox.isGranted']],
  ['analyticsAccess', 'letter', ['permissions.analytics.isGranted']],
  ['accountType', 'text', ['platformCode'], { network: 'UNKNOWN' }],
  ['groups', 'list', ['groups']],
];

test.each(byName(LIST_FIELDS))(
  'a list item whose %s is wrong loses that field alone',
  async (_wire, field) => {
    await expectToSpoilOnly(await startGraph(), LIST, field);
  },
);

// The ids of the first twelve accounts, which the sandbox numbers through.
const FIRST_ID = 410_201;
const IDS = Array.from({ length: 12 }, (_, index) =>
  Buffer.from(`1ac:${FIRST_ID + index}`).toString('base64url'),
);

/** Reads the details; what health.state makes of a flag that can't be read is a matter of its own. */
const detailPlace = (fields: string): WrongPlace => ({
  endpoint: 'GET /accounts/view/{loginId}',
  where: 'nodes',
  query: `{ nodes(ids: ${JSON.stringify(IDS)}) { id ...AccountFields } } ${fields.replace('state needsReconnect', 'needsReconnect')}`,
  indexOf: ({ loginId }) => Number(loginId) - FIRST_ID,
});
const DETAIL = detailPlace(ACCOUNT_FIELDS);

const DETAIL_FIELDS: readonly WrongField[] = [
  ['isReconnect', 'flag', ['health.needsReconnect']],
  ['accountId', 'integer', ['platformId']],
  ['tokenEncrypted', 'flag', ['health.areCredentialsEncrypted']],
  ['expiryHeader', 'epoch', ['health.credentialExpiresAt']],
  ['profileUniqueId', 'id', ['networkProfileId']],
  ['profilePicture', 'url', ['avatarUrl']],
  ['accountUsername', 'text', ['displayName']],
  ['accountUrl', 'url', ['profileUrl']],
  ['uniqueId', 'id', ['networkAccountId']],
  ['color', 'text', ['color']],
  ['clientApprovalApplicable', 'flag', ['requiresClientApproval']],
  ['settingId', 'id', ['settingId']],
  ['fbAppInstall', 'flag', ['isFacebookAppInstalled']],
  ['extraData', 'object', ['extraData']],
  ['postSharingAccess', 'record', ['permissions.publishing.hasPermission', 'permissions.publishing.hasTask']],
  ['socialInboxAccess', 'record', ['permissions.inbox.hasPermission', 'permissions.inbox.hasTask']],
  ['pageAnalyticsAccess', 'record', ['permissions.analytics.hasPermission', 'permissions.analytics.hasTask']],
  ['isBlocked', 'flag', ['isBlocked']],
  ['isLocked', 'flag', ['isLocked']],
  ['isDeleted', 'flag', ['isDeleted']],
  ['connectedBy', 'id', ['connectedByCompanyId']],
  ['createdOn', 'instant', ['connectedAt']],
  ['socialDashboardConnect', 'flag', ['isSocialDashboardConnected']],
  ['accountReconnectType', 'text', ['health.reconnectKind']],
  ['reconnectedBy', 'id', ['reconnectedByCompanyId']],
  ['disconnectArea', 'text', ['health.disconnectReason']],
  ['lastDisconnectOn', 'instant', ['health.disconnectedAt']],
  ['userAccess', 'list', ['userAccess']],
  ['adminData', 'list', ['adminData']],
  ['isPaused', 'flag', ['isPaused']],
  ['extraParam', 'object', ['extraParameters']],
  ['accessType', 'text', ['accessCode']],
  ['accountType', 'text', ['platformCode'], { network: 'UNKNOWN' }],
  ['groups', 'list', ['groups']],
  ['scheduleSlots', 'schedule', ['postingSchedule']],
];

test.each(byName(DETAIL_FIELDS))(
  'a detail whose %s is wrong loses that field alone',
  async (_wire, field) => {
    await expectToSpoilOnly(await startGraph(), DETAIL, field);
  },
);

test('a detail that names another account than the one asked for changes nothing', async () => {
  await expectToSpoilOnly(await startGraph(), DETAIL, ['loginId', 'undocumented', []]);
});

// A credential that is not where it belongs can't be known again in the texts around it.
const WITHOUT_TEXTS = ACCOUNT_FIELDS.replace('extraData extraParameters', '');

test.each(['accessToken', 'pageAccessToken', 'accessSecret'])(
  'a credential %s that is wrong changes nothing in the list or the detail',
  async (credential) => {
    expect(WITHOUT_TEXTS).not.toContain('extraData');
    await expectToSpoilOnly(await startGraph(), LIST, [credential, 'undocumented', []]);
    await expectToSpoilOnly(await startGraph(), detailPlace(WITHOUT_TEXTS), [credential, 'undocumented', []]);
  },
);

const LEGACY: WrongPlace = {
  endpoint: 'GET /oauth/accounts',
  where: 'accounts.nodes',
  query: `{ accounts(first: 12, surface: LEGACY) {
    nodes { id loginId displayName profileUrl statusCode platformCode network surface } } }`,
  records: (answer) => (answer as unknown[]).slice(0, 12),
};

const LEGACY_FIELDS: readonly WrongField[] = [
  ['nickname', 'text', ['displayName']],
  ['url', 'url', ['profileUrl']],
  ['status', 'text', ['statusCode']],
  ['account_type', 'text', ['platformCode'], { network: 'UNKNOWN' }],
];

test.each(byName(LEGACY_FIELDS))(
  'a legacy account whose %s is wrong loses that field alone',
  async (_wire, field) => {
    await expectToSpoilOnly(await startGraph(), LEGACY, field);
  },
);
