import { describe, expect, test } from 'vitest';
import { FULL_DRAFT_ITEM, FULL_DRAFT_VARIANT } from '../support/full-variants.ts';
import { sentJson } from '../support/sent.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { account, EXAMPLES, write, type Input } from '../support/writes.ts';

const graph = shareGraph();
const DRAFT = 'POST /draft/create';
const LIBRARY = 'POST /library/create';

async function draftFor(changes: Input): Promise<unknown> {
  graph.sandbox.requests.clear();
  const { outcome } = await write(graph, 'createDraft', { accountIds: [account()], ...changes });
  expect(outcome).toBe('COMPLETED');
  return sentJson(graph, DRAFT);
}

async function itemFor(changes: Input): Promise<unknown> {
  graph.sandbox.requests.clear();
  const { outcome } = await write(graph, 'createLibraryItem', { ...EXAMPLES.createLibraryItem, ...changes });
  expect(outcome).toBe('COMPLETED');
  return sentJson(graph, LIBRARY);
}

const VARIANTS = [
  ['ORIGINAL', 'original'],
  ['FACEBOOK', 'facebook'],
  ['X', 'twitter'],
  ['LINKEDIN', 'linkedin'],
  ['GOOGLE_BUSINESS', 'gmb'],
  ['YOUTUBE', 'youtube'],
  ['INSTAGRAM', 'instagram'],
  ['PINTEREST', 'pinterest'],
] as const;
const TABS = [...VARIANTS, ['TUMBLR', 'tumblr'], ['TIKTOK', 'tiktok']] as const;
const POST_TYPES = [
  ['POST', 'post'],
  ['REELS', 'reels'],
  ['STORY', 'story'],
] as const;

describe('a draft', () => {
  test('is sent with every field under the service’s own name, and with nothing else', async () => {
    const body = await draftFor({
      idempotencyKey: 'a-key',
      accountIds: [account(410_202), account(410_201)],
      variants: [FULL_DRAFT_VARIANT, {}],
      activeTab: 'PINTEREST',
      isUrlShorteningEnabled: false,
    });
    expect(body).toEqual({
      enableShortUrl: false,
      currentActiveTab: 'pinterest',
      loginIds: [410_202, 410_201],
      posts: [FULL_DRAFT_ITEM, {}],
    });
  });

  test('says nothing of what was left out or is null', async () => {
    const names = Object.keys(FULL_DRAFT_VARIANT);
    const nothing = Object.fromEntries(names.map((name) => [name, null]));
    const body = await draftFor({
      variants: [nothing],
      activeTab: null,
      isUrlShorteningEnabled: null,
    });
    expect(body).toEqual({ loginIds: [410_201], posts: [{}] });
  });

  test('may have an empty list of variants, or none', async () => {
    expect(await draftFor({ variants: [] })).toEqual({ loginIds: [410_201], posts: [] });
    expect(await draftFor({ variants: null })).toEqual({ loginIds: [410_201] });
  });

  test('takes the eight variants by the service’s names', async () => {
    const variants = VARIANTS.map(([variant]) => ({ variant }));
    const body = await draftFor({ variants });
    expect(body).toMatchObject({ posts: VARIANTS.map(([, type]) => ({ type })) });
  });

  test('opens on each tab by the service’s name for it', async () => {
    for (const [activeTab, currentActiveTab] of TABS)
      expect(await draftFor({ activeTab }), activeTab).toMatchObject({ currentActiveTab });
  });

  test('is shown by Instagram as each kind of post by the service’s name for it', async () => {
    const variants = POST_TYPES.map(([instagramPostType]) => ({ instagramPostType }));
    const body = await draftFor({
      variants: variants.map((kind, index) => ({ ...kind, variant: VARIANTS[index]?.[0] })),
    });
    expect(body).toMatchObject({ posts: POST_TYPES.map(([, type]) => ({ instagramPostType: type })) });
  });

  test('takes a title with any variant', async () => {
    const body = await draftFor({ variants: [{ variant: 'X', title: 'Doors' }] });
    expect(body).toMatchObject({ posts: [{ type: 'twitter', postTitle: 'Doors' }] });
  });
});

describe('a library item', () => {
  test('is sent with every field under the service’s own name, and with nothing else', async () => {
    const body = await itemFor({
      idempotencyKey: 'another-key',
      title: 'Tide table',
      kind: 'POST',
      tags: ['tides', 'a, b', ''],
      activeTab: 'GOOGLE_BUSINESS',
      variants: [FULL_DRAFT_VARIANT],
    });
    expect(body).toEqual({
      title: 'Tide table',
      type: 'Post',
      currentActiveTab: 'gmb',
      tags: ['tides', 'a, b', ''],
      posts: [FULL_DRAFT_ITEM],
    });
  });

  test('of hashtags is of the kind Hashtag, and says nothing of what was left out', async () => {
    const { title, variants } = EXAMPLES.createLibraryItem;
    await write(graph, 'createLibraryItem', { title, variants, kind: 'HASHTAG' });
    expect(sentJson(graph, LIBRARY)).toEqual({
      title: 'Tide table',
      type: 'Hashtag',
      posts: [{ type: 'original', postDesc: 'High water at nine.' }],
    });
  });

  test('may have no tags', async () => {
    expect(await itemFor({ tags: [] })).toMatchObject({ tags: [] });
    expect(await itemFor({ tags: null })).not.toHaveProperty('tags');
  });
});
