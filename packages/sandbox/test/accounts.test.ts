import { describe, expect, test } from 'vitest';
import { landmarks } from '../src/data/landmarks.ts';
import { call, clientOf, shareSandbox } from './running-sandbox.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

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
