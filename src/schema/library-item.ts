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
import { nameOf } from './post-content.ts';
import { OrderDirection } from './surface.ts';

const LibraryItemKind = builder.enumType('LibraryItemKind', {
  description: 'What a library item is for.',
  values: {
    POST: { description: 'The content of a post.' },
    HASHTAG: { description: 'A set of hashtags.' },
    UNKNOWN: { description: 'Something that has no name here yet; `kindCode` says what.' },
  } as const,
});

export const LibraryItemKindInput = builder.enumType('LibraryItemKindInput', {
  description: 'What a library item is for, where you say it.',
  values: {
    POST: { description: 'The content of a post.' },
    HASHTAG: { description: 'A set of hashtags.' },
  } as const,
});

// The service spells the kinds in three ways, which differ in their capitals only.
const KINDS = { post: 'POST', hashtag: 'HASHTAG' } as const;
const OPTIONAL_LIST = { list: true, items: false } as const;

const LibraryEditor = builder.objectRef<LibraryEditorView>('LibraryEditor').implement({
  description: 'Who last edited a library item.',
  fields: (t) => ({
    userName: t.exposeString('userName', {
      nullable: true,
      description: 'First name, or the name used in the service.',
    }),
    lastName: t.exposeString('lastName', { nullable: true, description: 'Family name.' }),
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
    itemId: t.exposeID('itemId', { nullable: false, description: 'Id of the item in the service itself.' }),
    title: t.string({ description: 'What the item is called in the library.', resolve: reading('title') }),
    kind: t.field({
      type: LibraryItemKind,
      description: 'What the item is for.',
      resolve: ({ view }) => nameOf(KINDS, view.kindCode?.toLowerCase() ?? null, { view, field: 'kindCode' }),
    }),
    kindCode: t.string({
      description: 'The service’s own word for what it is for.',
      resolve: reading('kindCode'),
    }),
    tags: t.stringList({
      nullable: OPTIONAL_LIST,
      description: 'Words that it is filed under.',
      resolve: reading('tags'),
    }),
    content: t.field({
      type: LibraryContent,
      description: 'What the item holds.',
      resolve: reading('content'),
    }),
    ownerId: t.id({ description: 'The service’s own id of the owner.', resolve: reading('ownerId') }),
    createdById: t.id({
      description: 'The service’s own id of who made it.',
      resolve: reading('createdById'),
    }),
    lastEditedById: t.id({
      description: 'The service’s own id of who last edited it.',
      resolve: reading('lastEditedById'),
    }),
    lastEditor: t.field({
      type: LibraryEditor,
      description: 'Who last edited it.',
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
      description: 'How long ago it was last edited, in the service’s words; null where it gives a date.',
      resolve: ({ view: { lastEdited } }) => (lastEdited instanceof Date ? null : lastEdited),
    }),
    useCount: t.int({ description: 'How often it was used.', resolve: reading('useCount') }),
  }),
});

export const LibraryItemEdge = builder.edgeObject({
  type: LibraryItem,
  name: 'LibraryItemEdge',
  description: 'An item at its place in the library.',
});

const LibraryItemConnection = builder.connectionObject(
  { type: LibraryItem, name: 'LibraryItemConnection', description: 'A window of the library.' },
  LibraryItemEdge,
);

const LibraryFilter = builder.inputType('LibraryFilter', {
  description: 'Narrows the library; all that is given must hold.',
  fields: (t) => ({
    text: t.string({ description: 'Words to look for.' }),
    kind: t.field({ type: LibraryItemKindInput, description: 'What the items are for.' }),
    tags: t.stringList({ description: 'Words that the items are filed under; a tag must hold no comma.' }),
    userId: t.id({ description: 'The service’s own number of a user: items of that user.' }),
  }),
});

const LibraryOrderField = builder.enumType('LibraryOrderField', {
  description: 'What library items can be ordered by. The names say the direction already.',
  values: {
    RECENTLY_USED: { value: 'recentlyUsed' as const, description: 'Last used first.' },
    NOT_RECENTLY_USED: { value: 'notRecentlyUsed' as const, description: 'Longest unused first.' },
    MOST_USED: { value: 'mostUsed' as const, description: 'Most used first.' },
    LEAST_USED: { value: 'leastUsed' as const, description: 'Least used first.' },
  },
});

const LibraryOrder = builder.inputType('LibraryOrder', {
  description:
    'An order of library items. How field and direction go together, the service does not document.',
  fields: (t) => ({
    field: t.field({ type: LibraryOrderField, description: 'What to order by.' }),
    direction: t.field({ type: OrderDirection, description: 'A direction, passed on as it is.' }),
  }),
});

builder.queryFields((t) => ({
  libraryItems: t.connection(
    {
      type: LibraryItem,
      description:
        'The library. The service decides how long its pages are, so a long window may cost several calls.',
      args: {
        filter: t.arg({ type: LibraryFilter, description: 'Which items to list.' }),
        orderBy: t.arg({ type: LibraryOrder, description: 'In which order; the service’s own if left out.' }),
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
  readonly filter?: typeof LibraryFilter.$inferInput | null | undefined;
  readonly orderBy?: typeof LibraryOrder.$inferInput | null | undefined;
}

function libraryOf({ filter, orderBy }: LibraryArguments, context: OperationContext) {
  return context.loaders.library(listParams(filter ?? {}, orderBy ?? {}));
}

const KIND_FILTERS = { POST: 'post', HASHTAG: 'hashTag' } as const;

function listParams(
  { text, kind, tags, userId }: typeof LibraryFilter.$inferInput,
  { field, direction }: typeof LibraryOrder.$inferInput,
): LibraryParams {
  return {
    ...(text == null ? {} : { text }),
    ...(kind == null ? {} : { kind: KIND_FILTERS[kind] }),
    ...(tags == null ? {} : { tags: usableTags(tags) }),
    ...(userId == null ? {} : { userId: digits(userId) }),
    ...(field == null ? {} : { sortBy: field }),
    ...(direction == null ? {} : { sortOrder: direction }),
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
