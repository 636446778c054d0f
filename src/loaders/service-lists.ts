import { fingerprintOf } from '../lists/cursor.ts';
import { fixedSize, type PageSizes } from '../lists/pages.ts';
import type { PagedList, SizeMemory } from '../lists/reading.ts';
import { listAccounts, type AccountListItem, type AccountListParams } from '../sources/current/accounts.ts';
import type { CurrentClient, Page, PageRequest } from '../sources/current/client.ts';
import { listGroups, type Group, type GroupListParams } from '../sources/current/groups.ts';
import { listLibrary, type LibraryItem, type LibraryParams } from '../sources/current/library.ts';
import { listAiHistory, type AiHistoryRecord } from '../sources/current/openai.ts';
import { listQueuedPosts, type QueuedPost, type QueueParams } from '../sources/current/posts.ts';
import { readable } from '../sources/view.ts';

/** A list of the current surface: its name, its key, and the call that reads a page of it. */
export interface ListKind<T, P> {
  readonly name: string;
  readonly keyOf: (row: T) => string | null;
  readonly read: (client: CurrentClient, request: PageRequest, params: P) => Promise<Page<T>>;
  /** The page sizes assumed before the first page. */
  readonly sizes?: PageSizes;
}

/** The accounts of the current surface. */
export const ACCOUNTS: ListKind<AccountListItem, AccountListParams> = {
  name: 'accounts',
  keyOf: ({ loginId }) => loginId,
  read: listAccounts,
};
/** Its groups. */
export const GROUPS: ListKind<Group, GroupListParams> = {
  name: 'groups',
  keyOf: ({ groupId }) => groupId,
  read: listGroups,
};
/** Its queue. */
export const QUEUE: ListKind<QueuedPost, QueueParams> = {
  name: 'queue',
  keyOf: ({ postId }) => postId,
  read: listQueuedPosts,
};
/** The service documents no page size for the library; this is used until the first page. */
const LIBRARY_PAGE_SIZE_GUESS = 10;
/** Its content library. */
export const LIBRARY: ListKind<LibraryItem, LibraryParams> = {
  name: 'library',
  keyOf: ({ itemId }) => itemId,
  read: (client, { page }, params) => listLibrary(client, page, params),
  sizes: fixedSize(LIBRARY_PAGE_SIZE_GUESS),
};
/** Its AI texts. */
export const AI_HISTORY: ListKind<AiHistoryRecord, object> = {
  name: 'AI history',
  keyOf: ({ contentId }) => contentId,
  read: listAiHistory,
};

/** A list as read by one operation: each page once, unless it is requested afresh. */
export class OperationList<T, P extends object> implements PagedList<T> {
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
