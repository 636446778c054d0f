import type { LibraryContent as LibraryContentView } from '../sources/current/library.ts';
import { isAbsoluteUrl } from '../sources/absolute-url.ts';
import { SourceError } from '../sources/errors.ts';
import type { Entry } from '../sources/view.ts';
import { builder } from './builder.ts';
import { ContentKind, contentKindOf, EditorTab, editorTabOf, Place } from './post-content.ts';

const OPTIONAL_LIST = { list: true, items: false } as const;

const TaggedPeople = builder.objectRef<Entry<unknown[]>>('TaggedPeople').implement({
  description: 'People who are tagged in one image.',
  fields: (t) => ({
    imageUrl: t.field({
      type: 'URL',
      description: 'Address of the image.',
      resolve: ({ key }) => imageUrlOf(key),
    }),
    people: t.field({
      type: ['JSON'],
      nullable: { list: false, items: false },
      description: 'Who is tagged, in a shape that the service does not document; without secrets.',
      resolve: ({ value }) => value,
    }),
  }),
});

// The URLs are the keys of a map, which no decoder checks.
function imageUrlOf(key: string): string {
  if (isAbsoluteUrl(key)) return key;
  throw new SourceError('malformed', 'current', 'people are tagged in an image without an absolute address');
}

export const LibraryContent = builder.objectRef<LibraryContentView>('LibraryContent').implement({
  description: 'What a library item holds.',
  fields: (t) => ({
    text: t.exposeString('text', { nullable: true, description: 'What it says.' }),
    title: t.exposeString('title', { nullable: true, description: 'Title, where it has one.' }),
    longText: t.exposeString('longText', {
      nullable: true,
      description: 'A longer text, where it has one.',
    }),
    linkUrl: t.expose('linkUrl', { type: 'URL', nullable: true, description: 'Address that it links to.' }),
    videoUrl: t.expose('videoUrl', { type: 'URL', nullable: true, description: 'Address of its video.' }),
    imageUrls: t.field({
      type: ['URL'],
      nullable: OPTIONAL_LIST,
      description: 'Addresses of its images.',
      resolve: ({ imageUrls }) => imageUrls,
    }),
    contentKind: t.field({
      type: ContentKind,
      description: 'What kind of content it is.',
      resolve: contentKindOf,
    }),
    contentCode: t.exposeString('contentCode', {
      nullable: true,
      description: 'The service’s own code of what it is.',
    }),
  }),
});

// Owner and creation.
builder.objectFields(LibraryContent, (t) => ({
  companyId: t.expose('companyId', {
    type: 'ServiceId',
    nullable: true,
    description: 'The service’s own id of the company.',
  }),
  ownerId: t.expose('ownerId', {
    type: 'ServiceId',
    nullable: true,
    description: 'The service’s own id of the owner.',
  }),
  createdAt: t.expose('createdAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the content was made.',
  }),
  taggedPeople: t.expose('taggedPeople', {
    type: [TaggedPeople],
    nullable: OPTIONAL_LIST,
    description: 'People tagged in its images, image by image.',
  }),
  utmSetId: t.expose('utmSetId', {
    type: 'ServiceId',
    nullable: true,
    description: 'The service’s own id of a set of UTM parameters.',
  }),
  utmParameters: t.expose('utmParameters', {
    type: 'JSON',
    nullable: true,
    description: 'UTM parameters, in a shape that the service does not document; without secrets.',
  }),
  boostParameters: t.expose('boostParameters', {
    type: 'JSON',
    nullable: true,
    description: 'Parameters for boosting, in a shape that the service does not document; without secrets.',
  }),
}));

// Publishing and editing.
builder.objectFields(LibraryContent, (t) => ({
  place: t.expose('place', { type: Place, nullable: true, description: 'The location of the post.' }),
  isUrlShorteningEnabled: t.exposeBoolean('isUrlShorteningEnabled', {
    nullable: true,
    description: 'Whether short links are used.',
  }),
  activeTab: t.field({
    type: EditorTab,
    description: 'The editor’s tab that was active.',
    resolve: editorTabOf,
  }),
  activeTabCode: t.exposeString('activeTabCode', {
    nullable: true,
    description: 'The service’s own code of that tab.',
  }),
  altTexts: t.field({
    type: ['JSON'],
    nullable: OPTIONAL_LIST,
    description: 'Alternative texts, in a shape that the service does not document.',
    resolve: ({ altTexts }) => altTexts,
  }),
}));
