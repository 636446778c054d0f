import { expect, test } from 'vitest';
import { differingFields, type Facts } from '../../src/watch/facts.ts';
import { watchedQueue } from '../../src/watch/queue.ts';
import { withValue } from '../support/wire-changes.ts';

const POST = {
  postId: 'p1',
  postDesc: 'Doors at seven.',
  postVideo: 'https://media.example/v.mp4?signature=1',
  tagIds: [11, 12],
  extraData: {
    place: { id: 7, name: 'Harbour' },
    fbAudianceTargeting: {
      minAge: 18,
      gender: [1, 2],
      limitAudiance: { geo: { country: 'FI', city: 'Turku' }, strict: true },
    },
    mention: {
      one: { id: 1, name: 'Ann', avatar: 'https://media.example/a.png' },
      two: { id: 2, name: 'Bo', avatar: '//media.example/b.png' },
    },
  },
};

function factsIn(wire: unknown): Facts {
  const item = watchedQueue.unpack(wire, () => undefined);
  if (item === null) throw new Error('the post has no id');
  return item.facts;
}

const MENTION = POST.extraData.mention;

test.each([
  ['an undocumented field', 'shiny', true],
  ['an undocumented field of a place', 'extraData.place.rating', 4],
  ['an undocumented field of a mention', 'extraData.mention.one.verified', 'Y'],
  ['an id as text', 'extraData.place.id', '7'],
  ['an age as text', 'extraData.fbAudianceTargeting.minAge', '18'],
  ['ids as text', 'tagIds', ['11', '12']],
  ['codes as text', 'extraData.fbAudianceTargeting.gender', ['1', '2']],
  ['fields in another order', 'extraData.place', { name: 'Harbour', id: 7 }],
  ['mentions in another order', 'extraData.mention', { two: MENTION.two, one: MENTION.one }],
  [
    'undocumented data in another order',
    'extraData.fbAudianceTargeting.limitAudiance',
    { strict: true, geo: { city: 'Turku', country: 'FI' } },
  ],
  ['another signature', 'postVideo', 'https://media.example/v.mp4?signature=2'],
  ['an empty title', 'postTitle', ''],
  ['a damaged place', 'extraData.place', 'Harbour'],
  ['a damaged name of a place', 'extraData.place.name', { en: 'Harbour' }],
])('%s is no change of a post', (_what, path, value) => {
  const before = factsIn(POST);
  const after = factsIn(withValue(POST, path, value));
  expect([...differingFields(before, after), ...differingFields(after, before)]).toEqual([]);
});

test.each([
  ['place', 'extraData.place.name', 'Market'],
  ['place', 'extraData.place', null],
  ['facebookAudience', 'extraData.fbAudianceTargeting.limitAudiance.geo.city', 'Oulu'],
  ['facebookAudience', 'extraData.fbAudianceTargeting.gender', [2, 1]],
  ['mentions', 'extraData.mention', { one: MENTION.one }],
  ['mentions', 'extraData.mention.three', { id: 3 }],
  // The address of its picture is damaged, before and after.
  ['mentions', 'extraData.mention.two.name', 'Bob'],
  ['tagIds', 'tagIds', ['12', '11']],
])('a change of %s is seen: %s', (field, path, value) => {
  expect(differingFields(factsIn(POST), factsIn(withValue(POST, path, value)))).toEqual([field]);
});
