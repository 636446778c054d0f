import { Hono } from 'hono';
import { requireKey } from '../../credentials.ts';
import type { LibraryItem, Owner } from '../../data/model.ts';
import { networks } from '../../data/networks.ts';
import type { Quirks } from '../../quirks.ts';
import { Refusal } from '../../refusal.ts';
import type { Routes, SandboxEnv, Service } from '../../service.ts';
import { succeed } from '../../wire/envelope.ts';
import { createdLibraryItem, libraryItem } from '../../wire/library-item.ts';
import { readBody } from '../body.ts';
import { cutPage } from '../paging.ts';
import { containing, oneOf, positiveInteger } from '../parameters.ts';
import type { Query } from '../parameters.ts';
import { createLibraryItemBody } from './request-bodies.ts';
import type { CreateLibraryItemBody } from './request-bodies.ts';

/** GET /library/list, POST /library/create and GET /library/view/{contentid}. */
export function libraryRoutes(service: Service): Routes {
  const { clock, quirks, world } = service;
  const routes: Routes = new Hono<SandboxEnv>();
  const context = (owner: Owner) => ({ owner, quirks, now: clock.now() });

  routes.get('/library/list', requireKey(service), (c) => {
    const owner = c.get('owner');
    const query: Query = (name) => c.req.query(name);
    const found = orderItems(matchingItems(owner, query, quirks), query, quirks);
    return succeed(
      libraryPage(found, query, quirks, (item) => libraryItem(item, context(owner))),
      'Library listed.',
    );
  });

  routes.post('/library/create', requireKey(service, true), async (c) => {
    const owner = c.get('owner');
    const body = await readBody(c, createLibraryItemBody);
    const item = makeItem(body, owner, { id: world.random.hex(24), now: clock.now() });
    owner.library.push(item);
    return succeed({ id: item.id, post: createdLibraryItem(item, context(owner)) }, 'Content saved.');
  });

  routes.get('/library/view/:contentid', requireKey(service, true), (c) => {
    const item = c.get('owner').library.find((entry) => entry.id === c.req.param('contentid'));
    if (item) return succeed(libraryItem(item, context(c.get('owner'))), 'Content found.');
    if (quirks.missingLibraryItemStatus === 200) return succeed(null, 'Content not found.');
    throw new Refusal(
      quirks.missingLibraryItemStatus,
      'contentid does not name library content.',
      'contentid',
    );
  });

  return routes;
}

function libraryPage(
  found: readonly LibraryItem[],
  query: Query,
  quirks: Quirks,
  encode: (item: LibraryItem) => unknown,
) {
  const page = positiveInteger(query, 'currentPage', 1);
  const cut = cutPage(found, { page, name: 'currentPage', size: quirks.libraryPageSize }, quirks);
  const { currentPage, pageLimit, totalRecords, totalPages } = cut;
  const declared = { totalRecords, totalPages };
  const example = { totalRecord: totalRecords, totalPage: totalPages };
  const totals = { declared, example, both: { ...declared, ...example } }[quirks.libraryTotals];
  return { currentPage, pageLimit, ...totals, totalCount: totalRecords, list: cut.records.map(encode) };
}

function matchingItems(owner: Owner, query: Query, quirks: Quirks): LibraryItem[] {
  const titled = containing(query, 'q');
  const type = oneOf(query, 'type', ['hashTag', 'post']);
  const userId = query('filterBy') ? positiveInteger(query, 'filterBy', 1) : undefined;
  const tags = (query('tags') ?? '').split(',').filter((tag) => tag !== '');
  const tagged = ({ tags: own }: LibraryItem) =>
    quirks.libraryTagMatch === 'all'
      ? tags.every((tag) => own.includes(tag))
      : tags.some((tag) => own.includes(tag));
  return owner.library.filter(
    (item) =>
      titled(item.title) &&
      (type === undefined || item.type === type) &&
      (userId === undefined || item.createdBy === userId) &&
      (tags.length === 0 || tagged(item)),
  );
}

/** The four values of `sortBy` include a direction; without one, the newest come first. */
function orderItems(items: readonly LibraryItem[], query: Query, quirks: Quirks): LibraryItem[] {
  const sortBy = oneOf(query, 'sortBy', ['recentlyUsed', 'notRecentlyUsed', 'mostUsed', 'leastUsed']);
  const sortOrder = oneOf(query, 'sortOrder', ['ASC', 'DESC']);
  const keys = {
    recentlyUsed: (item: LibraryItem) => -(item.lastUsedAt ?? 0),
    notRecentlyUsed: (item: LibraryItem) => item.lastUsedAt ?? 0,
    mostUsed: (item: LibraryItem) => -item.totalUsed,
    leastUsed: (item: LibraryItem) => item.totalUsed,
  };
  const key = sortBy ? keys[sortBy] : (item: LibraryItem) => -item.createdAt;
  const ordered = items.toSorted((a, b) => key(a) - key(b));
  const reverses = sortOrder === 'ASC' && (!sortBy || quirks.librarySortOrder === 'reverses');
  return reverses ? ordered.toReversed() : ordered;
}

function makeItem(
  body: CreateLibraryItemBody,
  owner: Owner,
  { id, now }: { readonly id: string; readonly now: number },
): LibraryItem {
  return {
    id,
    title: body.title,
    type: body.type === 'Post' ? 'post' : 'hashTag',
    tags: body.tags ?? [],
    createdBy: owner.user.id,
    lastEditedBy: owner.user.id,
    user: { userName: owner.user.userName, lastName: owner.user.lastName },
    createdAt: now,
    lastEditedAt: now,
    lastUsedAt: null,
    totalUsed: 0,
    accountIds: platformKinds(body),
    body: itemBody(body, owner),
  };
}

function itemBody({ posts, currentActiveTab }: CreateLibraryItemBody, owner: Owner): LibraryItem['body'] {
  const item = posts.find((entry) => entry.type === 'original') ?? posts[0];
  const postImage = (item?.mediaId ?? []).map(
    (media) =>
      `https://pictures.example.com/${owner.credentials.name}/media/${encodeURIComponent(media)}.jpg`,
  );
  return {
    postDesc: item?.postDesc ?? '',
    postTitle: item?.postTitle ?? '',
    postUrl: item?.destinationUrl ?? '',
    longPostDesc: '',
    postVideo: '',
    postImage,
    postType: postImage.length > 0 ? 'I' : 'T',
    taggedPeople: item?.taggedPeople ?? {},
    utmSetId: '',
    utmParameters: {},
    boostExtraParams: {},
    place: item?.place ?? null,
    enableShortUrl: false,
    currentActiveTab: currentActiveTab ?? 'original',
    altTexts: item?.altTexts ?? [],
  };
}

/** The kinds of platform that the variants are for. */
function platformKinds({ posts }: CreateLibraryItemBody): number[] {
  return Object.values(networks)
    .filter(({ scenario }) => posts.some(({ type }) => type !== undefined && scenario.startsWith(`${type}-`)))
    .map(({ platformId }) => platformId);
}
