/** The networks that the schema names, with the first words of the service's platform codes. */
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

/** A social network, or `UNKNOWN` for a code that the schema does not name yet. */
export type SocialNetworkName = keyof typeof CODE_STARTS | 'UNKNOWN';

/** The names of the networks, for people. */
export const NETWORK_NAMES: Readonly<Record<keyof typeof CODE_STARTS, string>> = {
  FACEBOOK: 'Facebook',
  X: 'X',
  LINKEDIN: 'LinkedIn',
  INSTAGRAM: 'Instagram',
  PINTEREST: 'Pinterest',
  GOOGLE_BUSINESS: 'Google Business',
  YOUTUBE: 'YouTube',
  TUMBLR: 'Tumblr',
  TIKTOK: 'TikTok',
};

const NETWORKS: ReadonlyMap<string, SocialNetworkName> = new Map(
  (Object.keys(CODE_STARTS) as (keyof typeof CODE_STARTS)[]).flatMap((name) =>
    CODE_STARTS[name].map((start) => [start, name] as const),
  ),
);

const END_OF_WORD = /[^a-z0-9]/;

/** Returns the network of a platform code, according to its first word. */
export function networkOf(platformCode: string | null): SocialNetworkName {
  const code = platformCode?.toLowerCase() ?? '';
  const end = code.search(END_OF_WORD);
  return NETWORKS.get(end < 0 ? code : code.slice(0, end)) ?? 'UNKNOWN';
}
