import type { LibraryContent as LibraryContentView } from '../sources/current/library.ts';
import { isAbsoluteUrl } from '../sources/absolute-url.ts';
import { SourceError } from '../sources/errors.ts';
import type { Entry } from '../sources/view.ts';
import { builder } from './builder.ts';
import { ContentKind, contentKindOf, EditorTab, editorTabOf, Place } from './post-content.ts';

const OPTIONAL_LIST = { list: true, items: false } as const;

const TaggedPeople = builder.objectRef<Entry<unknown[]>>('TaggedPeople').implement({
  description: 'People tagged in one image.',
  fields: (t) => ({
    imageUrl: t.field({
      type: 'URL',
      description: 'URL of the tagged image.',
      resolve: ({ key }) => imageUrlOf(key),
    }),
    people: t.field({
      type: ['JSON'],
      nullable: { list: false, items: false },
      description: 'Tagged people. Undocumented by the service.',
      resolve: ({ value }) => value,
    }),
  }),
});

// The URLs are the keys of a map, which no decoder checks.
function imageUrlOf(key: string): string {
  if (isAbsoluteUrl(key)) return key;
  throw new SourceError('malformed', 'current', 'people are tagged in an image without an absolute URL');
}

export const LibraryContent = builder.objectRef<LibraryContentView>('LibraryContent').implement({
  description: 'Content of a library item.',
  fields: (t) => ({
    text: t.exposeString('text', { nullable: true, description: 'The text of the post.' }),
    title: t.exposeString('title', { nullable: true, description: 'Title of the post, if any.' }),
    longText: t.exposeString('longText', {
      nullable: true,
      description: 'Long description of the post, if any.',
    }),
    linkUrl: t.expose('linkUrl', { type: 'URL', nullable: true, description: 'URL that the post links to.' }),
    videoUrl: t.expose('videoUrl', { type: 'URL', nullable: true, description: 'URL of the video file.' }),
    imageUrls: t.field({
      type: ['URL'],
      nullable: OPTIONAL_LIST,
      description: 'URLs of the images.',
      resolve: ({ imageUrls }) => imageUrls,
    }),
    contentKind: t.field({
      type: ContentKind,
      description: 'Content type: text or image.',
      resolve: contentKindOf,
    }),
    contentCode: t.exposeString('contentCode', {
      nullable: true,
      description: 'Raw code behind `contentKind`.',
    }),
  }),
});

// Owner and creation.
builder.objectFields(LibraryContent, (t) => ({
  companyId: t.expose('companyId', {
    type: 'ServiceId',
    nullable: true,
    description: 'The service’s own id for the company.',
  }),
  ownerId: t.expose('ownerId', {
    type: 'ServiceId',
    nullable: true,
    description: 'The service’s own id for the owner.',
  }),
  createdAt: t.expose('createdAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the content was created.',
  }),
  taggedPeople: t.expose('taggedPeople', {
    type: [TaggedPeople],
    nullable: OPTIONAL_LIST,
    description: 'People tagged in the images.',
  }),
  utmSetId: t.expose('utmSetId', {
    type: 'ServiceId',
    nullable: true,
    description: 'Id of a set of UTM parameters in the service.',
  }),
  utmParameters: t.expose('utmParameters', {
    type: 'JSON',
    nullable: true,
    description: 'UTM parameters. Undocumented by the service.',
  }),
  boostParameters: t.expose('boostParameters', {
    type: 'JSON',
    nullable: true,
    description: 'Parameters for boosting. Undocumented by the service.',
  }),
}));

// Publishing and editing.
builder.objectFields(LibraryContent, (t) => ({
  place: t.expose('place', { type: Place, nullable: true, description: 'Location of the post.' }),
  isUrlShorteningEnabled: t.exposeBoolean('isUrlShorteningEnabled', {
    nullable: true,
    description: 'Whether links are shortened.',
  }),
  activeTab: t.field({
    type: EditorTab,
    description: 'Editor tab that was active when the item was saved.',
    resolve: editorTabOf,
  }),
  activeTabCode: t.exposeString('activeTabCode', {
    nullable: true,
    description: 'Raw code behind `activeTab`.',
  }),
  altTexts: t.field({
    type: ['JSON'],
    nullable: OPTIONAL_LIST,
    description: 'Alternative texts of images. Undocumented by the service.',
    resolve: ({ altTexts }) => altTexts,
  }),
}));
