import { expect, test } from 'vitest';
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
const LEAST_USED = '/library/list?sortBy=mostUsed&sortOrder=ASC';
const HISTORY = '/openai/historyList';
const SHOPFRONT = { groupId: '5101', groupName: 'Shopfront' };
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
  [{ librarySortOrder: 'reverses' }, LEAST_USED, 'response.list.0.totalUsed', 0],
  [{ libraryTagMatch: 'all' }, '/library/list?tags=tags,loft', 'response.totalRecords', 1],
  [{ historyOrder: 'oldest-first' }, HISTORY, 'response.list.0.createdOn', '19-Nov-2026 12:36 PM'],
  [{ errorBody: 'envelope' }, FAILED, 'text', `{"message":"${BAD_PAGE}","response":{}}`],
  [{ errorBody: 'error-list' }, FAILED, 'text', `{"errors":[{"field":"page","message":"${BAD_PAGE}"}]}`],
  [{ errorBody: 'html' }, FAILED, 'text', `<html><body><h1>400</h1><p>${BAD_PAGE}</p></body></html>`],
  [{ errorBody: 'empty' }, FAILED, 'text', ''],
  [{ errorBody: 'empty' }, FAILED, 'status', 400],
  [{ missingAccountStatus: 500 }, '/accounts/view/999', 'status', 500],
  [{ missingLibraryItemStatus: 200 }, '/library/view/nothing', 'response', null],
  [{ detailGroups: 'groupId-groupName' }, DETAIL, 'response.groups', [SHOPFRONT]],
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

test('two library calls may do without the key', async () => {
  const sandbox = await sandboxForTest({ quirks: { libraryNeedsKey: false } });
  const [item] = sandbox.state.owner('harbour').library;
  expect((await call(`${sandbox.url}/library/view/${item?.id}`)).status).toBe(200);
  const wrong = { headers: { 'x-api-key': 'nobody' } };
  expect((await call(`${sandbox.url}/library/view/${item?.id}`, wrong)).status).toBe(401);
  expect((await call(`${sandbox.url}/library/list`)).status).toBe(401);
});

test('legacy failures have a status, a flag and a content type of choice', async () => {
  const answers = { legacyErrorFlag: 'text', legacyContentType: 'text/html' } as const;
  const { legacyGet } = await clientWith({ legacyFailureStatus: 500, ...answers });
  const reply = await legacyGet('/oauth/group/delete/1');
  expect([reply.status, reply.headers['content-type'], reply.at('error')]).toEqual([500, 'text/html', '1']);
  expect((await legacyGet('/oauth/group/delete/5101')).at('error')).toBe('0');
  const sandbox = await sandboxForTest({ quirks: { legacyUnauthorizedStatus: 200 } });
  const unauthorized = await call(`${sandbox.url}/oauth/accounts`);
  expect([unauthorized.status, unauthorized.at('error')]).toEqual([200, 1]);
});

const CREATE = '/posts/create';
const LEGACY = '/oauth/post/update';
const PROMPT = '/openai/response';
const lenient = { createPostsRequires: 'instagramPostType' } as const;
const posts = [{ instagramPostType: 'reels', postDesc: 'Hello' }];
const past = newPosts({ shareType: 3, scheduleDateTime: ['2020-01-01 10:00'] });
const legacyPast = { post_content: 'Hi', 'account_id[0]': '410201', schedule_date: '2020-01-01 10:00 AM' };
const AFTERNOON = '2026-12-01 01:05 PM';
const COUNT = 'response.postCreatedCount';
const naming = (parameter: string): unknown => expect.stringMatching(new RegExp(`^${parameter}\\b`));

type Write = readonly [Partial<Quirks>, path: string, body: object, at: string, value: unknown];
const WRITES: readonly Write[] = [
  [{ unknownLoginIds: 'ignore' }, CREATE, newPosts({ loginIds: [1, 410_201] }), COUNT, 1],
  [{}, CREATE, past, COUNT, 1],
  [{ pastSchedule: 'error' }, CREATE, past, 'message', naming('scheduleDateTime')],
  [{}, LEGACY, legacyPast, 'error', 0],
  [{ pastSchedule: 'error' }, LEGACY, legacyPast, 'error', 1],
  [{ legacyNoAccounts: 'failure' }, LEGACY, { post_content: 'Hi', 'account_id[0]': '1' }, 'error', 1],
  [{ scheduleMeridiem: 'lenient' }, LEGACY, { ...legacyPast, schedule_date: AFTERNOON }, 'error', 0],
  [{ slowAi: 'always' }, PROMPT, { content: 'Hello', tone: 'Warm' }, 'response.timeConsuming', true],
  [{ slowAi: 'never' }, PROMPT, { content: 'slowly, never', tone: 'Warm' }, 'response.timeConsuming', false],
  ...[{}, { posts }, { loginIds: [410_201] }, { loginIds: [], posts: [] }].map(
    (body) => [lenient, CREATE, body, 'response.postIds', []] as const,
  ),
  [lenient, CREATE, { posts: [{ postDesc: 'Hello' }] }, 'message', naming('posts.0.instagramPostType')],
  [lenient, CREATE, { posts: [{ ...posts[0], type: 'fax' }] }, 'message', naming('posts.0.type')],
  [lenient, CREATE, { shareType: 7 }, 'message', naming('shareType')],
  [lenient, CREATE, { shareType: 3 }, 'message', naming('scheduleDateTime')],
  [lenient, CREATE, { loginIds: [1] }, 'message', naming('loginIds')],
];

test.each(WRITES)('with %j, %s answers %j with %s: %j', async (quirks, path, body, at, value) => {
  const { post, legacyPost } = await clientWith(quirks);
  const reply = await (path === LEGACY ? legacyPost(path, body as Record<string, string>) : post(path, body));
  expect(reply.at(at)).toEqual(value);
});

test('times of posts are read and shown east of UTC', async () => {
  const { get, post } = await clientWith({ utcOffsetMinutes: 330, postDateFormat: 'pattern' });
  await post(CREATE, newPosts({ shareType: 3, scheduleDateTime: ['2026-11-20 14:00'] }));
  expect((await get('/posts/queued?limit=1')).at('response.list.0')).toMatchObject({
    postDate: '20-Nov-2026 02:00 PM',
    postDateFormat: 'MMM DD, YYYY',
  });
});

test('where only instagramPostType is required, the queue and the original are what is meant', async () => {
  const sandbox = await sandboxForTest({ quirks: lenient });
  const { post } = clientOf(sandbox);
  await post(CREATE, { loginIds: [410_203], posts });
  expect(sandbox.state.owner('harbour').queue.at(-1)).toMatchObject({
    account: { loginId: 410_203 },
    content: { description: 'Hello', instagramPostType: 'reels' },
  });
  const variants = [{ ...posts[0], type: 'twitter', postDesc: 'For X' }, ...posts];
  await post(CREATE, { shareType: 1, loginIds: [410_201, 410_203], posts: variants });
  const published = sandbox.state.owner('harbour').published.map((entry) => entry.content.description);
  expect(published).toEqual(['Hello', 'For X']);
});
