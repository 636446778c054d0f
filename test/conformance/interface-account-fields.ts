import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import {
  code,
  epoch,
  flag,
  id,
  instant,
  integer,
  jsonObject,
  jsons,
  letter,
  network,
  platform,
  text,
  url,
  whenPresent,
  type Reading,
} from '../support/readings.ts';
import { listedPermission, permissionFact, permissionFacts } from '../support/permission-readings.ts';
import {
  copyIds,
  list,
  pageOf,
  RECORD_AROUND,
  SECRET,
  spread,
  unknownNetwork,
  type FieldTable,
  type ReadCall,
} from './interface-table.ts';

const run = whenPresent(
  (value) => (typeof value === 'string' ? { value } : 'malformed'),
  (value) => (value === 'Paused' ? 'Running' : 'Paused'),
);
const RUNNING: Readonly<Record<string, boolean>> = { Paused: true, Running: false };
const isPaused = whenPresent((value) => {
  const known = typeof value === 'string' ? RUNNING[value] : undefined;
  return known === undefined ? 'malformed' : { value: known };
}, run.other);

/** Times of one day, of which the tests use only single ones. */
const slots = whenPresent(
  () => ({ value: ['01:05'] }),
  () => ['01:05 AM'],
);

const otherGroups = (): unknown => [{ id: 9, group_name: 'Another' }];
const groups = {
  'groups.0.groupId': whenPresent(() => ({ value: '9' }), otherGroups),
  'groups.0.name': whenPresent(() => ({ value: 'Another' }), otherGroups),
};

/** Another id that no account has: one that has a detail would show its permissions. */
const otherId: Reading = { of: id.of, other: () => 999_999 };

const LIST_ITEM: FieldTable = {
  loginId: { loginId: otherId },
  accountId: { platformId: integer },
  accountUsername: { displayName: text },
  accountUrl: { profileUrl: url },
  profilePicture: { avatarUrl: url },
  isPaused: { isPaused: letter },
  profileUniqueId: { networkProfileId: id },
  uniqueId: { networkAccountId: id },
  expiryHeader: { 'health.credentialExpiresAt': epoch },
  accessToken: SECRET,
  pageAccessToken: SECRET,
  accessSecret: SECRET,
  systemBaseStatus: { systemBaseStatusCode: code },
  pageId: { pageId: text },
  color: { color: text },
  isLocked: { isLocked: letter },
  inboxCount: { inboxCount: integer },
  fbAppInstall: { isFacebookAppInstalled: letter },
  isBlocked: { isBlocked: letter },
  shortenerId: { 'linkShortener.shortenerId': id },
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
  'groups.0.id': { 'groups.0.groupId': id },
  'groups.0.group_name': { 'groups.0.name': text },
};

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const DETAIL: FieldTable = {
  isReconnect: { 'health.needsReconnect': flag },
  accountId: { platformId: integer },
  accessToken: SECRET,
  accessSecret: SECRET,
  tokenEncrypted: { 'health.areCredentialsEncrypted': flag },
  expiryHeader: { 'health.credentialExpiresAt': epoch },
  profileUniqueId: { networkProfileId: id },
  profilePicture: { avatarUrl: url },
  accountUsername: { displayName: text },
  accountUrl: { profileUrl: url },
  uniqueId: { networkAccountId: id },
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
  connectedBy: { connectedByCompanyId: id },
  createdOn: { connectedAt: instant },
  loginId: { omitted: 'the id that was asked for stands' },
  socialDashboardConnect: { isSocialDashboardConnected: flag },
  accountReconnectType: { 'health.reconnectKind': text },
  reconnectedBy: { reconnectedByCompanyId: id },
  disconnectArea: { 'health.disconnectReason': text },
  lastDisconnectOn: { 'health.disconnectedAt': instant },
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
  companyId: { companyId: id },
  'accounts.0.accountId': { 'accounts.nodes.0.platformId': integer },
  'accounts.0.profilePicture': { 'accounts.nodes.0.avatarUrl': url },
  'accounts.0.accountUsername': { 'accounts.nodes.0.displayName': text },
  'accounts.0.accountUrl': { 'accounts.nodes.0.profileUrl': url },
  'accounts.0.color': { 'accounts.nodes.0.color': text },
  'accounts.0.fbAppInstall': { 'accounts.nodes.0.isFacebookAppInstalled': flag },
  'accounts.0.isLocked': { 'accounts.nodes.0.isLocked': flag },
  'accounts.0.isReconnect': { 'accounts.nodes.0.health.needsReconnect': flag },
  'accounts.0.loginId': { 'accounts.nodes.0.loginId': id },
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
  ...Object.fromEntries(
    Object.entries(LEGACY_ACCOUNT).map(([wire, shows]) => [
      `accounts.0.${wire}`,
      Object.fromEntries(
        Object.entries(shows).map(([path, reading]) => [`accounts.nodes.0.${path}`, reading as Reading]),
      ),
    ]),
  ),
};

/** The accounts of the sandbox, which are numbered consecutively. */
const LOGIN_IDS = Array.from({ length: 12 }, (_, index) => landmarks.plainId + index);
const GLOBAL_IDS = LOGIN_IDS.map((loginId) => Buffer.from(`1ac:${loginId}`).toString('base64url'));

/** A schedule without a known day has no days. */
const schedule = whenPresent(
  (value) => {
    if (Array.isArray(value)) return { value: null };
    return typeof value === 'object' ? { value: [] } : 'malformed';
  },
  (value) => value,
);

const CALLS: readonly ReadCall[] = [
  {
    endpoint: 'GET /oauth/accounts',
    type: 'Account',
    record: '#',
    where: 'accounts.nodes.#',
    query: (selection, _graph, count) =>
      `{ accounts(first: ${count}, surface: LEGACY) { nodes { ${selection} } } }`,
    sample: {},
    copies: { wire: 'id', ids: copyIds(String) },
    apart: ['id'],
    fields: LEGACY_ACCOUNT,
    wholes: {},
    around: {},
  },
  {
    endpoint: 'GET /oauth/groups',
    type: 'AccountGroup',
    record: '#',
    where: 'accountGroups.nodes.#',
    query: (selection, _graph, count) =>
      `{ accountGroups(first: ${count}, surface: LEGACY) { nodes { ${selection} } } }`,
    sample: {},
    copies: { wire: 'id', ids: copyIds(String) },
    apart: ['id', 'accounts.0.id'],
    fields: LEGACY_GROUP,
    wholes: {},
    around: {},
  },
  {
    endpoint: 'GET /accounts/list',
    type: 'Account',
    record: 'response.list.#',
    where: 'accounts.nodes.#',
    query: (selection, _graph, count) =>
      `{ accounts(first: ${count}) { totalCount nodes { ${selection} } } }`,
    sample: {
      shortenerId: 7,
      shortenerMaster: { shortenerScenario: 'tinyhop', shortenerName: 'Tinyhop' },
      inboxAccess: 'Y',
      analyticsAccess: 'Y',
    },
    copies: { wire: 'loginId', ids: copyIds(Number) },
    apart: ['loginId', 'groups.0.id'],
    fields: LIST_ITEM,
    wholes: { groups: { groups: list }, shortenerMaster: spread(LIST_ITEM, 'shortenerMaster') },
    around: pageOf('accounts'),
  },
  {
    endpoint: 'GET /accounts/view/{loginId}',
    type: 'Account',
    record: 'response',
    where: 'nodes.#',
    query: (selection, _graph, count) =>
      `{ nodes(ids: ${JSON.stringify(GLOBAL_IDS.slice(0, count))}) { ... on Account { ${selection} } } }`,
    sample: {
      accountReconnectType: 'TOKEN_EXPIRED',
      disconnectArea: 'Token refused',
      lastDisconnectOn: '2026-01-02T03:04:05.000Z',
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
  {
    endpoint: 'GET /group/list',
    type: 'AccountGroup',
    record: 'response.list.#',
    where: 'accountGroups.nodes.#',
    query: (selection, _graph, count) =>
      `{ accountGroups(first: ${count}) { totalCount nodes { ${selection} } } }`,
    sample: {},
    copies: { wire: 'groupId', ids: copyIds(String) },
    apart: ['groupId', 'accounts.0.loginId'],
    fields: GROUP,
    wholes: {
      'accounts.0.accountMaster': {
        ...spread(GROUP, 'accounts.0.accountMaster'),
        'accounts.nodes.0.network': unknownNetwork,
      },
    },
    around: pageOf('accountGroups'),
  },
];

/** What the reads of accounts and of their groups answer. */
export const accountCalls = Object.fromEntries(CALLS.map((call) => [call.endpoint, call]));
