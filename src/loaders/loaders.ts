import { fingerprintOf } from '../lists/cursor.ts';
import { fixedSize, type PageSizes } from '../lists/pages.ts';
import type { PagedList, SizeMemory } from '../lists/reading.ts';
import { readStill, readWhole, scanFor } from '../lists/scan.ts';
import { getOrInsertComputed } from '../remember.ts';
import {
  getAccount,
  listAccounts,
  type AccountDetail,
  type AccountListItem,
  type AccountListParams,
} from '../sources/current/accounts.ts';
import type { CurrentClient, Page, PageRequest } from '../sources/current/client.ts';
import { listGroups, type Group, type GroupListParams, type GroupMember } from '../sources/current/groups.ts';
import {
  getLibraryItem,
  listLibrary,
  type LibraryItem,
  type LibraryParams,
} from '../sources/current/library.ts';
import { getMembership, type Membership } from '../sources/current/membership.ts';
import { listAiHistory, type AiText } from '../sources/current/openai.ts';
import { listQueuedPosts, type QueuedPost, type QueueParams } from '../sources/current/posts.ts';
import { assertSourceError, type SourceError } from '../sources/errors.ts';
import { listLegacyAccounts, type LegacyAccount } from '../sources/legacy/accounts.ts';
import { byId, type Find } from '../sources/legacy/by-id.ts';
import { listLegacyGroups, type LegacyGroup } from '../sources/legacy/groups.ts';
import type { Sources } from '../sources/sources.ts';
import { readable } from '../sources/view.ts';
import DataLoader from 'dataloader';

/** The shared calls of one operation: however many fields and aliases request the same thing, it is read once. */
export type Loaders = Pick<OperationLoaders, keyof OperationLoaders>;

/** Returns the page sizes of a service list, learned from its responses to the caller. */
export type SizeMemories = (list: string, start?: PageSizes) => SizeMemory;

/** Reads records by id. Simultaneous requests are batched, and each record is read once. */
export interface ById<T> {
  load(id: string): Promise<T>;
}

/** A list of the current surface: its name, its key, and the call that reads a page of it. */
interface ListKind<T, P> {
  readonly name: string;
  readonly keyOf: (row: T) => string | null;
  readonly read: (client: CurrentClient, request: PageRequest, params: P) => Promise<Page<T>>;
  /** The page sizes assumed before the first page. */
  readonly sizes?: PageSizes;
}

const ACCOUNTS: ListKind<AccountListItem, AccountListParams> = {
  name: 'accounts',
  keyOf: ({ loginId }) => loginId,
  read: listAccounts,
};
const GROUPS: ListKind<Group, GroupListParams> = {
  name: 'groups',
  keyOf: ({ groupId }) => groupId,
  read: listGroups,
};
const QUEUE: ListKind<QueuedPost, QueueParams> = {
  name: 'queue',
  keyOf: ({ postId }) => postId,
  read: listQueuedPosts,
};
/** The service documents no page size for the library; this is used until the first page. */
const LIBRARY_PAGE_SIZE_GUESS = 10;
const LIBRARY: ListKind<LibraryItem, LibraryParams> = {
  name: 'library',
  keyOf: ({ itemId }) => itemId,
  read: (client, { page }, params) => listLibrary(client, page, params),
  sizes: fixedSize(LIBRARY_PAGE_SIZE_GUESS),
};
const AI_HISTORY: ListKind<AiText, object> = {
  name: 'AI history',
  keyOf: ({ contentId }) => contentId,
  read: listAiHistory,
};

/** The loaders of one operation. Everything is created on first use, because most operations use few of them. */
export class OperationLoaders {
  readonly #sources: Sources;
  readonly #sizeMemory: SizeMemories;
  readonly #lists = new Map<string, unknown>();
  readonly #wholeLists = new Map<string, Promise<readonly unknown[]>>();
  #accountDetail: ById<AccountDetail> | undefined;
  #accountListItem: ById<AccountListItem | null> | undefined;
  #libraryItem: ById<LibraryItem> | undefined;
  #libraryListItem: ById<LibraryItem | null> | undefined;
  #group: ById<Group | null> | undefined;
  #groupMember: ById<GroupMember | null> | undefined;
  #queuedPost: ById<QueuedPost | null> | undefined;
  #aiHistoryRecord: ById<AiText | null> | undefined;
  #membership: Promise<Membership> | undefined;
  #legacyAccounts: Promise<readonly LegacyAccount[]> | undefined;
  #findLegacyAccount: Promise<Find<LegacyAccount>> | undefined;
  #legacyGroups: Promise<readonly LegacyGroup[]> | undefined;
  #findLegacyGroup: Promise<Find<LegacyGroup>> | undefined;
  #legacyMemberships: Promise<Memberships> | undefined;

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

  aiHistory(): PagedList<AiText> {
    return this.#list(AI_HISTORY, {});
  }

  /** All rows of one of these lists as they were at one time, read once for all searches in it. */
  whole<T>(list: PagedList<T>): Promise<readonly T[]> {
    const rows = getOrInsertComputed(this.#wholeLists, list.fingerprint, () => readStill(list));
    return rows as Promise<readonly T[]>;
  }

  /** One account in full, by login id. */
  get accountDetail(): ById<AccountDetail> {
    return (this.#accountDetail ??= loading((loginId) => getAccount(this.#sources.current(), loginId)));
  }

  /** An account in the list, by login id; null if the whole list was read and does not contain it. */
  get accountListItem(): ById<AccountListItem | null> {
    return (this.#accountListItem ??= searching(this.accounts({})));
  }

  get libraryItem(): ById<LibraryItem> {
    return (this.#libraryItem ??= loading((itemId) => getLibraryItem(this.#sources.current(), itemId)));
  }

  // Searched for in their lists; null if the whole list was read and does not contain one.

  get libraryListItem(): ById<LibraryItem | null> {
    return (this.#libraryListItem ??= searching(this.library({})));
  }

  get group(): ById<Group | null> {
    return (this.#group ??= searching(this.groups({})));
  }

  /** An account in the groups, by login id; null if no group contains it. */
  get groupMember(): ById<GroupMember | null> {
    return (this.#groupMember ??= batching<GroupMember | null>(async (ids) => {
      const groups = (await readWhole(this.groups({}))).map((group) => membersOf<GroupMember>(group));
      const known = new Map(groups.flatMap(({ members }) => [...members]));
      // A damaged one may be any of the others.
      const damage = groups.find(({ error }) => error !== null)?.error ?? null;
      return ids.map((id) => known.get(id) ?? damage);
    }));
  }

  get queuedPost(): ById<QueuedPost | null> {
    return (this.#queuedPost ??= searching(this.queue({})));
  }

  get aiHistoryRecord(): ById<AiText | null> {
    return (this.#aiHistoryRecord ??= searching(this.aiHistory()));
  }

  membership(): Promise<Membership> {
    return (this.#membership ??= getMembership(this.#sources.current()));
  }

  // The legacy surface returns its lists whole. An operation may look up thousands of records in them.

  legacyAccounts(): Promise<readonly LegacyAccount[]> {
    return (this.#legacyAccounts ??= listLegacyAccounts(this.#sources.legacy()));
  }

  async legacyAccount(id: string): Promise<LegacyAccount | null> {
    this.#findLegacyAccount ??= this.legacyAccounts().then((rows) => byId(rows, (row) => row.loginId));
    return (await this.#findLegacyAccount)(id);
  }

  legacyGroups(): Promise<readonly LegacyGroup[]> {
    return (this.#legacyGroups ??= listLegacyGroups(this.#sources.legacy()));
  }

  async legacyGroup(id: string): Promise<LegacyGroup | null> {
    this.#findLegacyGroup ??= this.legacyGroups().then((rows) => byId(rows, (row) => row.groupId));
    return (await this.#findLegacyGroup)(id);
  }

  /** The groups of the legacy surface that contain an account. Fails if a damaged group may contain it, too. */
  async legacyGroupsOf(loginId: string): Promise<readonly LegacyGroup[]> {
    this.#legacyMemberships ??= this.legacyGroups().then(membershipsIn);
    const { groups, damaged } = await this.#legacyMemberships;
    const uncertain = damaged.find(({ members }) => !members.has(loginId));
    if (uncertain) throw uncertain.error;
    return groups.get(loginId) ?? [];
  }

  #list<T, P extends object>(kind: ListKind<T, P>, params: P): PagedList<T> {
    const list = getOrInsertComputed(this.#lists, `${kind.name} ${JSON.stringify(params)}`, () => {
      const memory = this.#sizeMemory(kind.name, kind.sizes);
      return new OperationList(kind, params, this.#sources, memory);
    });
    return list as PagedList<T>;
  }
}

/** A list as read by one operation: each page once, unless it is requested afresh. */
class OperationList<T, P extends object> implements PagedList<T> {
  readonly surface = 'current';
  readonly memory: SizeMemory;
  readonly #kind: ListKind<T, P>;
  readonly #params: P;
  readonly #sources: Sources;
  readonly #pages: (PageRequest & { answer: Promise<Page<T>> })[] = [];
  #fingerprint: string | undefined;

  constructor(kind: ListKind<T, P>, params: P, sources: Sources, memory: SizeMemory) {
    this.memory = memory;
    this.#kind = kind;
    this.#params = params;
    this.#sources = sources;
  }

  get fingerprint(): string {
    return (this.#fingerprint ??= fingerprintOf(this.#kind.name, this.#params));
  }

  keyOf(row: T): string | null {
    return readable(() => this.#kind.keyOf(row));
  }

  readPage(page: number, size: number, fresh: boolean): Promise<Page<T>> {
    const { fixed } = this.memory.sizes;
    const known = this.#pages.find((one) => one.page === page && (fixed || one.size === size));
    if (known && !fresh) return known.answer;
    const answer = this.#kind.read(this.#sources.current(), { page, size }, this.#params);
    if (known) known.answer = answer;
    else this.#pages.push({ page, size, answer });
    return answer;
  }
}

/** Loads records by searching for them in their list. */
function searching<T>(list: PagedList<T>): ById<T | null> {
  return batching((ids) => scanFor(list, ids));
}

/**
 * Loads records one by one. Their calls begin after the fields of a list have been executed: an operation that exceeds a
 * limit meanwhile makes none of them.
 */
function loading<T>(load: (id: string) => Promise<T>): ById<T> {
  return batching((ids) => Promise.all(ids.map((id) => load(id).catch((error: Error) => error))));
}

/** Loads records in batches, each record once. DataLoader's own cache would create another promise for each hit. */
function batching<T>(loadAll: (ids: readonly string[]) => Promise<readonly (T | Error)[]>): ById<T> {
  const batches = new DataLoader(loadAll, { cache: false });
  const records = new Map<string, Promise<T>>();
  const begin = (id: string): Promise<T> => batches.load(id);
  return { load: (id) => getOrInsertComputed(records, id, begin) };
}

/** Which accounts are in which groups. */
interface Memberships {
  /** By the login ids of the accounts. */
  readonly groups: ReadonlyMap<string, readonly LegacyGroup[]>;
  /** The groups with members that cannot be read: those that can, by login id. */
  readonly damaged: readonly {
    readonly members: ReadonlyMap<string, unknown>;
    readonly error: SourceError;
  }[];
}

// Read once for all accounts: a group may have hundreds of thousands of members.
function membershipsIn(all: readonly LegacyGroup[]): Memberships {
  const groups = new Map<string, LegacyGroup[]>();
  const damaged: Memberships['damaged'][number][] = [];
  for (const group of all) {
    const { members, error } = membersOf(group);
    if (error) damaged.push({ members, error });
    for (const loginId of members.keys()) getOrInsertComputed(groups, loginId, () => []).push(group);
  }
  return { groups, damaged };
}

/** Reads the accounts of a group by their login ids, up to one that cannot be read, and its error. */
function membersOf<M extends { readonly loginId: string | null }>(group: {
  readonly accounts: readonly M[] | null;
}) {
  const members = new Map<string, M>();
  try {
    for (const member of group.accounts ?? []) {
      const { loginId } = member;
      if (loginId !== null) members.set(loginId, member);
    }
    return { members, error: null };
  } catch (error) {
    assertSourceError(error);
    return { members, error };
  }
}
