import type { LibraryContent as LibraryContentView } from '../sources/current/library.ts';
import type { Entry } from '../sources/view.ts';
import { builder } from './builder.ts';
import { ContentKind, contentKindOf, EditorTab, editorTabOf, Place } from './post-content.ts';

const OPTIONAL_LIST = { list: true, items: false } as const;

const TaggedPeople = builder.objectRef<Entry<unknown[]>>('TaggedPeople').implement({
  description: 'People who are tagged in one image.',
  fields: (t) => ({
    imageUrl: t.exposeString('key', { nullable: false, description: 'Address of the image.' }),
    people: t.field({
      type: ['JSON'],
      nullable: { list: false, items: false },
      description: 'Who is tagged, in a shape that the service does not document; without secrets.',
      resolve: ({ value }) => value,
    }),
  }),
});

export const LibraryContent = builder.objectRef<LibraryContentView>('LibraryContent').implement({
  description: 'What a library item holds.',
  fields: (t) => ({
    text: t.exposeString('text', { nullable: true, description: 'What a post made from it says.' }),
    title: t.exposeString('title', { nullable: true, description: 'Title of a post made from it.' }),
    longText: t.exposeString('longText', {
      nullable: true,
      description: 'A longer text, for networks that take one.',
    }),
    linkUrl: t.exposeString('linkUrl', { nullable: true, description: 'Address that it links to.' }),
    videoUrl: t.exposeString('videoUrl', { nullable: true, description: 'Address of its video.' }),
    imageUrls: t.exposeStringList('imageUrls', {
      nullable: OPTIONAL_LIST,
      description: 'Addresses of its images.',
    }),
    contentKind: t.field({
      type: ContentKind,
      description: 'What it mainly is.',
      resolve: contentKindOf,
    }),
    contentCode: t.exposeString('contentCode', {
      nullable: true,
      description: 'The service’s own code of what it is.',
    }),
    companyId: t.exposeID('companyId', {
      nullable: true,
      description: 'The service’s own id of the company.',
    }),
    ownerId: t.exposeID('ownerId', { nullable: true, description: 'The service’s own id of the owner.' }),
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
    utmSetId: t.exposeID('utmSetId', {
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
    place: t.expose('place', { type: Place, nullable: true, description: 'The location that it names.' }),
    isUrlShorteningEnabled: t.exposeBoolean('isUrlShorteningEnabled', {
      nullable: true,
      description: 'Whether its links are shortened.',
    }),
    activeTab: t.field({
      type: EditorTab,
      description: 'The editor’s tab that was open when it was saved.',
      resolve: editorTabOf,
    }),
    activeTabCode: t.exposeString('activeTabCode', {
      nullable: true,
      description: 'The service’s own code of that tab.',
    }),
    altTexts: t.field({
      type: ['JSON'],
      nullable: OPTIONAL_LIST,
      description: 'Alternative texts of its images, in a shape that the service does not document.',
      resolve: ({ altTexts }) => altTexts,
    }),
  }),
});
