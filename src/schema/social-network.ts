import { builder } from './builder.ts';

/** The networks that the graph has names for, and what the service's codes for their platforms begin with. */
const CODE_STARTS = {
  FACEBOOK: ['facebook', 'fb'],
  X: ['twitter', 'x'],
  LINKEDIN: ['linkedin'],
  INSTAGRAM: ['instagram'],
  PINTEREST: ['pinterest'],
  GOOGLE_BUSINESS: ['gmb', 'google'],
  YOUTUBE: ['youtube'],
  TUMBLR: ['tumblr'],
  TIKTOK: ['tiktok'],
} as const;

/** A social network, or `UNKNOWN` for a code that the graph has no name for yet. */
export type SocialNetworkName = keyof typeof CODE_STARTS | 'UNKNOWN';

export const SocialNetwork = builder.enumType('SocialNetwork', {
  description:
    'A social network. `UNKNOWN` stands for one that has no name here yet; `platformCode` then says which.',
  values: {
    FACEBOOK: { description: 'Accounts of Facebook.' },
    X: { description: 'Accounts of X, which the service calls twitter.' },
    LINKEDIN: { description: 'Accounts of LinkedIn, such as `linkedin-pages`.' },
    INSTAGRAM: { description: 'Accounts of Instagram.' },
    PINTEREST: { description: 'Accounts of Pinterest.' },
    GOOGLE_BUSINESS: { description: 'Accounts of Google Business, which the service calls gmb.' },
    YOUTUBE: { description: 'Accounts of YouTube.' },
    TUMBLR: { description: 'Accounts of Tumblr.' },
    TIKTOK: { description: 'Accounts of TikTok.' },
    UNKNOWN: { description: 'A network whose code has no name here.' },
  } as const,
});

const NETWORKS: ReadonlyMap<string, SocialNetworkName> = new Map(
  (Object.keys(CODE_STARTS) as (keyof typeof CODE_STARTS)[]).flatMap((name) =>
    CODE_STARTS[name].map((start) => [start, name] as const),
  ),
);

const END_OF_WORD = /[^a-z0-9]/;

/** The network that a platform code belongs to: the code's first word decides. */
export function networkOf(platformCode: string | null): SocialNetworkName {
  const code = platformCode?.toLowerCase() ?? '';
  const end = code.search(END_OF_WORD);
  return NETWORKS.get(end < 0 ? code : code.slice(0, end)) ?? 'UNKNOWN';
}
