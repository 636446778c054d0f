import { storedItemOf } from '../records/library-item.ts';
import { checkLibraryItem, createLibraryItem, type StoredItem } from '../writes/create-library-item.ts';
import { SEARCH_CALLS } from '../writes/find-created.ts';
import { builder } from './builder.ts';
import { costsCalls } from './cost.ts';
import { DraftVariantInput, toDraftVariants } from './draft.ts';
import { InputValidation } from './input-validation.ts';
import { LibraryItem, LibraryItemEdge, LibraryItemKindInput } from './library-item.ts';
import { frontCursor } from './pagination.ts';
import { EditorTabInput } from './post-input.ts';
import { definePayload, KEY_DESCRIPTION } from './write.ts';

const CreateLibraryItemInput = builder.inputType('CreateLibraryItemInput', {
  description: 'Content to be kept in the library.',
  fields: (t) => ({
    idempotencyKey: t.string({ description: KEY_DESCRIPTION }),
    title: t.string({ required: true, description: 'Its name in the library.' }),
    kind: t.field({ type: LibraryItemKindInput, required: true, description: 'What kind of content it is.' }),
    tags: t.stringList({ description: 'Tags of the item.' }),
    activeTab: t.field({
      type: EditorTabInput,
      description: 'The editor’s tab that is active when it is saved.',
    }),
    variants: t.field({
      type: [DraftVariantInput],
      required: true,
      description: 'The content, one variant for each network.',
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
        'The item as an edge, for a list that a client shows; its cursor is that of the start of the unfiltered library.',
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
      description: 'The service’s message on success.',
      resolve: ({ result }) => result.data?.message ?? null,
    }),
  }),
);

builder.mutationField('createLibraryItem', (t) =>
  t.field({
    type: CreateLibraryItemPayload,
    description: 'Keeps content in the library.',
    args: { input: t.arg({ type: CreateLibraryItemInput, required: true, description: 'The content.' }) },
    resolve: (_root, { input }, context) => createLibraryItem(context, toItem(input)),
    ...costsCalls(1 + SEARCH_CALLS),
  }),
);

builder.queryField('validateLibraryItem', (t) =>
  t.field({
    type: InputValidation,
    description:
      'Checks content for the library without keeping it: everything that `createLibraryItem` would refuse. Asks nothing of the service.',
    args: {
      input: t.arg({
        type: CreateLibraryItemInput,
        required: true,
        description: 'The content, as `createLibraryItem` takes it.',
      }),
    },
    resolve: (_root, { input }) => checkLibraryItem(toItem(input)).problems.list,
  }),
);

function toItem({ kind, variants, ...input }: typeof CreateLibraryItemInput.$inferInput) {
  return { ...input, kind: CREATED_KINDS[kind], variants: toDraftVariants(variants) };
}
