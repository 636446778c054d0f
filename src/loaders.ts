import DataLoader from 'dataloader';
import type { Sources } from './context.ts';
import { fingerprintOf } from './lists/cursor.ts';
import { fixedSize, type PageSizes } from './lists/pages.ts';
import type { PagedList, SizeMemory } from './lists/reading.ts';
import { readWhole, scanFor } from './lists/scan.ts';
import { byKey, groupsByMember, holdsAccount } from './records/legacy-index.ts';
import type { Services } from './services.ts';
import {
  getAccount,
  listAccounts,
  type AccountDetail,
  type AccountListItem,
  type AccountListParams,
} from './sources/current/accounts.ts';
import type { CurrentClient, Page, PageRequest } from './sources/current/client.ts';
import { listGroups, type Group, type GroupListParams, type GroupMember } from './sources/current/groups.ts';
import {
  getLibraryItem,
  listLibrary,
  type LibraryItem,
  type LibraryParams,
} from './sources/current/library.ts';
import { getMembership, type Membership } from './sources/current/membership.ts';
import { listAiHistory, type AiHistoryRecord } from './sources/current/openai.ts';
import { listQueuedPosts, type QueuedPost, type QueueParams } from './sources/current/posts.ts';
import { listLegacyAccounts, type LegacyAccount } from './sources/legacy/accounts.ts';
import { listLegacyGroups, type LegacyGroup } from './sources/legacy/groups.ts';
import { readable } from './sources/view.ts';

/** Reads records by their ids; those that are asked for at the same time together, and each once. */
export interface ById<T> {
  load(id: string): Promise<T>;
}

/** The shared calls of one operation: however many fields and aliases ask for the same thing, it is read once. */
export interface Loaders {
  /** Lists of the current surface, to be read by windows. */
  accounts(params: AccountListParams): PagedList<AccountListItem>;
  groups(params: GroupListParams): PagedList<Group>;
  queue(params: QueueParams): PagedList<QueuedPost>;
  library(params: LibraryParams): PagedList<LibraryItem>;
  aiHistory(): PagedList<AiHistoryRecord>;
  /** One account in full, by login id. */
  readonly accountDetail: ById<AccountDetail>;
  /** An account as the list shows it, by login id; null when the whole list was read and does not hold it. */
  readonly accountListItem: ById<AccountListItem | null>;
  /** A library item by its id. */
  readonly libraryItem: ById<LibraryItem>;
  /** Records by their ids, searched for in their lists; null when the whole list was read and does not hold one. */
  readonly group: ById<Group | null>;
  /** An account as the groups show it, by login id; null when no group holds it. */
  readonly groupMember: ById<GroupMember | null>;
  readonly queuedPost: ById<QueuedPost | null>;
  readonly libraryListItem: ById<LibraryItem | null>;
  readonly aiHistoryRecord: ById<AiHistoryRecord | null>;
  membership(): Promise<Membership>;
  /** The whole lists of the legacy surface, and one record of each by its id; null when the list does not hold it. */
  legacyAccounts(): Promise<readonly LegacyAccount[]>;
  legacyAccount(id: string): Promise<LegacyAccount | null>;
  legacyGroups(): Promise<readonly LegacyGroup[]>;
  /** The groups of the legacy surface that hold an account. */
  legacyGroupsOf(loginId: string): Promise<readonly LegacyGroup[]>;
  legacyGroup(id: string): Promise<LegacyGroup | null>;
  /** Forgets what was read: something has been written since. */
  forget(): void;
}

/** Makes the loaders of one operation. */
export function createLoaders(sources: Sources, services: Services): Loaders {
  return new OperationLoaders(sources, services);
}

/** A list of the current surface: its name, its key, and the call that reads a page of it. */
interface ListKind<T, P> {
  readonly name: string;
  readonly keyOf: (row: T) => string | null;
  readonly read: (client: CurrentClient, request: PageRequest, params: P) => Promise<Page<T>>;
  /** What is known of its page sizes before the first page. */
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
/** The service documents no page size for the library; this serves until the first page tells. */
const LIBRARY_PAGE_SIZE_GUESS = 10;
const LIBRARY: ListKind<LibraryItem, LibraryParams> = {
  name: 'library',
  keyOf: ({ itemId }) => itemId,
  read: (client, { page }, params) => listLibrary(client, page, params),
  sizes: fixedSize(LIBRARY_PAGE_SIZE_GUESS),
};
const AI_HISTORY: ListKind<AiHistoryRecord, object> = {
  name: 'AI history',
  keyOf: ({ contentId }) => contentId,
  read: listAiHistory,
};

/** A list as one operation reads it: each page once, unless it is asked for afresh. */
class OperationList<T, P extends object> implements PagedList<T> {
  readonly surface = 'current';
  readonly memory: SizeMemory;
  readonly #kind: ListKind<T, P>;
  readonly #params: P;
  readonly #client: () => CurrentClient;
  readonly #pages: (PageRequest & { answer: Promise<Page<T>> })[] = [];
  #fingerprint: string | undefined;

  constructor(
    kind: ListKind<T, P>,
    params: P,
    { memory, client }: { memory: SizeMemory; client: () => CurrentClient },
  ) {
    this.memory = memory;
    this.#kind = kind;
    this.#params = params;
    this.#client = client;
  }

  get fingerprint(): string {
    return (this.#fingerprint ??= fingerprintOf(this.#kind.name, this.#params));
  }

  keyOf(row: T): string | null {
    return readable(() => this.#kind.keyOf(row));
  }

  readPage(page: number, size: number, fresh: boolean): Promise<Page<T>> {
    const isAsked = this.memory.sizes.fixed
      ? (one: PageRequest) => one.page === page
      : (one: PageRequest) => one.page === page && one.size === size;
    const known = this.#pages.find(isAsked);
    if (known && !fresh) return known.answer;
    const answer = this.#kind.read(this.#client(), { page, size }, this.#params);
    if (known) known.answer = answer;
    else this.#pages.push({ page, size, answer });
    return answer;
  }
}

/** A class with getters, so that an operation makes only the loaders that it uses. */
class OperationLoaders implements Loaders {
  readonly #sources: Sources;
  readonly #services: Services;
  /** What was made so far: lists by name and parameters, everything else by the name of its loader. */
  #made = new Map<string, unknown>();

  constructor(sources: Sources, services: Services) {
    this.#sources = sources;
    this.#services = services;
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
    const rows = await this.legacyAccounts();
    return this.#once('legacyAccount', () => byKey(rows, (row) => row.loginId)).get(id) ?? null;
  }

  legacyGroups(): Promise<readonly LegacyGroup[]> {
    return this.#once('legacyGroups', () => listLegacyGroups(this.#sources.legacy()));
  }

  async legacyGroup(id: string): Promise<LegacyGroup | null> {
    const rows = await this.legacyGroups();
    return this.#once('legacyGroup', () => byKey(rows, (row) => row.groupId)).get(id) ?? null;
  }

  async legacyGroupsOf(loginId: string): Promise<readonly LegacyGroup[]> {
    const groups = await this.legacyGroups();
    const index = this.#once('legacyGroupsOf', () => readable(() => groupsByMember(groups)));
    // With a damaged member, only those accounts fail whose groups it leaves open.
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
      const memory = this.#services.sizeMemory(kind.name, kind.sizes);
      return new OperationList(kind, params, { memory, client: this.#sources.current });
    });
  }
}

function membersIn(groups: readonly Group[], loginIds: readonly string[]): (GroupMember | null)[] {
  const members = groups.flatMap((group) => readable(() => group.accounts) ?? []);
  const byId = new Map(members.map((member) => [readable(() => member.loginId), member]));
  return loginIds.map((id) => byId.get(id) ?? null);
}

/** DataLoader's own cache makes another promise for each hit. */
class CachedLoader<T> implements ById<T> {
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

function searching<T>(list: PagedList<T>): ById<T | null> {
  return new CachedLoader((ids) => scanFor(list, ids));
}

function loading<T>(load: (id: string) => Promise<T>): ById<T> {
  const loadOrError = async (id: string): Promise<T | Error> => {
    try {
      return await load(id);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  return new CachedLoader((ids) => Promise.all(ids.map(loadOrError)));
}
