import type { OperationContext } from '../operation/operation.ts';
import { builder } from './builder.ts';
import { MembershipPlan } from './membership.ts';
import { SURFACES, SurfaceStatus } from './surface.ts';

// What the credentials of a request reach. Each field that requires a call makes it only if it is selected.

const Viewer = builder.objectRef<object>('Viewer').implement({
  description:
    'What this request’s credentials give access to. Fields of the current surface are null without an API key.',
  fields: (t) => ({
    surfaces: t.field({
      type: [SurfaceStatus],
      nullable: false,
      description: 'Surfaces of the service, and whether a credential was sent for each.',
      resolve: () => SURFACES,
    }),
    isSandbox: t.boolean({
      nullable: false,
      description: 'Whether this server uses its own sandbox instead of the service.',
      resolve: (_viewer, _args, { isSandbox }) => isSandbox,
    }),
    timeZone: t.string({
      description:
        'IANA time zone of the service’s clock, such as `Europe/Paris`; null unless the operator has set `SERVICE_TIME_ZONE`.',
      resolve: (_viewer, _args, { serviceTimeZone }) => serviceTimeZone,
    }),
    writeRetentionSeconds: t.int({
      description:
        'How long this server remembers a write with an `idempotencyKey`, even if it restarts, in seconds; null if a restart forgets it.',
      resolve: (_viewer, _args, { writeRetentionMs }) =>
        writeRetentionMs && Math.floor(writeRetentionMs / 1_000),
    }),
    ownerId: t.field({
      type: 'ServiceId',
      description:
        'Id of the owner, read from the first text in the AI history; null if the history is empty.',
      resolve: async (_viewer, _args, context) => (await firstAiText(context))?.ownerId ?? null,
    }),
    companyId: t.field({
      type: 'ServiceId',
      description: 'Id of the company, read together with `ownerId`.',
      resolve: async (_viewer, _args, context) => (await firstAiText(context))?.companyId ?? null,
    }),
    plan: t.field({
      type: MembershipPlan,
      description: 'The owner’s current plan, as in `membership.currentPlan`.',
      resolve: async (_viewer, _args, context) =>
        isReached(context) ? (await context.loaders.membership()).currentPlan : null,
    }),
  }),
});

/** Whether the current surface can be asked; an unusable credential counts, so that its error is reported. */
function isReached({ sources, credentials }: OperationContext): boolean {
  return sources.isConfigured('current') && credentials.current.state !== 'missing';
}

// Of the lists whose page may be a single record, only the AI history states both ids.
async function firstAiText(context: OperationContext) {
  if (!isReached(context)) return null;
  const { rows } = await context.loaders.aiHistory().readPage(1, 1, false);
  return rows[0] ?? null;
}

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    nullable: false,
    description:
      'The caller: surfaces, owner and plan. Calls the service only for selected fields that need it.',
    resolve: () => ({}),
  }),
);
