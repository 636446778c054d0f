import type { WriteContext } from './context.ts';
import {
  createLibraryItem as sendItem,
  listLibrary,
  type LibraryItem,
  type NewLibraryItem,
} from '../sources/current/library.ts';
import { SourceError } from '../sources/errors.ts';
import { wireOf } from '../sources/view.ts';
import { draftItemsOf, type DraftVariantInput } from './create-draft.ts';
import type { Attempt, KeyedResult } from './keyed-write.ts';
import { completed, type WriteResult } from './outcome.ts';
import { Problems } from './problems.ts';
import { performWrite } from './write.ts';

/** The input of a library item. */
export interface CreateLibraryItemInput {
  readonly idempotencyKey?: string | null | undefined;
  readonly title: string;
  readonly kind: NewLibraryItem['kind'];
  readonly tags?: readonly string[] | null | undefined;
  readonly activeTab?: string | null | undefined;
  readonly variants: readonly DraftVariantInput[];
}

/** A saved item as plain data: the service's own record without its secrets. */
export interface StoredItem {
  readonly itemId: string;
  readonly wire: unknown;
  readonly message: string | null;
}

/** Saves content in the library: validates all of it, then sends it once. */
export async function createLibraryItem(
  context: WriteContext,
  input: CreateLibraryItemInput,
): Promise<KeyedResult<StoredItem>> {
  const { item, problems } = checkLibraryItem(input);
  return await performWrite(context, {
    mutation: 'createLibraryItem',
    problems: problems.list,
    surface: 'current',
    input,
    whereToLook: 'Look for it with libraryItems(filter: { text: … }).',
    subject: item,
    // The service's clock may differ from ours, so new items are identified by comparison with those before.
    lookBefore: async () => (await equalItems(context, item))?.map(({ itemId }) => itemId) ?? null,
    send: async (attempt) => {
      const { itemId, item: made, message } = await sendItem(context.writes.sources.current(), item);
      context.writes.claims.note([nameOfItem(itemId)], attempt);
      return completed({ itemId, wire: wireOf(made), message });
    },
    lookAgain: (attempt) => findNew(context, item, attempt),
  });
}

/** Validates a library item and builds the call to send. */
export function checkLibraryItem(input: CreateLibraryItemInput): {
  readonly item: NewLibraryItem;
  readonly problems: Problems;
} {
  const problems = new Problems();
  problems.key(input.idempotencyKey);
  problems.limits(input);
  problems.text(['title'], input.title);
  problems.elements(['variants'], input.variants);
  const items = draftItemsOf(input.variants, problems);
  const item: NewLibraryItem = {
    title: input.title,
    kind: input.kind,
    ...(input.activeTab == null ? {} : { currentActiveTab: input.activeTab }),
    ...(input.tags == null ? {} : { tags: input.tags }),
    items,
  };
  return { item, problems };
}

/** Returns the items equal to one in everything that the list shows; null if they cannot be determined. */
async function equalItems(context: WriteContext, item: NewLibraryItem): Promise<LibraryItem[] | null> {
  try {
    const { rows, total } = await listLibrary(context.writes.sources.current(), 1, { text: item.title });
    // An item on another page could move up when one is deleted, and appear to be new.
    return total > rows.length ? null : rows.filter((row) => isEqual(row, item));
  } catch (error) {
    // If there is no connection, the write is certain not to be sent either.
    if (error instanceof SourceError && error.kind !== 'unreachable') return null;
    throw error;
  }
}

const nameOfItem = (itemId: string): string => `library item ${itemId}`;

// A single new equal item must be the created one; with two, the outcome stays unknown.
async function findNew(
  context: WriteContext,
  item: NewLibraryItem,
  attempt: Attempt,
): Promise<WriteResult<StoredItem> | null> {
  const { claims } = context.writes;
  const { before } = attempt as { readonly before?: readonly (string | null)[] | null };
  const after = before && (await equalItems(context, item));
  const isNew = ({ itemId }: LibraryItem): boolean =>
    itemId === null || (!before?.includes(itemId) && claims.isFree(nameOfItem(itemId), attempt));
  const [only, another] = after?.filter(isNew) ?? [];
  if (only === undefined || another !== undefined || only.itemId === null) return null;
  for (const other of claims.others('createLibraryItem', attempt))
    if ((other as NewLibraryItem).title === item.title) return null;
  claims.note([nameOfItem(only.itemId)], attempt);
  return completed({ itemId: only.itemId, wire: wireOf(only), message: null });
}

function isEqual(row: LibraryItem, item: NewLibraryItem): boolean {
  return (
    row.title === item.title &&
    row.kindCode?.toLowerCase() === item.kind.toLowerCase() &&
    JSON.stringify(row.tags ?? []) === JSON.stringify(item.tags ?? []) &&
    item.items.some(({ text }) => (text ?? null) === (row.content?.text ?? null))
  );
}
