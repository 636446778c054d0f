import type { Account } from '../../packages/sandbox/src/data/model.ts';
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

/** The state of an account's health: the worst of its flags. */
export function healthStateOf({ blocked, locked, needsReconnect, paused }: Account): string {
  if (blocked) return 'BLOCKED';
  if (locked) return 'LOCKED';
  if (needsReconnect) return 'NEEDS_RECONNECT';
  return paused ? 'PAUSED' : 'HEALTHY';
}

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
