import {
  clockTime,
  epochMilliseconds,
  epochOfEitherUnit,
  flag,
  id,
  instant,
  integer,
  listOf,
  text,
  undocumentedList,
  undocumentedObject,
  url,
  yesNo,
} from '../decode.ts';
import { endpoint, LIST_READ, RECORD_READ } from '../endpoint.ts';
import { ACCOUNT_CREDENTIALS } from '../secret-names.ts';
import { defineView, field, inspected, originOf, record, wireOf, type Decoder, type Seen } from '../view.ts';
import { readPage, type CurrentClient, type Page, type PageRequest } from './client.ts';

// The connected accounts of the current surface. Both reads contain the accounts' credentials, which are
// removed when they are parsed.

const ACCOUNTS_LIST = endpoint('current', 'GET /accounts/list', { ...LIST_READ, answersAccounts: true });
const ACCOUNTS_VIEW = endpoint('current', 'GET /accounts/view/{loginId}', {
  ...RECORD_READ,
  answersAccounts: true,
});

/** The fields of every record of an account, wherever it is embedded. */
export const accountIdentity = {
  loginId: field('loginId', id),
  platformId: field('accountId', integer),
  displayName: field('accountUsername', text),
  profileUrl: field('accountUrl', url),
  avatarUrl: field('profilePicture', url),
  color: field('color', text),
};

/** A group embedded in an account: id and name, in one of the service's spellings. */
export const groupOfAccount = defineView({
  groupId: field(['id', 'groupId'], id),
  name: field(['group_name', 'groupName', 'name'], text),
});
export type GroupOfAccount = Seen<typeof groupOfAccount>;

// The groups of a detail have no documented shape, so bare ids are accepted too.
/** A group as a bare id. */
export const groupId = defineView({ groupId: field('id', id) });
export type GroupId = Seen<typeof groupId>;

const groupRecord = record(groupOfAccount);
const groupReference: Decoder<GroupOfAccount | GroupId> = (value, holder) =>
  typeof value === 'string' || typeof value === 'number'
    ? groupId({ id: value }, originOf(holder))
    : groupRecord(value, holder);

/** An account in the list: with counters and the link shortener, but without details of its connection. */
export const accountListItem = defineView(
  {
    ...accountIdentity,
    platformCode: field('accountType', text),
    isPaused: field('isPaused', yesNo),
    isLocked: field('isLocked', yesNo),
    isBlocked: field('isBlocked', yesNo),
    isFacebookAppInstalled: field('fbAppInstall', yesNo),
    networkProfileId: field('profileUniqueId', id),
    networkAccountId: field('uniqueId', id),
    pageId: field('pageId', text),
    credentialExpiresAt: field('expiryHeader', epochOfEitherUnit),
    systemBaseStatusCode: field('systemBaseStatus', text),
    inboxCount: field('inboxCount', integer),
    queuedPostCount: field('queued', integer),
    errorCount: field('errors', integer),
    hasAnalytics: field('hasAnalytics', yesNo),
    hasInbox: field('hasInbox', yesNo),
    isInboxGranted: field('inboxAccess', yesNo),
    isAnalyticsGranted: field('analyticsAccess', yesNo),
    accessCode: field('accessType', text),
    shortenerId: field('shortenerId', id),
    shortenerCode: field('shortenerMaster.shortenerScenario', text),
    shortenerName: field('shortenerMaster.shortenerName', text),
    groups: field('groups', listOf(record(groupOfAccount))),
  },
  { unread: ACCOUNT_CREDENTIALS },
);
export type AccountListItem = Seen<typeof accountListItem>;

/** The owner's access to one part of an account. */
export const accountAccess = defineView({
  hasPermission: field('hasPermission', flag),
  hasTask: field('hasTask', flag),
});

/** Posting times by day, each list in chronological order. */
export const scheduleSlots = defineView({
  monday: field('Mon', listOf(clockTime)),
  tuesday: field('Tue', listOf(clockTime)),
  wednesday: field('Wed', listOf(clockTime)),
  thursday: field('Thu', listOf(clockTime)),
  friday: field('Fri', listOf(clockTime)),
  saturday: field('Sat', listOf(clockTime)),
  sunday: field('Sun', listOf(clockTime)),
});
export type ScheduleSlots = Seen<typeof scheduleSlots>;

/** The details of one account: its connection, permissions and schedule, but no counters. */
export const accountDetail = defineView(
  {
    ...accountIdentity,
    platformCode: field('accountType', text),
    isPaused: field('isPaused', flag),
    isLocked: field('isLocked', flag),
    isBlocked: field('isBlocked', flag),
    isDeleted: field('isDeleted', flag),
    isFacebookAppInstalled: field('fbAppInstall', flag),
    networkProfileId: field('profileUniqueId', id),
    networkAccountId: field('uniqueId', id),
    needsReconnect: field('isReconnect', flag),
    reconnectKind: field('accountReconnectType', text),
    credentialExpiresAt: field('expiryHeader', epochMilliseconds),
    disconnectReason: field('disconnectArea', text),
    disconnectedAt: field('lastDisconnectOn', instant),
    areCredentialsEncrypted: field('tokenEncrypted', flag),
    publishingAccess: field('postSharingAccess', record(accountAccess)),
    inboxAccess: field('socialInboxAccess', record(accountAccess)),
    analyticsAccess: field('pageAnalyticsAccess', record(accountAccess)),
    requiresClientApproval: field('clientApprovalApplicable', flag),
    settingId: field('settingId', id),
    isSocialDashboardConnected: field('socialDashboardConnect', flag),
    connectedAt: field('createdOn', instant),
    connectedByCompanyId: field('connectedBy', id),
    reconnectedByCompanyId: field('reconnectedBy', id),
    accessCode: field('accessType', text),
    scheduleSlots: field('scheduleSlots', record(scheduleSlots)),
    groups: field('groups', listOf(groupReference)),
    userAccess: field('userAccess', undocumentedList),
    adminData: field('adminData', undocumentedList),
    extraData: field('extraData', undocumentedObject),
    extraParameters: field('extraParam', undocumentedObject),
  },
  { unread: ACCOUNT_CREDENTIALS },
);
export type AccountDetail = Seen<typeof accountDetail>;

/** Returns the account as it is after it was paused or resumed. */
export function withState(account: AccountDetail, isPaused: boolean): AccountDetail {
  return accountDetail({ ...wireOf(account), isPaused }, originOf(account));
}

/** Sortable fields of accounts, with the service's names for them. */
const SORT_FIELDS = { loginId: 'loginId', displayName: 'accountUsername' } as const;

/**
 * Filters and order of the account list; every text is sent unchanged. `onlyAccountData` is never sent: what it omits
 * is undocumented, and a selected field must not be null because of it.
 */
export interface AccountListParams {
  /** `q`: part of the account's user name. */
  readonly name?: string;
  /** `groupId`: raw group ids. */
  readonly groupIds?: readonly string[];
  /** `platform`: kinds of platform. */
  readonly platformIds?: readonly number[];
  readonly clientId?: string;
  /** `team`: raw team ids. */
  readonly teamIds?: readonly string[];
  readonly multiFilter?: string;
  /** `sortBy`: field and direction, most significant first. */
  readonly sortBy?: readonly (readonly [field: keyof typeof SORT_FIELDS, direction: 'ASC' | 'DESC'])[];
}

/**
 * GET /accounts/list: one page of the owner's accounts.
 *
 * Repeatable: yes.  Interface: "Account (current surface, list item)", "Current surface".
 */
export function listAccounts(
  client: CurrentClient,
  { page, size }: PageRequest,
  params: AccountListParams = {},
): Promise<Page<AccountListItem>> {
  return readPage(client, ACCOUNTS_LIST, accountListItem, page, {
    page,
    limit: size,
    q: params.name,
    groupId: params.groupIds?.join(','),
    platform: params.platformIds?.join(','),
    clientId: params.clientId,
    team: params.teamIds?.join(','),
    multiFilter: params.multiFilter,
    sortBy: params.sortBy?.flatMap(([name, direction]) => [SORT_FIELDS[name], direction]).join(','),
  });
}

/**
 * GET /accounts/view/{loginId}: one account in full.
 *
 * Repeatable: yes.  Interface: "Account detail", "Current surface"; what an unknown id answers is not documented.
 */
export async function getAccount(client: CurrentClient, loginId: string): Promise<AccountDetail> {
  const { response, origin } = await client.call(ACCOUNTS_VIEW, { path: { loginId } });
  return inspected(accountDetail, response, origin);
}
