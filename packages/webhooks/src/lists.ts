import { isDeepStrictEqual } from 'node:util';
import { isData, type Data } from './graph.ts';

// The lists that are followed: what is read of them, which of it is compared, and what is sent of a change.

/** A record as it was last seen, in the form in which it is sent. A field that could never be read is absent. */
export type Seen = Data;

/** A change of one record. */
export type Change =
  | { readonly kind: 'added'; readonly after: Seen }
  | {
      readonly kind: 'changed';
      readonly before: Seen;
      readonly after: Seen;
      /** The names of the fields that differ. */
      readonly fields: readonly string[];
    }
  | { readonly kind: 'left'; readonly before: Seen };

/** A list that can be followed. */
export interface FollowedList {
  readonly name: 'queue' | 'account_health';
  /** The subscription to its changes, with the root field `event`. */
  readonly events: string;
  /** The query of a page, with the root field `list`. */
  readonly page: string;
  /** Returns the record of an event that reports one change; null if it shows none. */
  recordIn(event: Data): Seen | null;
  /** Returns all records, given an event that covers the whole list and the nodes of the pages. */
  recordsIn(event: Data, nodes: readonly Data[]): Seen[];
  /** The id of a record in the graph. */
  idOf(record: Data): string;
  /** Returns the names of the fields that differ, once the record is completed. */
  changedFields(before: Seen, after: Seen): string[];
  /** The `data` of an event about a change, without its times. */
  describe(change: Change): Data;
}

const PAGE_INFO = 'pageInfo { hasNextPage endCursor drifted }';
const EVENT = 'kind observedAt lastSeenAt isFollowedByChanges';

const POST = `
  id
  postId
  account { id loginId }
  title
  text
  longText
  linkUrl
  videoUrl
  documentUrl
  imageUrls
  statusCode
  contentCode
  instagramPostTypeCode
  place { placeId name }
  facebookAudience { minAge maxAge gender limitAudience }
  mentions {
    key mentionedId name userName displayName linkUrl avatarUrl mentionAccountId activeTab
  }
  comment
  isUrlShorteningEnabled
  tagIds
  failureText
  scheduledAtLocal
  scheduledLabel
  isLocked
  isPaused
  isAccountPaused
  needsReconnect
  needsInstagramCommentReconnect
  isFacebookAppInstalled
  isDeleted
  isSpam
  publishesDirectly
`;

/** The queue of the current surface. */
export const queue: FollowedList = {
  name: 'queue',
  events: `subscription FollowQueue {
    event: queueChanged { ${EVENT} ids: queuedPostIds queuedPost { ${POST} } }
  }`,
  page: `query ReadQueue($after: String) {
    list: queuedPosts(first: 100, after: $after) { nodes { ${POST} } ${PAGE_INFO} }
  }`,
  recordIn: ({ queuedPost }) => (isData(queuedPost) ? postOf(queuedPost) : null),
  recordsIn: (_event, nodes) => nodes.map(postOf),
  idOf: ({ id }) => String(id),
  changedFields: ({ id: _id, postId: _postId, account: _account, ...before }, after) =>
    Object.keys(before).filter((name) => name in after && isDifferent(before[name], after[name])),
  describe: (change) => ({
    ...(change.kind === 'changed' && { changedFields: change.fields }),
    queuedPost: 'after' in change ? change.after : change.before,
  }),
};

/** Returns a post without what differs each time: the signatures of URLs, and the order of mentions. */
function postOf(post: Data): Seen {
  const changes = Object.entries(post).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'videoUrl' || name === 'documentUrl') return [[name, withoutQuery(value)]];
    if (!Array.isArray(value)) return [];
    if (name === 'imageUrls') return [[name, value.map(withoutQuery)]];
    return name === 'mentions' ? [[name, value.toSorted(byKey)]] : [];
  });
  return { ...post, account: post['account'] ?? null, ...Object.fromEntries(changes) };
}

function withoutQuery(address: unknown): unknown {
  return typeof address === 'string' ? address.replace(/[?#].*$/s, '') : address;
}

function byKey(one: unknown, other: unknown): number {
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

const keyOf = (entry: unknown): string => String(isData(entry) ? entry['key'] : '');

const ACCOUNT = 'account { id loginId displayName }';
/** In the order in which they determine the state, as in the graph. */
const FLAGS = [
  ['isBlocked', 'BLOCKED'],
  ['isLocked', 'LOCKED'],
  ['needsReconnect', 'NEEDS_RECONNECT'],
  ['isPaused', 'PAUSED'],
] as const;
const HEALTH = `{ ${FLAGS.map(([flag]) => flag).join(' ')} }`;

/** The accounts of the current surface, each with its health. */
export const accountHealth: FollowedList = {
  name: 'account_health',
  events: `subscription FollowAccountHealth {
    event: accountHealthChanged {
      ${EVENT} ids: accountIds ${ACCOUNT} before ${HEALTH} after ${HEALTH}
      accounts { ${ACCOUNT} health ${HEALTH} }
    }
  }`,
  page: `query ReadAccounts($after: String) {
    list: accounts(surface: CURRENT, first: 100, after: $after) { nodes { id } ${PAGE_INFO} }
  }`,
  recordIn: ({ account, before, after }) =>
    isData(account) ? accountOf({ account, health: after ?? before }) : null,
  recordsIn: ({ accounts }) => (Array.isArray(accounts) ? accounts.filter(isData).map(accountOf) : []),
  // A node of a page is the account itself.
  idOf: ({ account, id }) => String(isData(account) ? account['id'] : id),
  changedFields: ({ health: before }, { health: after }) =>
    isDeepStrictEqual(before, after) ? [] : ['health'],
  describe: (change) => ({
    account: ('after' in change ? change.after : change.before)['account'],
    before: 'before' in change ? healthOf(change.before) : null,
    after: 'after' in change ? healthOf(change.after) : null,
  }),
};

/** Returns an account without the flags that are unknown, such as at the start: what was known before still counts. */
function accountOf({ account, health }: Data): Seen {
  const flags = Object.entries(isData(health) ? health : {}).filter(([, isSet]) => isSet !== null);
  return { account, health: Object.fromEntries(flags) };
}

function healthOf({ health }: Seen): Data {
  const known = isData(health) ? health : {};
  const flags = FLAGS.map(([flag, state]) => ({ flag, state, isSet: known[flag] ?? null }));
  const deciding = flags.find(({ isSet }) => isSet !== false);
  const set = deciding && (deciding.isSet === null ? 'UNKNOWN' : deciding.state);
  return { state: set ?? 'HEALTHY', ...Object.fromEntries(flags.map(({ flag, isSet }) => [flag, isSet])) };
}

/** Completes a record, and the objects in it, with what was known of fields that could not be read now. */
export function complete(before: Data, after: Data): Data {
  const completed = Object.entries(after).map(([name, value]) => [name, completeValue(before[name], value)]);
  return { ...before, ...Object.fromEntries(completed) };
}

function completeValue(before: unknown, after: unknown): unknown {
  if (isData(before) && isData(after)) return { ...before, ...after };
  if (!Array.isArray(before) || !Array.isArray(after)) return after;
  return after.map((entry: unknown) => {
    const earlier: unknown =
      isData(entry) && before.find((one) => isData(one) && keyOf(one) === keyOf(entry));
    return isData(earlier) ? completeValue(earlier, entry) : entry;
  });
}

/** Whether two values differ; fields of objects that only one of them has are ignored, since they could not be read. */
function isDifferent(before: unknown, after: unknown): boolean {
  if (isData(before) && isData(after))
    return Object.keys(before).some((name) => name in after && !isDeepStrictEqual(before[name], after[name]));
  if (!Array.isArray(before) || !Array.isArray(after)) return !isDeepStrictEqual(before, after);
  return before.length !== after.length || before.some((entry, index) => isDifferent(entry, after[index]));
}
