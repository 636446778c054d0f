import type { Surface } from '../sources/errors.ts';
import { builder } from './builder.ts';

/** The service's two surfaces. */
export const SurfaceEnum = builder.enumType('Surface', {
  description:
    'The two HTTP surfaces of the service. Each has its own lists of accounts and groups, and shows different fields.',
  values: {
    CURRENT: {
      value: 'current' as const,
      description:
        'The newer surface, reached with an API key: full records, queue, posts, drafts, library, AI, membership.',
    },
    LEGACY: {
      value: 'legacy' as const,
      description:
        'The older surface, reached with an access token: short records, status updates with a link preview or an image by its address, and the only way to pause or delete.',
    },
  },
});

const SurfaceStatus = builder.objectRef<{ readonly surface: Surface }>('SurfaceStatus');

SurfaceStatus.implement({
  description: 'Whether one surface of the service can be used by this caller on this server.',
  fields: (t) => ({
    surface: t.expose('surface', {
      type: SurfaceEnum,
      nullable: false,
      description: 'The surface that this entry describes.',
    }),
    isConfigured: t.boolean({
      nullable: false,
      description: 'Whether this server was given an address of it.',
      resolve: ({ surface }, _args, { sources }) => sources.isConfigured(surface),
    }),
    hasCredential: t.boolean({
      nullable: false,
      description:
        'Whether the caller sent a credential for it. Whether the service accepts it, only a query tells.',
      resolve: ({ surface }, _args, { credentials }) => credentials[surface].state === 'given',
    }),
  }),
});

builder.queryField('surfaces', (t) =>
  t.field({
    type: [SurfaceStatus],
    nullable: false,
    description:
      'Which surfaces of the service can be used. Answered without a call to the service; a good first query.',
    resolve: () => [{ surface: 'current' as const }, { surface: 'legacy' as const }],
  }),
);
