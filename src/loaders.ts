import DataLoader from 'dataloader';
import type { Sources } from './context.ts';
import { fingerprintOf } from './paging/cursor.ts';
import { fixedSize } from './paging/pages.ts';
import type { PagedList } from './paging/read.ts';
import { scanFor } from './paging/scan.ts';
import type { Services } from './services.ts';
import {
  getAccount,
  listAccounts,
  type AccountDetail,
  type AccountListItem,
  type AccountListParams,
} from './sources/current/accounts.ts';
import type { Page } from './sources/current/client.ts';
import { listGroups, type Group, type GroupListParams } from './sources/current/groups.ts';
import type { Surface } from './sources/errors.ts';
import { listLegacyAccounts, type LegacyAccount } from './sources/legacy/accounts.ts';
import { listLegacyGroups, type LegacyGroup } from './sources/legacy/groups.ts';

/** The shared calls of one operation: however many fields and aliases ask for the same thing, it is read once. */
export interface Loaders {
  /** Lists of the current surface, to be read by windows. */
  readonly accounts: (params: AccountListParams) => PagedList<AccountListItem>;
  readonly groups: (params: GroupListParams) => PagedList<Group>;
  /** One account in full, by login id. */
  readonly accountDetail: DataLoader<string, AccountDetail>;
  /** An account as the list shows it, by login id; null when the whole list was read and does not hold it. */
  readonly accountListItem: DataLoader<string, AccountListItem | null>;
  /** A group by its id; null when the whole list was read and does not hold it. */
  readonly group: DataLoader<string, Group | null>;
  /** The whole lists of the legacy surface, and one record of each by its id; null when the list does not hold it. */
  readonly legacyAccounts: () => Promise<readonly LegacyAccount[]>;
  readonly legacyAccount: (id: string) => Promise<LegacyAccount | null>;
  readonly legacyGroups: () => Promise<readonly LegacyGroup[]>;
  readonly legacyGroup: (id: string) => Promise<LegacyGroup | null>;
}

/** Makes the loaders of one operation. */
export function createLoaders(sources: Sources, services: Services): Loaders {
  const paged = pagedLists(services);
  const accounts = (params: AccountListParams): PagedList<AccountListItem> =>
    paged(
      'accounts',
      { ...params },
      (page, size) => listAccounts(sources.current(), { page, size }, params),
      loginIdOf,
    );
  const groups = (params: GroupListParams): PagedList<Group> =>
    paged(
      'groups',
      { ...params },
      (page, size) => listGroups(sources.current(), { page, size }, params),
      groupIdOf,
    );
  const legacyAccounts = once(() => listLegacyAccounts(sources.legacy()));
  const legacyGroups = once(() => listLegacyGroups(sources.legacy()));
  return {
    accounts,
    groups,
    accountDetail: new DataLoader((ids) => each(ids, (loginId) => getAccount(sources.current(), loginId))),
    accountListItem: new DataLoader<string, AccountListItem | null>((ids) => scanFor(accounts({}), ids)),
    group: new DataLoader<string, Group | null>((ids) => scanFor(groups({}), ids)),
    legacyAccounts,
    legacyAccount: async (id) =>
      (await legacyAccounts()).find((row) => readable(() => row.loginId) === id) ?? null,
    legacyGroups,
    legacyGroup: async (id) =>
      (await legacyGroups()).find((row) => readable(() => row.groupId) === id) ?? null,
  };
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

type FetchPage<T> = (page: number, size: number) => Promise<Page<T>>;

function pagedLists(services: Services) {
  const pages = new Map<string, Promise<Page<unknown>>>();
  return <T>(
    list: string,
    args: Readonly<Record<string, unknown>>,
    fetchPage: FetchPage<T>,
    keyOf: (row: T) => string | null,
  ): PagedList<T> => {
    const fingerprint = fingerprintOf(list, args);
    return {
      fingerprint,
      surface: 'current',
      memory: services.sizeMemory(list),
      keyOf: (row) => readable(() => keyOf(row)),
      fetch: (page, size, fresh) => {
        const name = `${fingerprint} ${page} ${size}`;
        const known = fresh ? undefined : pages.get(name);
        const answer = (known as Promise<Page<T>> | undefined) ?? fetchPage(page, size);
        pages.set(name, answer);
        return answer;
      },
    };
  };
}

// A row whose key is damaged still has its place in the list; only its own fields fail.
function readable(key: () => string | null): string | null {
  try {
    return key();
  } catch {
    return null;
  }
}

async function each<K, V>(keys: readonly K[], load: (key: K) => Promise<V>): Promise<(V | Error)[]> {
  return await Promise.all(
    keys.map((key) =>
      load(key).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error)))),
    ),
  );
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}

const loginIdOf = (row: { readonly loginId: string | null }): string | null => row.loginId;
const groupIdOf = (row: { readonly groupId: string | null }): string | null => row.groupId;
