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
