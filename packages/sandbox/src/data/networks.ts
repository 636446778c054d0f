/** A kind of platform, with its names on the two surfaces. */
export interface Network {
  /** `accountId` on the wire: the kind of platform, never an account. */
  readonly platformId: number;
  /** `accountType` and `scenario` of the current surface. */
  readonly scenario: string;
  /** `account_type` of the legacy surface. */
  readonly legacyType: string;
  /** `accountName`, for display. */
  readonly displayName: string;
  /** Host of its profiles. */
  readonly host: string;
}

/** The networks of the sandbox; `quillnet` is an unfamiliar one. */
export const networks = {
  facebookPage: network(1, 'facebook-page', 'facebook-page', 'Facebook Page', 'www.facebook.example'),
  facebookGroup: network(3, 'facebook-group', 'facebook-group', 'Facebook Group', 'www.facebook.example'),
  x: network(2, 'twitter-profile', 'twitter', 'X', 'x.example'),
  linkedinPage: network(5, 'linkedin-pages', 'linkedin-pages', 'LinkedIn Page', 'www.linkedin.example'),
  linkedinGroup: network(6, 'linkedin-group', 'linkedin-group', 'LinkedIn Group', 'www.linkedin.example'),
  linkedinProfile: network(4, 'linkedin-profile', 'linkedin', 'LinkedIn Profile', 'www.linkedin.example'),
  instagram: network(9, 'instagram-business', 'instagram-business', 'Instagram', 'www.instagram.example'),
  pinterest: network(11, 'pinterest-board', 'pinterest', 'Pinterest', 'www.pinterest.example'),
  googleBusiness: network(14, 'gmb-location', 'gmb', 'Google Business Profile', 'maps.business.example'),
  youtube: network(16, 'youtube-channel', 'youtube', 'YouTube', 'www.youtube.example'),
  tumblr: network(18, 'tumblr-blog', 'tumblr', 'Tumblr', 'www.tumblr.example'),
  tiktok: network(21, 'tiktok-business', 'tiktok', 'TikTok', 'www.tiktok.example'),
  quillnet: network(87, 'quillnet-loft', 'quillnet-loft', 'Quillnet Loft', 'quillnet.example'),
} as const;

function network(
  platformId: number,
  scenario: string,
  legacyType: string,
  ...[displayName, host]: [displayName: string, host: string]
): Network {
  return { platformId, scenario, legacyType, displayName, host };
}
