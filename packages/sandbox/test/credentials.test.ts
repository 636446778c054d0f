import { describe, expect, test } from 'vitest';
import { endpoints } from '../src/endpoints.ts';
import { call, clientOf, sandboxForTest, shareSandbox } from './running-sandbox.ts';

const guarded = endpoints.filter(({ name }) => name !== 'GET /oauth/' && name !== 'POST /oauth/accesstoken');

const shared = shareSandbox();

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

test('a key of one owner shows nothing of the other', async () => {
  const { get } = clientOf(shared(), 1);
  expect((await get('/accounts/view/410201')).status).toBe(400);
  expect((await get('/accounts/list?limit=100')).pluck('loginId')).not.toContain(410_201);
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
