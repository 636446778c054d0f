import { describe, expect, test } from 'vitest';
import { FULL_DRAFT_ITEM, FULL_DRAFT_VARIANT } from '../support/full-variants.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { sentJson } from '../support/sent.ts';
import { account, EXAMPLES, write, type Input } from '../support/writes.ts';

const DRAFT = 'POST /draft/create';
const LIBRARY = 'POST /library/create';

async function draftFor(graph: RunningGraph, changes: Input): Promise<unknown> {
  const { outcome } = await write(graph, 'createDraft', { accountIds: [account()], ...changes });
  expect(outcome).toBe('COMPLETED');
  return sentJson(graph, DRAFT);
}

async function itemFor(graph: RunningGraph, changes: Input): Promise<unknown> {
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
    const body = await draftFor(await startGraph(), {
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
    const body = await draftFor(await startGraph(), {
      variants: [nothing],
      activeTab: null,
      isUrlShorteningEnabled: null,
    });
    expect(body).toEqual({ loginIds: [410_201], posts: [{}] });
  });

  test('may have an empty list of variants, or none', async () => {
    expect(await draftFor(await startGraph(), { variants: [] })).toEqual({ loginIds: [410_201], posts: [] });
    expect(await draftFor(await startGraph(), { variants: null })).toEqual({ loginIds: [410_201] });
  });

  test('takes the eight variants by the service’s names', async () => {
    const variants = VARIANTS.map(([variant]) => ({ variant }));
    const body = await draftFor(await startGraph(), { variants });
    expect(body).toMatchObject({ posts: VARIANTS.map(([, type]) => ({ type })) });
  });

  test.each(TABS)('opens on the tab %s, which the service calls %s', async (activeTab, currentActiveTab) => {
    expect(await draftFor(await startGraph(), { activeTab })).toMatchObject({ currentActiveTab });
  });

  test.each(POST_TYPES)('is shown by Instagram as %s, sent as %s', async (instagramPostType, type) => {
    const body = await draftFor(await startGraph(), { variants: [{ instagramPostType }] });
    expect(body).toMatchObject({ posts: [{ instagramPostType: type }] });
  });

  test('takes a title with any variant', async () => {
    const body = await draftFor(await startGraph(), { variants: [{ variant: 'X', title: 'Doors' }] });
    expect(body).toMatchObject({ posts: [{ type: 'twitter', postTitle: 'Doors' }] });
  });
});

describe('a library item', () => {
  test('is sent with every field under the service’s own name, and with nothing else', async () => {
    const body = await itemFor(await startGraph(), {
      idempotencyKey: 'a-key',
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
    const graph = await startGraph();
    await write(graph, 'createLibraryItem', { title, variants, kind: 'HASHTAG' });
    expect(sentJson(graph, LIBRARY)).toEqual({
      title: 'Tide table',
      type: 'Hashtag',
      posts: [{ type: 'original', postDesc: 'High water at nine.' }],
    });
  });

  test('may have no tags', async () => {
    expect(await itemFor(await startGraph(), { tags: [] })).toMatchObject({ tags: [] });
    expect(await itemFor(await startGraph(), { tags: null })).not.toHaveProperty('tags');
  });
});
