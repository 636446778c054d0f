import { describe, expect, test } from 'vitest';
import type { Quirks } from '../src/quirks.ts';
import { call, clientOf, movableClock, newPosts, sandboxForTest } from './running-sandbox.ts';

async function clientWith(quirks: Partial<Quirks>) {
  return clientOf(await sandboxForTest({ quirks, now: movableClock().now }));
}

describe('pages', () => {
  test('a large limit is clamped, refused, or honoured', async () => {
    const { get } = await clientWith({ maxLimit: 5 });
    expect((await get('/accounts/list?limit=50')).at('response')).toMatchObject({
      pageLimit: 5,
      totalPages: 3,
    });
    const strict = await clientWith({ maxLimit: 5, overLimit: 'error' });
    expect((await strict.get('/accounts/list?limit=50')).at('message')).toBe('limit must not exceed 5.');
    const open = await clientWith({ maxLimit: null });
    expect((await open.get('/accounts/list?limit=500')).at('response.pageLimit')).toBe(500);
  });

  test.each([
    ['empty', 9, []],
    ['last-page', 2, [410_211, 410_212]],
    ['repeat-last', 9, [410_211, 410_212]],
  ] as const)('past the end: %s', async (beyondLastPage, currentPage, ids) => {
    const { get } = await clientWith({ beyondLastPage });
    const reply = await get('/accounts/list?page=9');
    expect(reply.at('response.currentPage')).toBe(currentPage);
    expect(reply.pluck('loginId')).toEqual(ids);
  });

  test('past the end: error', async () => {
    const { get } = await clientWith({ beyondLastPage: 'error' });
    expect((await get('/accounts/list?page=3')).status).toBe(400);
    expect((await get('/library/list?currentPage=3')).at('message')).toBe('currentPage must not exceed 2.');
  });

  test('an empty list has no page, or one', async () => {
    const none = await clientWith({});
    expect((await none.get('/accounts/list?q=nobody')).at('response.totalPages')).toBe(0);
    const one = await clientWith({ totalPagesOfEmptyList: 1 });
    expect((await one.get('/accounts/list?q=nobody')).at('response.totalPages')).toBe(1);
  });

  test('the library counts under other names, and in other sizes', async () => {
    const example = await clientWith({ libraryTotals: 'example', libraryPageSize: 4 });
    const response = (await example.get('/library/list')).at('response');
    expect(response).toMatchObject({ pageLimit: 4, totalRecord: 15, totalPage: 4, totalCount: 15 });
    expect(response).not.toHaveProperty('totalRecords');
    const both = await clientWith({ libraryTotals: 'both' });
    expect((await both.get('/library/list')).at('response')).toMatchObject({
      totalRecords: 15,
      totalRecord: 15,
    });
  });

  test('the library can reverse, and match all tags', async () => {
    const { get } = await clientWith({ librarySortOrder: 'reverses', libraryTagMatch: 'all' });
    const used = (await get('/library/list?sortBy=mostUsed&sortOrder=ASC')).pluck('totalUsed');
    expect(used[0]).toBe(0);
    expect((await get('/library/list?tags=tags,loft')).pluck('title')).toEqual(['Loft tags']);
  });

  test('the history can run the other way', async () => {
    const { get } = await clientWith({ historyOrder: 'oldest-first' });
    expect((await get('/openai/historyList')).at('response.list.0.userInput')).toContain('reopening');
  });
});

describe('credentials', () => {
  test('two library calls may do without the key', async () => {
    const sandbox = await sandboxForTest({ quirks: { libraryNeedsKey: false } });
    const [item] = sandbox.state.owner('harbour').library;
    expect((await call(`${sandbox.url}/library/view/${item?.id}`)).status).toBe(200);
    const wrong = { headers: { 'x-api-key': 'nobody' } };
    expect((await call(`${sandbox.url}/library/view/${item?.id}`, wrong)).status).toBe(401);
    expect((await call(`${sandbox.url}/library/list`)).status).toBe(401);
  });

  test('the current surface may want the token as well', async () => {
    const sandbox = await sandboxForTest({ quirks: { currentNeedsToken: true } });
    expect((await clientOf(sandbox).get('/accounts/list')).status).toBe(401);
    const headers = { 'x-api-key': 'demo-key-harbour', authorization: 'Bearer demo-token-harbour' };
    expect((await call(`${sandbox.url}/accounts/list`, { headers })).status).toBe(200);
  });
});

describe('failures', () => {
  test.each([
    ['envelope', '{"message":"page must be a whole number of at least 1.","response":{}}'],
    ['error-list', '{"errors":[{"field":"page","message":"page must be a whole number of at least 1."}]}'],
    ['html', '<html><body><h1>400</h1><p>page must be a whole number of at least 1.</p></body></html>'],
    ['empty', ''],
  ] as const)('have the body %s', async (errorBody, text) => {
    const { get } = await clientWith({ errorBody });
    const reply = await get('/accounts/list?page=0');
    expect([reply.status, reply.text]).toEqual([400, text]);
  });

  test('missing records have a status of choice', async () => {
    const { get } = await clientWith({ missingAccountStatus: 500, missingLibraryItemStatus: 200 });
    expect((await get('/accounts/view/999')).status).toBe(500);
    expect((await get('/library/view/nothing')).at('response')).toBe(null);
  });

  test('legacy failures have a status, a flag and a content type of choice', async () => {
    const { legacyGet } = await clientWith({
      legacyFailureStatus: 500,
      legacyErrorFlag: 'text',
      legacyContentType: 'text/html',
    });
    const reply = await legacyGet('/oauth/group/delete/1');
    expect([reply.status, reply.headers['content-type'], reply.at('error')]).toEqual([500, 'text/html', '1']);
    expect((await legacyGet('/oauth/group/delete/5101')).at('error')).toBe('0');
    const sandbox = await sandboxForTest({ quirks: { legacyUnauthorizedStatus: 200 } });
    const unauthorized = await call(`${sandbox.url}/oauth/accounts`);
    expect([unauthorized.status, unauthorized.at('error')]).toEqual([200, 1]);
  });
});

describe('accounts', () => {
  test('groups of the detail have other keys', async () => {
    const text = await clientWith({ detailGroups: 'groupId-groupName' });
    expect((await text.get('/accounts/view/410201')).at('response.groups')).toEqual([
      { groupId: '5101', groupName: 'Shopfront' },
    ]);
    const ids = await clientWith({ detailGroups: 'ids' });
    expect((await ids.get('/accounts/view/410201')).at('response.groups')).toEqual([5_101]);
  });

  test.each([
    ['null', null],
    ['zero-date', '0000-00-00 00:00:00'],
  ] as const)('an absent time is written as %s', async (absentTime, value) => {
    const { get } = await clientWith({ absentTime });
    expect((await get('/accounts/view/410201')).at('response.lastDisconnectOn')).toBe(value);
  });

  test('onlyAccountData and multiFilter can mean something', async () => {
    const { get } = await clientWith({ onlyAccountData: 'omits-relations', multiFilter: 'states' });
    const reply = await get('/accounts/list?onlyAccountData=true&multiFilter=paused,locked');
    expect(reply.pluck('loginId')).toEqual([410_204, 410_205]);
    expect(reply.at('response.list.0')).not.toHaveProperty('groups');
  });
});

describe('posts', () => {
  test('times are read and shown east of UTC', async () => {
    const { get, post } = await clientWith({ utcOffsetMinutes: 330, postDateFormat: 'pattern' });
    const scheduleDateTime = ['2026-11-20 14:00'];
    await post('/posts/create', newPosts({ shareType: 3, scheduleDateTime }));
    expect((await get('/posts/queued?limit=1')).at('response.list.0')).toMatchObject({
      postDate: '20-Nov-2026 02:00 PM',
      postDateFormat: 'MMM DD, YYYY',
    });
  });

  describe('where only instagramPostType is required', () => {
    const createPostsRequires = 'instagramPostType';
    const posts = [{ instagramPostType: 'reels', postDesc: 'Hello' }];

    test('the queue and the original are what is meant', async () => {
      const sandbox = await sandboxForTest({ quirks: { createPostsRequires } });
      const { post } = clientOf(sandbox);
      const reply = await post('/posts/create', { loginIds: [410_203], posts });
      expect(reply.at('response.postCreatedCount')).toBe(1);
      expect(sandbox.state.owner('harbour').queue.at(-1)).toMatchObject({
        account: { loginId: 410_203 },
        content: { description: 'Hello', instagramPostType: 'reels' },
      });
      const variants = [{ ...posts[0], type: 'twitter', postDesc: 'For X' }, ...posts];
      await post('/posts/create', { shareType: 1, loginIds: [410_201, 410_203], posts: variants });
      const published = sandbox.state.owner('harbour').published.map((entry) => entry.content.description);
      expect(published).toEqual(['Hello', 'For X']);
    });

    test.each([{}, { posts }, { loginIds: [410_201] }, { loginIds: [], posts: [] }])(
      '%j creates nothing',
      async (body) => {
        const { get, post } = await clientWith({ createPostsRequires });
        const reply = await post('/posts/create', body);
        expect([reply.status, reply.at('response.postIds')]).toEqual([200, []]);
        expect((await get('/posts/queued')).at('response.totalRecords')).toBe(25);
      },
    );

    test.each([
      [{ posts: [{ postDesc: 'Hello' }] }, 'posts.0.instagramPostType'],
      [{ posts: [{ instagramPostType: 'post', type: 'fax' }] }, 'posts.0.type'],
      [{ shareType: 7 }, 'shareType'],
      [{ shareType: 3 }, 'scheduleDateTime'],
      [{ loginIds: [1] }, 'loginIds'],
    ])('%j is refused all the same, and %s is named', async (body, parameter) => {
      const { post } = await clientWith({ createPostsRequires });
      const reply = await post('/posts/create', body);
      expect(reply.status).toBe(400);
      expect(reply.at('message')).toMatch(new RegExp(`^${parameter}\\b`));
    });
  });

  test('unknown accounts are passed over', async () => {
    const { post } = await clientWith({ unknownLoginIds: 'ignore' });
    const reply = await post('/posts/create', newPosts({ loginIds: [1, 410_201] }));
    expect(reply.at('response.postCreatedCount')).toBe(1);
  });

  test('the past is due at once, or refused', async () => {
    const past = newPosts({ shareType: 3, scheduleDateTime: ['2020-01-01 10:00'] });
    const lenient = await clientWith({});
    expect((await lenient.post('/posts/create', past)).at('response.postCreatedCount')).toBe(1);
    expect((await lenient.get('/posts/queued')).at('response.totalRecords')).toBe(25);
    const strict = await clientWith({ pastSchedule: 'error' });
    expect((await strict.post('/posts/create', past)).at('message')).toContain('scheduleDateTime');
    const legacy = { post_content: 'Hello', 'account_id[0]': '410201', schedule_date: '2020-01-01 10:00 AM' };
    expect((await lenient.legacyPost('/oauth/post/update', legacy)).at('error')).toBe(0);
    expect((await strict.legacyPost('/oauth/post/update', legacy)).at('error')).toBe(1);
  });

  test('legacy posts for nobody fail, and AM/PM is read over', async () => {
    const { legacyPost } = await clientWith({ legacyNoAccounts: 'failure', scheduleMeridiem: 'lenient' });
    const fields = { post_content: 'Hello', 'account_id[0]': '1' };
    expect((await legacyPost('/oauth/post/update', fields)).at('error')).toBe(1);
    const odd = { ...fields, 'account_id[0]': '410201', schedule_date: '2026-12-01 01:05 PM' };
    expect((await legacyPost('/oauth/post/update', odd)).at('error')).toBe(0);
  });
});

describe('the pretended assistant', () => {
  const slow = { content: 'slowly, never', tone: 'Warm' };

  test.each([
    ['null', null],
    ['absent', undefined],
    ['partial', expect.stringMatching(/^The sandbox made/)],
  ] as const)('shows %s while a text is pending', async (pendingAiResponse, value) => {
    const { post } = await clientWith({ pendingAiResponse });
    expect((await post('/openai/response', slow)).at('response.aiResponse')).toEqual(value);
  });

  test('can be slow always, or never', async () => {
    const always = await clientWith({ slowAi: 'always' });
    const quick = { ...slow, content: 'Hello' };
    expect((await always.post('/openai/response', quick)).at('response.timeConsuming')).toBe(true);
    const never = await clientWith({ slowAi: 'never' });
    expect((await never.post('/openai/response', slow)).at('response.timeConsuming')).toBe(false);
  });

  test('can list what is pending', async () => {
    const { get, post } = await clientWith({ pendingInHistory: true });
    const id = (await post('/openai/response', slow)).at('response.contentId');
    expect((await get('/openai/historyList')).at('response.list.0')).toMatchObject({
      contentId: id,
      aiResponse: '',
    });
  });
});

test('a quirk is switched on a running sandbox', async () => {
  const sandbox = await sandboxForTest();
  const { get } = clientOf(sandbox);
  expect((await get('/accounts/list?limit=50')).at('response.pageLimit')).toBe(50);
  sandbox.quirks.maxLimit = 3;
  expect((await get('/accounts/list?limit=50')).at('response.pageLimit')).toBe(3);
});
