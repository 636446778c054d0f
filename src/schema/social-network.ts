import { builder } from './builder.ts';

export const SocialNetwork = builder.enumType('SocialNetwork', {
  description:
    'A social network. `UNKNOWN` is a network that this version does not know; `platformCode` says which.',
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
