import type { Account, Group, Permission } from '../../packages/sandbox/src/data/model.ts';
import type { RunningGraph } from './graph.ts';

// What the graph has to say of the sandbox's records, told from its world and not from its wire.

/** What the sandbox's first owner has. */
export function harbour(graph: RunningGraph) {
  return graph.sandbox.state.owner('harbour');
}

/** The accounts that the current surface lists, in its order. */
export function currentAccounts(graph: RunningGraph): Account[] {
  return harbour(graph).accounts.filter(({ surfaces }) => surfaces.current);
}

/** The accounts that the legacy surface lists, in its order. */
export function legacyAccounts(graph: RunningGraph): Account[] {
  return harbour(graph).accounts.filter(({ surfaces }) => surfaces.legacy);
}

/** An account of the current surface by its login id. */
export function accountNamed(graph: RunningGraph, loginId: number): Account {
  const account = currentAccounts(graph).find((one) => one.loginId === loginId);
  if (!account) throw new Error(`the sandbox has no account ${loginId}`);
  return account;
}

/** The groups of an account, as the graph's short form of a group. */
export function groupsOf(graph: RunningGraph, account: Account) {
  return harbour(graph)
    .groups.filter(({ members }) => members.includes(account))
    .map(groupInShort);
}

function groupInShort({ groupId, name }: Group) {
  return { groupId: String(groupId), name };
}

const NETWORK_BY_HOST: Readonly<Record<string, string>> = {
  'www.facebook.example': 'FACEBOOK',
  'x.example': 'X',
  'www.linkedin.example': 'LINKEDIN',
  'www.instagram.example': 'INSTAGRAM',
  'www.pinterest.example': 'PINTEREST',
  'maps.business.example': 'GOOGLE_BUSINESS',
  'www.youtube.example': 'YOUTUBE',
  'www.tumblr.example': 'TUMBLR',
  'www.tiktok.example': 'TIKTOK',
  'quillnet.example': 'UNKNOWN',
};

/** The social network of an account, by the graph's name. */
export function networkOf({ network }: Account): string {
  return NETWORK_BY_HOST[network.host] ?? 'not in the table';
}

/** The name of an account for people. */
export function labelOf(account: Account): string {
  const { username, loginId, network } = account;
  if (username !== '') return username;
  return networkOf(account) === 'UNKNOWN'
    ? `Account ${loginId}`
    : `${network.displayName.split(' ')[0]} account ${loginId}`;
}

/** Every field of an account as the current surface's list and detail show it. */
export function currentAccount(graph: RunningGraph, account: Account) {
  return {
    surface: 'CURRENT',
    loginId: String(account.loginId),
    label: labelOf(account),
    displayName: account.username || null,
    profileUrl: account.currentUrl,
    avatarUrl: account.picture,
    color: account.color,
    network: networkOf(account),
    platformCode: account.network.scenario,
    platformName: groupsOf(graph, account).length > 0 ? account.network.displayName : null,
    platformId: account.network.platformId,
    statusCode: null,
    ...flagsOf(account),
    networkProfileId: String(account.profileUniqueId),
    networkAccountId: String(account.uniqueId),
    pageId: account.pageId,
    health: healthOf(account),
    permissions: permissionsOf(account),
    linkShortener: shortenerOf(account),
    accessCode: 'O',
    systemBaseStatusCode: 'Y',
    settingId: account.settingId,
    postingSchedule: scheduleOf(account),
    connectedAt: isoOf(account.createdAt),
    connectedByCompanyId: String(account.connectedBy),
    reconnectedByCompanyId: String(account.reconnectedBy),
    ...countersOf(graph, account),
    groups: groupsOf(graph, account),
    ...undocumentedOf(account),
  };
}

function flagsOf(account: Account) {
  return {
    isPaused: account.paused,
    isLocked: account.locked,
    isBlocked: account.blocked,
    isDeleted: false,
    isFacebookAppInstalled: account.appInstalled,
    hasAnalytics: account.hasAnalytics,
    hasInbox: account.hasInbox,
    requiresClientApproval: account.clientApproval,
    isSocialDashboardConnected: account.hasInbox,
  };
}

function countersOf(graph: RunningGraph, account: Account) {
  return {
    inboxCount: account.inboxCount,
    queuedPostCount: harbour(graph).queue.filter((post) => post.account === account).length,
    errorCount: account.errorCount,
  };
}

/** The state of an account's health: the worst of its flags. */
export function healthStateOf({ blocked, locked, needsReconnect, paused }: Account): string {
  if (blocked) return 'BLOCKED';
  if (locked) return 'LOCKED';
  if (needsReconnect) return 'NEEDS_RECONNECT';
  return paused ? 'PAUSED' : 'HEALTHY';
}

function healthOf(account: Account) {
  return {
    state: healthStateOf(account),
    needsReconnect: account.needsReconnect,
    reconnectKind: account.reconnectType || null,
    credentialExpiresAt: isoOf(account.tokenExpiresAt),
    disconnectReason: account.disconnectArea || null,
    disconnectedAt: account.disconnectedAt === null ? null : isoOf(account.disconnectedAt),
    areCredentialsEncrypted: account.tokenEncrypted,
  };
}

function permissionsOf({ permissions: { sharing, inbox, analytics } }: Account) {
  return {
    publishing: permissionOf(sharing),
    inbox: inbox === null ? 'DENIED' : permissionOf(inbox),
    analytics: analytics === null ? 'DENIED' : permissionOf(analytics),
  };
}

function permissionOf(permission: Permission | null) {
  if (permission === null) return 'UNKNOWN';
  return permission.hasPermission && permission.hasTask ? 'GRANTED' : 'DENIED';
}

function shortenerOf({ shortener }: Account) {
  return shortener && { shortenerId: String(shortener.id), code: shortener.scenario, name: shortener.name };
}

const DAYS = [
  ['Mon', 'MONDAY'],
  ['Tue', 'TUESDAY'],
  ['Wed', 'WEDNESDAY'],
  ['Thu', 'THURSDAY'],
  ['Fri', 'FRIDAY'],
  ['Sat', 'SATURDAY'],
  ['Sun', 'SUNDAY'],
] as const;

function scheduleOf({ slots }: Account) {
  return DAYS.map(([short, day]) => ({ day, times: slots[short].map(clock24).toSorted() }));
}

function clock24(slot: string): string {
  const [time = '', half] = slot.split(' ');
  const [hour = '', minute] = time.split(':');
  return `${String((Number(hour) % 12) + (half === 'PM' ? 12 : 0)).padStart(2, '0')}:${minute}`;
}

// The undocumented shapes, with what names a secret gone and the account's token blanked in the texts around it.
function undocumentedOf(account: Account) {
  const { undocumented, accessToken } = account;
  const cleaned = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(accessToken, '[redacted]');
    if (Array.isArray(value)) return value.map(cleaned);
    if (typeof value !== 'object' || value === null) return value;
    const harmless = Object.entries(value).filter(([name]) => !SECRET_NAMES.includes(name));
    return Object.fromEntries(harmless.map(([name, child]) => [name, cleaned(child)]));
  };
  return {
    userAccess: cleaned(undocumented.userAccess),
    adminData: cleaned(undocumented.adminData),
    extraData: cleaned(objectOrNull(undocumented.extraData)),
    extraParameters: cleaned(objectOrNull(undocumented.extraParam)),
  };
}

// An empty list is the service's way to send an object without content.
const objectOrNull = (value: unknown): unknown => (Array.isArray(value) ? null : value);

const SECRET_NAMES = ['refresh_token', 'clientSecret', 'authorization', 'page_token'];

/** An instant as the graph writes it. */
export function isoOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Every field of an account as the legacy surface shows it; what that side does not know is null. */
export function legacyAccount(graph: RunningGraph, account: Account) {
  const { health, permissions: _permissions, ...known } = currentAccount(graph, account);
  return {
    ...nulls(known),
    surface: 'LEGACY',
    loginId: String(account.loginId),
    label: labelOf(account),
    displayName: account.username || null,
    profileUrl: account.legacyUrl,
    network: networkOf(account),
    platformCode: account.network.legacyType,
    isPaused: account.paused,
    statusCode: account.paused ? 'Paused' : 'Running',
    health: { ...nulls(health), state: account.paused ? 'PAUSED' : 'UNKNOWN' },
    permissions: { publishing: 'UNKNOWN', inbox: 'UNKNOWN', analytics: 'UNKNOWN' },
    groups: groupsOf(graph, account),
  };
}

function nulls(fields: object) {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
}
