import type {
  FacebookAudience as FacebookAudienceView,
  Mention as MentionView,
  Place as PlaceView,
} from '../sources/current/posts.ts';
import type { Entry } from '../sources/view.ts';
import { builder, defineEnum } from './builder.ts';
import { coded, field, int, json, serviceId, shown, string, url } from './data.ts';

// What posts, drafts and library items have in common.

const ContentKind = defineEnum('ContentKind', 'Content type of a post.', {
  TEXT: 'Text (code `T`).',
  IMAGE: 'An image (code `I`).',
  UNKNOWN: 'A value that this version does not recognise; see `contentCode`.',
});

/** Declares a field that shows the kind of a post's content. */
export function contentKind(description: string) {
  return coded(ContentKind, description, { entry: 'contentCode', names: { T: 'TEXT', I: 'IMAGE' } });
}

/** The tabs of the service's editor, with its codes for them. */
export const TABS = {
  ORIGINAL: ['original', 'The tab for the `original` variant.'],
  INSTAGRAM: ['instagram', 'The tab for Instagram.'],
  PINTEREST: ['pinterest', 'The tab for Pinterest.'],
  FACEBOOK: ['facebook', 'The tab for Facebook.'],
  X: ['twitter', 'The tab for X (`twitter` in the service).'],
  LINKEDIN: ['linkedin', 'The tab for LinkedIn.'],
  GOOGLE_BUSINESS: ['gmb', 'The tab for Google Business (`gmb` in the service).'],
  YOUTUBE: ['youtube', 'The tab for YouTube.'],
  TUMBLR: ['tumblr', 'The tab for Tumblr.'],
  TIKTOK: ['tiktok', 'The tab for TikTok.'],
} as const;
type TabName = keyof typeof TABS;

const tabNames = Object.keys(TABS) as TabName[];
const tabDescriptions = Object.fromEntries(tabNames.map((name) => [name, TABS[name][1]]));

export const EditorTab = defineEnum('EditorTab', 'A tab of the service’s post editor.', {
  ...(tabDescriptions as Readonly<Record<TabName, string>>),
  UNKNOWN: 'A tab that this version does not recognise; see `activeTabCode`.',
});

/** The tabs by their codes. */
export const TABS_BY_CODE = Object.fromEntries(tabNames.map((name) => [TABS[name][0], name]));

export const Place = builder.objectRef<PlaceView>('Place').implement({
  description: 'A location attached to a post.',
  fields: (t) =>
    shown(t, {
      placeId: serviceId('Id of the place. Undocumented by the service.'),
      name: string('Name of the place.'),
    }),
});

export const Mention = builder.objectRef<Entry<MentionView>>('Mention').implement({
  description: 'A person or page mentioned in a post.',
  fields: (t) =>
    shown(t, {
      key: t.exposeString('key', {
        nullable: false,
        description: 'Key of the mention, unique within the post.',
      }),
      mentionedId: serviceId('Id of the person or page.'),
      name: string('Name of the person or page.'),
      userName: string('User name of the person or page.'),
      displayName: string('Display name of the person or page.'),
      linkUrl: url('URL that the mention links to.'),
      avatarUrl: url('URL of a picture of the person or page.'),
      mentionAccountId: serviceId('The service’s `accountId` of the mention. Undocumented by the service.'),
      activeTab: string('Editor tab that the mention belongs to.'),
    }),
});

export const FacebookAudience = builder.objectRef<FacebookAudienceView>('FacebookAudience').implement({
  description: 'Audience targeting of a post on Facebook.',
  fields: (t) =>
    shown(t, {
      minAge: int('Minimum age of the audience.'),
      maxAge: int('Maximum age of the audience.'),
      gender: field(['Int'], 'Gender codes. Undocumented by the service.'),
      limitAudience: json('A further limit on the audience. Undocumented by the service.'),
    }),
});
