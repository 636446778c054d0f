import { builder } from './builder.ts';

export const SocialNetwork = builder.enumType('SocialNetwork', {
  description: 'The network that an account belongs to.',
  values: {
    FACEBOOK: { description: 'Facebook accounts.' },
    X: { description: 'X accounts (`twitter` in the service).' },
    LINKEDIN: { description: 'LinkedIn accounts, such as `linkedin-pages`.' },
    INSTAGRAM: { description: 'Instagram accounts.' },
    PINTEREST: { description: 'Pinterest accounts.' },
    GOOGLE_BUSINESS: { description: 'Google Business accounts (`gmb` in the service).' },
    YOUTUBE: { description: 'YouTube accounts.' },
    TUMBLR: { description: 'Tumblr accounts.' },
    TIKTOK: { description: 'TikTok accounts.' },
    UNKNOWN: { description: 'A network that this version does not recognise; see `platformCode`.' },
  } as const,
});
