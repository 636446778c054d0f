import {
  flag,
  id,
  instant,
  integer,
  listOf,
  text,
  undocumentedList,
  undocumentedObject,
  undocumentedPlaces,
  url,
} from '../decode.ts';
import { endpoint, LIST_READ, RECORD_READ, WRITE } from '../endpoint.ts';
import { defineBody, list, optional, part, string, word, type Encoded } from '../body.ts';
import { malformed } from '../client.ts';
import { defineView, field, inspected, mapOf, readable, record, type Decoder, type Seen } from '../view.ts';
import { readPage, type CurrentClient, type Page } from './client.ts';
import { draftItem } from './post-item.ts';
import { place } from './posts.ts';

// The library of reusable content.

const LIBRARY_LIST = endpoint('current', 'GET /library/list', LIST_READ);
const LIBRARY_VIEW = endpoint('current', 'GET /library/view/{contentid}', RECORD_READ);
const LIBRARY_CREATE = endpoint('current', 'POST /library/create', WRITE);

/** The content of a library item. */
export const libraryContent = defineView({
  text: field('postDesc', text),
  title: field('postTitle', text),
  longText: field('longPostDesc', text),
  linkUrl: field('postUrl', url),
  videoUrl: field('postVideo', url),
  imageUrls: field('postImage', listOf(url)),
  contentCode: field('postType', text),
  companyId: field('companyId', id),
  ownerId: field('ownerId', id),
  createdAt: field('createdOn', instant),
  taggedPeople: field('taggedPeople', mapOf(undocumentedList)),
  utmSetId: field('utmSetId', id),
  utmParameters: field('utmParameters', undocumentedObject),
  boostParameters: field('boostExtraParams', undocumentedObject),
  place: field('extraData.place', record(place)),
  isUrlShorteningEnabled: field('extraData.enableShortUrl', flag),
  activeTabCode: field('extraData.currentActiveTab', text),
  altTexts: field('extraData.altTexts', undocumentedPlaces),
});
export type LibraryContent = Seen<typeof libraryContent>;

/** User data of a library item; which user it describes is undocumented. */
export const libraryEditor = defineView({
  userName: field('userName', text),
  lastName: field('lastName', text),
});
export type LibraryEditor = Seen<typeof libraryEditor>;

/** When an item was edited: an instant directly after its creation, a relative text everywhere else. */
const edited: Decoder<Date | string> = (value, origin) => {
  try {
    return instant(value, origin);
  } catch {
    return text(value, origin);
  }
};

/** An item of the library. */
export const libraryItem = defineView({
  itemId: field(['id', '_id'], id),
  title: field('title', text),
  kindCode: field('type', text),
  tags: field('tags', listOf(text)),
  content: field('content', record(libraryContent)),
  ownerId: field('ownerId', id),
  createdById: field('createdBy', id),
  lastEditedById: field('lastEditedBy', id),
  lastEditor: field('userData', record(libraryEditor)),
  createdAt: field('createdOn', instant),
  lastUsedAt: field('lastUsed', instant),
  lastEdited: field('lastEditedOn', edited),
  useCount: field('totalUsed', integer),
  accountNumbers: field('accountId', listOf(integer)),
});
export type LibraryItem = Seen<typeof libraryItem>;

/** Filters and order of the library. */
export interface LibraryParams {
  /** `q`. */
  readonly text?: string;
  /** `type`. */
  readonly kind?: 'post' | 'hashTag';
  /** `tags`, joined by commas. */
  readonly tags?: readonly string[];
  /** `filterBy`: unique id of a user, digits. */
  readonly userId?: string;
  readonly sortBy?: 'recentlyUsed' | 'notRecentlyUsed' | 'mostUsed' | 'leastUsed';
  readonly sortOrder?: 'ASC' | 'DESC';
}

/**
 * GET /library/list: one page of the library. The service alone decides the page size.
 *
 * Repeatable: yes.  Interface: "Library content", "Current surface".
 */
export function listLibrary(
  client: CurrentClient,
  page: number,
  params: LibraryParams = {},
): Promise<Page<LibraryItem>> {
  return readPage(client, LIBRARY_LIST, libraryItem, page, {
    currentPage: page,
    q: params.text,
    type: params.kind,
    tags: params.tags?.join(','),
    filterBy: params.userId,
    sortBy: params.sortBy,
    sortOrder: params.sortOrder,
  });
}

/**
 * GET /library/view/{contentid}: one item of the library.
 *
 * Repeatable: yes; assumed not to count as a use.
 * Interface: "GET /library/view/{contentid}"; the response for an unknown id is undocumented.
 */
export async function getLibraryItem(client: CurrentClient, itemId: string): Promise<LibraryItem> {
  const { response, origin } = await client.call(LIBRARY_VIEW, { path: { contentid: itemId } });
  return inspected(libraryItem, response, origin);
}

const newLibraryItem = defineBody({
  title: part('title', string),
  kind: part('type', word('Post', 'Hashtag')),
  activeTab: optional('currentActiveTab', string),
  tags: optional('tags', list(string)),
  items: part('posts', list(draftItem)),
});
/** The input of `POST /library/create`. */
export type NewLibraryItem = Encoded<typeof newLibraryItem>;

const createdItem = defineView({
  itemId: field('id', id),
  post: field('post', record(libraryItem)),
});

/** The result of `POST /library/create`. */
export interface CreatedLibraryItem {
  readonly itemId: string;
  readonly item: LibraryItem;
  readonly message: string | null;
}

/**
 * POST /library/create: saves content in the library.
 *
 * Repeatable: no; each call saves it again.  Interface: "POST /library/create body".
 */
export async function createLibraryItem(
  client: CurrentClient,
  item: NewLibraryItem,
): Promise<CreatedLibraryItem> {
  const { response, message, origin } = await client.call(LIBRARY_CREATE, { body: newLibraryItem(item) });
  const created = inspected(createdItem, response, origin);
  const post = readable(() => created.post);
  const itemId = readable(() => created.itemId) ?? readable(() => post?.itemId ?? null);
  if (itemId === null) throw malformed(LIBRARY_CREATE, 'the id of a created item', origin);
  // The id proves that the item was saved; a record that cannot be read is reduced to its id.
  return { itemId, item: post ?? libraryItem({ id: itemId }, origin), message: message() };
}
