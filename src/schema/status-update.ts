import type { CreatedStatusUpdate } from '../sources/legacy/posts.ts';
import { createStatusUpdate, validateStatusUpdate } from '../writes/create-status-update.ts';
import { builder } from './builder.ts';
import { costs, costsCalls } from './cost.ts';
import { InputValidation } from './input-validation.ts';
import { addLegacy } from './list-cost.ts';
import { definePayload, enumOf, KEY_DESCRIPTION } from './write.ts';

const StatusUpdatePlacement = builder.enumType('StatusUpdatePlacement', {
  description: 'When a status update goes out, without a time of its own.',
  values: enumOf({
    QUEUE: ['queue', 'Not immediately, and at no given time; when it goes out is not documented.'],
    NOW: ['now', 'Sent immediately.'],
  } as const),
});

const StatusUpdateTimingInput = builder.inputType('StatusUpdateTimingInput', {
  isOneOf: true,
  description: 'When a status update goes out.',
  fields: (t) => ({
    placement: t.field({ type: StatusUpdatePlacement, description: 'Without a time of its own.' }),
    scheduledAtLocal: t.field({
      type: 'LocalDateTime',
      description: 'At this time of the service’s own clock.',
    }),
    scheduledAt: t.field({
      type: 'DateTime',
      description: 'At this instant; only if the operator has set `SERVICE_TIME_ZONE`.',
    }),
  }),
});

const LinkPreviewInput = builder.inputType('LinkPreviewInput', {
  description: 'The link preview of a status update.',
  fields: (t) => ({
    title: t.string({ description: 'Title of the link.' }),
    url: t.field({ type: 'URL', description: 'Address of the link.' }),
    imagePath: t.string({ description: 'Path of an image, as the service takes it: no address.' }),
    description: t.string({ description: 'A short text about it.' }),
  }),
});

const CreateStatusUpdateInput = builder.inputType('CreateStatusUpdateInput', {
  description:
    'A status update: text, with a link preview or with one image. It is checked as a whole first.',
  fields: (t) => ({
    idempotencyKey: t.string({ description: KEY_DESCRIPTION }),
    text: t.string({ required: true, description: 'What it says.' }),
    accountIds: t.idList({ description: 'Ids of `Account`s of the legacy surface; each once.' }),
    accountGroupIds: t.idList({
      description:
        'Ids of `AccountGroup`s of the legacy surface: all their accounts. An account that is named twice gets it once.',
    }),
    timing: t.field({
      type: StatusUpdateTimingInput,
      description: 'When it goes out; as `QUEUE` if left out.',
    }),
    preview: t.field({
      type: LinkPreviewInput,
      description: 'Its link preview; not together with an image.',
    }),
    imageUrl: t.field({ type: 'URL', description: 'Address of the image to share.' }),
  }),
});

const CreateStatusUpdatePayload = definePayload<CreatedStatusUpdate>(
  'CreateStatusUpdatePayload',
  { takesKey: true },
  (t) => ({
    postId: t.field({
      type: 'ServiceId',
      description: 'The service’s own id of the post; null where it does not tell.',
      resolve: ({ result }) => result.data?.postId ?? null,
    }),
  }),
);

builder.mutationField('createStatusUpdate', (t) =>
  t.field({
    type: CreateStatusUpdatePayload,
    description:
      'Creates a status update through the legacy surface: for callers who have an access token only. `createPost` does more.',
    args: {
      input: t.arg({ type: CreateStatusUpdateInput, required: true, description: 'The status update.' }),
    },
    resolve: (_root, { input }, context) => createStatusUpdate(context, input),
    // The accounts, the groups and the write.
    ...costsCalls(3),
  }),
);

builder.queryField('validateStatusUpdate', (t) =>
  t.field({
    type: InputValidation,
    description:
      'Checks a status update without sending it: everything that `createStatusUpdate` would refuse. Without other problems, its accounts and groups are looked up on the legacy surface.',
    args: {
      input: t.arg({
        type: CreateStatusUpdateInput,
        required: true,
        description: 'The status update, as `createStatusUpdate` takes it.',
      }),
    },
    resolve: (_root, { input }, context) => validateStatusUpdate(context, input),
    ...costs(({ tally }) => {
      addLegacy(tally, 'legacy accounts');
      addLegacy(tally, 'legacy groups');
    }),
  }),
);
