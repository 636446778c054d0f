import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../src/sandbox.ts';
import { call, clientOf, movableClock, readInto, shareSandbox } from './running-sandbox.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

const shared = shareSandbox({ quirks: { libraryPageSize: 100 } });
const sorted = (values: readonly unknown[]) => values.map(String).toSorted((a, b) => (a < b ? -1 : 1));

const LOFT = ['Loft tags', 'Market tags', 'Net loft story', 'Never used yet'];
test.each<[path: string, field: string, values: readonly unknown[]]>([
  ['/accounts/list?page=3&limit=5', 'loginId', [410_211, 410_212]],
  ['/accounts/list?q=KELPGATE.roast', 'loginId', [410_202]],
  [
    '/accounts/list?groupId=5101,5103&limit=20',
    'loginId',
    [410_201, 410_202, 410_203, 410_206, 410_207, 410_209],
  ],
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

test('the library is paged by currentPage, counts under totalCount too, and ignores a limit', async () => {
  const { get } = clientOf(await sandboxForTest());
  const reply = await get('/library/list?currentPage=2&limit=3');
  const counts = { currentPage: 2, pageLimit: 12, totalRecords: 15, totalPages: 2, totalCount: 15 };
  expect(reply.at('response')).toMatchObject(counts);
  expect(reply.pluck('id')).toHaveLength(3);
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

test('a created library item is shown, with its age in words', async () => {
  const clock = movableClock();
  const { get, post } = clientOf(await sandboxForTest({ now: clock.now }));
  const posts = [{ type: 'facebook', postDesc: '#frost', mediaId: ['m1'] }];
  const body = { title: 'Frost', type: 'Hashtag', tags: ['winter'], posts };
  const created = await post('/library/create', body);
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
  const viewed = async (path: string) => (await get(`/library/view/${String(id)}`)).at(`response.${path}`);
  for (const [ms, age] of [
    [0, 'a few seconds ago'],
    [60_000, 'a minute ago'],
    [3 * 3_600_000, '3 hours ago'],
  ] as const) {
    clock.pass(ms);
    expect(await viewed('lastEditedOn')).toBe(age);
  }
  expect(await viewed('content.extraData.original.postDesc')).toBe('#frost');
  expect((await get('/library/list')).at('response.list.0.id')).toBe(id);
});

describe('the toggle of an account', () => {
  const TOGGLE = '/oauth/account/status/410201';

  test('turns running into paused and back, on both surfaces', async () => {
    const sandbox = await sandboxForTest();
    const { get, legacyGet } = clientOf(sandbox);
    for (const [status, listed, isPaused] of [
      ['Paused', 'Y', true],
      ['Running', 'N', false],
    ] as const) {
      expect((await legacyGet(TOGGLE)).at()).toEqual({ error: 0, data: { new_status: status } });
      expect((await get('/accounts/list')).at('response.list.0.isPaused')).toBe(listed);
      expect((await get('/accounts/view/410201')).at('response.isPaused')).toBe(isPaused);
      expect((await legacyGet('/oauth/accounts')).at('0.status')).toBe(status);
    }
    const head = await call(`${sandbox.url}${TOGGLE}?access_token=demo-token-harbour`, { method: 'HEAD' });
    expect([head.status, sandbox.state.owner('harbour').toggles(410_201)]).toEqual([405, 2]);
  });

  test.each(['999', 'abc', '730501'])('fails in general terms for the id %s', async (id) => {
    const reply = await clientOf(shared()).legacyGet(`/oauth/account/status/${id}`);
    const message = { error: 1, msg: 'Something went wrong. Please try again later.' };
    expect([reply.status, reply.at()]).toEqual([200, message]);
  });
});

test('a deleted account is gone from both surfaces and from its groups, and its posts from the queue', async () => {
  const { get, legacyGet } = clientOf(await sandboxForTest());
  expect((await legacyGet('/oauth/account/delete/410201')).at()).toEqual({ error: 0 });
  for (const path of ['/accounts/list?limit=100', '/group/list', '/posts/queued?limit=100'])
    expect((await get(path)).text, path).not.toContain('"loginId":410201');
  expect((await get('/accounts/view/410201')).status).toBe(400);
  expect((await legacyGet('/oauth/accounts')).text).not.toContain('"410201"');
  expect((await legacyGet('/oauth/account/delete/410201')).at('error')).toBe(1);
});

test('a deleted group is gone from both surfaces, and its accounts stay', async () => {
  const { get, legacyGet } = clientOf(await sandboxForTest());
  expect((await legacyGet('/oauth/group/delete/5101')).at()).toEqual({ error: 0 });
  expect((await get('/group/list')).pluck('groupId')).toEqual(['5102', '5103', '5104']);
  expect((await legacyGet('/oauth/groups')).text).not.toContain('"5101"');
  expect((await get('/accounts/view/410201')).at('response.groups')).toEqual([]);
  expect((await legacyGet('/oauth/group/delete/5101')).at('error')).toBe(1);
});

const PROMPT = { content: 'A line about rain', tone: 'Warm' };
const SLOW_PROMPT = { ...PROMPT, content: 'Slowly, a line about rain' };

describe('the simulated AI', () => {
  test('composes a text that says so, spends a credit and enters the history', async () => {
    const sandbox = await sandboxForTest({ now: movableClock().now });
    const { get, post } = clientOf(sandbox);
    const reply = await post('/openai/response', { ...PROMPT, generatedFrom: 'post', templateUsed: 'Short' });
    expect(reply.at('response')).toMatchObject({
      timeConsuming: false,
      userInput: PROMPT.content,
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
    sandbox.state.owner('harbour').creditsRemaining = 0;
    expect((await post('/openai/response', PROMPT)).status).toBe(400);
  });

  test('lists the newest text first, and what is added elsewhere on top', async () => {
    const sandbox = await sandboxForTest();
    const ids = async () => (await clientOf(sandbox).get('/openai/historyList?limit=100')).pluck('contentId');
    const before = await ids();
    const added = sandbox.state.owner('harbour').addHistory(2);
    expect(await ids()).toEqual([...added.toReversed().map(({ contentId }) => contentId), ...before]);
  });

  test('returns a slow text later, and never one whose prompt says never', async () => {
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
});

test('each call makes another billing session, whose secrets are listed', async () => {
  const clock = movableClock();
  const sandbox = await sandboxForTest({ now: clock.now });
  const { get } = clientOf(sandbox);
  const [first, second] = [
    await get('/payment/billing/portalcreate'),
    await get('/payment/billing/portalcreate'),
  ];
  const ids = [first, second].map((reply) => reply.at('response.portal.id'));
  expect(new Set(ids).size).toBe(2);
  expect(sandbox.state.owner('harbour').billingSessions).toEqual(ids);
  expect(sandbox.secrets.billingSessions).toContain(first.at('response.portal.token'));
  expect(first.at('response.portal.created_at')).toBe(clock.now() / 1_000);
  expect(first.at('response.portalUrl')).toContain(String(first.at('response.portal.token')));
});

// The data.

const LISTS = ['/posts/queued', '/accounts/list', '/openai/historyList', '/group/list', '/library/list'];

/** The text of every list of an owner, and of some details. */
async function everything(sandbox: Sandbox, ownerIndex: 0 | 1): Promise<string> {
  const { get, legacyGet } = clientOf(sandbox, ownerIndex);
  const accounts = (await get('/accounts/list?limit=12')).pluck('loginId');
  const replies = await Promise.all([
    ...LISTS.map((path) => get(`${path}?limit=100`)),
    ...accounts.map((id) => get(`/accounts/view/${String(id)}`)),
    legacyGet('/oauth/accounts'),
    legacyGet('/oauth/groups'),
  ]);
  return replies.map(({ text }) => text).join('\n');
}

test.each(['small', 'large'] as const)(
  'data of the size %s are the same every time, around the clock’s start, and small for the second owner',
  async (data) => {
    const { now } = movableClock();
    const [one, other] = [await sandboxForTest({ data, now }), await sandboxForTest({ data, now })];
    for (const owner of [0, 1] as const)
      expect(await everything(one, owner)).toBe(await everything(other, owner));
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
  const isEmpty = (field: string): boolean => !records.some((record) => isFilled(readInto(record, field)));
  expect(fields.filter(isEmpty)).toEqual([]);
});

test('secrets are kept apart by what they are', async () => {
  const { secrets, owners, oauthApp } = shared();
  expect(secrets).toMatchObject({
    apiKeys: owners.map((owner) => owner.apiKey),
    accessTokens: owners.map((owner) => owner.accessToken),
    passwords: owners.map((owner) => owner.password),
    clientSecrets: [oauthApp.clientSecret],
  });
  expect(new Set(secrets.all()).size).toBe(secrets.all().length);
  expect(secrets.planted).toHaveLength(secrets.accountTokens.length + secrets.nested.length);
});

test('a test moves accounts in and out of the middle, and names the owner whose they are', async () => {
  const sandbox = await sandboxForTest();
  const harbour = sandbox.state.owner('harbour');
  const { get } = clientOf(sandbox);
  const inserted = harbour.insertAccount(5, { username: 'Newcomer' });
  expect((await get('/accounts/list')).at('response.list.5.loginId')).toBe(inserted.loginId);
  expect(sandbox.secrets.planted).toContain(inserted.accessToken);
  harbour.removeAccount(410_203);
  expect((await get('/accounts/list')).at('response.list.4.loginId')).toBe(inserted.loginId);
  expect(() => sandbox.state.owner('nobody')).toThrow('nobody');
  expect(() => sandbox.push.open('nobody')).toThrow('nobody');
});
