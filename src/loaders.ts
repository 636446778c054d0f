import DataLoader from 'dataloader';
import type { Sources } from './context.ts';
import { fingerprintOf } from './paging/cursor.ts';
import { fixedSize, type PageSizes } from './paging/pages.ts';
import type { PagedList } from './paging/read.ts';
import { readWhole, scanFor } from './paging/scan.ts';
import { byKey, groupsByMember, holdsAccount } from './records/legacy-index.ts';
import type { Services } from './services.ts';
import {
  getAccount,
  listAccounts,
  type AccountDetail,
  type AccountListItem,
  type AccountListParams,
} from './sources/current/accounts.ts';
import type { Page, PageRequest } from './sources/current/client.ts';
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
import type { Surface } from './sources/errors.ts';
import { listLegacyAccounts, type LegacyAccount } from './sources/legacy/accounts.ts';
import { listLegacyGroups, type LegacyGroup } from './sources/legacy/groups.ts';
import { readable } from './sources/view.ts';

/** Reads records by their ids; those that are asked for at the same time together, and each once. */
export type ById<T> = Pick<DataLoader<string, T>, 'load'>;

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

/** The service documents no page size for the library; this serves until its first answer tells. */
const LIBRARY_PAGE_SIZE_GUESS = 10;

/** A class, because its methods are made once for all operations, and each loader only where one is needed. */
class OperationLoaders implements Loaders {
  readonly #sources: Sources;
  readonly #services: Services;
  /** The pages that were read, by list, parameters and number. */
  #pages: PageMemory = new Map();
  /** What else was read, by the name of its loader. */
  #made = new Map<string, unknown>();

  constructor(sources: Sources, services: Services) {
    this.#sources = sources;
    this.#services = services;
  }

  accounts(params: AccountListParams): PagedList<AccountListItem> {
    return this.#paged({ list: 'accounts', params, keyOf: loginIdOf }, (page) =>
      listAccounts(this.#sources.current(), page, params),
    );
  }

  groups(params: GroupListParams): PagedList<Group> {
    return this.#paged({ list: 'groups', params, keyOf: groupIdOf }, (page) =>
      listGroups(this.#sources.current(), page, params),
    );
  }

  queue(params: QueueParams): PagedList<QueuedPost> {
    return this.#paged({ list: 'queue', params, keyOf: postIdOf }, (page) =>
      listQueuedPosts(this.#sources.current(), page, params),
    );
  }

  library(params: LibraryParams): PagedList<LibraryItem> {
    const sizes = fixedSize(LIBRARY_PAGE_SIZE_GUESS);
    return this.#paged({ list: 'library', params, keyOf: itemIdOf, sizes }, ({ page }) =>
      listLibrary(this.#sources.current(), page, params),
    );
  }

  aiHistory(): PagedList<AiHistoryRecord> {
    return this.#paged({ list: 'AI history', params: {}, keyOf: contentIdOf }, (page) =>
      listAiHistory(this.#sources.current(), page),
    );
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
      () => new DataLoader(async (ids) => membersIn(await readWhole(this.groups({})), ids)),
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
    this.#pages = new Map();
    this.#made = new Map();
  }

  #once<T>(name: keyof Loaders, make: () => T): T {
    const made = this.#made.get(name) as T | undefined;
    if (made !== undefined) return made;
    const fresh = make();
    this.#made.set(name, fresh);
    return fresh;
  }

  #paged<T>(
    { list, params, keyOf, sizes }: ListOptions<T>,
    fetchPage: (request: PageRequest) => Promise<Page<T>>,
  ): PagedList<T> {
    const memory = this.#services.sizeMemory(list, sizes);
    const place = `${list} ${JSON.stringify(params)}`;
    let fingerprint: string | undefined;
    return {
      // Only cursors bear it.
      get fingerprint() {
        return (fingerprint ??= fingerprintOf(list, { ...params }));
      },
      surface: 'current',
      memory,
      keyOf: (row) => readable(() => keyOf(row)),
      fetch: (page, size, fresh) => {
        const name = `${place} ${page} ${memory.sizes.fixed ? '' : size}`;
        const known = fresh ? undefined : this.#pages.get(name);
        const answer = (known as Promise<Page<T>> | undefined) ?? fetchPage({ page, size });
        this.#pages.set(name, answer);
        return answer;
      },
    };
  }
}

type PageMemory = Map<string, Promise<Page<unknown>>>;

interface ListOptions<T> {
  readonly list: string;
  readonly params: object;
  readonly keyOf: (row: T) => string | null;
  /** What is known of its page sizes before its first answer. */
  readonly sizes?: PageSizes;
}

function membersIn(groups: readonly Group[], loginIds: readonly string[]): (GroupMember | null)[] {
  const members = groups.flatMap((group) => readable(() => group.accounts) ?? []);
  const byId = new Map(members.map((member) => [readable(() => member.loginId), member]));
  return loginIds.map((id) => byId.get(id) ?? null);
}

function searching<T>(list: PagedList<T>): ById<T | null> {
  return new DataLoader<string, T | null>((ids) => scanFor(list, ids));
}

/** A list that is in hand as a whole, to be read by windows like one that comes in pages. */
export function wholeList<T>(
  list: string,
  args: Readonly<Record<string, unknown>>,
  {
    surface,
    rows,
    keyOf,
  }: { surface: Surface; rows: () => Promise<readonly T[]>; keyOf: (row: T) => string | null },
): PagedList<T> {
  let fingerprint: string | undefined;
  return {
    // Only cursors bear it, and each group of a list is a list itself.
    get fingerprint() {
      return (fingerprint ??= fingerprintOf(list, args));
    },
    surface,
    memory: { sizes: fixedSize(1) },
    keyOf: (row) => readable(() => keyOf(row)),
    fetch: async () => {
      const all = await rows();
      return { page: 1, size: Math.max(all.length, 1), total: all.length, rows: all };
    },
  };
}

function loading<T>(load: (id: string) => Promise<T>): ById<T> {
  const settled = async (id: string): Promise<T | Error> => {
    try {
      return await load(id);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  return new DataLoader<string, T>((ids) => Promise.all(ids.map(settled)));
}

const loginIdOf = (row: AccountListItem): string | null => row.loginId;
const groupIdOf = (row: Group): string | null => row.groupId;
const postIdOf = (row: QueuedPost): string | null => row.postId;
const itemIdOf = (row: LibraryItem): string | null => row.itemId;
const contentIdOf = (row: AiHistoryRecord): string | null => row.contentId;
