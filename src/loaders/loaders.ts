import type { PageSizes } from '../lists/pages.ts';
import type { PagedList, SizeMemory } from '../lists/reading.ts';
import { readStill, readWhole, scanFor } from '../lists/scan.ts';
import {
  getAccount,
  type AccountDetail,
  type AccountListItem,
  type AccountListParams,
} from '../sources/current/accounts.ts';
import type { Group, GroupListParams, GroupMember } from '../sources/current/groups.ts';
import { getLibraryItem, type LibraryItem, type LibraryParams } from '../sources/current/library.ts';
import { getMembership, type Membership } from '../sources/current/membership.ts';
import type { AiHistoryRecord } from '../sources/current/openai.ts';
import type { QueuedPost, QueueParams } from '../sources/current/posts.ts';
import { listLegacyAccounts, type LegacyAccount } from '../sources/legacy/accounts.ts';
import { listLegacyGroups, type LegacyGroup } from '../sources/legacy/groups.ts';
import type { Sources } from '../sources/sources.ts';
import { readable } from '../sources/view.ts';
import {
  ACCOUNTS,
  AI_HISTORY,
  GROUPS,
  LIBRARY,
  OperationList,
  QUEUE,
  type ListKind,
} from './service-lists.ts';
import DataLoader from 'dataloader';

/** The shared calls of one operation: however many fields and aliases request the same thing, it is read once. */
export interface Loaders {
  /** Paginated lists of the current surface. */
  accounts(params: AccountListParams): PagedList<AccountListItem>;
  groups(params: GroupListParams): PagedList<Group>;
  queue(params: QueueParams): PagedList<QueuedPost>;
  library(params: LibraryParams): PagedList<LibraryItem>;
  aiHistory(): PagedList<AiHistoryRecord>;
  /** All rows of one of these lists as they were at one time, read once for all searches in it. */
  whole<T>(list: PagedList<T>): Promise<readonly T[]>;
  /** One account in full, by login id. */
  readonly accountDetail: ById<AccountDetail>;
  /** An account in the list, by login id; null if the whole list was read and does not contain it. */
  readonly accountListItem: ById<AccountListItem | null>;
  /** A library item by its id. */
  readonly libraryItem: ById<LibraryItem>;
  /** Records by id, searched for in their lists; null if the whole list was read and does not contain one. */
  readonly group: ById<Group | null>;
  /** An account in the groups, by login id; null if no group contains it. */
  readonly groupMember: ById<GroupMember | null>;
  readonly queuedPost: ById<QueuedPost | null>;
  readonly libraryListItem: ById<LibraryItem | null>;
  readonly aiHistoryRecord: ById<AiHistoryRecord | null>;
  membership(): Promise<Membership>;
  /** The whole lists of the legacy surface, and one record of each by id; null if the list does not contain it. */
  legacyAccounts(): Promise<readonly LegacyAccount[]>;
  legacyAccount(id: string): Promise<LegacyAccount | null>;
  legacyGroups(): Promise<readonly LegacyGroup[]>;
  /** The groups of the legacy surface that contain an account. */
  legacyGroupsOf(loginId: string): Promise<readonly LegacyGroup[]>;
  legacyGroup(id: string): Promise<LegacyGroup | null>;
  /** Discards what was read, because something has been written since. */
  forget(): void;
}

/** Returns the page sizes of a service list, learned from its responses to the caller. */
export type SizeMemories = (list: string, start?: PageSizes) => SizeMemory;

/** Creates the loaders of one operation. */
export function createLoaders(sources: Sources, sizeMemory: SizeMemories): Loaders {
  return new OperationLoaders(sources, sizeMemory);
}

/** A class with getters, so that an operation only creates the loaders that it uses. */
class OperationLoaders implements Loaders {
  readonly #sources: Sources;
  readonly #sizeMemory: SizeMemories;
  /** What has been created: lists by name and parameters, everything else by the name of its loader. */
  #made = new Map<string, unknown>();

  constructor(sources: Sources, sizeMemory: SizeMemories) {
    this.#sources = sources;
    this.#sizeMemory = sizeMemory;
  }

  accounts(params: AccountListParams): PagedList<AccountListItem> {
    return this.#list(ACCOUNTS, params);
  }

  groups(params: GroupListParams): PagedList<Group> {
    return this.#list(GROUPS, params);
  }

  queue(params: QueueParams): PagedList<QueuedPost> {
    return this.#list(QUEUE, params);
  }

  library(params: LibraryParams): PagedList<LibraryItem> {
    return this.#list(LIBRARY, params);
  }

  aiHistory(): PagedList<AiHistoryRecord> {
    return this.#list(AI_HISTORY, {});
  }

  whole<T>(list: PagedList<T>): Promise<readonly T[]> {
    return this.#once(`whole ${list.fingerprint}`, () => readStill(list, () => false));
  }

  get accountDetail(): ById<AccountDetail> {
    return this.#once('accountDetail', () =>
      loading((loginId) => getAccount(this.#sources.current(), loginId)),
    );
  }

  get libraryItem(): ById<LibraryItem> {
    return this.#once('libraryItem', () =>
      loading((itemId) => getLibraryItem(this.#sources.current(), itemId)),
    );
  }

  get accountListItem(): ById<AccountListItem | null> {
    return this.#once('accountListItem', () => searching(this.accounts({})));
  }

  get group(): ById<Group | null> {
    return this.#once('group', () => searching(this.groups({})));
  }

  get groupMember(): ById<GroupMember | null> {
    return this.#once(
      'groupMember',
      () => new CachedLoader(async (ids) => membersIn(await readWhole(this.groups({})), ids)),
    );
  }

  get queuedPost(): ById<QueuedPost | null> {
    return this.#once('queuedPost', () => searching(this.queue({})));
  }

  get libraryListItem(): ById<LibraryItem | null> {
    return this.#once('libraryListItem', () => searching(this.library({})));
  }

  get aiHistoryRecord(): ById<AiHistoryRecord | null> {
    return this.#once('aiHistoryRecord', () => searching(this.aiHistory()));
  }

  membership(): Promise<Membership> {
    return this.#once('membership', () => getMembership(this.#sources.current()));
  }

  legacyAccounts(): Promise<readonly LegacyAccount[]> {
    return this.#once('legacyAccounts', () => listLegacyAccounts(this.#sources.legacy()));
  }

  async legacyAccount(id: string): Promise<LegacyAccount | null> {
    const index = await this.#once('legacyAccount', async () =>
      byKey(await this.legacyAccounts(), (row) => row.loginId),
    );
    return index.get(id) ?? null;
  }

  legacyGroups(): Promise<readonly LegacyGroup[]> {
    return this.#once('legacyGroups', () => listLegacyGroups(this.#sources.legacy()));
  }

  async legacyGroup(id: string): Promise<LegacyGroup | null> {
    const index = await this.#once('legacyGroup', async () =>
      byKey(await this.legacyGroups(), (row) => row.groupId),
    );
    return index.get(id) ?? null;
  }

  async legacyGroupsOf(loginId: string): Promise<readonly LegacyGroup[]> {
    const { groups, index } = await this.#once('legacyGroupsOf', async () => {
      const all = await this.legacyGroups();
      return { groups: all, index: readable(() => groupsByMember(all)) };
    });
    // If a member is damaged, only accounts whose groups are therefore uncertain fail.
    return index ? (index.get(loginId) ?? []) : groups.filter((group) => holdsAccount(group, loginId));
  }

  forget(): void {
    this.#made = new Map();
  }

  #once<T>(name: string, make: () => T): T {
    const made = this.#made.get(name) as T | undefined;
    if (made !== undefined) return made;
    const fresh = make();
    this.#made.set(name, fresh);
    return fresh;
  }

  #list<T, P extends object>(kind: ListKind<T, P>, params: P): PagedList<T> {
    return this.#once(`${kind.name} ${JSON.stringify(params)}`, () => {
      const memory = this.#sizeMemory(kind.name, kind.sizes);
      return new OperationList(kind, params, { memory, client: this.#sources.current });
    });
  }
}

function membersIn(groups: readonly Group[], loginIds: readonly string[]): (GroupMember | null)[] {
  const members = groups.flatMap((group) => readable(() => group.accounts) ?? []);
  const byId = new Map(members.map((member) => [readable(() => member.loginId), member]));
  return loginIds.map((id) => byId.get(id) ?? null);
}

/** Reads records by id. Simultaneous requests are batched, and each record is read once. */
export interface ById<T> {
  load(id: string): Promise<T>;
}

/** Caches promises itself, because DataLoader's own cache would create another promise for each hit. */
export class CachedLoader<T> implements ById<T> {
  readonly #batches: DataLoader<string, T>;
  readonly #records = new Map<string, Promise<T>>();

  constructor(loadAll: (ids: readonly string[]) => Promise<readonly (T | Error)[]>) {
    this.#batches = new DataLoader(loadAll, { cache: false });
  }

  load(id: string): Promise<T> {
    const known = this.#records.get(id);
    if (known !== undefined) return known;
    const record = this.#batches.load(id);
    this.#records.set(id, record);
    return record;
  }
}

/** Loads records by searching for them in their list. */
export function searching<T>(list: PagedList<T>): ById<T | null> {
  return new CachedLoader((ids) => scanFor(list, ids));
}

/** Loads records one by one. */
export function loading<T>(load: (id: string) => Promise<T>): ById<T> {
  const loadOrError = async (id: string): Promise<T | Error> => {
    try {
      return await load(id);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  return new CachedLoader((ids) => Promise.all(ids.map(loadOrError)));
}

// The legacy surface returns its lists whole. An operation may look up thousands of records in them.

/** Indexes rows by key: the first of those with the same key, and none without a readable one. */
export function byKey<T>(rows: readonly T[], keyOf: (row: T) => string | null): ReadonlyMap<string, T> {
  const index = new Map<string, T>();
  for (const row of rows) {
    const key = readable(() => keyOf(row));
    if (key !== null && !index.has(key)) index.set(key, row);
  }
  return index;
}

/**
 * Indexes groups by the login ids of their accounts.
 *
 * @throws SourceError `malformed` if the members of a group cannot be read.
 */
export function groupsByMember(groups: readonly LegacyGroup[]): ReadonlyMap<string, readonly LegacyGroup[]> {
  const index = new Map<string, LegacyGroup[]>();
  for (const group of groups) {
    for (const loginId of new Set(group.accounts?.map((member) => member.loginId))) {
      if (loginId === null) continue;
      const holders = index.get(loginId);
      if (holders) holders.push(group);
      else index.set(loginId, [group]);
    }
  }
  return index;
}

/** Whether a group contains an account. Throws as `groupsByMember` does, but only if the account is not found first. */
export function holdsAccount({ accounts }: LegacyGroup, wanted: string): boolean {
  return accounts?.some(({ loginId }) => loginId === wanted) ?? false;
}
