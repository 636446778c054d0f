import type { SocialNetworkName } from '../records/network.ts';

/** A text of a post with a length limit, and its maximum number of characters. */
export interface TextLimit {
  readonly field: 'text' | 'title';
  readonly most: number;
}

/**
 * The limits that networks document for everybody. A network without an entry documents none that a post could reach
 * here, or different ones per account. Networks change their limits without notice, and some do not count characters,
 * so exceeding a limit is a warning, never an error.
 */
export const TEXT_LIMITS: Partial<Readonly<Record<SocialNetworkName, TextLimit>>> = {
  // Without a subscription. X counts a link as 23 characters and most characters outside Latin as two ("Counting
  // characters", docs.x.com); `twitter-text`, which does so, has not been maintained since 2020.
  X: { field: 'text', most: 280 },
  // "Share on LinkedIn" and LinkedIn's editor: 3,000 characters of commentary.
  LINKEDIN: { field: 'text', most: 3_000 },
  // `caption` of a container (Instagram Platform, Content Publishing).
  INSTAGRAM: { field: 'text', most: 2_200 },
  // `description` of a pin (Pinterest API v5).
  PINTEREST: { field: 'text', most: 800 },
  // `summary` of a local post (Business Profile APIs).
  GOOGLE_BUSINESS: { field: 'text', most: 1_500 },
  // `snippet.title` of a video (YouTube Data API v3). Which of the service's texts is the description is undocumented.
  YOUTUBE: { field: 'title', most: 100 },
  // `title` of a video (Content Posting API), which TikTok counts in UTF-16 units.
  TIKTOK: { field: 'text', most: 2_200 },
};
