import { expect, test } from 'vitest';
import type { Sandbox } from '../src/sandbox.ts';
import { clientOf, movableClock, readInto } from './running-sandbox.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

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

test.each([
  ['small', 0, [25, 12, 12, 4, 15]],
  ['small', 1, [25, 12, 12, 4, 15]],
  ['large', 0, [1_000, 250, 500, 40, 600]],
  ['large', 1, [25, 12, 12, 4, 15]],
] as const)('%s data of owner %d are as long as the pages say', async (data, index, lengths) => {
  const { get } = clientOf(await sandboxForTest({ data }), index);
  const replies = await Promise.all(LISTS.map((path) => get(path)));
  expect(replies.map((reply) => reply.at('response.totalRecords'))).toEqual(lengths);
});

test('the accounts cover the networks, one of them unheard of', async () => {
  const { get } = clientOf(await sandboxForTest());
  const types = (await get('/accounts/list?limit=100')).pluck('accountType');
  expect(new Set(types.map((type) => String(type).split('-')[0]))).toEqual(
    new Set('facebook gmb instagram linkedin pinterest quillnet tiktok tumblr twitter youtube'.split(' ')),
  );
});

const isFilled = (value: unknown): boolean => !['null', '""', '[]', '{}'].includes(JSON.stringify(value));

test.each([
  [
    '/posts/queued?limit=100',
    'postTitle longPostDesc postUrl postVideo postDocument postImage thumbImage tagIds errorMsg extraData.place',
  ],
  [
    '/library/list',
    'content.postTitle content.postUrl content.longPostDesc content.postVideo content.postImage content.extraData.place content.extraData.altTexts',
  ],
])('in some record of %s, each of %s is filled', async (path, fields) => {
  const { get } = clientOf(await sandboxForTest({ quirks: { libraryPageSize: 100 } }));
  const records = (await get(path)).at('response.list') as unknown[];
  const isEmpty = (field: string): boolean => !records.some((record) => isFilled(readInto(record, field)));
  expect(fields.split(' ').filter(isEmpty)).toEqual([]);
});

test.each(['small', 'large'] as const)(
  '%s data are the same every time, around the clock’s start',
  async (data) => {
    const { now } = movableClock();
    const [one, other] = [await sandboxForTest({ data, now }), await sandboxForTest({ data, now })];
    for (const owner of [0, 1] as const)
      expect(await everything(one, owner)).toBe(await everything(other, owner));
  },
);

test('secrets are kept apart by what they are', async () => {
  const { secrets, owners, oauthApp } = await sandboxForTest();
  expect(secrets).toMatchObject({
    apiKeys: owners.map((owner) => owner.apiKey),
    accessTokens: owners.map((owner) => owner.accessToken),
    passwords: owners.map((owner) => owner.password),
    clientSecrets: [oauthApp.clientSecret],
  });
  expect(new Set(secrets.all()).size).toBe(secrets.all().length);
  expect(secrets.planted).toHaveLength(secrets.accountTokens.length + secrets.nested.length);
});

test('a test drains the queue, and moves accounts in and out of the middle', async () => {
  const sandbox = await sandboxForTest();
  const harbour = sandbox.state.owner('harbour');
  const { get } = clientOf(sandbox);
  const first = (await get('/posts/queued')).pluck('postId').slice(0, 3);
  expect(harbour.drainQueue(3).map((post) => post.postId)).toEqual(first);
  expect((await get('/posts/queued')).at('response.totalRecords')).toBe(22);
  const inserted = harbour.insertAccount(5, { username: 'Newcomer' });
  expect((await get('/accounts/list')).at('response.list.5.loginId')).toBe(inserted.loginId);
  expect(sandbox.secrets.planted).toContain(inserted.accessToken);
  harbour.removeAccount(410_203);
  expect((await get('/accounts/list')).at('response.list.4.loginId')).toBe(inserted.loginId);
});

test('there is no third owner', async () => {
  const { state, push } = await sandboxForTest();
  expect(() => state.owner('nobody')).toThrow('nobody');
  expect(() => push.open('nobody')).toThrow('nobody');
});
