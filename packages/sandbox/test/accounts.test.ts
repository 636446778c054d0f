import { describe, expect, test } from 'vitest';
import { landmarks } from '../src/data/landmarks.ts';
import { endpoints } from '../src/endpoints.ts';
import { call, clientOf, sandboxForTest, shareSandbox } from './running-sandbox.ts';

const shared = shareSandbox();

describe('the account list', () => {
  test('pages with the asked size and counts everything', async () => {
    const { get } = clientOf(shared());
    const reply = await get('/accounts/list?page=3&limit=5');
    expect(reply.at('response')).toMatchObject({
      currentPage: 3,
      pageLimit: 5,
      totalRecords: 12,
      totalPages: 3,
    });
    expect(reply.pluck('loginId')).toEqual([410_211, 410_212]);
  });

  test.each([
    ['q=KELPGATE.roast', [410_202]],
    ['groupId=5101,5103&limit=20', [410_201, 410_202, 410_203, 410_206, 410_207, 410_209]],
    ['platform=2,14', [410_203, 410_206]],
    ['clientId=71', [410_204, 410_212]],
    ['team=12', [410_201, 410_202]],
    ['onlyAccountData=true&platform=2', [410_203]],
    ['multiFilter=paused&platform=2', [410_203]],
    ['sortBy=loginId,DESC&limit=2', [410_212, 410_211]],
    ['sortBy=accountUsername,ASC,loginId,DESC&limit=2', [410_203, 410_210]],
    ['q=nobody', []],
  ])('answers %s', async (query, ids) => {
    const { get } = clientOf(shared());
    expect((await get(`/accounts/list?${query}`)).pluck('loginId')).toEqual(ids);
  });

  test('writes network ids beyond 2^53 as JSON numbers with all digits, and as text in the detail', async () => {
    const { get } = clientOf(shared());
    const list = await get('/accounts/list?limit=100');
    expect(list.text).toContain('"profileUniqueId":17841401234567891,"uniqueId":17841401234567891,');
    expect(list.text).toContain('"uniqueId":9007199254740993,');
    const detail = await get(`/accounts/view/${landmarks.bigNetworkId}`);
    expect(detail.at('response.uniqueId')).toBe('17841401234567891');
  });
});

describe('the toggle', () => {
  test('turns running into paused and back, on both surfaces', async () => {
    const sandbox = await sandboxForTest();
    const { get, legacyGet } = clientOf(sandbox);
    const toggle = async () => (await legacyGet('/oauth/account/status/410201')).at();
    const isPaused = async () =>
      (await get('/accounts/list?q=Kelpgate Roasters&sortBy=loginId,ASC')).at('response.list.0.isPaused');
    expect(await toggle()).toEqual({ error: 0, data: { new_status: 'Paused' } });
    expect(await isPaused()).toBe('Y');
    expect((await get('/accounts/view/410201')).at('response.isPaused')).toBe(true);
    expect((await legacyGet('/oauth/accounts')).at('0.status')).toBe('Paused');
    expect(await toggle()).toEqual({ error: 0, data: { new_status: 'Running' } });
    expect(await isPaused()).toBe('N');
    expect(sandbox.state.owner('harbour').toggles(410_201)).toBe(2);
  });

  test('is not run by HEAD', async () => {
    const sandbox = await sandboxForTest();
    const url = `${sandbox.url}/oauth/account/status/410201?access_token=demo-token-harbour`;
    expect((await call(url, { method: 'HEAD' })).status).toBe(405);
    expect(sandbox.state.owner('harbour').toggles(410_201)).toBe(0);
  });

  test.each(['/oauth/account/status/999', '/oauth/account/status/abc', '/oauth/account/status/730501'])(
    'of an account that is not there fails in general terms: %s',
    async (path) => {
      const { legacyGet } = clientOf(await sandboxForTest());
      const reply = await legacyGet(path);
      expect(reply.status).toBe(200);
      expect(reply.at()).toEqual({ error: 1, msg: 'Something went wrong. Please try again later.' });
    },
  );
});

describe('deletions', () => {
  test('of an account remove it from both surfaces, from its groups, and its posts from the queue', async () => {
    const sandbox = await sandboxForTest();
    const { get, legacyGet } = clientOf(sandbox);
    expect((await legacyGet('/oauth/account/delete/410201')).at()).toEqual({ error: 0 });
    expect((await get('/accounts/list?limit=100')).pluck('loginId')).not.toContain(410_201);
    expect((await get('/accounts/view/410201')).status).toBe(400);
    expect((await legacyGet('/oauth/accounts')).text).not.toContain('"410201"');
    expect((await get('/group/list')).text).not.toContain('"loginId":410201');
    expect((await get('/posts/queued?limit=100')).pluck('loginId')).not.toContain(410_201);
    expect((await legacyGet('/oauth/account/delete/410201')).at('error')).toBe(1);
  });

  test('of a group remove it from both surfaces and leave its accounts', async () => {
    const { get, legacyGet } = clientOf(await sandboxForTest());
    expect((await legacyGet('/oauth/group/delete/5101')).at()).toEqual({ error: 0 });
    expect((await get('/group/list')).pluck('groupId')).toEqual(['5102', '5103', '5104']);
    expect((await legacyGet('/oauth/groups')).text).not.toContain('"5101"');
    expect((await get('/accounts/view/410201')).at('response.groups')).toEqual([]);
    expect((await legacyGet('/oauth/group/delete/5101')).at('error')).toBe(1);
  });
});

describe('the group list', () => {
  test.each([
    ['', ['5101', '5102', '5103', '5104']],
    ['?sortBy=groupName&sortOrder=DESC', ['5102', '5104', '5101', '5103']],
    ['?q=PICTURE', ['5103']],
    ['?page=2&limit=3', ['5104']],
  ])('answers %s', async (query, ids) => {
    const { get } = clientOf(shared());
    expect((await get(`/group/list${query}`)).pluck('groupId')).toEqual(ids);
  });
});

const guarded = endpoints.filter(({ name }) => name !== 'GET /oauth/' && name !== 'POST /oauth/accesstoken');

test.each([{}, { 'x-api-key': 'nobody', authorization: 'Bearer nobody' }])(
  'every call answers 401 to the credentials %j, in the manner of its surface',
  async (headers) => {
    for (const { name, surface } of guarded) {
      const [method, template = ''] = name.split(' ');
      const path = template.replace(/:id|\{\w+\}/, '410201');
      const reply = await call(`${shared().url}${path}`, {
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
      });
      expect([name, reply.status]).toEqual([name, 401]);
      if (surface === 'legacy') expect(reply.at(), name).toEqual({ error: 1, msg: expect.any(String) });
      else expect(reply.at('message'), name).toContain('x-api-key');
    }
  },
);

describe('the access token', () => {
  const body = 'post_content=Hello&account_id%5B0%5D=410201';
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  test.each([
    ['header', { headers: { ...form, authorization: 'bearer demo-token-harbour' }, body }, ''],
    ['body', { headers: form, body: `${body}&access_token=demo-token-harbour` }, ''],
    ['query', { headers: form, body }, '?access_token=demo-token-harbour'],
  ] as const)(
    'may travel in the %s, unless it is not looked for there',
    async (placement, options, query) => {
      const sandbox = await sandboxForTest();
      const post = () => call(`${sandbox.url}/oauth/post/update${query}`, { method: 'POST', ...options });
      expect((await post()).at('error')).toBe(0);
      expect(sandbox.requests.all[0]?.owner).toBe('harbour');
      sandbox.quirks.legacyTokenPlacements = (['header', 'body', 'query'] as const).filter(
        (name) => name !== placement,
      );
      expect((await post()).at('error')).toBe(1);
    },
  );
});

test('stray paths and methods are refused in the manner of their surface', async () => {
  const { url } = shared();
  expect((await call(`${url}/elsewhere`)).at()).toEqual({ message: 'There is no such endpoint.' });
  expect((await call(`${url}/oauth/elsewhere`)).at()).toEqual({
    error: 1,
    msg: 'There is no such endpoint.',
  });
  expect((await call(`${url}/accounts/list`, { method: 'POST' })).status).toBe(404);
  expect((await call(`${url}/accounts/list`, { method: 'PUT' })).status).toBe(405);
});

const REFUSED = [
  ['/accounts/list?page=0', 'page'],
  ['/accounts/list?limit=abc', 'limit'],
  ['/accounts/list?limit=-1', 'limit'],
  ['/accounts/list?limit=1.5', 'limit'],
  ['/accounts/list?page=99999999999999999999', 'page'],
  ['/accounts/list?sortBy=color,ASC', 'sortBy'],
  ['/accounts/list?sortBy=loginId', 'sortBy'],
  ['/accounts/list?sortBy=loginId,UP', 'sortBy'],
  ['/accounts/list?groupId=5101,x', 'groupId'],
  ['/accounts/list?platform=facebook', 'platform'],
  ['/accounts/list?onlyAccountData=yes', 'onlyAccountData'],
  ['/accounts/view/abc', 'loginId'],
  ['/accounts/view/999', 'loginId'],
  ['/group/list?sortBy=groupId', 'sortBy'],
  ['/group/list?sortOrder=asc', 'sortOrder'],
  ['/openai/historyList?limit=0', 'limit'],
  ['/library/list?currentPage=0', 'currentPage'],
  ['/library/list?sortBy=newest', 'sortBy'],
  ['/library/list?type=Hashtag', 'type'],
  ['/library/list?filterBy=me', 'filterBy'],
] as const;

test('a parameter of a wrong form is refused with 400, and named', async () => {
  const { get } = clientOf(shared());
  for (const [path, parameter] of REFUSED) {
    const reply = await get(path);
    expect([path, reply.status]).toEqual([path, 400]);
    expect(reply.at('message'), path).toMatch(new RegExp(`^${parameter}\\b`));
  }
});

test('a bad page of the queue, for which no 400 is listed, gets 500 or what is switched on', async () => {
  const sandbox = await sandboxForTest();
  const { get } = clientOf(sandbox);
  const reply = await get('/posts/queued?page=x');
  expect([reply.status, reply.at('message')]).toEqual([500, 'page must be a whole number of at least 1.']);
  sandbox.quirks.queueBadRequestStatus = 400;
  expect((await get('/posts/queued?page=0')).status).toBe(400);
});

test.each(['/posts/create', '/draft/create', '/library/create', '/openai/response'])(
  '%s wants a JSON body',
  async (path) => {
    const sandbox = shared();
    const { post, legacyPost } = clientOf(sandbox);
    const headers = { 'x-api-key': 'demo-key-harbour' };
    const form = await fetch(`${sandbox.url}${path}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ a: '1' }),
    });
    expect(form.status).toBe(400);
    const broken = await fetch(`${sandbox.url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"a":',
    });
    expect(await broken.json()).toEqual({ message: 'The body is not valid JSON.' });
    expect((await post(path, 7)).status).toBe(400);
    expect((await legacyPost(path, {})).status).toBe(401);
  },
);
