import { describe, expect, test } from 'vitest';
import { clientOf, movableClock } from './running-sandbox.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

const sorted = (values: readonly unknown[]) => values.map(String).toSorted((a, b) => (a < b ? -1 : 1));

describe('the library', () => {
  test('pages by currentPage, counts under totalCount too, and ignores a limit', async () => {
    const { get } = clientOf(await sandboxForTest());
    const reply = await get('/library/list?currentPage=2&limit=3');
    expect(reply.at('response')).toMatchObject({
      currentPage: 2,
      pageLimit: 12,
      totalRecords: 15,
      totalPages: 2,
      totalCount: 15,
    });
    expect(reply.pluck('id')).toHaveLength(3);
  });

  test.each([
    ['type=hashTag', ['Coffee tags', 'Event tags', 'Loft tags', 'Market tags']],
    ['tags=loft,market', ['Loft tags', 'Market tags', 'Net loft story', 'Never used yet']],
    ['q=moka', ['Moka care']],
    ['filterBy=1', []],
    ['filterBy=641&type=post&tags=wholesale', ['How we pack', 'Wholesale note']],
  ])('answers %s', async (query, titles) => {
    const { get } = clientOf(await sandboxForTest());
    expect(sorted((await get(`/library/list?${query}`)).pluck('title'))).toEqual(titles);
  });

  test('orders by use', async () => {
    const { get } = clientOf(await sandboxForTest());
    const first = async (query: string) => (await get(`/library/list?${query}`)).at('response.list.0');
    expect(await first('sortBy=mostUsed')).toMatchObject({ totalUsed: 40 });
    expect(await first('sortBy=leastUsed')).toMatchObject({ totalUsed: 0, lastUsed: '' });
    const recent = (await get('/library/list?sortBy=recentlyUsed')).pluck('lastUsed');
    expect(recent).toEqual(sorted(recent).toReversed());
    const oldest = (await get('/library/list?sortOrder=ASC')).pluck('createdOn');
    expect(oldest).toEqual(sorted(oldest));
  });

  test('keeps what is created, and shows it', async () => {
    const clock = movableClock();
    const { get, post } = clientOf(await sandboxForTest({ now: clock.now }));
    const created = await post('/library/create', {
      title: 'Frost',
      type: 'Hashtag',
      tags: ['winter'],
      posts: [{ type: 'facebook', postDesc: '#frost', mediaId: ['m1'] }],
    });
    const id = created.at('response.id');
    expect(created.at('response.post')).toMatchObject({
      id,
      _id: id,
      type: 'hashTag',
      accountId: [1, 3],
      lastEditedOn: '2026-11-20T08:00:00.000Z',
      lastUsed: '',
      content: { postDesc: '#frost', postType: 'I' },
    });
    const editedOn = async (): Promise<unknown> =>
      (await get(`/library/view/${String(id)}`)).at('response.lastEditedOn');
    expect(await editedOn()).toBe('a few seconds ago');
    clock.pass(60_000);
    expect(await editedOn()).toBe('a minute ago');
    clock.pass(3 * 3_600_000);
    const viewed = await get(`/library/view/${String(id)}`);
    expect(viewed.at('response.lastEditedOn')).toBe('3 hours ago');
    expect(viewed.at('response.content.extraData.original.postDesc')).toBe('#frost');
    expect((await get('/library/list')).at('response.list.0.id')).toBe(id);
  });
});

const prompt = { content: 'A line about rain', tone: 'Warm' };
const slowPrompt = { content: 'Slowly, a line about rain', tone: 'Warm' };

describe('the pretended assistant', () => {
  test('composes a text that says so, spends a credit and enters the history', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now });
    const { get, post } = clientOf(sandbox);
    const reply = await post('/openai/response', { ...prompt, generatedFrom: 'post', templateUsed: 'Short' });
    expect(reply.at('response')).toMatchObject({
      timeConsuming: false,
      userInput: prompt.content,
      tone: 'Warm',
      templateUsed: 'Short',
      createdOn: '2026-11-20T08:00:00.000Z',
      totalCredit: 179,
    });
    expect(reply.at('response.aiResponse')).toContain('The sandbox made this text, no model was asked.');
    const record = (await get('/openai/historyList')).at('response.list.0');
    expect(record).toMatchObject({
      contentId: reply.at('response.contentId'),
      aiResponse: reply.at('response.aiResponse'),
      createdOn: '20-Nov-2026 08:00 AM',
    });
    expect(record).not.toHaveProperty('timeConsuming');
    expect(sandbox.state.owner('harbour').creditsRemaining).toBe(179);
  });

  test('refuses when no credit is left', async () => {
    const sandbox = await sandboxForTest();
    sandbox.state.owner('harbour').creditsRemaining = 0;
    expect((await clientOf(sandbox).post('/openai/response', prompt)).status).toBe(400);
  });

  test('lists the newest first, and what is added elsewhere on top', async () => {
    const sandbox = await sandboxForTest();
    const { get } = clientOf(sandbox);
    const before = (await get('/openai/historyList?limit=100')).pluck('contentId');
    const added = sandbox.state
      .owner('harbour')
      .addHistory(2)
      .map((generation) => generation.contentId);
    const after = (await get('/openai/historyList?limit=100')).pluck('contentId');
    expect(before).toHaveLength(12);
    expect(after).toEqual([...added.toReversed(), ...before]);
  });
});

describe('a slow generation', () => {
  test('answers at once without a text, and enters the history when it is done', async () => {
    const timers: (() => void)[] = [];
    const after = (delayMs: number, run: () => void) => {
      if (delayMs === 250) timers.push(run);
      return () => undefined;
    };
    const sandbox = await sandboxForTest({ timers: { after }, slowAiDelayMs: 250 });
    const { get, post } = clientOf(sandbox);
    const reply = await post('/openai/response', slowPrompt);
    const id = reply.at('response.contentId');
    const ids = async () => (await get('/openai/historyList')).pluck('contentId');
    expect(reply.at('response')).toMatchObject({ timeConsuming: true, aiResponse: '', totalCredit: 179 });
    expect(sandbox.generations.pending('harbour').map((generation) => generation.contentId)).toEqual([id]);
    expect(await ids()).not.toContain(id);
    timers.forEach((run) => run());
    expect(await ids()).toContain(id);
    expect(sandbox.generations.pending('harbour')).toEqual([]);
  });

  test('never ends by itself when the prompt says never', async () => {
    const started: number[] = [];
    const after = (delayMs: number) => {
      started.push(delayMs);
      return () => undefined;
    };
    const sandbox = await sandboxForTest({ timers: { after } });
    const { post } = clientOf(sandbox);
    await post('/openai/response', { content: 'SLOWLY, never', tone: 'Warm' });
    expect(started).toEqual([]);
    expect(sandbox.generations.pending('harbour')).toHaveLength(1);
    await post('/openai/response', slowPrompt);
    expect(started).toEqual([3_000]);
  });
});

test('each call makes another billing session, whose secrets are filed', async () => {
  const clock = movableClock();
  const sandbox = await sandboxForTest({ now: clock.now });
  const { get } = clientOf(sandbox);
  const first = await get('/payment/billing/portalcreate');
  const second = await get('/payment/billing/portalcreate');
  const ids = [first.at('response.portal.id'), second.at('response.portal.id')];
  expect(new Set(ids).size).toBe(2);
  expect(sandbox.state.owner('harbour').billingSessions).toEqual(ids);
  expect(sandbox.secrets.billingSessions).toContain(first.at('response.portal.token'));
  expect(first.at('response.portal.created_at')).toBe(clock.now() / 1_000);
  expect(first.at('response.portalUrl')).toContain(String(first.at('response.portal.token')));
});
