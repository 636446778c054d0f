import { defineEnum } from './builder.ts';

export const SocialNetwork = defineEnum('SocialNetwork', 'The network that an account belongs to.', {
  FACEBOOK: 'Facebook accounts.',
  X: 'X accounts (`twitter` in the service).',
  LINKEDIN: 'LinkedIn accounts, such as `linkedin-pages`.',
  INSTAGRAM: 'Instagram accounts.',
  PINTEREST: 'Pinterest accounts.',
  GOOGLE_BUSINESS: 'Google Business accounts (`gmb` in the service).',
  YOUTUBE: 'YouTube accounts.',
  TUMBLR: 'Tumblr accounts.',
  TIKTOK: 'TikTok accounts.',
  UNKNOWN: 'A network that this version does not recognise; see `platformCode`.',
});
