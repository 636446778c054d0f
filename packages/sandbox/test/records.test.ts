import { expect, test } from 'vitest';
import { call, clientOf, movableClock, shareSandbox } from './running-sandbox.ts';
import { sandboxForTest, valueAt } from '../../../test/support/sandbox.ts';

const shared = shareSandbox({ quirks: { libraryPageSize: 100 } });
const sorted = (values: readonly unknown[]) => values.map(String).toSorted((a, b) => (a < b ? -1 : 1));

const GROUPED = [410_201, 410_202, 410_203, 410_206, 410_207, 410_209];
const LOFT = ['Loft tags', 'Market tags', 'Net loft story', 'Never used yet'];
test.each<[path: string, field: string, values: readonly unknown[]]>([
  ['/accounts/list?page=3&limit=5', 'loginId', [410_211, 410_212]],
  ['/accounts/list?q=KELPGATE.roast', 'loginId', [410_202]],
  ['/accounts/list?groupId=5101,5103&limit=20', 'loginId', GROUPED],
  ['/accounts/list?platform=2,14', 'loginId', [410_203, 410_206]],
  ['/accounts/list?clientId=71', 'loginId', [410_204, 410_212]],
  ['/accounts/list?team=12', 'loginId', [410_201, 410_202]],
  ['/accounts/list?onlyAccountData=true&platform=2', 'loginId', [410_203]],
  ['/accounts/list?multiFilter=paused&platform=2', 'loginId', [410_203]],
  ['/accounts/list?sortBy=loginId,DESC&limit=2', 'loginId', [410_212, 410_211]],
  ['/accounts/list?sortBy=accountUsername,ASC,loginId,DESC&limit=2', 'loginId', [410_203, 410_210]],
  ['/accounts/list?q=nobody', 'loginId', []],
  ['/group/list', 'groupId', ['5101', '5102', '5103', '5104']],
  ['/group/list?sortBy=groupName&sortOrder=DESC', 'groupId', ['5102', '5104', '5101', '5103']],
  ['/group/list?q=PICTURE', 'groupId', ['5103']],
  ['/group/list?page=2&limit=3', 'groupId', ['5104']],
  ['/library/list?type=hashTag', 'title', ['Coffee tags', 'Event tags', 'Loft tags', 'Market tags']],
  ['/library/list?tags=loft,market', 'title', LOFT],
  ['/library/list?q=moka', 'title', ['Moka care']],
  ['/library/list?filterBy=1', 'title', []],
  ['/library/list?filterBy=641&type=post&tags=wholesale', 'title', ['How we pack', 'Wholesale note']],
])('%s lists the %s %j', async (path, field, values) => {
  const listed = (await clientOf(shared()).get(path)).pluck(field);
  expect(field === 'title' ? sorted(listed) : listed).toEqual(values);
});

test('the library is ordered by use or by age', async () => {
  const { get } = clientOf(shared());
  const first = async (query: string) => (await get(`/library/list?${query}`)).at('response.list.0');
  expect(await first('sortBy=mostUsed')).toMatchObject({ totalUsed: 40 });
  expect(await first('sortBy=leastUsed')).toMatchObject({ totalUsed: 0, lastUsed: '' });
  const recent = (await get('/library/list?sortBy=recentlyUsed')).pluck('lastUsed');
  expect(recent).toEqual(sorted(recent).toReversed());
  const oldest = (await get('/library/list?sortOrder=ASC')).pluck('createdOn');
  expect(oldest).toEqual(sorted(oldest));
});

test('a library item has its age in words', async () => {
  const clock = movableClock();
  const { get, post } = clientOf(await sandboxForTest({ now: clock.now }));
  const body = { title: 'Frost', type: 'Hashtag', posts: [{ type: 'facebook', postDesc: '#frost' }] };
  const id = String((await post('/library/create', body)).at('response.id'));
  for (const [ms, age] of [
    [0, 'a few seconds ago'],
    [60_000, 'a minute ago'],
    [3 * 3_600_000, '3 hours ago'],
  ] as const) {
    clock.pass(ms);
    expect((await get(`/library/view/${id}`)).at('response.lastEditedOn')).toBe(age);
  }
});

test('the toggle of an account is not run by HEAD, and fails in general terms for an unknown id', async () => {
  const { url, state } = shared();
  const path = '/oauth/account/status/410201?access_token=demo-token-harbour';
  const head = await call(`${url}${path}`, { method: 'HEAD' });
  expect([head.status, state.owner('harbour').toggles(410_201)]).toEqual([405, 0]);
  for (const id of ['999', 'abc', '730501']) {
    const reply = await clientOf(shared()).legacyGet(`/oauth/account/status/${id}`);
    const message = { error: 1, msg: 'Something went wrong. Please try again later.' };
    expect([reply.status, reply.at()]).toEqual([200, message]);
  }
});

const PROMPT = { content: 'A line about rain', tone: 'Warm' };
const SLOW_PROMPT = { ...PROMPT, content: 'Slowly, a line about rain' };

test('a slow text arrives later, but never if its prompt says so', async () => {
  const timers: [delayMs: number, run: () => void][] = [];
  const after = (delayMs: number, run: () => void) => {
    timers.push([delayMs, run]);
    return () => undefined;
  };
  const sandbox = await sandboxForTest({ timers: { after } });
  const { get, post } = clientOf(sandbox);
  const ids = async () => (await get('/openai/historyList')).pluck('contentId');
  const pending = () => sandbox.generations.pending('harbour').map(({ contentId }) => contentId);
  await post('/openai/response', { ...PROMPT, content: 'SLOWLY, never' });
  expect([timers, pending().length]).toEqual([[], 1]);
  const reply = await post('/openai/response', SLOW_PROMPT);
  const id = reply.at('response.contentId');
  expect(reply.at('response')).toMatchObject({ timeConsuming: true, aiResponse: '', totalCredit: 178 });
  expect(pending()).toContain(id);
  expect(await ids()).not.toContain(id);
  expect(timers.map(([delayMs]) => delayMs)).toEqual([3_000]);
  for (const [, run] of timers) run();
  expect(await ids()).toContain(id);
  expect(pending()).not.toContain(id);
});

// The data.

const LISTS = ['/posts/queued', '/accounts/list', '/openai/historyList', '/group/list', '/library/list'];

test.each(['small', 'large'] as const)(
  'data of the size %s are the same every time, around the clock’s start, and small for the second owner',
  async (data) => {
    const { now } = movableClock();
    const [one, other] = [await sandboxForTest({ data, now }), await sandboxForTest({ data, now })];
    for (const { name } of one.owners) {
      const { accounts, groups, queue, library, history } = one.state.owner(name);
      expect(other.state.owner(name)).toMatchObject({ accounts, groups, queue, library, history });
    }
    const second = await Promise.all(LISTS.map((path) => clientOf(one, 1).get(path)));
    expect(second.map((reply) => reply.at('response.totalRecords'))).toEqual([25, 12, 12, 4, 15]);
  },
);

test('the accounts cover the networks, one of them unheard of', async () => {
  const types = (await clientOf(shared()).get('/accounts/list?limit=100')).pluck('accountType');
  expect(new Set(types.map((type) => String(type).split('-')[0]))).toEqual(
    new Set('facebook gmb instagram linkedin pinterest quillnet tiktok tumblr twitter youtube'.split(' ')),
  );
});

const isFilled = (value: unknown): boolean => !['null', '""', '[]', '{}'].includes(JSON.stringify(value));
const POST =
  'postTitle longPostDesc postUrl postVideo postDocument postImage thumbImage tagIds errorMsg extraData.place';
const ITEM = 'postTitle postUrl longPostDesc postVideo postImage extraData.place extraData.altTexts';
test.each([
  ['/posts/queued?limit=100', POST.split(' ')],
  ['/library/list', ITEM.split(' ').map((field) => `content.${field}`)],
])('in some record of %s, each of %s is filled', async (path, fields) => {
  const records = (await clientOf(shared()).get(path)).at('response.list') as unknown[];
  const isEmpty = (field: string): boolean => !records.some((record) => isFilled(valueAt(record, field)));
  expect(fields.filter(isEmpty)).toEqual([]);
});
