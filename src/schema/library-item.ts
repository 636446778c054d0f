import { findLibraryItem, libraryItemOf, type LibraryItemRecord } from '../records/library-item.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import type { LibraryEditor as LibraryEditorView, LibraryParams } from '../sources/current/library.ts';
import { decodeGlobalId, eachOf, given, searchText, withoutComma } from './arguments.ts';
import { builder, defineEnum, defineInput } from './builder.ts';
import { coded, dateTime, field, int, serviceId, shown, string } from './data.ts';
import { LibraryContent } from './library-content.ts';
import { InputError } from './errors.ts';
import { connect } from './pagination.ts';
import { ONE_STEP, onlyStep, OrderDirection } from './order.ts';

const LibraryItemKind = defineEnum('LibraryItemKind', 'What a library item contains.', {
  POST: 'The content of a post.',
  HASHTAG: 'Hashtags.',
  UNKNOWN: 'A value that this version does not recognise; see `kindCode`.',
});

export const LibraryItemKindInput = defineEnum('LibraryItemKindInput', 'Kind of library item, as an input.', {
  POST: 'The content of a post.',
  HASHTAG: 'Hashtags.',
});

const LibraryEditor = builder.objectRef<LibraryEditorView>('LibraryEditor').implement({
  description: 'User data attached to a library item. Undocumented by the service.',
  fields: (t) =>
    shown(t, {
      userName: string('Login name of the user.'),
      lastName: string('Last name of the user.'),
    }),
});

export const LibraryItem = builder.objectRef<LibraryItemRecord>('LibraryItem');

LibraryItem.implement({
  description: 'Reusable content in the library.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) =>
    shown(t, {
      id: t.id({
        nullable: false,
        description: 'Globally unique ID of the item.',
        resolve: ({ itemId }) => encodeGlobalId({ type: 'LibraryItem', surface: 'current', rawId: itemId }),
      }),
      itemId: t.expose('itemId', {
        type: 'ServiceId',
        nullable: false,
        description: 'The service’s own id for the item.',
      }),
      title: string('Title of the item.'),
      // The service spells the kinds in three ways, which differ only in case.
      kind: coded(LibraryItemKind, 'Kind of item: post content or hashtags.', {
        entry: 'kindCode',
        names: { post: 'POST', hashtag: 'HASHTAG' },
        ignoreCase: true,
      }),
      kindCode: string('Raw code behind `kind`.'),
      tags: field(['String'], 'Tags of the item.'),
      content: field(LibraryContent, 'Content of the item.'),
    }),
});

// People and times.
builder.objectFields(LibraryItem, (t) =>
  shown(t, {
    ownerId: serviceId('The service’s own id for the owner.'),
    createdById: serviceId('Id of the user who created the item.'),
    lastEditedById: serviceId('Id of the user who last edited the item.'),
    lastEditor: field(
      LibraryEditor,
      'User data attached to the item; for the last editor, use `lastEditedById`. Undocumented by the service.',
    ),
    createdAt: dateTime('When the item was created.'),
    lastUsedAt: dateTime('When the item was last used.'),
    lastEditedAt: t.field({
      type: 'DateTime',
      description: 'When the item was last edited; null if only `lastEditedLabel` is reported.',
      resolve: ({ part: { lastEdited } }) => (lastEdited instanceof Date ? lastEdited : null),
    }),
    lastEditedLabel: t.string({
      description:
        'When the item was last edited, as display text such as `3 hours ago`; null if `lastEditedAt` is set.',
      resolve: ({ part: { lastEdited } }) => (lastEdited instanceof Date ? null : lastEdited),
    }),
    useCount: int('Number of times the item was used.'),
  }),
);

export const LibraryItemEdge = builder.edgeObject({
  type: LibraryItem,
  name: 'LibraryItemEdge',
  description: 'An edge in a connection.',
});

const LibraryItemConnection = builder.connectionObject(
  { type: LibraryItem, name: 'LibraryItemConnection', description: 'A connection to the content library.' },
  LibraryItemEdge,
);

const LibraryItemFilter = defineInput(
  'LibraryItemFilter',
  'Filters for library items. How they combine is undocumented by the service.',
  (t) => ({
    text: t.string({
      description:
        'Search text (at most 400 characters). Which fields are searched is undocumented by the service.',
    }),
    kind: t.field({ type: LibraryItemKindInput, description: 'Kind of item: post content or hashtags.' }),
    tags: t.stringList({
      description:
        'Tags, without commas. Whether items must have all of them is undocumented by the service.',
    }),
    userId: t.field({ type: 'ServiceId', description: 'Id of a user. Undocumented by the service.' }),
  }),
);

const LibraryItemOrderField = defineEnum(
  'LibraryItemOrderField',
  'Fields that library items can be sorted by.',
  {
    RECENTLY_USED: ['recentlyUsed', 'Most recently used first (`recentlyUsed` in the service).'],
    NOT_RECENTLY_USED: ['notRecentlyUsed', 'Least recently used first (`notRecentlyUsed` in the service).'],
    MOST_USED: ['mostUsed', 'Most used first (`mostUsed` in the service).'],
    LEAST_USED: ['leastUsed', 'Least used first (`leastUsed` in the service).'],
  },
);

const LibraryItemOrder = defineInput(
  'LibraryItemOrder',
  'A sort criterion for library items. How field and direction combine is undocumented by the service.',
  (t) => ({
    field: t.field({ type: LibraryItemOrderField, required: true, description: 'Field to sort by.' }),
    direction: t.field({
      type: OrderDirection,
      description: 'Sort direction, passed to the service unchanged. Defaults to the service’s own.',
    }),
  }),
);

builder.queryFields((t) => ({
  libraryItems: t.connection(
    {
      type: LibraryItem,
      description:
        'The content library. The service determines the page size, so a large page may require several calls.',
      args: {
        filter: t.arg({ type: LibraryItemFilter, description: 'Filters the items.' }),
        order: t.arg({ type: LibraryItemOrder, description: ONE_STEP.order }),
        orderBy: t.arg({ type: [LibraryItemOrder], description: ONE_STEP.orderBy }),
      },
      resolve: (_root, { filter, ...args }, context) =>
        connect(args, context.loaders.library(listParams(filter ?? {}, onlyStep(args))), libraryItemOf),
    },
    LibraryItemConnection,
  ),
  libraryItem: t.field({
    type: LibraryItem,
    description: 'A library item by its ID; null if the library does not contain it.',
    args: { id: t.arg.id({ required: true, description: 'ID of a library item.' }) },
    resolve: (_root, { id }, context) =>
      findLibraryItem(decodeGlobalId(id, 'id', 'LibraryItem').rawId, context),
  }),
}));

const KIND_FILTERS = { POST: 'post', HASHTAG: 'hashTag' } as const;

function listParams(
  { text, kind, tags, userId }: typeof LibraryItemFilter.$inferInput,
  order: typeof LibraryItemOrder.$inferInput | null,
): LibraryParams {
  return given({
    text: searchText(text, 'filter.text'),
    kind: kind && KIND_FILTERS[kind],
    tags: eachOf(tags, 'filter.tags', withoutComma),
    userId: userId == null ? null : digits(userId),
    sortBy: order?.field,
    sortOrder: order?.direction,
  });
}

function digits(userId: string): string {
  if (!/^\d{1,20}$/.test(userId)) throw new InputError('filter.userId must be a number.');
  return userId;
}
