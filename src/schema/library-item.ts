import type { OperationContext } from '../operation/operation.ts';
import type { WindowArguments } from '../lists/window.ts';
import { findLibraryItem, libraryItemOf, type LibraryItemRecord } from '../records/library-item.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import type {
  LibraryEditor as LibraryEditorView,
  LibraryItem as LibraryItemView,
  LibraryParams,
} from '../sources/current/library.ts';
import { builder } from './builder.ts';
import { costs } from './cost.ts';
import { LibraryContent } from './library-content.ts';
import { InputError } from './errors.ts';
import { decodeGlobalId } from './global-id.ts';
import { addWindow } from './list-cost.ts';
import { connect } from './pagination.ts';
import { searchText } from './search-text.ts';
import { nameOf } from './post-content.ts';
import { onlyStep, OrderDirection } from './order.ts';

const LibraryItemKind = builder.enumType('LibraryItemKind', {
  description: 'What kind of content a library item is.',
  values: {
    POST: { description: 'The content of a post.' },
    HASHTAG: { description: 'Content of hashtags.' },
    UNKNOWN: { description: 'A value that this version does not know; `kindCode` says what.' },
  } as const,
});

export const LibraryItemKindInput = builder.enumType('LibraryItemKindInput', {
  description: 'What kind of content a library item is, in an input.',
  values: {
    POST: { description: 'The content of a post.' },
    HASHTAG: { description: 'Content of hashtags.' },
  } as const,
});

// The service spells the kinds in three ways, which differ only in case.
const KINDS = { post: 'POST', hashtag: 'HASHTAG' } as const;
const OPTIONAL_LIST = { list: true, items: false } as const;

const LibraryEditor = builder.objectRef<LibraryEditorView>('LibraryEditor').implement({
  description: 'User data of a library item. Whose it is, the service does not document.',
  fields: (t) => ({
    userName: t.exposeString('userName', {
      nullable: true,
      description: 'User name, as the service writes it.',
    }),
    lastName: t.exposeString('lastName', {
      nullable: true,
      description: 'Last name, as the service writes it.',
    }),
  }),
});

/** A resolver that reads one field of an item. */
function reading<K extends keyof LibraryItemView>(name: K) {
  return ({ view }: LibraryItemRecord): LibraryItemView[K] => view[name];
}

export const LibraryItem = builder.objectRef<LibraryItemRecord>('LibraryItem');

LibraryItem.implement({
  description: 'Content that is kept to be used again.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      nullable: false,
      description: 'Opaque id of the item.',
      resolve: ({ itemId }) => encodeGlobalId({ type: 'LibraryItem', surface: 'current', rawId: itemId }),
    }),
    itemId: t.expose('itemId', {
      type: 'ServiceId',
      nullable: false,
      description: 'Id of the item in the service itself.',
    }),
    title: t.string({ description: 'Name of the item in the library.', resolve: reading('title') }),
    kind: t.field({
      type: LibraryItemKind,
      description: 'What kind of content it is.',
      resolve: ({ view }) => nameOf(KINDS, view.kindCode?.toLowerCase() ?? null, { view, field: 'kindCode' }),
    }),
    kindCode: t.string({
      description: 'The service’s own word for the kind of content.',
      resolve: reading('kindCode'),
    }),
    tags: t.stringList({
      nullable: OPTIONAL_LIST,
      description: 'Tags of the item.',
      resolve: reading('tags'),
    }),
    content: t.field({
      type: LibraryContent,
      description: 'What the item holds.',
      resolve: reading('content'),
    }),
  }),
});

// People and times.
builder.objectFields(LibraryItem, (t) => ({
  ownerId: t.field({
    type: 'ServiceId',
    description: 'The service’s own id of the owner.',
    resolve: reading('ownerId'),
  }),
  createdById: t.field({
    type: 'ServiceId',
    description: 'The service’s own id of who made it.',
    resolve: reading('createdById'),
  }),
  lastEditedById: t.field({
    type: 'ServiceId',
    description: 'The service’s own id of who last edited it.',
    resolve: reading('lastEditedById'),
  }),
  lastEditor: t.field({
    type: LibraryEditor,
    description:
      'The item’s user data. Whose it is, the service does not document; `lastEditedById` says who last edited the item.',
    resolve: reading('lastEditor'),
  }),
  createdAt: t.field({ type: 'DateTime', description: 'When it was made.', resolve: reading('createdAt') }),
  lastUsedAt: t.field({
    type: 'DateTime',
    description: 'When it was last used.',
    resolve: reading('lastUsedAt'),
  }),
  lastEditedAt: t.field({
    type: 'DateTime',
    description:
      'When it was last edited; null unless the service gives a date, which it does right after creation.',
    resolve: ({ view: { lastEdited } }) => (lastEdited instanceof Date ? lastEdited : null),
  }),
  lastEditedLabel: t.string({
    description:
      'When it was last edited, in the service’s own words, such as `3 hours ago`; null where it gives an instant.',
    resolve: ({ view: { lastEdited } }) => (lastEdited instanceof Date ? null : lastEdited),
  }),
  useCount: t.int({ description: 'How often it was used.', resolve: reading('useCount') }),
}));

export const LibraryItemEdge = builder.edgeObject({
  type: LibraryItem,
  name: 'LibraryItemEdge',
  description: 'An item at its place in the library.',
});

const LibraryItemConnection = builder.connectionObject(
  { type: LibraryItem, name: 'LibraryItemConnection', description: 'A page of the library.' },
  LibraryItemEdge,
);

const LibraryItemFilter = builder.inputType('LibraryItemFilter', {
  description: 'Narrows the library. How the service combines several filters is not documented.',
  fields: (t) => ({
    text: t.string({
      description:
        'What the service is to search for, up to 400 characters; where it searches is not documented.',
    }),
    kind: t.field({ type: LibraryItemKindInput, description: 'What kind of content the items are.' }),
    tags: t.stringList({
      description: 'Tags without commas. Whether an item must have one or all of them is not documented.',
    }),
    userId: t.field({
      type: 'ServiceId',
      description: 'The service’s own number of a user; how it filters by it is not documented.',
    }),
  }),
});

const LibraryItemOrderField = builder.enumType('LibraryItemOrderField', {
  description: 'What library items can be ordered by.',
  values: {
    RECENTLY_USED: {
      value: 'recentlyUsed' as const,
      description: 'By last use: the service’s `recentlyUsed`.',
    },
    NOT_RECENTLY_USED: {
      value: 'notRecentlyUsed' as const,
      description: 'By last use: the service’s `notRecentlyUsed`.',
    },
    MOST_USED: { value: 'mostUsed' as const, description: 'By number of uses: the service’s `mostUsed`.' },
    LEAST_USED: { value: 'leastUsed' as const, description: 'By number of uses: the service’s `leastUsed`.' },
  },
});

const LibraryItemOrder = builder.inputType('LibraryItemOrder', {
  description:
    'One step of an order of library items. How field and direction go together, the service does not document.',
  fields: (t) => ({
    field: t.field({ type: LibraryItemOrderField, required: true, description: 'What to order by.' }),
    direction: t.field({
      type: OrderDirection,
      description: 'A direction, passed on as it is; the service’s own if left out.',
    }),
  }),
});

builder.queryFields((t) => ({
  libraryItems: t.connection(
    {
      type: LibraryItem,
      description:
        'The library. The service decides how long its pages are, so a long window may cost several calls.',
      args: {
        filter: t.arg({ type: LibraryItemFilter, description: 'Which items to list.' }),
        orderBy: t.arg({
          type: [LibraryItemOrder],
          description: 'In which order, one step; the service’s own if left out.',
        }),
      },
      resolve: (_root, { filter, orderBy, ...window }, context) =>
        connect(window, libraryOf({ filter, orderBy }, context), libraryItemOf),
      ...costs<LibraryArguments>(({ args, context, tally }) =>
        addWindow(tally, libraryOf(args, context), { args, type: 'LibraryItem', part: 'whole' }),
      ),
    },
    LibraryItemConnection,
  ),
  libraryItem: t.field({
    type: LibraryItem,
    description: 'One item of the library by its id; null when the library does not hold it.',
    args: { id: t.arg.id({ required: true, description: 'The id of a `LibraryItem`.' }) },
    resolve: (_root, { id }, context) =>
      findLibraryItem(decodeGlobalId(id, 'id', 'LibraryItem').rawId, context),
    ...costs<{ readonly id: string }>(({ args, tally }) => tally.add(`item ${args.id}`, 1)),
  }),
}));

interface LibraryArguments extends WindowArguments {
  readonly filter?: typeof LibraryItemFilter.$inferInput | null | undefined;
  readonly orderBy?: readonly (typeof LibraryItemOrder.$inferInput)[] | null | undefined;
}

function libraryOf({ filter, orderBy }: LibraryArguments, context: OperationContext) {
  return context.loaders.library(listParams(filter ?? {}, onlyStep(orderBy)));
}

const KIND_FILTERS = { POST: 'post', HASHTAG: 'hashTag' } as const;

function listParams(
  { text, kind, tags, userId }: typeof LibraryItemFilter.$inferInput,
  order: typeof LibraryItemOrder.$inferInput | null,
): LibraryParams {
  return {
    ...(text == null ? {} : { text: searchText(text, 'filter.text') }),
    ...(kind == null ? {} : { kind: KIND_FILTERS[kind] }),
    ...(tags == null ? {} : { tags: usableTags(tags) }),
    ...(userId == null ? {} : { userId: digits(userId) }),
    ...(order === null ? {} : { sortBy: order.field }),
    ...(order?.direction == null ? {} : { sortOrder: order.direction }),
  };
}

function usableTags(tags: readonly string[]): readonly string[] {
  if (tags.length === 0) throw new InputError('filter.tags is empty; leave it out to list all.');
  const index = tags.findIndex((tag) => tag.includes(','));
  if (index >= 0) throw new InputError(`filter.tags[${index}] holds a comma, which the service can't take.`);
  return tags;
}

function digits(userId: string): string {
  if (!/^\d{1,20}$/.test(userId)) throw new InputError('filter.userId is no number.');
  return userId;
}
