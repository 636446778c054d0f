import { describe, expect, test } from 'vitest';
import type { Quirks } from '../src/quirks.ts';
import { call, clientOf, movableClock, newPosts } from './running-sandbox.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

async function clientWith(quirks: Partial<Quirks>) {
  return clientOf(await sandboxForTest({ quirks, now: movableClock().now }));
}

const BAD_PAGE = 'page must be a whole number of at least 1.';
const PAST_END = '/accounts/list?page=9';
const FAILED = '/accounts/list?page=0';
const DETAIL = '/accounts/view/410201';
const STATES = '/accounts/list?onlyAccountData=true&multiFilter=paused,locked';

/** What stands at a place of an answer with some quirks; `status` and `text` are the answer's own. */
const READS: readonly (readonly [Partial<Quirks>, path: string, at: string, value: unknown])[] = [
  [{ maxLimit: 5 }, '/accounts/list?limit=50', 'response.pageLimit', 5],
  [{ maxLimit: 5 }, '/accounts/list?limit=50', 'response.totalPages', 3],
  [{ maxLimit: 5, overLimit: 'error' }, '/accounts/list?limit=50', 'message', 'limit must not exceed 5.'],
  [{ maxLimit: null }, '/accounts/list?limit=500', 'response.pageLimit', 500],
  [{ beyondLastPage: 'empty' }, PAST_END, 'response.currentPage', 9],
  [{ beyondLastPage: 'empty' }, PAST_END, 'response.list', []],
  [{ beyondLastPage: 'last-page' }, PAST_END, 'response.currentPage', 2],
  [{ beyondLastPage: 'last-page' }, PAST_END, 'response.list.1.loginId', 410_212],
  [{ beyondLastPage: 'repeat-last' }, PAST_END, 'response.currentPage', 9],
  [{ beyondLastPage: 'repeat-last' }, PAST_END, 'response.list.1.loginId', 410_212],
  [{ beyondLastPage: 'error' }, '/accounts/list?page=3', 'status', 400],
  [{ beyondLastPage: 'error' }, '/library/list?currentPage=3', 'message', 'currentPage must not exceed 2.'],
  [{}, '/accounts/list?q=nobody', 'response.totalPages', 0],
  [{ totalPagesOfEmptyList: 1 }, '/accounts/list?q=nobody', 'response.totalPages', 1],
  [{ libraryPageSize: 4 }, '/library/list', 'response.totalPages', 4],
  [{ libraryTotals: 'example' }, '/library/list', 'response.totalRecord', 15],
  [{ libraryTotals: 'example' }, '/library/list', 'response.totalPage', 2],
  [{ libraryTotals: 'example' }, '/library/list', 'response.totalCount', 15],
  [{ libraryTotals: 'example' }, '/library/list', 'response.totalRecords', undefined],
  [{ libraryTotals: 'both' }, '/library/list', 'response.totalRecords', 15],
  [{ libraryTotals: 'both' }, '/library/list', 'response.totalRecord', 15],
  [
    { librarySortOrder: 'reverses' },
    '/library/list?sortBy=mostUsed&sortOrder=ASC',
    'response.list.0.totalUsed',
    0,
  ],
  [{ libraryTagMatch: 'all' }, '/library/list?tags=tags,loft', 'response.totalRecords', 1],
  [
    { historyOrder: 'oldest-first' },
    '/openai/historyList',
    'response.list.0.createdOn',
    '19-Nov-2026 12:36 PM',
  ],
  [{ errorBody: 'envelope' }, FAILED, 'text', `{"message":"${BAD_PAGE}","response":{}}`],
  [{ errorBody: 'error-list' }, FAILED, 'text', `{"errors":[{"field":"page","message":"${BAD_PAGE}"}]}`],
  [{ errorBody: 'html' }, FAILED, 'text', `<html><body><h1>400</h1><p>${BAD_PAGE}</p></body></html>`],
  [{ errorBody: 'empty' }, FAILED, 'text', ''],
  [{ errorBody: 'empty' }, FAILED, 'status', 400],
  [{ missingAccountStatus: 500 }, '/accounts/view/999', 'status', 500],
  [{ missingLibraryItemStatus: 200 }, '/library/view/nothing', 'response', null],
  [
    { detailGroups: 'groupId-groupName' },
    DETAIL,
    'response.groups',
    [{ groupId: '5101', groupName: 'Shopfront' }],
  ],
  [{ detailGroups: 'ids' }, DETAIL, 'response.groups', [5_101]],
  [{ absentTime: 'null' }, DETAIL, 'response.lastDisconnectOn', null],
  [{ absentTime: 'zero-date' }, DETAIL, 'response.lastDisconnectOn', '0000-00-00 00:00:00'],
  [{ multiFilter: 'states' }, STATES, 'response.list.0.loginId', 410_204],
  [{ multiFilter: 'states' }, STATES, 'response.totalRecords', 2],
  [{ onlyAccountData: 'omits-relations' }, STATES, 'response.list.0.groups', undefined],
];

test.each(READS)('with %j, %s has %s: %j', async (quirks, path, at, value) => {
  const reply = await (await clientWith(quirks)).get(path);
  expect(at === 'status' || at === 'text' ? reply[at] : reply.at(at)).toEqual(value);
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

  test('can be slow always, or never', async () => {
    const always = await clientWith({ slowAi: 'always' });
    const quick = { ...slow, content: 'Hello' };
    expect((await always.post('/openai/response', quick)).at('response.timeConsuming')).toBe(true);
    const never = await clientWith({ slowAi: 'never' });
    expect((await never.post('/openai/response', slow)).at('response.timeConsuming')).toBe(false);
  });
});
