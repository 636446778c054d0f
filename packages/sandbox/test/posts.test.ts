import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../src/sandbox.ts';
import { clientOf, movableClock, newPosts, sandboxForTest } from './running-sandbox.ts';

const HOUR_MS = 3_600_000;

/** Creates a post of the first owner, and gives when it is due. */
const sharing = (sandbox: Sandbox) => async (changes: object) => {
  const reply = await clientOf(sandbox).post('/posts/create', newPosts({ ...changes }));
  const { queue } = sandbox.state.owner('harbour');
  return queue.find(({ postId }) => postId === reply.at('response.postIds.0'))?.dueAt ?? Number.NaN;
};

describe('the queue', () => {
  test('is ordered by due time, searched by title and shown in display dates', async () => {
    const clock = movableClock();
    const { get } = clientOf(await sandboxForTest({ now: clock.now }));
    const reply = await get('/posts/queued?limit=100');
    expect(reply.at('response.totalRecords')).toBe(25);
    expect(reply.at('response.list.0')).toMatchObject({
      postTitle: 'Doors at seven',
      postDate: '20-Nov-2026 11:05 AM',
      formatedPostDate: 'Fri, Nov 20, 2026 at 11:05 AM',
      postDateFormat: 'Nov 20, 2026',
      postTimeFormat: '11:05 AM',
    });
    expect((await get('/posts/queued?q=KETTLE')).pluck('postTitle')).toEqual(['The blue kettle raffle']);
  });

  test('lets posts go as the clock passes', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now });
    const { get } = clientOf(sandbox);
    clock.pass(2 * 185 * 60_000);
    expect((await get('/posts/queued')).at('response.totalRecords')).toBe(23);
    expect(sandbox.state.owner('harbour').published).toHaveLength(2);
  });

  test('is counted in the account list', async () => {
    const { get, post } = clientOf(await sandboxForTest());
    const queued = async () => (await get('/accounts/list?limit=1')).at('response.list.0.queued');
    expect(await queued()).toBe(4);
    await post('/posts/create', newPosts());
    expect(await queued()).toBe(5);
  });
});

describe('creating posts', () => {
  const tomorrow = '2026-11-21 08:30';

  test('shareType 0 joins at the end, at the next slot of the account', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now });
    const reply = await clientOf(sandbox).post('/posts/create', newPosts({ loginIds: [410_201, 410_202] }));
    const { queue } = sandbox.state.owner('harbour');
    expect(reply.at('response')).toEqual({
      postIds: queue.slice(-2).map((post) => post.postId),
      postScheduledLimitOver: false,
      customResponse: [],
      postCreatedCount: 2,
    });
    expect(queue.map((post) => post.dueAt)).toEqual(
      queue.map((post) => post.dueAt).toSorted((a, b) => a - b),
    );
  });

  test('shareType 1 is published at once and never queued', async () => {
    const sandbox = await sandboxForTest();
    const reply = await clientOf(sandbox).post('/posts/create', newPosts({ shareType: 1 }));
    const harbour = sandbox.state.owner('harbour');
    expect(reply.at('response.postCreatedCount')).toBe(1);
    expect(harbour.queue).toHaveLength(25);
    expect(harbour.published).toMatchObject([{ account: { loginId: 410_201 } }]);
  });

  test('shareType 2 goes to the front, in the order of its accounts, again and again', async () => {
    const { get, post } = clientOf(await sandboxForTest());
    await post('/posts/create', newPosts({ shareType: 2, loginIds: [410_202, 410_203] }));
    await post('/posts/create', newPosts({ shareType: 2, loginIds: [410_209] }));
    expect((await get('/posts/queued?limit=4')).pluck('loginId')).toEqual([
      410_209, 410_202, 410_203, 410_201,
    ]);
  });

  test('shareType 3 makes one post per account and time, at its place in the order', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now });
    const reply = await clientOf(sandbox).post(
      '/posts/create',
      newPosts({
        shareType: 3,
        loginIds: [410_201, 410_204],
        scheduleDateTime: [tomorrow, '2027-01-05 23:59'],
      }),
    );
    expect(reply.at('response.postCreatedCount')).toBe(4);
    const { queue } = sandbox.state.owner('harbour');
    const at = queue.filter((post) => post.dueAt === Date.parse('2026-11-21T08:30:00Z'));
    expect(at.map((post) => post.account.loginId)).toEqual([410_201, 410_204]);
    expect(queue.slice(-2).map((post) => post.dueAt)).toEqual(
      Array(2).fill(Date.parse('2027-01-05T23:59:00Z')),
    );
  });

  test('a post for a time years ahead does not move the next free slot, nor the front of the queue', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now });
    const harbour = sandbox.state.owner('harbour');
    const share = sharing(sandbox);
    const lastPlaced = harbour.queue.at(-1)?.dueAt ?? 0;
    const week = 7 * 24 * HOUR_MS;
    await share({ shareType: 3, scheduleDateTime: ['2035-01-01 09:00'] });

    const first = await share({ shareType: 0 });
    const second = await share({ shareType: 0 });
    expect(first).toBeGreaterThan(lastPlaced);
    expect(second).toBeGreaterThan(first);
    expect(second).toBeLessThan(lastPlaced + week);
    harbour.drainQueue(harbour.queue.length - 1);
    const next = await share({ shareType: 2 });
    expect(next).toBeGreaterThan(clock.now());
    expect(next).toBeLessThan(clock.now() + week);
  });

  test('a slot that a scheduled post of the account has taken is not free', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now });
    const harbour = sandbox.state.owner('harbour');
    const share = sharing(sandbox);
    const free = await share({});
    harbour.drainQueue(harbour.queue.length);
    clock.pass(free - clock.now() - 60_000);
    const scheduleDateTime = [new Date(free).toISOString().slice(0, 16).replace('T', ' ')];
    expect(await share({ shareType: 3, scheduleDateTime })).toBe(free);
    expect(await share({})).toBeGreaterThan(free);
  });

  test('a scheduled post leaves the queue when its time has come', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now });
    const { post } = clientOf(sandbox, 1);
    const body = newPosts({ shareType: 3, loginIds: [730_501], scheduleDateTime: ['2026-11-20 09:00'] });
    const reply = await post('/posts/create', body);
    const ids = () => sandbox.state.owner('fernlight').queue.map((entry) => entry.postId);
    expect(ids()).toContain(reply.at('response.postIds.0'));
    clock.pass(HOUR_MS);
    expect(ids()).not.toContain(reply.at('response.postIds.0'));
  });

  test('the plan limits the queue, and the answer tells how many were made', async () => {
    const sandbox = await sandboxForTest();
    const { get, post } = clientOf(sandbox);
    const harbour = sandbox.state.owner('harbour');
    harbour.queueLimit = 27;
    expect((await get('/membership/plan/list')).text).toContain('"Post In scheduling queue":27');
    const reply = await post('/posts/create', newPosts({ loginIds: [410_201, 410_202, 410_203] }));
    expect(reply.at('response')).toMatchObject({
      postScheduledLimitOver: true,
      postCreatedCount: 2,
      customResponse: [{ loginId: 410_203 }],
    });
    expect(reply.at('response.postIds.length')).toBe(2);
    expect(harbour.queue).toHaveLength(27);
    const now = await post('/posts/create', newPosts({ shareType: 1 }));
    expect(now.at('response.postScheduledLimitOver')).toBe(false);
  });

  test('each account gets the variant of its network, else the original', async () => {
    const sandbox = await sandboxForTest();
    const posts = [
      { type: 'original', postDesc: 'For all', instagramPostType: 'post' },
      { type: 'twitter', postDesc: 'For X', instagramPostType: 'post' },
    ];
    await clientOf(sandbox).post('/posts/create', newPosts({ loginIds: [410_203, 410_208], posts }));
    const descriptions = sandbox.state
      .owner('harbour')
      .queue.slice(-2)
      .map((post) => post.content.description);
    expect(descriptions).toEqual(['For X', 'For all']);
  });

  test.each([
    [{ shareType: 7 }, 'shareType'],
    [{ shareType: undefined }, 'shareType'],
    [{ shareType: '0' }, 'shareType'],
    [{ shareType: 3 }, 'scheduleDateTime'],
    [{ shareType: 3, scheduleDateTime: ['2026-02-30 10:00'] }, 'scheduleDateTime'],
    [{ shareType: 3, scheduleDateTime: ['2026-11-21T10:00'] }, 'scheduleDateTime'],
    [{ loginIds: [] }, 'loginIds'],
    [{ loginIds: undefined }, 'loginIds'],
    [{ loginIds: [730_501] }, 'loginIds'],
    [{ posts: [] }, 'posts'],
    [{ posts: undefined }, 'posts'],
    [{ posts: [{ instagramPostType: 'post' }] }, 'posts.0.type'],
    [{ posts: [{ type: 'original' }] }, 'posts.0.instagramPostType'],
    [{ posts: [{ type: 'tiktok', instagramPostType: 'post' }] }, 'posts.0.type'],
    [{ utmParameters: { parameter: 'a' } }, 'utmParameters'],
  ])('refuses %j and names the parameter', async (changes, parameter) => {
    const sandbox = await sandboxForTest();
    const reply = await clientOf(sandbox).post('/posts/create', newPosts(changes));
    expect(reply.status).toBe(400);
    expect(reply.at('message')).toContain(parameter);
    expect(sandbox.state.owner('harbour').queue).toHaveLength(25);
  });
});

describe('drafts', () => {
  test('are kept as sent, where only a test sees them', async () => {
    const sandbox = await sandboxForTest();
    const body = { loginIds: [410_201], currentActiveTab: 'tiktok', enableShortUrl: true };
    const reply = await clientOf(sandbox).post('/draft/create', body);
    expect(sandbox.state.owner('harbour').drafts).toMatchObject([
      { draftId: reply.at('response.draftId'), body },
    ]);
  });

  test.each([
    [{ loginIds: undefined }, 'loginIds'],
    [{ currentActiveTab: 'fax' }, 'currentActiveTab'],
    [{ posts: [{ type: 'fax' }] }, 'posts.0.type'],
  ])('refuse %j and name the parameter', async (changes, parameter) => {
    const { post } = clientOf(await sandboxForTest());
    const reply = await post('/draft/create', { loginIds: [410_201], ...changes });
    expect(reply.status).toBe(400);
    expect(reply.at('message')).toContain(parameter);
  });
});

const DAY_MS = 86_400_000;

describe('legacy posts', () => {
  const path = '/oauth/post/update';
  const fields = { post_content: 'Tide is out', 'account_id[0]': '410201' };

  test('join the queue, with the preview from bracketed fields', async () => {
    const sandbox = await sandboxForTest();
    const reply = await clientOf(sandbox).legacyPost(path, {
      ...fields,
      'account_id[1]': '410213',
      'account_id[2]': '999',
      'preview[title]': 'A title',
      'preview[url]': 'https://kelpgate.example/a',
    });
    const added = sandbox.state.owner('harbour').queue.slice(25);
    expect(reply.at()).toEqual({ error: 0, data: { post_id: added[0]?.postId } });
    expect(added.map((post) => post.account.loginId)).toEqual([410_201, 410_213]);
    expect(added[0]?.content).toMatchObject({ title: 'A title', url: 'https://kelpgate.example/a' });
  });

  test('go out at once with now, unless a schedule date overrides it', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now });
    const { legacyPost } = clientOf(sandbox);
    const harbour = sandbox.state.owner('harbour');
    await legacyPost(path, { ...fields, now: 'true' });
    expect(harbour.published).toHaveLength(1);
    const reply = await legacyPost(path, { ...fields, now: 'true', schedule_date: '2026-11-22 13:05 PM' });
    expect(harbour.published).toHaveLength(1);
    const scheduled = harbour.queue.find((post) => post.postId === reply.at('data.post_id'));
    expect(scheduled?.dueAt).toBe(Date.parse('2026-11-22T13:05:00Z'));
  });

  test.each(['2026-11-22 01:05 PM', '2026-11-22 13:05', '22.11.2026', '2026-13-22 13:05 PM'])(
    'refuse the schedule date %s',
    async (date) => {
      const { legacyPost } = clientOf(await sandboxForTest());
      const reply = await legacyPost(path, { ...fields, schedule_date: date });
      expect(reply.at('error')).toBe(1);
      expect(reply.at('msg')).toContain('schedule_date');
    },
  );

  test('reach the accounts of a group as well, each once', async () => {
    const sandbox = await sandboxForTest();
    await clientOf(sandbox).legacyPost(path, { ...fields, group_id: '5101' });
    const added = sandbox.state.owner('harbour').queue.slice(25);
    expect(added.map((post) => post.account.loginId)).toEqual([410_201, 410_202, 410_203, 410_206]);
  });

  test('say in HTML what is blank', async () => {
    const { legacyPost } = clientOf(await sandboxForTest());
    const blank = await legacyPost(path, { ...fields, post_content: ' ' });
    expect(blank.at('msg')).toMatch(
      /<div class="errorSummary">.*<li>Status description cannot be blank\.<\/li>/s,
    );
    const noImage = await legacyPost('/oauth/post/updatewithimage', fields);
    expect(noImage.at('msg')).toContain('<li>Image URL cannot be blank.</li>');
    const noAccount = await legacyPost(path, { post_content: 'Hello' });
    expect(noAccount.at('error')).toBe(1);
  });

  test('make nothing, without a word, when no id means anything', async () => {
    const { legacyPost } = clientOf(await sandboxForTest());
    const reply = await legacyPost(path, { ...fields, 'account_id[0]': '730501' });
    expect(reply.at()).toEqual({ error: 0, data: { post_id: '' } });
  });

  test('accept multipart forms, and find nothing in JSON', async () => {
    const sandbox = await sandboxForTest();
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const headers = { authorization: 'Bearer demo-token-harbour' };
    const multipart = await fetch(`${sandbox.url}${path}`, { method: 'POST', body: form, headers });
    expect(await multipart.json()).toMatchObject({ error: 0 });
    const json = await fetch(`${sandbox.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(fields),
      headers: { ...headers, 'content-type': 'application/json' },
    });
    expect(await json.json()).toMatchObject({ error: 1 });
  });

  test('stay in the queue across a day until they are due', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now });
    await clientOf(sandbox).legacyPost(path, { ...fields, schedule_date: '2026-12-20 00:10 AM' });
    clock.pass(29 * DAY_MS);
    expect(sandbox.state.owner('harbour').queue).toHaveLength(1);
    clock.pass(DAY_MS);
    expect(sandbox.state.owner('harbour').queue).toHaveLength(0);
  });
});
