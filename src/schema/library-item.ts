import {
  findLibraryItem,
  libraryItemOf,
  storedItemOf,
  type LibraryItemRecord,
} from '../records/library-item.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import type {
  LibraryContent as LibraryContentView,
  LibraryEditor as LibraryEditorView,
  LibraryItem as LibraryItemView,
  LibraryParams,
} from '../sources/current/library.ts';
import type { Entry } from '../sources/view.ts';
import { createLibraryItem, type StoredItem } from '../writes/create-library-item.ts';
import { builder } from './builder.ts';
import { DraftVariantInput, toDraftVariants } from './draft.ts';
import { InputError } from './errors.ts';
import { decodeGlobalId } from './global-id.ts';
import { connect, frontCursor } from './pagination.ts';
import { ContentKind, contentKindOf, EditorTab, editorTabOf, nameOf, Place } from './post-content.ts';
import { EditorTabInput } from './post-input.ts';
import { OrderDirection } from './surface.ts';
import { definePayload, KEY_DESCRIPTION } from './write.ts';

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

const TaggedPeople = builder.objectRef<Entry<unknown[]>>('TaggedPeople').implement({
  description: 'People who are tagged in one image.',
  fields: (t) => ({
    imageUrl: t.exposeString('key', { nullable: false, description: 'Address of the image.' }),
    people: t.field({
      type: ['JSON'],
      nullable: { list: false, items: false },
      description: 'Who is tagged, in a shape that the service does not document; without secrets.',
      resolve: ({ value }) => value,
    }),
  }),
});

const LibraryContent = builder.objectRef<LibraryContentView>('LibraryContent').implement({
  description: 'What a library item holds.',
  fields: (t) => ({
    text: t.exposeString('text', { nullable: true, description: 'What a post made from it says.' }),
    title: t.exposeString('title', { nullable: true, description: 'Title of a post made from it.' }),
    longText: t.exposeString('longText', {
      nullable: true,
      description: 'A longer text, for networks that take one.',
    }),
    linkUrl: t.exposeString('linkUrl', { nullable: true, description: 'Address that it links to.' }),
    videoUrl: t.exposeString('videoUrl', { nullable: true, description: 'Address of its video.' }),
    imageUrls: t.exposeStringList('imageUrls', {
      nullable: OPTIONAL_LIST,
      description: 'Addresses of its images.',
    }),
    contentKind: t.field({
      type: ContentKind,
      description: 'What it mainly is.',
      resolve: ({ contentCode }) => contentKindOf(contentCode),
    }),
    contentCode: t.exposeString('contentCode', {
      nullable: true,
      description: 'The service’s own code of what it is.',
    }),
    companyId: t.exposeID('companyId', {
      nullable: true,
      description: 'The service’s own id of the company.',
    }),
    ownerId: t.exposeID('ownerId', { nullable: true, description: 'The service’s own id of the owner.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the content was made.',
    }),
    taggedPeople: t.expose('taggedPeople', {
      type: [TaggedPeople],
      nullable: OPTIONAL_LIST,
      description: 'People tagged in its images, image by image.',
    }),
    utmSetId: t.exposeID('utmSetId', {
      nullable: true,
      description: 'The service’s own id of a set of UTM parameters.',
    }),
    utmParameters: t.expose('utmParameters', {
      type: 'JSON',
      nullable: true,
      description: 'UTM parameters, in a shape that the service does not document; without secrets.',
    }),
    boostParameters: t.expose('boostParameters', {
      type: 'JSON',
      nullable: true,
      description: 'Parameters for boosting, in a shape that the service does not document; without secrets.',
    }),
    place: t.expose('place', { type: Place, nullable: true, description: 'The location that it names.' }),
    isUrlShorteningEnabled: t.exposeBoolean('isUrlShorteningEnabled', {
      nullable: true,
      description: 'Whether its links are shortened.',
    }),
    activeTab: t.field({
      type: EditorTab,
      description: 'The editor’s tab that was open when it was saved.',
      resolve: ({ activeTabCode }) => editorTabOf(activeTabCode),
    }),
    activeTabCode: t.exposeString('activeTabCode', {
      nullable: true,
      description: 'The service’s own code of that tab.',
    }),
    altTexts: t.field({
      type: ['JSON'],
      nullable: OPTIONAL_LIST,
      description: 'Alternative texts of its images, in a shape that the service does not document.',
      resolve: ({ altTexts }) => altTexts,
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
    itemId: t.exposeID('itemId', { nullable: false, description: 'Id of the item in the service itself.' }),
    title: t.string({ description: 'What the item is called in the library.', resolve: reading('title') }),
    kind: t.field({
      type: LibraryItemKind,
      description: 'What the item is for.',
      resolve: ({ view: { kindCode } }) => nameOf(KINDS, kindCode?.toLowerCase() ?? null),
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

const LibraryItemEdge = builder.edgeObject({
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
        connect(window, context.loaders.library(listParams(filter ?? {}, orderBy ?? {})), libraryItemOf),
    },
    LibraryItemConnection,
  ),
  libraryItem: t.field({
    type: LibraryItem,
    description: 'One item of the library by its id; null when the library does not hold it.',
    args: { id: t.arg.id({ required: true, description: 'The id of a `LibraryItem`.' }) },
    resolve: (_root, { id }, context) =>
      findLibraryItem(decodeGlobalId(id, 'id', 'LibraryItem').rawId, context),
  }),
}));

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

const CreateLibraryItemInput = builder.inputType('CreateLibraryItemInput', {
  description: 'Content to be kept in the library.',
  fields: (t) => ({
    idempotencyKey: t.string({ description: KEY_DESCRIPTION }),
    title: t.string({ required: true, description: 'What it is called in the library.' }),
    kind: t.field({ type: LibraryItemKindInput, required: true, description: 'What it is for.' }),
    tags: t.stringList({ description: 'Words to file it under.' }),
    activeTab: t.field({ type: EditorTabInput, description: 'The editor’s tab that opens with it.' }),
    variants: t.field({
      type: [DraftVariantInput],
      required: true,
      description: 'What it says, network by network.',
    }),
  }),
});

const CREATED_KINDS = { POST: 'Post', HASHTAG: 'Hashtag' } as const;

const CreateLibraryItemPayload = definePayload<StoredItem>(
  'CreateLibraryItemPayload',
  { takesKey: true },
  (t) => ({
    libraryItem: t.field({
      type: LibraryItem,
      description: 'What is kept now.',
      resolve: ({ result }, _args, context) => result.data && storedItemOf(result.data, context),
    }),
    libraryItemEdge: t.field({
      type: LibraryItemEdge,
      description:
        'The item for a list that is on the screen; its cursor stands for the front of the unfiltered library.',
      resolve: ({ result }, _args, context) => {
        if (result.data === null) return null;
        const cursor = frontCursor(context.loaders.library({}), result.data.itemId);
        return { cursor, node: storedItemOf(result.data, context) };
      },
    }),
    accountNumbers: t.intList({
      nullable: { list: true, items: false },
      description: 'Numbers that the service gives with the item; their meaning is not documented.',
      resolve: ({ result }, _args, context) =>
        result.data && storedItemOf(result.data, context).view.accountNumbers,
    }),
    message: t.string({
      description: 'The service’s own words on success.',
      resolve: ({ result }) => result.data?.message ?? null,
    }),
  }),
);

builder.mutationField('createLibraryItem', (t) =>
  t.field({
    type: CreateLibraryItemPayload,
    nullable: false,
    description: 'Keeps content in the library.',
    args: { input: t.arg({ type: CreateLibraryItemInput, required: true, description: 'The content.' }) },
    resolve: (_root, { input: { kind, variants, ...input } }, context) =>
      createLibraryItem(context, {
        ...input,
        kind: CREATED_KINDS[kind],
        variants: toDraftVariants(variants),
      }),
  }),
);
