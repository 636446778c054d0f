import type { RunningGraph } from '../support/graph.ts';
import {
  code,
  flag,
  id,
  instant,
  integer,
  jsonObject,
  jsons,
  label,
  named,
  record,
  text,
  texts,
  url,
  urls,
  whenPresent,
} from '../support/readings.ts';
import {
  allOmitted,
  copyIds,
  pageOf,
  RECORD_AROUND,
  spreadInto,
  type FieldTable,
  type ReadCall,
} from './interface-table.ts';
import { contentKind } from './interface-post-fields.ts';

const CONTENT: FieldTable = {
  postDesc: { 'content.text': text },
  postTitle: { 'content.title': text },
  postUrl: { 'content.linkUrl': url },
  longPostDesc: { 'content.longText': text },
  postVideo: { 'content.videoUrl': url },
  postType: { 'content.contentCode': code, 'content.contentKind': contentKind },
  utmSetId: { 'content.utmSetId': id },
  postImage: { 'content.imageUrls': urls },
  companyId: { 'content.companyId': id },
  ownerId: { 'content.ownerId': id },
  createdOn: { 'content.createdAt': instant },
  taggedPeople: {
    'content.taggedPeople.0.people': whenPresent(
      () => ({ value: [{ username: 'another' }] }),
      () => ({ 'https://kelpgate.example/a.jpg': [{ username: 'another' }] }),
    ),
  },
  utmParameters: { 'content.utmParameters': jsonObject },
  boostExtraParams: { 'content.boostParameters': jsonObject },
};

const otherPlace = (): unknown => ({ id: 'place-9', name: 'Saltmarket' });
const place = {
  'content.place.placeId': whenPresent(() => ({ value: 'place-9' }), otherPlace),
  'content.place.name': whenPresent(() => ({ value: 'Saltmarket' }), otherPlace),
};

const TABS = { original: 'ORIGINAL', twitter: 'X' };

/** Library content of the list; `content.taggedPeople` stands for a map that has one entry. */
export const libraryItemFields: FieldTable = {
  id: { itemId: id },
  title: { title: text },
  type: { kindCode: code, kind: named({ post: 'POST', hashTag: 'HASHTAG' }) },
  tags: { tags: texts },
  ownerId: { ownerId: id },
  createdBy: { createdById: id },
  lastEditedBy: { lastEditedById: id },
  createdOn: { createdAt: instant },
  lastUsed: { lastUsedAt: instant },
  lastEditedOn: { lastEditedLabel: label('a year ago') },
  totalUsed: { useCount: integer },
  'userData.lastName': { 'lastEditor.lastName': text },
  'userData.userName': { 'lastEditor.userName': text },
  ...Object.fromEntries(Object.entries(CONTENT).map(([wire, shows]) => [`content.${wire}`, shows])),
  'content.extraData.place': place,
  'content.extraData.enableShortUrl': { 'content.isUrlShorteningEnabled': flag },
  'content.extraData.currentActiveTab': { 'content.activeTabCode': code, 'content.activeTab': named(TABS) },
  'content.extraData.altTexts': { 'content.altTexts': jsons },
  ...allOmitted(
    Object.keys(CONTENT).map((name) => `content.extraData.original.${name}`),
    'repeats the content that it lies in',
  ),
};

/** What is put into a library item first, so that nothing in it is empty. */
export const LIBRARY_SAMPLE = {
  lastUsed: '2026-01-02T03:04:05.000Z',
  'content.postTitle': 'A title',
  'content.postUrl': 'https://kelpgate.example/a',
  'content.longPostDesc': 'A long text',
  'content.postVideo': 'https://kelpgate.example/a.mp4',
  'content.postImage': ['https://kelpgate.example/a.jpg'],
  'content.utmSetId': 'utm-1',
  'content.utmParameters': { utm_source: 'library' },
  'content.boostExtraParams': { budget: 5 },
  'content.taggedPeople': { 'https://kelpgate.example/a.jpg': [{ username: 'somebody' }] },
  'content.extraData.place': { id: 'place-1', name: 'Tarn Row' },
  'content.extraData.altTexts': ['A cup'],
};

/** A map by image: each entry must be a list. */
const taggedPeople = whenPresent(
  (value) => {
    if (Array.isArray(value) && value.length === 0) return { value: null };
    const isMap = typeof value === 'object' && Object.values(value as object).every(Array.isArray);
    return isMap ? { value: [] } : 'malformed';
  },
  (value) => value,
);

const libraryItemWholes = {
  'content.taggedPeople': { 'content.taggedPeople': taggedPeople },
  'content.extraData.place': { 'content.place': record },
  userData: { lastEditor: record },
  'content.extraData': spreadInto(libraryItemFields, 'content.extraData', 2),
};

const libraryIds = ({ sandbox }: RunningGraph): string[] =>
  sandbox.state.owner('harbour').library.map((item) => item.id);

/** What reading the library answers. */
export const LIBRARY: ReadCall = {
  endpoint: 'GET /library/list',
  type: 'LibraryItem',
  record: 'response.list.#',
  where: 'libraryItems.nodes.#',
  query: (selection, _graph, count) =>
    `{ libraryItems(first: ${count}) { totalCount nodes { ${selection} } } }`,
  sample: LIBRARY_SAMPLE,
  copies: { wire: 'id', ids: copyIds(String) },
  apart: ['id', 'content.taggedPeople', 'content.extraData.place'],
  fields: libraryItemFields,
  wholes: libraryItemWholes,
  around: { ...pageOf('libraryItems'), 'response.totalCount': { omitted: 'repeats totalRecords' } },
};

/** What reading one item of the library answers. */
export const LIBRARY_VIEW: ReadCall = {
  endpoint: 'GET /library/view/{contentid}',
  type: 'LibraryItem',
  record: 'response',
  where: 'nodes.#',
  query: (selection, graph, count) => {
    const itemIds = libraryIds(graph).slice(0, count);
    const globalIds = itemIds.map((itemId) => Buffer.from(`1ic:${itemId}`).toString('base64url'));
    return `{ nodes(ids: ${JSON.stringify(globalIds)}) { ... on LibraryItem { ${selection} } } }`;
  },
  sample: LIBRARY_SAMPLE,
  copies: { wire: 'id', ids: libraryIds },
  apart: ['content.taggedPeople', 'content.extraData.place'],
  wholes: libraryItemWholes,
  fields: { ...libraryItemFields, id: { omitted: 'the id that was asked for stands' } },
  around: RECORD_AROUND,
};
