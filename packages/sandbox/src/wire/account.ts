import type { Account, Group, Owner } from '../data/model.ts';
import type { Quirks } from '../quirks.ts';
import { isoTime } from './dates.ts';

/** `Y` or `N`. */
function letter(fact: boolean): 'Y' | 'N' {
  return fact ? 'Y' : 'N';
}

/** Legacy account of GET /oauth/accounts: the id is text. */
export function legacyAccount(account: Account) {
  return { ...legacyMember(account), id: String(account.loginId) };
}

/** Account within a legacy group: the id is an integer. */
export function legacyMember(account: Account) {
  return {
    id: account.loginId,
    nickname: account.username,
    url: account.legacyUrl,
    status: account.paused ? 'Paused' : 'Running',
    account_type: account.network.legacyType,
  };
}

/** List item of GET /accounts/list: flags as letters, network ids as numbers of any length, with secrets. */
export function accountItem(account: Account, owner: Owner) {
  const { permissions } = account;
  return {
    loginId: account.loginId,
    accountId: account.network.platformId,
    accountUsername: account.username,
    accountUrl: account.currentUrl,
    profilePicture: account.picture,
    isPaused: letter(account.paused),
    profileUniqueId: account.profileUniqueId,
    uniqueId: account.uniqueId,
    expiryHeader: account.tokenExpiresAt,
    accessToken: account.accessToken,
    pageAccessToken: account.pageAccessToken,
    accessSecret: account.accessSecret,
    systemBaseStatus: 'Y',
    pageId: account.pageId,
    color: account.color,
    isLocked: letter(account.locked),
    fbAppInstall: letter(account.appInstalled),
    isBlocked: letter(account.blocked),
    hasAnalytics: letter(account.hasAnalytics),
    hasInbox: letter(account.hasInbox),
    accessType: 'O',
    inboxAccess: letter(permissions.inbox?.hasPermission ?? false),
    analyticsAccess: letter(permissions.analytics?.hasPermission ?? false),
    accountType: account.network.scenario,
    ...accountRelations(account, owner),
  };
}

/** The fields of a list item beyond the account itself. */
function accountRelations(account: Account, owner: Owner) {
  const { shortener } = account;
  return {
    inboxCount: account.inboxCount,
    shortenerId: shortener?.id ?? 0,
    shortenerMaster: shortener && { shortenerScenario: shortener.scenario, shortenerName: shortener.name },
    errors: account.errorCount,
    queued: owner.queue.filter((post) => post.account === account).length,
    groups: groupsOf(account, owner).map((group) => ({ id: group.groupId, group_name: group.name })),
  };
}

/** The names that the quirk `onlyAccountData: 'omits-relations'` omits. */
export const relationFields = [
  'inboxCount',
  'shortenerId',
  'shortenerMaster',
  'errors',
  'queued',
  'groups',
] as const;

/** `response` of GET /accounts/view/{loginId}: flags as booleans, network ids and the expiry as text. */
export function accountDetail(account: Account, owner: Owner, quirks: Quirks) {
  const { undocumented, permissions } = account;
  return {
    ...detailFlags(account),
    accountId: account.network.platformId,
    accessToken: account.accessToken,
    accessSecret: account.accessSecret,
    expiryHeader: String(account.tokenExpiresAt),
    profileUniqueId: String(account.profileUniqueId),
    profilePicture: account.picture,
    accountUsername: account.username,
    accountUrl: account.currentUrl,
    uniqueId: String(account.uniqueId),
    color: account.color,
    settingId: account.settingId,
    extraData: undocumented.extraData,
    pageAccessToken: account.pageAccessToken ?? '',
    postSharingAccess: permissions.sharing,
    socialInboxAccess: permissions.inbox,
    pageAnalyticsAccess: permissions.analytics,
    connectedBy: account.connectedBy,
    createdOn: isoTime(account.createdAt),
    loginId: account.loginId,
    accountReconnectType: account.reconnectType,
    reconnectedBy: account.reconnectedBy,
    disconnectArea: account.disconnectArea,
    lastDisconnectOn: timeOrAbsent(account.disconnectedAt, quirks),
    userAccess: undocumented.userAccess,
    adminData: undocumented.adminData,
    extraParam: undocumented.extraParam,
    accessType: 'O',
    accountType: account.network.scenario,
    groups: groupsOf(account, owner).map((group) => detailGroup(group, quirks)),
    scheduleSlots: account.slots,
  };
}

function detailFlags(account: Account) {
  return {
    isReconnect: account.needsReconnect,
    tokenEncrypted: account.tokenEncrypted,
    clientApprovalApplicable: account.clientApproval,
    fbAppInstall: account.appInstalled,
    isBlocked: account.blocked,
    isLocked: account.locked,
    isDeleted: false,
    socialDashboardConnect: account.hasInbox,
    isPaused: account.paused,
  };
}

function groupsOf(account: Account, owner: Owner): Group[] {
  return owner.groups.filter((group) => group.members.includes(account));
}

function detailGroup({ groupId, name }: Group, quirks: Quirks): unknown {
  const shapes = {
    'id-group_name': { id: groupId, group_name: name },
    'groupId-groupName': { groupId: String(groupId), groupName: name },
    ids: groupId,
  };
  return shapes[quirks.detailGroups];
}

const absentTimes = { empty: '', null: null, 'zero-date': '0000-00-00 00:00:00' } as const;

/** ISO 8601, or the placeholder for a missing time. */
export function timeOrAbsent(at: number | null, quirks: Quirks): string | null {
  return at === null ? absentTimes[quirks.absentTime] : isoTime(at);
}
