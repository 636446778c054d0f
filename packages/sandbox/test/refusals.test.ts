import { describe, expect, test } from 'vitest';
import { endpoints } from '../src/endpoints.ts';
import { call, clientOf, newPosts, shareSandbox } from './running-sandbox.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

const shared = shareSandbox();
const guarded = endpoints.filter(({ name }) => name !== 'GET /oauth/' && name !== 'POST /oauth/accesstoken');

test.each([{}, { 'x-api-key': 'nobody', authorization: 'Bearer nobody' }])(
  'every call answers 401 to the credentials %j, in the manner of its surface',
  async (headers) => {
    for (const { name, surface } of guarded) {
      const [method, template = ''] = name.split(' ');
      const path = template.replace(/:id|\{\w+\}/, '410201');
      const options = { method: method === 'POST' ? 'POST' : 'GET', headers } as const;
      const reply = await call(`${shared().url}${path}`, options);
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
      const all = ['header', 'body', 'query'] as const;
      sandbox.quirks.legacyTokenPlacements = all.filter((name) => name !== placement);
      expect((await post()).at('error')).toBe(1);
    },
  );
});

test('stray paths and methods are refused in the manner of their surface', async () => {
  const { url } = shared();
  expect((await call(`${url}/elsewhere`)).at()).toEqual({ message: 'There is no such endpoint.' });
  const legacy = { error: 1, msg: 'There is no such endpoint.' };
  expect((await call(`${url}/oauth/elsewhere`)).at()).toEqual(legacy);
  expect((await call(`${url}/accounts/list`, { method: 'POST' })).status).toBe(404);
  expect((await call(`${url}/accounts/list`, { method: 'PUT' })).status).toBe(405);
});

const REFUSED = [
  ['/accounts/list?page=0', 'page'],
  ['/accounts/list?limit=-1', 'limit'],
  ['/accounts/list?limit=1.5', 'limit'],
  ['/accounts/list?page=99999999999999999999', 'page'],
  ['/accounts/list?sortBy=color,ASC', 'sortBy'],
  ['/accounts/list?sortBy=loginId,UP', 'sortBy'],
  ['/accounts/list?groupId=5101,x', 'groupId'],
  ['/accounts/list?platform=facebook', 'platform'],
  ['/accounts/list?onlyAccountData=yes', 'onlyAccountData'],
  ['/accounts/view/abc', 'loginId'],
  ['/group/list?sortBy=groupId', 'sortBy'],
  ['/group/list?sortOrder=asc', 'sortOrder'],
  ['/openai/historyList?limit=0', 'limit'],
  ['/library/list?currentPage=0', 'currentPage'],
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
    const send = (type: string, body: string) => {
      const headers = { 'x-api-key': 'demo-key-harbour', 'content-type': type };
      return call(`${sandbox.url}${path}`, { method: 'POST', headers, body });
    };
    expect((await send('application/x-www-form-urlencoded', 'a=1')).status).toBe(400);
    const broken = await send('application/json', '{"a":');
    expect(broken.at()).toEqual({ message: 'The body is not valid JSON.' });
    expect((await post(path, 7)).status).toBe(400);
    expect((await legacyPost(path, {})).status).toBe(401);
  },
);

/** Bodies that are valid, and changes that are not, each with the parameter that the refusal names. */
const BODIES: readonly (readonly [path: string, body: object, [changes: object, parameter: string][]])[] = [
  [
    '/posts/create',
    newPosts(),
    [
      [{ shareType: 7 }, 'shareType'],
      [{ shareType: '0' }, 'shareType'],
      [{ shareType: 3 }, 'scheduleDateTime'],
      [{ shareType: 3, scheduleDateTime: ['2026-02-30 10:00'] }, 'scheduleDateTime'],
      [{ shareType: 3, scheduleDateTime: ['2026-11-21T10:00'] }, 'scheduleDateTime'],
      [{ loginIds: [] }, 'loginIds'],
      [{ loginIds: [730_501] }, 'loginIds'],
      [{ posts: [] }, 'posts'],
      [{ posts: [{ instagramPostType: 'post' }] }, 'posts.0.type'],
      [{ posts: [{ type: 'original' }] }, 'posts.0.instagramPostType'],
      [{ posts: [{ type: 'tiktok', instagramPostType: 'post' }] }, 'posts.0.type'],
      [{ utmParameters: { parameter: 'a' } }, 'utmParameters'],
    ],
  ],
  [
    '/draft/create',
    { loginIds: [410_201] },
    [
      [{ loginIds: undefined }, 'loginIds'],
      [{ currentActiveTab: 'fax' }, 'currentActiveTab'],
      [{ posts: [{ type: 'fax' }] }, 'posts.0.type'],
    ],
  ],
  [
    '/library/create',
    { title: 'Rain', type: 'Post', posts: [{ postDesc: 'Rain' }] },
    [
      [{ title: undefined }, 'title'],
      [{ type: 'post' }, 'type'],
      [{ posts: undefined }, 'posts'],
      [{ currentActiveTab: 'fax' }, 'currentActiveTab'],
    ],
  ],
  [
    '/openai/response',
    { content: 'A line about rain', tone: 'Warm' },
    [
      [{ tone: undefined }, 'tone'],
      [{ content: '' }, 'content'],
      [{ generatedFrom: 'Post' }, 'generatedFrom'],
    ],
  ],
];

test.each(BODIES)('%s refuses a body with a wrong parameter, names it, and does nothing', async (...row) => {
  const [path, body, refused] = row;
  const { post } = clientOf(shared());
  const { queue, library, history, drafts } = shared().state.owner('harbour');
  const before = [queue.length, library.length, history.length, drafts.length];
  for (const [changes, parameter] of refused) {
    const reply = await post(path, { ...body, ...changes });
    expect([reply.status, reply.at('message')]).toEqual([400, expect.stringContaining(parameter)]);
  }
  const now = shared().state.owner('harbour');
  expect([now.queue.length, now.library.length, now.history.length, now.drafts.length]).toEqual(before);
});
