import type { CreatedStatusUpdate } from '../sources/legacy/posts.ts';
import { createStatusUpdate, validateStatusUpdate } from '../writes/create-status-update.ts';
import { builder, defineEnum, defineInput } from './builder.ts';
import { serviceId, shown } from './data.ts';
import { InputValidation, defineKeyedPayload, inputOf, KEY_DESCRIPTION } from './write.ts';

const StatusUpdatePlacement = defineEnum(
  'StatusUpdatePlacement',
  'Ways to publish a status update without a specific time.',
  {
    QUEUE: ['queue', 'Publish later. The time is undocumented by the service.'],
    NOW: ['now', 'Publish immediately.'],
  },
);

const StatusUpdateTimingInput = builder.inputType('StatusUpdateTimingInput', {
  isOneOf: true,
  description: 'When to publish a status update. Set exactly one field.',
  fields: (t) => ({
    placement: t.field({
      type: StatusUpdatePlacement,
      description: 'Publish immediately or later, without a specific time.',
    }),
    scheduledAtLocal: t.field({
      type: 'LocalDateTime',
      description: 'Publish at this time on the service’s clock.',
    }),
    scheduledAt: t.field({
      type: 'DateTime',
      description: 'Publish at this instant. Requires the operator to set `SERVICE_TIME_ZONE`.',
    }),
  }),
});

const LinkPreviewInput = defineInput('LinkPreviewInput', 'Link preview of a status update.', (t) => ({
  title: t.string({ description: 'Title of the link.' }),
  url: t.field({ type: 'URL', description: 'URL of the link.' }),
  imagePath: t.string({ description: 'Path of an image in the service, not a URL.' }),
  description: t.string({ description: 'Short description of the link.' }),
}));

const CreateStatusUpdateInput = defineInput(
  'CreateStatusUpdateInput',
  'Input for `createStatusUpdate`: text, with a link preview or one image. It is validated as a whole before anything is sent.',
  (t) => ({
    idempotencyKey: t.string({ description: KEY_DESCRIPTION }),
    text: t.string({ required: true, description: 'The text of the post.' }),
    accountIds: t.idList({ description: 'IDs of accounts on the legacy surface. Must be unique.' }),
    accountGroupIds: t.idList({
      description: 'IDs of groups on the legacy surface. The update goes to all their accounts, once each.',
    }),
    // No default value, as in `DraftVariantInput`.
    timing: t.field({
      type: StatusUpdateTimingInput,
      description: 'When to publish the update. Defaults to `QUEUE`.',
    }),
    preview: t.field({
      type: LinkPreviewInput,
      description: 'Link preview. Cannot be combined with an image.',
    }),
    imageUrl: t.field({ type: 'URL', description: 'URL of the image to share.' }),
  }),
);

const CreateStatusUpdatePayload = defineKeyedPayload<CreatedStatusUpdate>('createStatusUpdate', (t) =>
  shown(t, {
    postId: serviceId('The service’s own id for the post; null if not reported.'),
  }),
);

builder.mutationField('createStatusUpdate', (t) =>
  t.field({
    type: CreateStatusUpdatePayload,
    description:
      'Creates a status update on the legacy surface, for callers with only an access token. `createPost` offers more.',
    args: inputOf(CreateStatusUpdateInput, 'The status update to create.'),
    resolve: (_root, { input }, context) => createStatusUpdate(context, input),
  }),
);

builder.queryField('validateStatusUpdate', (t) =>
  t.field({
    type: InputValidation,
    description:
      'Validates a status update without sending it. If the input is otherwise valid, its accounts and groups are looked up on the legacy surface.',
    args: inputOf(CreateStatusUpdateInput, 'The status update to validate.'),
    resolve: (_root, { input }, context) => validateStatusUpdate(context, input),
  }),
);
