import { describe, expect, test } from 'vitest';
import { clientOf, movableClock, sandboxForTest } from './running-sandbox.ts';

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

  test.each([
    [{ title: undefined }, 'title'],
    [{ type: 'post' }, 'type'],
    [{ posts: undefined }, 'posts'],
    [{ currentActiveTab: 'fax' }, 'currentActiveTab'],
  ])('refuses %j and names the parameter', async (changes, parameter) => {
    const { post } = clientOf(await sandboxForTest());
    const body = { title: 'Rain', type: 'Post', posts: [{ postDesc: 'Rain' }], ...changes };
    const reply = await post('/library/create', body);
    expect(reply.status).toBe(400);
    expect(reply.at('message')).toContain(parameter);
  });

  test('has nothing of the other owner', async () => {
    const sandbox = await sandboxForTest();
    const [theirs] = sandbox.state.owner('fernlight').library;
    const reply = await clientOf(sandbox).get(`/library/view/${theirs?.id}`);
    expect(reply.status).toBe(422);
    expect(reply.at('message')).toContain('contentid');
  });
});
