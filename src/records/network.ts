import { remembering } from '../remember.ts';

/** The networks that the schema names: their names for people, and the first words of the service's platform codes. */
export const NETWORKS = {
  FACEBOOK: { label: 'Facebook', codes: ['facebook', 'fb'] },
  X: { label: 'X', codes: ['twitter', 'x'] },
  LINKEDIN: { label: 'LinkedIn', codes: ['linkedin'] },
  INSTAGRAM: { label: 'Instagram', codes: ['instagram'] },
  PINTEREST: { label: 'Pinterest', codes: ['pinterest'] },
  GOOGLE_BUSINESS: { label: 'Google Business', codes: ['gmb', 'google'] },
  YOUTUBE: { label: 'YouTube', codes: ['youtube'] },
  TUMBLR: { label: 'Tumblr', codes: ['tumblr'] },
  TIKTOK: { label: 'TikTok', codes: ['tiktok'] },
} as const;

/** A social network, or `UNKNOWN` for a code that the schema does not name yet. */
export type SocialNetworkName = keyof typeof NETWORKS | 'UNKNOWN';

const BY_CODE: ReadonlyMap<string, SocialNetworkName> = new Map(
  (Object.keys(NETWORKS) as (keyof typeof NETWORKS)[]).flatMap((name) =>
    NETWORKS[name].codes.map((code) => [code, name] as const),
  ),
);

const END_OF_WORD = /[^a-z0-9]/;

/** Returns the network of a platform code, according to its first word. */
export function networkOf(platformCode: string | null): SocialNetworkName {
  return networkOfCode(platformCode ?? '');
}

/** The service has a few dozen codes, and each account and each post has one. */
const networkOfCode = remembering(readNetwork, { most: 1_000, longest: 64 });

function readNetwork(platformCode: string): SocialNetworkName {
  const code = platformCode.toLowerCase();
  const end = code.search(END_OF_WORD);
  return BY_CODE.get(end < 0 ? code : code.slice(0, end)) ?? 'UNKNOWN';
}
