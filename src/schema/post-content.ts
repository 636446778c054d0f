import { reportUnfamiliar } from '../sources/view.ts';
import type {
  FacebookAudience as FacebookAudienceView,
  Mention as MentionView,
  Place as PlaceView,
} from '../sources/current/posts.ts';
import type { Entry } from '../sources/view.ts';
import { builder } from './builder.ts';

// What posts, drafts and library items have in common.

export const ContentKind = builder.enumType('ContentKind', {
  description: 'Content type of a post.',
  values: {
    TEXT: { description: 'Text (code `T`).' },
    IMAGE: { description: 'An image (code `I`).' },
    UNKNOWN: { description: 'A value that this version does not recognise; see `contentCode`.' },
  } as const,
});

const CONTENT_KINDS = { T: 'TEXT', I: 'IMAGE' } as const;

/** Returns the kind that a record's code stands for, or null without a code. */
export function contentKindOf(view: {
  readonly contentCode: string | null;
}): 'TEXT' | 'IMAGE' | 'UNKNOWN' | null {
  return nameOf(CONTENT_KINDS, view.contentCode, { view, field: 'contentCode' });
}

/** The location of a code: the record, and the field of the graph that shows it. */
export interface CodePlace {
  readonly view: object;
  readonly field: string;
}

/** Returns the name of a code of an open vocabulary, `UNKNOWN` (which is reported), or null without a code. */
export function nameOf<N extends string>(
  names: Readonly<Record<string, N>>,
  code: string | null,
  { view, field }: CodePlace,
): N | 'UNKNOWN' | null {
  if (code === null) return null;
  const name = Object.hasOwn(names, code) ? names[code] : undefined;
  if (name === undefined) reportUnfamiliar(view, field);
  return name ?? 'UNKNOWN';
}

/** The service's codes for the tabs of its editor and for the variants of a post. */
export const TAB_CODES = {
  ORIGINAL: 'original',
  INSTAGRAM: 'instagram',
  PINTEREST: 'pinterest',
  FACEBOOK: 'facebook',
  X: 'twitter',
  LINKEDIN: 'linkedin',
  GOOGLE_BUSINESS: 'gmb',
  YOUTUBE: 'youtube',
  TUMBLR: 'tumblr',
  TIKTOK: 'tiktok',
} as const;
type TabName = keyof typeof TAB_CODES;

export const TAB_DESCRIPTIONS: Readonly<Record<TabName, string>> = {
  ORIGINAL: 'The tab for the `original` variant.',
  INSTAGRAM: 'The tab for Instagram.',
  PINTEREST: 'The tab for Pinterest.',
  FACEBOOK: 'The tab for Facebook.',
  X: 'The tab for X (`twitter` in the service).',
  LINKEDIN: 'The tab for LinkedIn.',
  GOOGLE_BUSINESS: 'The tab for Google Business (`gmb` in the service).',
  YOUTUBE: 'The tab for YouTube.',
  TUMBLR: 'The tab for Tumblr.',
  TIKTOK: 'The tab for TikTok.',
};

const tabNames = Object.keys(TAB_CODES) as TabName[];

export const EditorTab = builder.enumType('EditorTab', {
  description: 'A tab of the service’s post editor.',
  values: {
    ...Object.fromEntries(tabNames.map((name) => [name, { description: TAB_DESCRIPTIONS[name] }])),
    UNKNOWN: { description: 'A tab that this version does not recognise; see `activeTabCode`.' },
  } as Readonly<Record<TabName | 'UNKNOWN', { description: string }>>,
});

const TABS_BY_CODE = Object.fromEntries(tabNames.map((name) => [TAB_CODES[name], name]));

/** Returns the tab that a code stands for, or null without a code. */
export function editorTabOf(view: { readonly activeTabCode: string | null }): TabName | 'UNKNOWN' | null {
  return nameOf<TabName>(TABS_BY_CODE, view.activeTabCode, { view, field: 'activeTabCode' });
}

export const Place = builder.objectRef<PlaceView>('Place').implement({
  description: 'A location attached to a post.',
  fields: (t) => ({
    placeId: t.expose('placeId', {
      type: 'ServiceId',
      nullable: true,
      description: 'Id of the place. Undocumented by the service.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the place.' }),
  }),
});

export const Mention = builder.objectRef<Entry<MentionView>>('Mention').implement({
  description: 'A person or page mentioned in a post.',
  fields: (t) => ({
    key: t.exposeString('key', {
      nullable: false,
      description: 'Key of the mention, unique within the post.',
    }),
    mentionedId: t.field({
      type: 'ServiceId',
      description: 'Id of the person or page.',
      resolve: ({ value }) => value.mentionedId,
    }),
    name: t.string({ description: 'Name of the person or page.', resolve: ({ value }) => value.name }),
    userName: t.string({
      description: 'User name of the person or page.',
      resolve: ({ value }) => value.userName,
    }),
    displayName: t.string({
      description: 'Display name of the person or page.',
      resolve: ({ value }) => value.displayName,
    }),
    linkUrl: t.field({
      type: 'URL',
      description: 'URL that the mention links to.',
      resolve: ({ value }) => value.linkUrl,
    }),
    avatarUrl: t.field({
      type: 'URL',
      description: 'URL of a picture of the person or page.',
      resolve: ({ value }) => value.avatarUrl,
    }),
    mentionAccountId: t.field({
      type: 'ServiceId',
      description: 'The service’s `accountId` of the mention. Undocumented by the service.',
      resolve: ({ value }) => value.mentionAccountId,
    }),
    activeTab: t.string({
      description: 'Editor tab that the mention belongs to.',
      resolve: ({ value }) => value.activeTab,
    }),
  }),
});

export const FacebookAudience = builder.objectRef<FacebookAudienceView>('FacebookAudience').implement({
  description: 'Audience targeting of a post on Facebook.',
  fields: (t) => ({
    minAge: t.exposeInt('minAge', { nullable: true, description: 'Minimum age of the audience.' }),
    maxAge: t.exposeInt('maxAge', { nullable: true, description: 'Maximum age of the audience.' }),
    gender: t.expose('gender', {
      type: ['Int'],
      nullable: { list: true, items: false },
      description: 'Gender codes. Undocumented by the service.',
    }),
    limitAudience: t.expose('limitAudience', {
      type: 'JSON',
      nullable: true,
      description: 'A further limit on the audience. Undocumented by the service.',
    }),
  }),
});
