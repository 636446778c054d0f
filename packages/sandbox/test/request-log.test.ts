import { describe, expect, test } from 'vitest';
import { call, clientOf, movableClock, sandboxForTest } from './running-sandbox.ts';

const LIST = 'GET /accounts/list';
const key = { 'x-api-key': 'demo-key-harbour' };

describe('the request log', () => {
  test('keeps what came in, as it came in', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now });
    const { legacyPost } = clientOf(sandbox);
    await legacyPost('/oauth/post/update', { post_content: 'Tide & foam', 'account_id[0]': '410201' });
    const [entry] = sandbox.requests.of('POST /oauth/post/update');
    expect(entry).toMatchObject({
      method: 'POST',
      path: '/oauth/post/update',
      body: 'post_content=Tide+%26+foam&account_id%5B0%5D=410201',
      owner: 'harbour',
      at: clock.now(),
    });
    expect(entry?.headers['authorization']).toBe('Bearer demo-token-harbour');
    expect(entry?.rawHeaders).toContain('authorization');
  });

  test('tells the path before decoding, the query, and paths outside the interface', async () => {
    const sandbox = await sandboxForTest();
    await call(`${sandbox.url}/accounts/view/%2e%2e%2Fpayment?a=1&a=2`, { headers: key });
    await call(`${sandbox.url}/elsewhere`);
    expect(sandbox.requests.all).toMatchObject([
      { endpoint: 'GET /accounts/view/{loginId}', path: '/accounts/view/%2e%2e%2Fpayment' },
      { endpoint: null, path: '/elsewhere', owner: null },
    ]);
    expect(sandbox.requests.all[0]?.query.getAll('a')).toEqual(['1', '2']);
  });

  test('counts, waits with a deadline, and can be cleared', async () => {
    const sandbox = await sandboxForTest();
    const { get } = clientOf(sandbox);
    const two = sandbox.requests.waitFor(LIST, 2);
    await Promise.all([get('/accounts/list'), get('/accounts/list'), get('/group/list')]);
    expect(await two).toHaveLength(2);
    expect([sandbox.requests.count(), sandbox.requests.count('GET /group/list')]).toEqual([3, 1]);
    expect(sandbox.requests.mostOpen).toBeGreaterThan(0);
    await expect(sandbox.requests.waitFor(LIST, 3, 20)).rejects.toThrow(
      `${LIST}: 2 of 3 requests after 20 ms`,
    );
    sandbox.requests.clear();
    expect(sandbox.requests.count()).toBe(0);
  });
});
