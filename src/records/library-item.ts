import type { RecordContext } from './context.ts';
import { libraryItem, type LibraryItem } from '../sources/current/library.ts';
import { idOf, SourceError } from '../sources/errors.ts';

/** An item of the library. */
export interface LibraryItemRecord {
  readonly type: 'LibraryItem';
  readonly itemId: string;
  readonly part: LibraryItem;
}

/** Creates the record of a library item. Throws a SourceError `malformed` if it has no id. */
export function libraryItemOf(part: LibraryItem): LibraryItemRecord {
  return { type: 'LibraryItem', itemId: idOf(part.itemId, 'current', 'a library item'), part };
}

/** Reads an item by its id; null if the library provably does not contain it. */
export async function findLibraryItem(
  itemId: string,
  context: RecordContext,
): Promise<LibraryItemRecord | null> {
  try {
    return { type: 'LibraryItem', itemId, part: await context.loaders.libraryItem.load(itemId) };
  } catch (error) {
    // The response for a missing item may be any rejection, so a rejection alone proves nothing.
    const mayBeAbsent = error instanceof SourceError && error.kind === 'rejected';
    if (mayBeAbsent && (await context.loaders.libraryListItem.load(itemId)) === null) return null;
    throw error;
  }
}

/** Creates the record of an item from a stored or fresh response of its creation. */
export function storedItemOf(
  { itemId, wire }: { readonly itemId: string; readonly wire: unknown },
  { onDrift }: RecordContext,
): LibraryItemRecord {
  const part = libraryItem(wire, { surface: 'current', endpoint: 'POST /library/create', onDrift });
  return { type: 'LibraryItem', itemId, part };
}
