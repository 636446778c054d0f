import { assert, asyncProperty } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '../support/any-text.ts';
import { cases } from '../support/depth.ts';
import { FULL_POST_ITEM, FULL_POST_VARIANT } from '../support/full-variants.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { onlyRequest, sentJson } from '../support/sent.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { account, EXAMPLES, write, type Input } from '../support/writes.ts';

const shared = shareGraph();
const CREATE = 'POST /posts/create';
const BARE = { mediaIds: ['m-1'], variant: 'ORIGINAL' };

/** What is sent for a post, once it was made. */
async function bodyFor(graph: RunningGraph, changes: Input) {
  graph.sandbox.requests.clear();
  // The tests share one queue, which must not be full before the last of them.
  graph.sandbox.state.owner('harbour').queueLimit = 10_000;
  const { outcome } = await write(graph, 'createPost', { ...EXAMPLES.createPost, ...changes });
  expect(outcome).toBe('COMPLETED');
  return sentJson(graph, CREATE) as Input & { readonly posts: readonly Input[] };
}

test('every field of a post is sent under the service’s own name, and nothing else is', async () => {
  const utmParameters = [{ parameter: 'utm_source', type: 'D', value: 'graph' }];
  const body = await bodyFor(shared, {
    idempotencyKey: 'a-key',
    accountIds: [account(410_201), account(410_202)],
    timing: { scheduledAtLocal: ['2031-05-20T00:00', '2031-05-20T13:05'] },
    variants: [BARE, FULL_POST_VARIANT],
    utmSetId: 'utm-7',
    utmParameters,
    sendForClientReview: false,
  });
  expect(body).toEqual({
    scheduleDateTime: ['2031-05-20 00:00', '2031-05-20 13:05'],
    shareType: 3,
    loginIds: [410_201, 410_202],
    posts: [{ type: 'original', instagramPostType: 'post', mediaId: ['m-1'] }, FULL_POST_ITEM],
    utmSetId: 'utm-7',
    utmParameters,
    sendForClientReview: false,
  });
});

test('only the headers that a call needs are sent', async () => {
  await bodyFor(shared, { idempotencyKey: 'another-key' });
  const { headers, query } = onlyRequest(shared, CREATE);
  expect(Object.keys(headers).toSorted()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'content-length',
    'content-type',
    'host',
    'x-api-key',
  ]);
  expect([...query]).toEqual([]);
});

test.each([
  ['QUEUE', 0],
  ['NOW', 1],
  ['NEXT', 2],
])('the placement %s is the share type %i, without times', async (placement, shareType) => {
  const body = await bodyFor(shared, { timing: { placement } });
  expect(body).toEqual({
    shareType,
    loginIds: [410_201],
    posts: [{ type: 'original', instagramPostType: 'post', postDesc: 'Doors at seven.' }],
  });
});

test('instants are sent as the times of the service’s own clock', async () => {
  const graph = await startGraph({ environment: { SERVICE_TIME_ZONE: 'America/New_York' } });
  const atInstants = ['2031-01-20T00:30:00Z', '2031-07-20T17:05:00.000+02:00'];
  const body = await bodyFor(graph, { timing: { scheduledAt: atInstants } });
  expect(body).toMatchObject({ shareType: 3, scheduleDateTime: ['2031-01-19 19:30', '2031-07-20 11:05'] });
});

test('each variant is sent by the service’s name for it, always with the kind of Instagram post', async () => {
  const types = {
    ORIGINAL: 'original',
    FACEBOOK: 'facebook',
    X: 'twitter',
    LINKEDIN: 'linkedin',
    GOOGLE_BUSINESS: 'gmb',
    YOUTUBE: 'youtube',
  };
  const variants = Object.keys(types).map((variant) => ({ variant, text: 'Hi' }));
  const body = await bodyFor(shared, { variants });
  expect(body.posts).toEqual(
    Object.values(types).map((type) => ({ type, instagramPostType: 'post', postDesc: 'Hi' })),
  );
});

test('a title, a link and a long text go with both variants that take them', async () => {
  const words = { title: 'A title', linkUrl: 'https://a.example', longText: 'A long text' };
  const variants = ['GOOGLE_BUSINESS', 'YOUTUBE'].map((variant) => ({ variant, ...words }));
  const body = await bodyFor(shared, { variants });
  const sent = { postTitle: 'A title', postUrl: 'https://a.example', longPostDesc: 'A long text' };
  expect(body.posts).toMatchObject([sent, sent]);
});

describe('null', () => {
  test('is sent for a place and a Facebook action, where it says that there is none', async () => {
    const variants = [{ ...BARE, place: null, facebookAction: null }];
    const body = await bodyFor(shared, { variants });
    expect(body.posts).toEqual([
      { type: 'original', instagramPostType: 'post', mediaId: ['m-1'], place: null, fbAction: null },
    ]);
  });

  test('is never sent for anything else', async () => {
    const names = Object.keys(FULL_POST_VARIANT).filter(
      (name) => !['variant', 'instagramPostType', 'mediaIds', 'place', 'facebookAction'].includes(name),
    );
    const nothing = Object.fromEntries(names.map((name) => [name, null]));
    const body = await bodyFor(shared, {
      variants: [{ ...BARE, ...nothing, facebookAudience: { minAge: null, gender: null, cities: null } }],
      utmSetId: null,
      utmParameters: null,
      sendForClientReview: null,
      idempotencyKey: null,
    });
    expect(body).toEqual({
      shareType: 0,
      loginIds: [410_201],
      posts: [{ type: 'original', instagramPostType: 'post', mediaId: ['m-1'], fbAudianceTargeting: {} }],
    });
  });

  test('is kept within what the service takes in a shape of its own', async () => {
    const facebookAudience = {
      limitAudience: { a: null },
      cities: [{ key: 'k', regionId: null, name: null }],
      languages: [{ key: { code: null } }],
    };
    const body = await bodyFor(shared, { variants: [{ ...BARE, facebookAudience }] });
    expect(body.posts[0]?.['fbAudianceTargeting']).toEqual({
      limitAudiance: { a: null },
      city: [{ key: 'k' }],
      language: [{ key: { code: null } }],
    });
  });
});

test('false, zero and the empty text are values, and are sent', async () => {
  const variants = [
    { ...BARE, text: '', comment: '', removeCarousel: false, tagIds: [], facebookAudience: { minAge: 0 } },
  ];
  const body = await bodyFor(shared, { variants, sendForClientReview: false });
  expect(body).toMatchObject({ sendForClientReview: false, shareType: 0 });
  expect(body.posts).toEqual([
    {
      type: 'original',
      instagramPostType: 'post',
      mediaId: ['m-1'],
      postDesc: '',
      comment: '',
      removeCarousel: false,
      tagIds: [],
      fbAudianceTargeting: { minAge: 0 },
    },
  ]);
});

test('several people are mentioned under the keys that the text uses', async () => {
  const keys = ['@[1]', '__proto__', 'toString'];
  const body = await bodyFor(shared, {
    variants: [{ ...BARE, mentions: keys.map((key) => ({ key, name: key })) }],
  });
  const mention = body.posts[0]?.['mention'] as object;
  expect(Object.keys(mention).toSorted()).toEqual(keys.toSorted());
});

test('any text of whole characters arrives as it was written', async () => {
  const wholeText = anyText(80).map((text) => text.toWellFormed());
  await assert(
    asyncProperty(wholeText, async (text) => {
      const body = await bodyFor(shared, {
        timing: { placement: 'NOW' },
        variants: [{ ...BARE, text, comment: text }],
      });
      expect(body.posts[0]).toMatchObject({ postDesc: text, comment: text });
    }),
    { numRuns: cases(30, 1_000), examples: [['\u2028"\\'], ['null'], ['\u0000']] },
  );
});
