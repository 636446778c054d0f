import type { LibraryItem, Owner } from '../data/model.ts';
import type { Quirks } from '../quirks.ts';
import { timeOrAbsent } from './account.ts';
import { isoTime, relativeTime } from './dates.ts';

/** The inputs for writing a library item. */
export interface LibraryContext {
  readonly owner: Owner;
  readonly quirks: Quirks;
  readonly now: number;
}

/** Library content of GET /library/list and GET /library/view/{contentid}; `lastEditedOn` is "3 hours ago" text. */
export function libraryItem(item: LibraryItem, { owner, quirks, now }: LibraryContext) {
  return {
    id: item.id,
    title: item.title,
    type: item.type,
    tags: item.tags,
    content: libraryContent(item, owner),
    ownerId: owner.ownerId,
    createdBy: item.createdBy,
    lastEditedBy: item.lastEditedBy,
    createdOn: isoTime(item.createdAt),
    lastUsed: timeOrAbsent(item.lastUsedAt, quirks),
    lastEditedOn: relativeTime(item.lastEditedAt, now),
    totalUsed: item.totalUsed,
    userData: item.user,
  };
}

/** `post` of POST /library/create: the same with an ISO `lastEditedOn`, a second id and platform kinds. */
export function createdLibraryItem(item: LibraryItem, context: LibraryContext) {
  return {
    ...libraryItem(item, context),
    lastEditedOn: isoTime(item.lastEditedAt),
    accountId: item.accountIds,
    _id: item.id,
  };
}

function libraryContent(item: LibraryItem, owner: Owner) {
  const { place, enableShortUrl, currentActiveTab, altTexts, ...fields } = item.body;
  const content = {
    ...fields,
    companyId: owner.companyId,
    ownerId: owner.ownerId,
    createdOn: isoTime(item.createdAt),
  };
  const extra = { place, enableShortUrl, currentActiveTab, altTexts };
  return { ...content, extraData: { ...extra, original: content } };
}
