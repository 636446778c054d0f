import { expect, test } from 'vitest';
import { clientOf, sandboxForTest, shareSandbox } from './running-sandbox.ts';

const shared = shareSandbox();

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
