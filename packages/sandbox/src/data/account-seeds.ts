import type { Weekday } from '../wire/dates.ts';
import type { SecretBook } from '../secret-book.ts';
import type { Account, Permission, Surfaces } from './model.ts';
import type { Network } from './networks.ts';
import type { Random } from './random.ts';

const DAY_MS = 86_400_000;
const COLORS = ['#2e7d6b', '#b5651d', '#3f51b5', '#8e24aa', '#c62828', '#00838f', '#5d4037', '#558b2f'];

/** How an account describes why it lost its connection. */
export const TOKEN_REFUSED = {
  disconnectArea: 'Token refused by the network',
  reconnectType: 'TOKEN_EXPIRED',
} as const;

/** A story's data about an account; the rest is derived from it. */
export interface AccountSeed {
  readonly id: number;
  readonly network: Network;
  readonly username: string;
  /** Path of the profile on its network. */
  readonly profile: string;
  readonly surfaces?: Surfaces;
  /** Ids of the network itself; some exceed the precision of a double. */
  readonly uniqueId?: bigint;
  readonly state?: 'paused' | 'locked' | 'blocked' | 'reconnect';
  /** Undocumented and optional objects are null or `[]`. */
  readonly bare?: boolean;
  readonly hasPageToken?: boolean;
  readonly clientId?: string;
  readonly teamIds?: readonly string[];
  readonly slots?: Partial<Record<Weekday, readonly string[]>>;
}

/** The inputs for building accounts of one owner. */
export interface AccountKit {
  readonly ownerName: string;
  readonly companyId: number;
  readonly startedAt: number;
  readonly random: Random;
  readonly book: SecretBook;
}

/** Builds a full account from its seed, with its secrets planted and recorded. */
export function buildAccount(seed: AccountSeed, kit: AccountKit): Account {
  const { random, startedAt } = kit;
  const { network } = seed;
  const uniqueId = seed.uniqueId ?? BigInt(100_000_000 + random.int(800_000_000));
  const tokens = plantTokens(seed, kit);
  const needsReconnect = seed.state === 'reconnect';
  return {
    loginId: seed.id,
    network,
    surfaces: seed.surfaces ?? { current: true, legacy: true },
    username: seed.username,
    currentUrl: `https://${network.host}/${seed.profile}`,
    legacyUrl: respelled(network.host, seed.profile, seed.id),
    picture: `https://pictures.example.com/${kit.ownerName}/${seed.id}.png`,
    color: random.pick(COLORS),
    profileUniqueId: uniqueId,
    uniqueId,
    pageId: String(uniqueId),
    ...tokens,
    tokenEncrypted: random.int(3) > 0,
    tokenExpiresAt: startedAt + (30 + random.int(60)) * DAY_MS,
    paused: seed.state === 'paused',
    locked: seed.state === 'locked',
    blocked: seed.state === 'blocked',
    needsReconnect,
    clientApproval: seed.clientId !== undefined,
    appInstalled: random.int(2) === 0,
    createdAt: startedAt - (40 + random.int(700)) * DAY_MS,
    disconnectedAt: needsReconnect ? startedAt - 2 * DAY_MS : null,
    disconnectArea: needsReconnect ? TOKEN_REFUSED.disconnectArea : '',
    reconnectType: needsReconnect ? TOKEN_REFUSED.reconnectType : '',
    connectedBy: kit.companyId,
    reconnectedBy: needsReconnect ? kit.companyId : 0,
    settingId: `set-${seed.id}`,
    clientId: seed.clientId ?? null,
    teamIds: seed.teamIds ?? [],
    inboxCount: random.int(12),
    errorCount: seed.state === 'blocked' || needsReconnect ? 1 + random.int(3) : 0,
    hasAnalytics: random.int(3) > 0,
    hasInbox: random.int(2) === 0,
    shortener: seed.bare ? null : { id: 7, scenario: 'tinyhop', name: 'Tinyhop' },
    permissions: permissions(seed, random),
    slots: { ...weekOfSlots(random), ...seed.slots },
    undocumented: undocumented(seed, kit, tokens.accessToken),
  };
}

/** Respells an address as the other surface does: scheme, `www.`, trailing slash or case of the host differ. */
function respelled(host: string, profile: string, id: number): string {
  const short = host.replace(/^www\./, '');
  const spellings = [
    `http://${host}/${profile}`,
    `https://${short}/${profile}/`,
    `https://${short.replace(/^./, (first) => first.toUpperCase())}/${profile}`,
    `http://${short.toUpperCase()}/${profile}/`,
  ];
  return spellings[id % spellings.length] ?? host;
}

function plantTokens(seed: AccountSeed, { book, ownerName }: AccountKit) {
  const plant = (label: string) => book.plant('accountTokens', ownerName, label);
  return {
    accessToken: plant('accessToken'),
    accessSecret: plant('accessSecret'),
    pageAccessToken: seed.hasPageToken ? plant('pageAccessToken') : null,
  };
}

function permissions(seed: AccountSeed, random: Random): Account['permissions'] {
  const flag = (): Permission => ({ hasPermission: random.int(5) > 0, hasTask: random.int(3) > 0 });
  const inbox = flag();
  return {
    sharing: { hasPermission: true, hasTask: true },
    inbox: seed.bare ? null : inbox,
    analytics: flag(),
  };
}

/** Two unsorted slots on each day except Sunday, as the service stores them. */
function weekOfSlots(random: Random): Record<Weekday, readonly string[]> {
  const day = (): readonly string[] => [
    random.pick(['09:30 AM', '12:15 PM', '05:45 PM']),
    random.pick(['07:00 AM', '12:00 AM', '03:20 PM']),
  ];
  return { Sun: [], Mon: day(), Tue: day(), Wed: day(), Thu: day(), Fri: day(), Sat: day() };
}

/** Undocumented shapes, with secrets under telling names and inside innocent texts. */
function undocumented(seed: AccountSeed, kit: AccountKit, accessToken: string): Account['undocumented'] {
  if (seed.bare) {
    return { extraData: [], extraParam: null, userAccess: [], adminData: [], accountExtraParam: [] };
  }
  const plant = (label: string) => kit.book.plant('nested', kit.ownerName, label);
  return {
    extraData: {
      reason: seed.state === 'reconnect' ? 'The network refused the token' : '',
      attempts: [{ at: 'feed', outcome: `answered 401 to ${accessToken}` }],
      network: { session: { refresh_token: plant('refreshToken') } },
    },
    extraParam: {
      locale: 'en',
      oauth: { client: { clientSecret: plant('clientSecret') } },
      lastPath: `/me/feed?fields=id&t=${accessToken}`,
    },
    userAccess: [
      {
        companyId: kit.companyId,
        role: 'editor',
        session: { authorization: `Bearer ${plant('authorization')}` },
      },
    ],
    adminData: [{ adminId: 1, name: 'Page admin', page: { page_token: plant('pageToken') } }],
    accountExtraParam: {
      access_token: accessToken,
      device: { keys: [{ private_key: plant('privateKey') }] },
      remark: `refreshed, now ${accessToken}`,
    },
  };
}
