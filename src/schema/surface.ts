import type { Surface } from '../sources/errors.ts';
import { builder, defineEnum } from './builder.ts';
import { field, nonNull, shown } from './data.ts';

/** The service's two surfaces. */
export const SurfaceEnum = defineEnum(
  'Surface',
  'The service’s two HTTP surfaces. Each has its own lists of accounts and groups and reports different fields.',
  {
    CURRENT: [
      'current',
      'The current surface, used with an API key: full records, queue, posts, drafts, library, AI texts and membership.',
    ],
    LEGACY: [
      'legacy',
      'The legacy surface, used with an access token: short records, status updates with a link preview or an image URL, and the only way to pause or delete accounts.',
    ],
  },
);

export const SurfaceStatus = builder.objectRef<{ readonly surface: Surface }>('SurfaceStatus');

SurfaceStatus.implement({
  description: 'Whether the caller can use one surface of the service.',
  fields: (t) =>
    shown(t, {
      surface: nonNull(field(SurfaceEnum, 'Surface that this entry describes.')),
      isConfigured: t.boolean({
        nullable: false,
        description: 'Whether this server has a URL for the surface.',
        resolve: ({ surface }, _args, { sources }) => sources.isConfigured(surface),
      }),
      hasCredential: t.boolean({
        nullable: false,
        description:
          'Whether the caller sent a credential for the surface. The credential itself is not validated.',
        resolve: ({ surface }, _args, { credentials }) => credentials[surface].state === 'given',
      }),
      host: t.string({
        description:
          'Host of the surface’s URL; null if it is not configured, or if the caller sent no credential for it.',
        resolve: ({ surface }, _args, context) =>
          context.credentials[surface].state === 'given' ? context.hostOf(surface) : null,
      }),
    }),
});

/** The surfaces, each with its status. */
export const SURFACES = [{ surface: 'current' as const }, { surface: 'legacy' as const }];

builder.queryField('surfaces', (t) =>
  t.field({
    type: [SurfaceStatus],
    nullable: false,
    description:
      'Surfaces of the service, and whether the caller can use each. Makes no call to the service; a good first query.',
    resolve: () => SURFACES,
  }),
);
