import type { WriteContext } from './context.ts';
import {
  createLibraryItem as sendItem,
  type LibraryItem,
  type NewLibraryItem,
} from '../sources/current/library.ts';
import { wireOf } from '../sources/view.ts';
import { draftItemsOf, type DraftVariantInput } from './create-draft.ts';
import { searchFor, type Search } from './find-created.ts';
import { completed } from './outcome.ts';
import { Problems } from './problems.ts';
import { performWrite, type KeyedResult } from './write.ts';

/** The input of a library item. */
interface CreateLibraryItemInput {
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

const MUTATION = 'createLibraryItem';

/** Saves content in the library: validates all of it, then sends it once. */
export async function createLibraryItem(
  context: WriteContext,
  input: CreateLibraryItemInput,
): Promise<KeyedResult<StoredItem>> {
  const { item, problems } = checkLibraryItem(input);
  return await performWrite(context, {
    mutation: MUTATION,
    problems: problems.list,
    surface: 'current',
    input,
    whereToLook: 'Look for the item in the library.',
    search: searchForItem(context, item),
    readsBefore: true,
    send: async () => {
      const { itemId, item: made, message } = await sendItem(context.writes.sources.current(), item);
      return completed({ itemId, wire: wireOf(made), message });
    },
  });
}

/** Validates a library item and builds the call to send. */
export function checkLibraryItem(input: CreateLibraryItemInput): {
  readonly item: NewLibraryItem;
  readonly problems: Problems;
} {
  const problems = Problems.of(input);
  problems.text(['title'], input.title);
  problems.elements(['variants'], input.variants, 'variant');
  const { title, kind, activeTab, tags } = input;
  return { item: { title, kind, activeTab, tags, items: draftItemsOf(input.variants, problems) }, problems };
}

function searchForItem(context: WriteContext, item: NewLibraryItem): Search<StoredItem> {
  return searchFor({
    list: () => context.writes.loaders().library({ text: item.title }),
    marks: [`${MUTATION} ${item.title}`],
    places: [''],
    placeOf: (row: LibraryItem) => (isEqual(row, item) ? '' : null),
    dataOf: ([{ id, row }]) => ({ itemId: id, wire: wireOf(row), message: null }),
  });
}

// An empty text or tag of a record reads as absent.
function isEqual(row: LibraryItem, item: NewLibraryItem): boolean {
  const tags = item.tags?.filter((tag) => tag !== '') ?? [];
  return (
    row.title === item.title &&
    row.kindCode?.toLowerCase() === item.kind.toLowerCase() &&
    JSON.stringify(row.tags ?? []) === JSON.stringify(tags) &&
    item.items.some(({ text }) => (text ?? '') === (row.content?.text ?? ''))
  );
}
