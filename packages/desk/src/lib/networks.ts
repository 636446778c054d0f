import type { PostVariant, SocialNetwork } from '../../../client/src/index.ts';

/** How a network is called, and which variant of a post is its own. */
interface Network {
  readonly name: string;
  /** Null for a network that only takes the text of all. */
  readonly variant: PostVariant | null;
}

/** The networks; each has a colour of the same name in the style sheet. */
export const NETWORKS: Readonly<Record<SocialNetwork, Network>> = {
  FACEBOOK: { name: 'Facebook', variant: 'FACEBOOK' },
  GOOGLE_BUSINESS: { name: 'Google Business', variant: 'GOOGLE_BUSINESS' },
  INSTAGRAM: { name: 'Instagram', variant: null },
  LINKEDIN: { name: 'LinkedIn', variant: 'LINKEDIN' },
  PINTEREST: { name: 'Pinterest', variant: null },
  TIKTOK: { name: 'TikTok', variant: null },
  TUMBLR: { name: 'Tumblr', variant: null },
  UNKNOWN: { name: 'Other network', variant: null },
  X: { name: 'X', variant: 'X' },
  YOUTUBE: { name: 'YouTube', variant: 'YOUTUBE' },
};

/** Returns the class that sets a network's colour. */
export function networkClass(network: SocialNetwork): string {
  return `net-${network.toLowerCase().replace('_', '-')}`;
}
