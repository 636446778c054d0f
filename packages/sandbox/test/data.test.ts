import { describe, expect, test } from 'vitest';
import { landmarks } from '../src/data/landmarks.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { clientOf, movableClock, sandboxForTest } from './running-sandbox.ts';
import type { Reply } from './running-sandbox.ts';

/** The text of every read of an owner, all pages of all lists and every detail. */
async function everything(sandbox: Sandbox, ownerIndex: 0 | 1): Promise<Reply[]> {
  const { get, legacyGet } = clientOf(sandbox, ownerIndex);
  const lists = ['/posts/queued', '/accounts/list', '/openai/historyList', '/group/list'];
  const accounts = (await get('/accounts/list?limit=100')).pluck('loginId');
  return Promise.all([
    ...lists.map((path) => get(`${path}?limit=100`)),
    ...[1, 2].map((page) => get(`/library/list?currentPage=${page}`)),
    ...accounts.map((id) => get(`/accounts/view/${String(id)}`)),
    legacyGet('/oauth/accounts'),
    legacyGet('/oauth/groups'),
  ]);
}

/** The paths within a value at which there is nothing: null, an empty text, list or record. */
function emptyPlaces(value: unknown, path = ''): string[] {
  if (value === undefined || value === null || value === '') return [path];
  if (typeof value !== 'object') return [];
  const entries = Object.entries(value);
  return entries.length === 0
    ? [path]
    : entries.flatMap(([key, entry]) => emptyPlaces(entry, `${path}.${key}`));
}

const textOf = (replies: readonly Reply[]) => replies.map((reply) => reply.text).join('\n');

describe('small data', () => {
  test('has about a dozen accounts with all that belongs to them, for both owners', async () => {
    const sandbox = await sandboxForTest();
    for (const index of [0, 1] as const) {
      const { get } = clientOf(sandbox, index);
      const total = async (path: string) => (await get(path)).at('response.totalRecords');
      expect(await total('/accounts/list')).toBe(12);
      expect(await total('/group/list')).toBe(4);
      expect(await total('/posts/queued')).toBe(25);
      expect(await total('/library/list')).toBe(15);
      expect(await total('/openai/historyList')).toBe(12);
    }
  });

  test('has a group with several accounts, an empty one, and an account in none', async () => {
    const sandbox = await sandboxForTest();
    const { groups } = sandbox.state.owner('harbour');
    const sizes = groups.map((group) => [group.groupId, group.members.length]);
    expect(sizes).toEqual([
      [5_101, 4],
      [5_102, 3],
      [5_103, 3],
      [landmarks.emptyGroupId, 0],
    ]);
    const grouped = groups.flatMap((group) => group.members.map((account) => account.loginId));
    expect(grouped).not.toContain(landmarks.unknownNetworkId);
  });

  test('covers the networks, one of them unheard of', async () => {
    const { get } = clientOf(await sandboxForTest());
    const types = (await get('/accounts/list?limit=100'))
      .pluck('accountType')
      .map((type) => String(type).split('-')[0]);
    expect(new Set(types)).toEqual(
      new Set([
        'facebook',
        'instagram',
        'twitter',
        'linkedin',
        'pinterest',
        'gmb',
        'youtube',
        'tumblr',
        'tiktok',
        'quillnet',
      ]),
    );
  });
});

describe('documented fields', () => {
  const QUEUE =
    'postTitle longPostDesc postUrl postVideo postDocument postImage thumbImage tagIds errorMsg extraData.place';
  const LIBRARY = 'postTitle postUrl longPostDesc postVideo postImage extraData.place extraData.altTexts';

  test('are each filled in some post of the queue, and in some library item', async () => {
    const { get } = clientOf(await sandboxForTest({ quirks: { libraryPageSize: 100 } }));
    const [queue, library] = [await get('/posts/queued?limit=100'), await get('/library/list')];
    const isFilled = (value: unknown): boolean => emptyPlaces(value).length === 0;
    expect(QUEUE.split(' ').filter((field) => !queue.pluck(field).some(isFilled))).toEqual([]);
    expect(LIBRARY.split(' ').filter((field) => !library.pluck(`content.${field}`).some(isFilled))).toEqual(
      [],
    );
  });

  test('are all filled in one library item', async () => {
    const { get } = clientOf(await sandboxForTest());
    const reply = await get('/library/list?q=cupping');
    expect(emptyPlaces(reply.at('response.list.0'))).toEqual([]);
    expect(reply.at('response.list.0.content.extraData')).toMatchObject({
      place: { name: 'Net Loft Lane' },
      enableShortUrl: true,
      original: { postTitle: 'The silent cupping' },
    });
  });
});

describe('large data', () => {
  test('is large for the first owner and small for the second', async () => {
    const sandbox = await sandboxForTest({ data: 'large' });
    const { get } = clientOf(sandbox);
    const total = async (path: string) => (await get(path)).at('response.totalRecords');
    expect(await total('/accounts/list')).toBe(250);
    expect(await total('/group/list')).toBe(40);
    expect(await total('/posts/queued')).toBe(1_000);
    expect(await total('/library/list')).toBe(600);
    expect(await total('/openai/historyList')).toBe(500);
    expect((await clientOf(sandbox, 1).get('/accounts/list')).at('response.totalRecords')).toBe(12);
    const owners = new Set(sandbox.state.owner('harbour').queue.map((post) => post.account.loginId));
    expect(owners.size).toBe(250);
  });

  test('has the landmarks of the small data, and unique ids', async () => {
    const sandbox = await sandboxForTest({ data: 'large' });
    const harbour = sandbox.state.owner('harbour');
    const current = harbour.accounts
      .filter((account) => account.surfaces.current)
      .map((account) => account.loginId);
    expect(new Set(current).size).toBe(250);
    expect(current).toContain(landmarks.bigNetworkId);
    for (const ids of [harbour.queue.map((post) => post.postId), harbour.library.map((item) => item.id)]) {
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
});

describe('both sizes', () => {
  test.each(['small', 'large'] as const)(
    'are the same every time, around the clock’s start: %s',
    async (data) => {
      const clock = movableClock();
      const texts: string[] = [];
      for (let round = 0; round < 2; round += 1) {
        const sandbox = await sandboxForTest({ data, now: clock.now });
        texts.push(textOf(await everything(sandbox, 0)));
      }
      expect(texts[0]).toBe(texts[1]);
    },
  );

  test('the owners have nothing in common', async () => {
    const sandbox = await sandboxForTest();
    const idsOf = (name: string) => {
      const { accounts, groups, queue, library, history, ownerId, companyId } = sandbox.state.owner(name);
      return [
        ownerId,
        companyId,
        ...accounts.flatMap((account) => [
          account.loginId,
          account.username,
          account.accessToken,
          account.uniqueId,
        ]),
        ...groups.flatMap((group) => [group.groupId, group.name]),
        ...queue.map((post) => post.postId),
        ...library.flatMap((item) => [item.id, item.title]),
        ...history.map((generation) => generation.contentId),
      ].filter((id) => id !== '');
    };
    const theirs = new Set(idsOf('fernlight'));
    expect(idsOf('harbour').filter((id) => theirs.has(id))).toEqual([]);
    const [mine, others] = [textOf(await everything(sandbox, 0)), textOf(await everything(sandbox, 1))];
    expect(mine).not.toMatch(/fernlight/i);
    expect(others).not.toMatch(/harbour|kelpgate/i);
  });
});

describe('planted secrets', () => {
  test('every one of them comes out of some call of its owner, and of none of the other', async () => {
    const sandbox = await sandboxForTest();
    const [mine, theirs] = [textOf(await everything(sandbox, 0)), textOf(await everything(sandbox, 1))];
    const planted = sandbox.secrets.planted.filter((secret) => secret.includes('harbour'));
    const seen = planted.filter((secret) => mine.includes(secret));
    const unseen = planted.filter((secret) => !mine.includes(secret));
    expect(seen.length).toBeGreaterThan(80);
    // What the current surface never shows belongs to accounts that only the legacy surface lists.
    const hidden = sandbox.state.owner('harbour').accounts.filter((account) => !account.surfaces.current);
    const ofHidden = JSON.stringify(hidden, (_key, value: unknown) =>
      typeof value === 'bigint' ? null : value,
    );
    const ofQuiet = unseen.filter((secret) => !ofHidden.includes(secret));
    expect(ofQuiet).toEqual([]);
    expect(planted.filter((secret) => theirs.includes(secret))).toEqual([]);
  });

  test('stand under telling names and, repeated, within innocent texts', async () => {
    const sandbox = await sandboxForTest();
    const { get } = clientOf(sandbox);
    const detail = await get('/accounts/view/410201');
    const token = String(detail.at('response.accessToken'));
    expect(sandbox.secrets.nested).toContain(detail.at('response.extraData.network.session.refresh_token'));
    expect(detail.at('response.extraData.attempts.0.outcome')).toBe(`answered 401 to ${token}`);
    expect(detail.at('response.extraParam.lastPath')).toContain(token);
    expect(detail.at('response.userAccess.0.session.authorization')).toMatch(/^Bearer planted-/);
    expect(detail.at('response.adminData.0.page.page_token')).toMatch(/^planted-/);
    const queue = await get('/posts/queued?limit=100');
    expect(queue.at('response.list.0.accountExtraParam.remark')).toContain(token);
    expect(queue.at('response.list.2.spamData.checks.0.session_token')).toMatch(/^planted-/);
  });

  test('are kept apart from credentials', async () => {
    const { secrets, owners, oauthApp } = await sandboxForTest();
    expect(secrets.apiKeys).toEqual(owners.map((owner) => owner.apiKey));
    expect(secrets.accessTokens).toEqual(owners.map((owner) => owner.accessToken));
    expect(secrets.passwords).toEqual(owners.map((owner) => owner.password));
    expect(secrets.clientSecrets).toEqual([oauthApp.clientSecret]);
    expect(new Set(secrets.all()).size).toBe(secrets.all().length);
    expect(secrets.planted).toHaveLength(secrets.accountTokens.length + secrets.nested.length);
  });
});

describe('the hands of a test', () => {
  test('drain the queue, and move accounts in and out of the middle', async () => {
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

  test('know no third owner', async () => {
    const { state, push } = await sandboxForTest();
    expect(() => state.owner('nobody')).toThrow('nobody');
    expect(() => push.open('nobody')).toThrow('nobody');
  });
});
