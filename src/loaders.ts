import DataLoader from 'dataloader';
import type { Sources } from './context.ts';
import { fingerprintOf } from './paging/cursor.ts';
import { fixedSize } from './paging/pages.ts';
import type { PagedList, SizeMemory } from './paging/read.ts';
import { readWhole, scanFor } from './paging/scan.ts';
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

/** The shared calls of one operation: however many fields and aliases ask for the same thing, it is read once. */
export interface Loaders {
  /** Lists of the current surface, to be read by windows. */
  readonly accounts: (params: AccountListParams) => PagedList<AccountListItem>;
  readonly groups: (params: GroupListParams) => PagedList<Group>;
  readonly queue: (params: QueueParams) => PagedList<QueuedPost>;
  readonly library: (params: LibraryParams) => PagedList<LibraryItem>;
  readonly aiHistory: () => PagedList<AiHistoryRecord>;
  /** One account in full, by login id. */
  readonly accountDetail: DataLoader<string, AccountDetail>;
  /** An account as the list shows it, by login id; null when the whole list was read and does not hold it. */
  readonly accountListItem: DataLoader<string, AccountListItem | null>;
  /** A library item by its id. */
  readonly libraryItem: DataLoader<string, LibraryItem>;
  /** Records by their ids, searched for in their lists; null when the whole list was read and does not hold one. */
  readonly group: DataLoader<string, Group | null>;
  /** An account as the groups show it, by login id; null when no group holds it. */
  readonly groupMember: DataLoader<string, GroupMember | null>;
  readonly queuedPost: DataLoader<string, QueuedPost | null>;
  readonly libraryListItem: DataLoader<string, LibraryItem | null>;
  readonly aiHistoryRecord: DataLoader<string, AiHistoryRecord | null>;
  readonly membership: () => Promise<Membership>;
  /** The whole lists of the legacy surface, and one record of each by its id; null when the list does not hold it. */
  readonly legacyAccounts: () => Promise<readonly LegacyAccount[]>;
  readonly legacyAccount: (id: string) => Promise<LegacyAccount | null>;
  readonly legacyGroups: () => Promise<readonly LegacyGroup[]>;
  readonly legacyGroup: (id: string) => Promise<LegacyGroup | null>;
  /** Forgets what was read: something has been written since. */
  readonly forget: () => void;
}

/** Makes the loaders of one operation. */
export function createLoaders(sources: Sources, services: Services): Loaders {
  const pages: PageMemory = new Map();
  const lists = createLists(sources, services, pages);
  const single = {
    accountDetail: loading((loginId: string) => getAccount(sources.current(), loginId)),
    libraryItem: loading((itemId: string) => getLibraryItem(sources.current(), itemId)),
    accountListItem: searching(() => lists.accounts({})),
    group: searching(() => lists.groups({})),
    groupMember: new DataLoader<string, GroupMember | null>(async (ids) =>
      membersIn(await readWhole(lists.groups({})), ids),
    ),
    queuedPost: searching(() => lists.queue({})),
    libraryListItem: searching(() => lists.library({})),
    aiHistoryRecord: searching(lists.aiHistory),
  };
  const whole = {
    membership: once(() => getMembership(sources.current())),
    legacyAccounts: once(() => listLegacyAccounts(sources.legacy())),
    legacyGroups: once(() => listLegacyGroups(sources.legacy())),
  };
  return {
    ...lists,
    ...single,
    membership: whole.membership.load,
    legacyAccounts: whole.legacyAccounts.load,
    legacyAccount: async (id) =>
      (await whole.legacyAccounts.load()).find((row) => readable(() => row.loginId) === id) ?? null,
    legacyGroups: whole.legacyGroups.load,
    legacyGroup: async (id) =>
      (await whole.legacyGroups.load()).find((row) => readable(() => row.groupId) === id) ?? null,
    forget() {
      pages.clear();
      for (const loader of Object.values(single)) loader.clearAll();
      for (const list of Object.values(whole)) list.forget();
    },
  };
}

/** The service documents no page size for the library; this serves until its first answer tells. */
const LIBRARY_PAGE_SIZE_GUESS = 10;

function createLists(sources: Sources, services: Services, pages: PageMemory) {
  const paged = pagedLists(pages);
  const choosable = (list: string) => services.sizeMemory(list);
  const { current } = sources;
  return {
    accounts: (params: AccountListParams) =>
      paged(['accounts', params, choosable('accounts')], loginIdOf, (page) =>
        listAccounts(current(), page, params),
      ),
    groups: (params: GroupListParams) =>
      paged(['groups', params, choosable('groups')], groupIdOf, (page) =>
        listGroups(current(), page, params),
      ),
    queue: (params: QueueParams) =>
      paged(['queue', params, choosable('queue')], postIdOf, (page) =>
        listQueuedPosts(current(), page, params),
      ),
    library: (params: LibraryParams) => {
      const memory = services.sizeMemory('library', fixedSize(LIBRARY_PAGE_SIZE_GUESS));
      return paged(['library', params, memory], itemIdOf, ({ page }) => listLibrary(current(), page, params));
    },
    aiHistory: () =>
      paged(['AI history', {}, choosable('AI history')], contentIdOf, (page) =>
        listAiHistory(current(), page),
      ),
  };
}

function membersIn(groups: readonly Group[], loginIds: readonly string[]): (GroupMember | null)[] {
  const members = groups.flatMap((group) => readable(() => group.accounts) ?? []);
  const byId = new Map(members.map((member) => [readable(() => member.loginId), member]));
  return loginIds.map((id) => byId.get(id) ?? null);
}

function searching<T>(list: () => PagedList<T>): DataLoader<string, T | null> {
  return new DataLoader<string, T | null>((ids) => scanFor(list(), ids));
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
  return {
    fingerprint: fingerprintOf(list, args),
    surface,
    memory: { sizes: fixedSize(1) },
    keyOf: (row) => readable(() => keyOf(row)),
    fetch: async () => {
      const all = await rows();
      return { page: 1, size: Math.max(all.length, 1), total: all.length, rows: all };
    },
  };
}

type ListIdentity = readonly [name: string, params: object, memory: SizeMemory];

type PageMemory = Map<string, Promise<Page<unknown>>>;

function pagedLists(pages: PageMemory) {
  return <T>(
    [list, params, memory]: ListIdentity,
    keyOf: (row: T) => string | null,
    fetchPage: (request: PageRequest) => Promise<Page<T>>,
  ): PagedList<T> => {
    const fingerprint = fingerprintOf(list, { ...params });
    return {
      fingerprint,
      surface: 'current',
      memory,
      keyOf: (row) => readable(() => keyOf(row)),
      fetch: (page, size, fresh) => {
        const name = `${fingerprint} ${page} ${memory.sizes.fixed ? '' : size}`;
        const known = fresh ? undefined : pages.get(name);
        const answer = (known as Promise<Page<T>> | undefined) ?? fetchPage({ page, size });
        pages.set(name, answer);
        return answer;
      },
    };
  };
}

function loading<T>(load: (id: string) => Promise<T>): DataLoader<string, T> {
  const settled = async (id: string): Promise<T | Error> => {
    try {
      return await load(id);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  return new DataLoader<string, T>((ids) => Promise.all(ids.map(settled)));
}

interface Once<T> {
  readonly load: () => Promise<T>;
  readonly forget: () => void;
}

function once<T>(load: () => Promise<T>): Once<T> {
  let loaded: Promise<T> | undefined;
  return {
    load: () => (loaded ??= load()),
    forget: () => {
      loaded = undefined;
    },
  };
}

const loginIdOf = (row: AccountListItem): string | null => row.loginId;
const groupIdOf = (row: Group): string | null => row.groupId;
const postIdOf = (row: QueuedPost): string | null => row.postId;
const itemIdOf = (row: LibraryItem): string | null => row.itemId;
const contentIdOf = (row: AiHistoryRecord): string | null => row.contentId;
