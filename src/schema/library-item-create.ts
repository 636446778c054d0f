import { storedItemOf } from '../records/library-item.ts';
import { checkLibraryItem, createLibraryItem, type StoredItem } from '../writes/create-library-item.ts';
import { builder, defineInput } from './builder.ts';
import { shown, string } from './data.ts';
import { DraftVariantInput } from './draft.ts';
import { LibraryItem, LibraryItemEdge, LibraryItemKindInput } from './library-item.ts';
import { frontCursor } from './pagination.ts';
import { EditorTabInput } from './post-input.ts';
import { InputValidation, defineKeyedPayload, inputOf, KEY_DESCRIPTION } from './write.ts';

const CreateLibraryItemInput = defineInput(
  'CreateLibraryItemInput',
  'Input for `createLibraryItem`.',
  (t) => ({
    idempotencyKey: t.string({ description: KEY_DESCRIPTION }),
    title: t.string({ required: true, description: 'Title of the item in the library.' }),
    kind: t.field({
      type: LibraryItemKindInput,
      required: true,
      description: 'Kind of item: post content or hashtags.',
    }),
    tags: t.stringList({ description: 'Tags of the item.' }),
    activeTab: t.field({
      type: EditorTabInput,
      description: 'Editor tab that is active when the item is saved.',
    }),
    variants: t.field({
      type: [DraftVariantInput],
      required: true,
      description: 'Content, one variant per network.',
    }),
  }),
);

const CREATED_KINDS = { POST: 'Post', HASHTAG: 'Hashtag' } as const;

const CreateLibraryItemPayload = defineKeyedPayload<StoredItem>('createLibraryItem', (t) =>
  shown(t, {
    libraryItem: t.field({
      type: LibraryItem,
      description: 'The new library item.',
      resolve: ({ result }, _args, context) => result.data && storedItemOf(result.data, context),
    }),
    libraryItemEdge: t.field({
      type: LibraryItemEdge,
      description:
        'The new item as an edge, to insert into a list on the client. Its cursor marks the start of the unfiltered library.',
      resolve: ({ result }, _args, context) => {
        if (result.data === null) return null;
        const cursor = frontCursor(context.loaders.library({}), result.data.itemId);
        return { cursor, node: storedItemOf(result.data, context) };
      },
    }),
    accountNumbers: t.intList({
      description: 'Account numbers returned with the item. Undocumented by the service.',
      resolve: ({ result }, _args, context) =>
        result.data && storedItemOf(result.data, context).part.accountNumbers,
    }),
    message: string('Message from the service on success.'),
  }),
);

builder.mutationField('createLibraryItem', (t) =>
  t.field({
    type: CreateLibraryItemPayload,
    description: 'Adds an item to the content library.',
    args: inputOf(CreateLibraryItemInput, 'The item to add.'),
    resolve: (_root, { input }, context) => createLibraryItem(context, toItem(input)),
  }),
);

builder.queryField('validateLibraryItem', (t) =>
  t.field({
    type: InputValidation,
    description: 'Validates a library item without saving it. Makes no call to the service.',
    args: inputOf(CreateLibraryItemInput, 'The library item to validate.'),
    resolve: (_root, { input }) => checkLibraryItem(toItem(input)).problems.list,
  }),
);

function toItem({ kind, ...input }: typeof CreateLibraryItemInput.$inferInput) {
  return { ...input, kind: CREATED_KINDS[kind] };
}
