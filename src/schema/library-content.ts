import type { LibraryContent as LibraryContentView } from '../sources/current/library.ts';
import { isAbsoluteUrl } from '../sources/absolute-url.ts';
import { SourceError } from '../sources/errors.ts';
import type { Entry } from '../sources/view.ts';
import { builder } from './builder.ts';
import { boolean, coded, dateTime, field, json, serviceId, shown, string, url } from './data.ts';
import { contentKind, EditorTab, Place, TABS_BY_CODE } from './post-content.ts';

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
      nullable: false,
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
  fields: (t) =>
    shown(t, {
      text: string('The text of the post.'),
      title: string('Title of the post, if any.'),
      longText: string('Long description of the post, if any.'),
      linkUrl: url('URL that the post links to.'),
      videoUrl: url('URL of the video file.'),
      imageUrls: field(['URL'], 'URLs of the images.'),
      contentKind: contentKind('Content type: text or image.'),
      contentCode: string('Raw code behind `contentKind`.'),
    }),
});

builder.objectFields(LibraryContent, (t) =>
  shown(t, {
    // Owner and creation.
    companyId: serviceId('The service’s own id for the company.'),
    ownerId: serviceId('The service’s own id for the owner.'),
    createdAt: dateTime('When the content was created.'),
    taggedPeople: field([TaggedPeople], 'People tagged in the images.'),
    utmSetId: serviceId('Id of a set of UTM parameters in the service.'),
    utmParameters: json('UTM parameters. Undocumented by the service.'),
    boostParameters: json('Parameters for boosting. Undocumented by the service.'),
    // Publishing and editing.
    place: field(Place, 'Location of the post.'),
    isUrlShorteningEnabled: boolean('Whether links are shortened.'),
    activeTab: coded(EditorTab, 'Editor tab that was active when the item was saved.', {
      entry: 'activeTabCode',
      names: TABS_BY_CODE,
    }),
    activeTabCode: string('Raw code behind `activeTab`.'),
    altTexts: field(['JSON'], 'Alternative texts of images. Undocumented by the service.'),
  }),
);
