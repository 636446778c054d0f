import { assert, asyncProperty, string } from 'fast-check';
import { isEnumType } from 'graphql';
import qs from 'qs';
import { describe, expect, test } from 'vitest';
import type { LoggedRequest } from '../../packages/sandbox/src/request-log.ts';
import { schema } from '../../src/schema/index.ts';
import { anyText } from '../support/cases.ts';
import { CALLBACK, freshCode, oauthEnvironment } from '../support/connect.ts';
import { cases } from '../support/depth.ts';
import { startGraph, type RunningGraph, shareGraph } from '../support/graph.ts';
import {
  account,
  EXAMPLES,
  legacyAccount,
  legacyGroup,
  write,
  type Input,
  type KeyedName,
} from '../support/writes.ts';

// What is sent for each mutation: every field of its input under the service's own name, and nothing else.

const shared = shareGraph({ environment: oauthEnvironment() });

/** A field of a variant by its path, the path under which the service's interface wants it, and a value. */
type Field = readonly [path: string, wire: string | null, value: unknown];

const FACETS = ['industry', 'staffCount', 'seniority', 'superTitle', 'language', 'location'];
const IMAGE_URL = 'https://pictures.example.com/loft.jpg';

// Every field that the graph takes; the misspelt names are the service's own.
const SHARED_FIELDS: readonly Field[] = [
  ['text', 'postDesc', 'Doors at “seven” — 7 & 8 <b>'],
  ['comment', 'comment', 'First!'],
  ['mediaIds', 'mediaId', ['m-1', 'm-2']],
  ['altTexts', 'altTexts', ['A door', '']],
  ['removeCarousel', 'removeCarousel', false],
  ['place placeId', 'place id', 'p-1'],
  ['place name', 'place name', 'Net Loft Lane'],
  ['action callToAction', 'action cta', 'LEARN_MORE'],
  ['action linkUrl', 'action link', 'https://kelpgate.example/more'],
  ['title', 'postTitle', 'Doors'],
  ['youTube privacy', 'youtubePrivacy', 'unlisted'],
  ['youTube tags', 'youtubeTags', ['coffee', 'harbour']],
  ['youTube category', 'videoCategory', '22'],
  ['youTube allowEmbedding', 'youtubeAllowEmbedding', false],
  ['youTube notifySubscribers', 'youtubeNotifySubscriber', true],
  ['youTube madeForKids', 'youtubeMadeForKids', false],
  ['youTube license', 'youtubeLicense', 'youtube'],
  ...FACETS.flatMap((name): Field[] => [
    [`linkedInAudience ${name} 0 label`, `linkedinAudianceTargeting ${name} 0 label`, `${name} label`],
    [`linkedInAudience ${name} 0 value`, `linkedinAudianceTargeting ${name} 0 value`, `${name} value`],
    [`linkedInAudience ${name} 0 name`, `linkedinAudianceTargeting ${name} 0 name`, name],
    [`linkedInAudience ${name} 0 facetId`, `linkedinAudianceTargeting ${name} 0 id`, `${name}-1`],
  ]),
  ...(
    [
      ['minAge', 'minAge', 18],
      ['maxAge', 'maxAge', 65],
      ['gender', 'gender', [1, 2]],
      ['interests 0 interestId', 'interests 0 id', '6003'],
      ['interests 0 name', 'interests 0 name', 'Coffee'],
      ['interests 0 audienceSizeLowerBound', 'interests 0 audience_size_lower_bound', 1_000],
      ['interests 0 audienceSizeUpperBound', 'interests 0 audience_size_upper_bound', 3_000_000_000],
      ['interests 0 path', 'interests 0 path', ['Interests', 'Drinks']],
      ['interests 0 description', 'interests 0 description', 'Hot'],
      ['interests 0 topic', 'interests 0 topic', 'Food'],
      ['interests 0 label', 'interests 0 label', 'Coffee (Drinks)'],
      ['interests 0 value', 'interests 0 value', '6003'],
      ['cities 0 key', 'city 0 key', '777'],
      ['cities 0 name', 'city 0 name', 'Kelpgate'],
      ['cities 0 type', 'city 0 type', 'city'],
      ['cities 0 countryCode', 'city 0 country_code', 'XX'],
      ['cities 0 countryName', 'city 0 country_name', 'Nowhere'],
      ['cities 0 region', 'city 0 region', 'Coast'],
      ['cities 0 regionId', 'city 0 region_id', 12],
      ['cities 0 supportsRegion', 'city 0 supports_region', true],
      ['cities 0 supportsCity', 'city 0 supports_city', false],
      ['cities 0 label', 'city 0 label', 'Kelpgate, Coast'],
      ['cities 0 value', 'city 0 value', '777'],
      ['languages', 'language', [{ key: 6, name: 'English', value: '6', label: 'English (all)' }]],
      ['relationshipStatus', 'relationshipStatus', [1]],
      ['educationalStatus', 'educationalStatus', [2, 3]],
      ['limitAudience', 'limitAudiance', { radius: null, unit: 'km' }],
    ] as const
  ).map(([path, wire, value]): Field => [`facebookAudience ${path}`, `fbAudianceTargeting ${wire}`, value]),
];

const POST_FIELDS: readonly Field[] = [
  ...SHARED_FIELDS,
  // It takes a title, since it is for YouTube.
  ['variant', null, 'YOUTUBE'],
  ['instagramPostType', null, 'REELS'],
  ['tagIds', null, ['3', '9007199254740991']],
  ['mentions 0 key', null, '@[410201:Kelpgate]'],
  ['mentions 0 mentionedId', 'mention @[410201:Kelpgate] id', '410201'],
  ['mentions 0 name', 'mention @[410201:Kelpgate] name', 'Kelpgate Roasters'],
  ['mentions 0 userName', 'mention @[410201:Kelpgate] username', 'kelpgate.roasters'],
  ['mentions 0 displayName', 'mention @[410201:Kelpgate] display_name', 'Kelpgate'],
  ['mentions 0 linkUrl', 'mention @[410201:Kelpgate] link', 'https://www.facebook.example/kelpgate.roasters'],
  ['mentions 0 avatarUrl', 'mention @[410201:Kelpgate] avatar', 'https://pictures.example.com/k.png'],
  ['mentions 0 mentionAccountId', 'mention @[410201:Kelpgate] accountId', '1'],
  ['mentions 0 activeTab', 'mention @[410201:Kelpgate] activeTab', 'facebook'],
  ['facebookAction', 'fbAction', 'SHOP_NOW'],
  ['linkUrl', 'postUrl', 'https://kelpgate.example/doors'],
  ['longText', 'longPostDesc', 'A longer text.'],
];

const DRAFT_FIELDS: readonly Field[] = [
  ...SHARED_FIELDS,
  ['variant', null, 'PINTEREST'],
  ['instagramPostType', null, 'STORY'],
  ['carousel 0 mediaId', 'carousel 0 mediaId', 'm-1'],
  ['carousel 0 title', 'carousel 0 title', 'One'],
  ['carousel 0 linkUrl', 'carousel 0 link', 'https://kelpgate.example/1'],
  ['carousel 0 facebookAction', 'carousel 0 fbAction', 'BUY'],
  ['adDetails', 'adDetails', { objective: 'REACH', budget: null }],
  ['previewImageUrl', 'previewImgUrl', 'https://pictures.example.com/preview.jpg'],
  ['pinTitle', 'pinTitle', 'A pin'],
  ['destinationUrl', 'destinationUrl', 'https://kelpgate.example/pin'],
  ['taggedPeople 0 imageUrl', null, IMAGE_URL],
  ['taggedPeople 0 people', `taggedPeople ${IMAGE_URL}`, [{ username: 'net.loft', x: 0.4, y: null }]],
];

/** Puts a value at a path; a 0 in it is the only element of a list. */
function put(target: unknown, [step, ...deeper]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (step === '0') return [put(Array.isArray(target) ? target[0] : undefined, deeper, value)];
  const record = (target ?? {}) as Input;
  return { ...record, [step]: put(record[step], deeper, value) };
}

const variantOf = (fields: readonly Field[]): Input =>
  fields.reduce<Input>((whole, [path, , value]) => put(whole, path.split(' '), value) as Input, {});
/** The item that is sent for a variant: its fields under the service's names, and no other. */
const itemOf = (fields: readonly Field[], own: Input): Input =>
  fields.reduce<Input>(
    (whole, [, wire, value]) => (wire === null ? whole : (put(whole, wire.split(' '), value) as Input)),
    own,
  );

const FULL_POST_VARIANT = variantOf(POST_FIELDS);
const FULL_POST_ITEM = itemOf(POST_FIELDS, {
  type: 'youtube',
  instagramPostType: 'reels',
  tagIds: [3, 9_007_199_254_740_991],
});
const FULL_DRAFT_VARIANT = variantOf(DRAFT_FIELDS);
const FULL_DRAFT_ITEM = itemOf(DRAFT_FIELDS, { type: 'pinterest', instagramPostType: 'story' });

/** The only POST that a mutation sends, which completes. */
async function requestFor(name: KeyedName, changes: Input, graph: RunningGraph): Promise<LoggedRequest> {
  const { requests, state } = graph.sandbox;
  requests.clear();
  // The tests share one plan, which must not be used up before the last of them.
  Object.assign(state.owner('harbour'), { creditsRemaining: 1_000, queueLimit: 10_000 });
  const { outcome } = await write(graph, name, { ...EXAMPLES[name], ...changes });
  expect(outcome).toBe('COMPLETED');
  const [request, ...others] = requests.all.filter(({ method }) => method === 'POST');
  if (!request || others.length > 0) throw new Error(`${name} sent ${1 + others.length} requests`);
  return request;
}

type Body = Input & { readonly posts: readonly Input[] };

async function bodyFor(name: KeyedName, changes: Input, graph: RunningGraph = shared): Promise<Body> {
  const { headers, body } = await requestFor(name, changes, graph);
  expect(headers['content-type']).toBe('application/json');
  return JSON.parse(body) as Body;
}

/** The form that is sent for a status update: its names, brackets and all, with their values, in the order of the names. */
async function formFor(changes: Input, graph = shared): Promise<[name: string, value: string][]> {
  const { headers, body } = await requestFor('createStatusUpdate', changes, graph);
  expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
  return [...new URLSearchParams(body)].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** The service's names, by those of the graph's enums. */
const NETWORKS: Readonly<Record<string, string>> = {
  ORIGINAL: 'original',
  FACEBOOK: 'facebook',
  X: 'twitter',
  LINKEDIN: 'linkedin',
  GOOGLE_BUSINESS: 'gmb',
  YOUTUBE: 'youtube',
  INSTAGRAM: 'instagram',
  PINTEREST: 'pinterest',
  TUMBLR: 'tumblr',
  TIKTOK: 'tiktok',
};
const POST_TYPES: Readonly<Record<string, string>> = { POST: 'post', REELS: 'reels', STORY: 'story' };

function valuesOf(name: string): string[] {
  const type = schema.getType(name);
  if (!isEnumType(type)) throw new Error(`${name} is not an enum`);
  return type.getValues().map((value) => value.name);
}

function withNulls(record: Input, ...kept: readonly string[]): Input {
  const names = Object.keys(record).filter((name) => !kept.includes(name));
  return Object.fromEntries(names.map((name) => [name, null]));
}

describe('a post', () => {
  const BARE = { mediaIds: ['m-1'], variant: 'ORIGINAL' };
  const BARE_ITEM = { type: 'original', instagramPostType: 'post', mediaId: ['m-1'] };

  test('is sent with every field under the service’s own name, and with nothing else', async () => {
    const utmParameters = [{ parameter: 'utm_source', type: 'D', value: 'graph' }];
    const body = await bodyFor('createPost', {
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
      posts: [BARE_ITEM, FULL_POST_ITEM],
      utmSetId: 'utm-7',
      utmParameters,
      sendForClientReview: false,
    });
  });

  test.each([
    ['QUEUE', 0],
    ['NOW', 1],
    ['NEXT', 2],
  ])('with the placement %s has the share type %i, and no times', async (placement, shareType) => {
    expect(await bodyFor('createPost', { timing: { placement } })).toEqual({
      shareType,
      loginIds: [410_201],
      posts: [{ type: 'original', instagramPostType: 'post', postDesc: 'Doors at seven.' }],
    });
  });

  test('at instants is sent with the times of the service’s own clock', async () => {
    const graph = await startGraph({ environment: { SERVICE_TIME_ZONE: 'America/New_York' } });
    const scheduledAt = ['2031-01-20T00:30:00Z', '2031-07-20T17:05:00.000+02:00'];
    const body = await bodyFor('createPost', { timing: { scheduledAt } }, graph);
    expect(body).toMatchObject({ shareType: 3, scheduleDateTime: ['2031-01-19 19:30', '2031-07-20 11:05'] });
  });

  const nulls = withNulls(FULL_POST_VARIANT, 'variant', 'instagramPostType', 'mediaIds');
  const empty = { comment: '', removeCarousel: false, tagIds: [] };
  test.each<[what: string, variant: Input, item: Input]>([
    [
      'null for a place and a Facebook action, where it means none, and for nothing else',
      { ...nulls, facebookAudience: { minAge: null, gender: null, cities: null } },
      { place: null, fbAction: null, fbAudianceTargeting: {} },
    ],
    [
      'null within what the service takes in a shape of its own',
      {
        facebookAudience: {
          limitAudience: { a: null },
          cities: [{ key: 'k', regionId: null, name: null }],
          languages: [{ key: { code: null } }],
        },
      },
      {
        fbAudianceTargeting: {
          limitAudiance: { a: null },
          city: [{ key: 'k' }],
          language: [{ key: { code: null } }],
        },
      },
    ],
    [
      'false, zero and the empty text, which are values',
      { ...empty, text: '', facebookAudience: { minAge: 0 } },
      { ...empty, postDesc: '', fbAudianceTargeting: { minAge: 0 } },
    ],
  ])('has %s', async (_what, variant, item) => {
    const without = { utmSetId: null, utmParameters: null, sendForClientReview: null, idempotencyKey: null };
    const body = await bodyFor('createPost', { variants: [{ ...variant, ...BARE }], ...without });
    expect(body).toEqual({ shareType: 0, loginIds: [410_201], posts: [{ ...BARE_ITEM, ...item }] });
  });

  test('mentions several people under the keys that the text uses', async () => {
    const keys = ['@[1]', '__proto__', 'toString'];
    const mentions = keys.map((key) => ({ key, name: key }));
    const { posts } = await bodyFor('createPost', { variants: [{ ...BARE, mentions }] });
    expect(Object.keys(posts[0]?.['mention'] as object).toSorted()).toEqual(keys.toSorted());
  });

  test('has any text of whole characters as it was written', async () => {
    const wholeText = anyText(80).map((text) => text.toWellFormed());
    await assert(
      asyncProperty(wholeText, async (text) => {
        const variants = [{ ...BARE, text, comment: text }];
        const { posts } = await bodyFor('createPost', { timing: { placement: 'NOW' }, variants });
        expect(posts).toMatchObject([{ postDesc: text, comment: text }]);
      }),
      { numRuns: cases(10, 1_000), examples: [['\u2028"\\'], ['null'], ['\u0000']] },
    );
  });
});

const DRAFT = { loginIds: [410_201] };
const TIDES = { type: 'original', postDesc: 'High water at nine.' };
const ITEM = { title: 'Tide table', type: 'Post', posts: [TIDES] };
const PROMPT = { content: 'A word on limewash', tone: 'Warm' };
const TAGS = ['tides', 'a, b', ''];
const NO_TEMPLATE = 'No Template';
const NULLS = { variants: [withNulls(FULL_DRAFT_VARIANT)], activeTab: null, isUrlShorteningEnabled: null };
const X_TITLE = { variant: 'X', title: 'T' };

/** Sends each input of a mutation, and compares what is sent. */
function testBodies(name: KeyedName, rows: readonly [what: string, changes: Input, body: object][]): void {
  test.each(rows)(
    `${name} with %s is sent under the service’s own names, and with nothing else`,
    async (_what, changes, body) => expect(await bodyFor(name, changes)).toEqual(body),
  );
}

testBodies('createDraft', [
  [
    'every field',
    {
      idempotencyKey: 'key-of-a-draft',
      accountIds: [account(410_202), account(410_201)],
      variants: [FULL_DRAFT_VARIANT, {}],
      activeTab: 'PINTEREST',
      isUrlShorteningEnabled: false,
    },
    {
      enableShortUrl: false,
      currentActiveTab: 'pinterest',
      loginIds: [410_202, 410_201],
      posts: [FULL_DRAFT_ITEM, {}],
    },
  ],
  ['no variants', { variants: [] }, { ...DRAFT, posts: [] }],
  ['no list of variants', { variants: null }, DRAFT],
  ['a title', { variants: [X_TITLE] }, { ...DRAFT, posts: [{ type: 'twitter', postTitle: 'T' }] }],
  ['null for whatever can be left out', NULLS, { ...DRAFT, posts: [{}] }],
]);
testBodies('createLibraryItem', [
  [
    'every field',
    { idempotencyKey: 'k', tags: TAGS, activeTab: 'GOOGLE_BUSINESS', variants: [FULL_DRAFT_VARIANT] },
    { ...ITEM, currentActiveTab: 'gmb', tags: TAGS, posts: [FULL_DRAFT_ITEM] },
  ],
  ['hashtags, without tags', { kind: 'HASHTAG', tags: undefined }, { ...ITEM, type: 'Hashtag' }],
  ['null for tags', { tags: null }, ITEM],
  ['an empty list of tags', { tags: [] }, { ...ITEM, tags: [] }],
]);
testBodies('generateAiText', [
  ['what is required', {}, PROMPT],
  ['hashtags', { origin: 'HASHTAG' }, { ...PROMPT, generatedFrom: 'hashtag' }],
  ['null for what it may leave out', { origin: null, template: null }, PROMPT],
  ['the service’s word for no template', { template: NO_TEMPLATE }, { ...PROMPT, templateUsed: NO_TEMPLATE }],
  [
    'every field',
    { origin: 'POST', template: 'Launch', idempotencyKey: 'key-of-a-text' },
    { ...PROMPT, generatedFrom: 'post', templateUsed: 'Launch' },
  ],
]);

test('networks, kinds of Instagram posts and tabs have the service’s names', async () => {
  const { posts } = await bodyFor('createPost', {
    variants: valuesOf('PostVariant').map((variant) => ({ variant, text: 'Hi' })),
  });
  // A post always has the kind of Instagram post.
  const hi = { instagramPostType: 'post', postDesc: 'Hi' };
  expect(posts).toEqual(valuesOf('PostVariant').map((name) => ({ type: NETWORKS[name], ...hi })));
  const kinds = valuesOf('InstagramPostTypeInput');
  const drafts = valuesOf('DraftVariant').map((variant, index) => ({
    variant,
    instagramPostType: kinds[index % kinds.length] ?? '',
  }));
  expect((await bodyFor('createDraft', { variants: drafts })).posts).toEqual(
    drafts.map(({ variant, instagramPostType: kind }) => ({
      type: NETWORKS[variant],
      instagramPostType: POST_TYPES[kind],
    })),
  );
  for (const activeTab of valuesOf('EditorTabInput'))
    expect((await bodyFor('createDraft', { activeTab }))['currentActiveTab']).toBe(NETWORKS[activeTab]);
});

const idsIn = (form: readonly (readonly [string, string])[]): string[] =>
  form.filter(([name]) => name.startsWith('account_id')).map(([, id]) => id);

describe('a status update', () => {
  const IMAGE = 'https://pictures.example.com/ferry.jpg?a=1&b=2';

  test('has lists and records as bracketed form fields, and nothing undocumented', async () => {
    const form = await formFor({
      idempotencyKey: 'a-key',
      text: 'Späti & “Späti” +1% [x]=y',
      accountIds: [legacyAccount(410_203), legacyAccount(410_201)],
      timing: { placement: 'NOW' },
      preview: {
        title: 'T',
        url: 'https://t.example/?a=1',
        imagePath: 'https://t.example/i.jpg',
        description: 'D',
      },
    });
    expect(form).toEqual([
      ['account_id[0]', '410203'],
      ['account_id[1]', '410201'],
      ['now', '1'],
      ['post_content', 'Späti & “Späti” +1% [x]=y'],
      ['preview[description]', 'D'],
      ['preview[image]', 'https://t.example/i.jpg'],
      ['preview[title]', 'T'],
      ['preview[url]', 'https://t.example/?a=1'],
    ]);
  });

  test('with an image goes to the call for images, without a preview; a preview may have some parts or none', async () => {
    const own = ['account_id[0]', 'post_content'];
    const namesOf = async (changes: Input) => (await formFor(changes)).map(([name]) => name);
    expect(await namesOf({ imageUrl: IMAGE, preview: null })).toEqual(own.toSpliced(1, 0, 'image_url'));
    expect(shared.sandbox.requests.count('POST /oauth/post/updatewithimage')).toBe(1);
    const preview = { title: null, url: 'https://t.example' };
    expect(await namesOf({ preview })).toEqual([...own, 'preview[url]']);
    expect(await namesOf({ preview: {} })).toEqual(own);
  });

  test.each<[timing: Input | null, sent: Input]>([
    [{ scheduledAtLocal: '2031-05-20T00:00' }, { schedule_date: '2031-05-20 00:00 AM' }],
    [{ scheduledAtLocal: '2031-05-20T11:59' }, { schedule_date: '2031-05-20 11:59 AM' }],
    [{ scheduledAtLocal: '2031-05-20T12:00' }, { schedule_date: '2031-05-20 12:00 PM' }],
    [{ scheduledAtLocal: '2031-05-20T13:05' }, { schedule_date: '2031-05-20 13:05 PM' }],
    [{ placement: 'NOW' }, { now: '1' }],
    [{ placement: 'QUEUE' }, {}],
    [null, {}],
  ])('with the timing %j says so by %j, with and without an image', async (timing, sent) => {
    for (const image of [{}, { imageUrl: IMAGE }]) {
      const form = await formFor({ timing, ...image });
      expect(Object.fromEntries(form.filter(([name]) => /^now$|^schedule/.test(name)))).toEqual(sent);
    }
  });

  test('has the time of the service’s own clock, and the word for “now” that the operator chose', async () => {
    const environment = { SERVICE_TIME_ZONE: 'Asia/Kolkata', LEGACY_TRUE: 'true' };
    const graph = await startGraph({ environment });
    const timing = { scheduledAt: '2031-05-20T22:35:00Z' };
    expect(await formFor({ timing }, graph)).toContainEqual(['schedule_date', '2031-05-21 04:05 AM']);
    const now = { timing: { placement: 'NOW' } };
    for (const image of [{}, { imageUrl: IMAGE }])
      expect(await formFor({ ...now, ...image }, graph)).toContainEqual(['now', 'true']);
  });

  test('to groups has their accounts, each once, and never a group; each list is read once', async () => {
    const reads = () => shared.sandbox.requests.all.map(({ endpoint }) => String(endpoint)).toSorted();
    await formFor({});
    expect(reads()).toEqual(['GET /oauth/accounts', 'POST /oauth/post/update']);
    const accountIds = [legacyAccount(410_202)];
    const form = await formFor({ accountIds, accountGroupIds: [legacyGroup(5_102), legacyGroup(5_101)] });
    expect(reads()).toEqual(['GET /oauth/accounts', 'GET /oauth/groups', 'POST /oauth/post/update']);
    expect(form.map(([name]) => name)).not.toContain('group_id');
    expect(idsIn(form)).toEqual('410202 410204 410212 410213 410201 410203 410206'.split(' '));
    // An empty group is no problem beside another.
    const groups = { accountIds: null, accountGroupIds: [legacyGroup(5_104), legacyGroup(5_103)] };
    expect(idsIn(await formFor(groups))).toEqual(['410202', '410207', '410209']);
  });

  const TOKEN = 'demo-token-harbour';
  test.each([
    ['header', { authorization: `Bearer ${TOKEN}`, query: '', field: null }],
    ['body', { query: '', field: TOKEN }],
    ['query', { query: `access_token=${TOKEN}`, field: null }],
  ])('carries its token in the %s', async (placement, carried) => {
    const graph = await startGraph({ environment: { LEGACY_TOKEN_PLACEMENT: placement } });
    const { headers, query, body } = await requestFor('createStatusUpdate', {}, graph);
    const { authorization } = headers;
    const field = new URLSearchParams(body).get('access_token');
    expect({ authorization, query: String(query), field }).toEqual(carried);
  });

  test('has any text as it was written', async () => {
    const text = string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
    await assert(
      asyncProperty(
        text.filter((words) => words.trim() !== ''),
        async (words) => {
          const changes = { text: words, preview: { title: words } };
          const { body } = await requestFor('createStatusUpdate', changes, shared);
          expect(qs.parse(body)).toMatchObject({ post_content: words, preview: { title: words } });
        },
      ),
      {
        numRuns: cases(10, 1_000),
        examples: [['&access_token=x'], ['account_id[0]=9'], ['%00'], ['a\r\nb'], ['\u{1F600}']],
      },
    );
  });
});

test('an exchange sends the five documented fields as a form, and no credential of the caller', async () => {
  const code = await freshCode(shared.sandbox);
  await write(shared, 'exchangeAuthorizationCode', { code, redirectUri: CALLBACK });
  const [{ headers, query, body } = { headers: {}, query: [], body: '' }, ...others] =
    shared.sandbox.requests.of('POST /oauth/accesstoken');
  expect(others).toEqual([]);
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
    client_id: 'demo-client',
    client_secret: 'demo-client-secret-3f9ab71c',
    code,
    grant_type: 'authorization_code',
    redirect_uri: CALLBACK,
  });
  expect(headers).toMatchObject({ 'content-type': 'application/x-www-form-urlencoded' });
  expect(headers).not.toHaveProperty('authorization');
  expect(headers).not.toHaveProperty('x-api-key');
  expect([...query]).toEqual([]);
});

test('the calls that are GETs have no body, no query, and the exact id in their path', async () => {
  const graph = await startGraph();
  const paths = {
    pauseAccount: '/oauth/account/status/410201',
    deleteAccount: '/oauth/account/delete/410201',
    deleteAccountGroup: '/oauth/group/delete/5103',
    createBillingPortalSession: '/payment/billing/portalcreate',
  };
  for (const name of Object.keys(paths) as (keyof typeof paths)[]) await write(graph, name, EXAMPLES[name]);
  const changing = graph.sandbox.requests.all.filter(({ path }) => /status|delete|portal/.test(path));
  expect(changing.map(({ method, path, query, body }) => [method, path, [...query], body])).toEqual(
    Object.values(paths).map((path) => ['GET', path, [], '']),
  );
});
