import { describe, expect, test } from 'vitest';
import { clientOf, movableClock, newPosts } from './running-sandbox.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LEGACY = '/oauth/post/update';
const FIELDS = { post_content: 'Tide is out', 'account_id[0]': '410201' };

const blank = (what: string): object =>
  expect.stringMatching(`<div class="errorSummary">[^]*<li>${what} cannot be blank\\.</li>`) as object;

/** A sandbox with a clock, and its first owner: what is queued, what is done with it. */
async function start() {
  const clock = movableClock();
  const sandbox = await sandboxForTest({ now: clock.now });
  const client = clientOf(sandbox);
  const harbour = sandbox.state.owner('harbour');
  const create = (changes: object) => client.post('/posts/create', newPosts({ ...changes }));
  return {
    clock,
    sandbox,
    harbour,
    ...client,
    create,
    /** The posts that have come in since the start. */
    added: () => harbour.queue.slice(25),
    /** Creates a post, and gives when it is due. */
    share: async (changes: object) => {
      const postId = (await create(changes)).at('response.postIds.0');
      return harbour.queue.find((post) => post.postId === postId)?.dueAt ?? Number.NaN;
    },
  };
}

test('the queue is ordered by due time, searched by title and shown in display dates', async () => {
  const { get } = await start();
  expect((await get('/posts/queued?limit=100')).at('response.list.0')).toMatchObject({
    postTitle: 'Doors at seven',
    postDate: '20-Nov-2026 11:05 AM',
    formatedPostDate: 'Fri, Nov 20, 2026 at 11:05 AM',
    postDateFormat: 'Nov 20, 2026',
    postTimeFormat: '11:05 AM',
  });
  expect((await get('/posts/queued?q=KETTLE')).pluck('postTitle')).toEqual(['The blue kettle raffle']);
});

test('posts leave the queue as the clock passes, those of many days as well', async () => {
  const { clock, harbour, legacyPost } = await start();
  await legacyPost(LEGACY, { ...FIELDS, schedule_date: '2026-12-20 00:10 AM' });
  clock.pass(2 * 185 * 60_000);
  expect([harbour.queue.length, harbour.published.length]).toEqual([24, 2]);
  clock.pass(29 * DAY_MS);
  expect(harbour.queue).toHaveLength(1);
  clock.pass(DAY_MS);
  expect(harbour.queue).toHaveLength(0);
});

describe('creating posts', () => {
  test('shareType 2 goes to the front, in the order of its accounts, again and again', async () => {
    const { create, get } = await start();
    await create({ shareType: 2, loginIds: [410_202, 410_203] });
    await create({ shareType: 2, loginIds: [410_209] });
    const ids = (await get('/posts/queued?limit=4')).pluck('loginId');
    expect(ids).toEqual([410_209, 410_202, 410_203, 410_201]);
  });

  test('a post for a time years ahead does not move the next free slot, nor the front of the queue', async () => {
    const { clock, harbour, share } = await start();
    const lastPlaced = harbour.queue.at(-1)?.dueAt ?? 0;
    await share({ shareType: 3, scheduleDateTime: ['2035-01-01 09:00'] });
    const first = await share({ shareType: 0 });
    const second = await share({ shareType: 0 });
    expect(first).toBeGreaterThan(lastPlaced);
    expect(second).toBeGreaterThan(first);
    expect(second).toBeLessThan(lastPlaced + 7 * DAY_MS);
    harbour.drainQueue(harbour.queue.length - 1);
    const next = await share({ shareType: 2 });
    expect(next).toBeGreaterThan(clock.now());
    expect(next).toBeLessThan(clock.now() + 7 * DAY_MS);
  });

  test('a slot that a scheduled post of the account has taken is not free', async () => {
    const { clock, harbour, share } = await start();
    const free = await share({});
    harbour.drainQueue(harbour.queue.length);
    clock.pass(free - clock.now() - 60_000);
    const scheduleDateTime = [new Date(free).toISOString().slice(0, 16).replace('T', ' ')];
    expect(await share({ shareType: 3, scheduleDateTime })).toBe(free);
    expect(await share({})).toBeGreaterThan(free);
  });

  test('media that is named becomes pictures of the post, and of an item of the library', async () => {
    const { create, added, post, get } = await start();
    await create({ posts: [{ ...newPosts().posts[0], mediaId: ['m 1'] }] });
    const pictures = [expect.stringMatching(/\/harbour\/media\/m%201\.jpg$/)];
    expect(added()[0]?.content).toMatchObject({ images: pictures, postType: 'I' });
    const posts = [{ mediaId: ['m 1'] }];
    await post('/library/create', { title: 'Limpets', type: 'Post', posts });
    expect((await get('/library/list?q=Limpets')).pluck('content.postImage')).toEqual([pictures]);
  });
});

describe('legacy posts', () => {
  test('join the queue, with the preview from bracketed fields', async () => {
    const { legacyPost, added } = await start();
    const preview = { 'preview[title]': 'A title', 'preview[url]': 'https://kelpgate.example/a' };
    const accounts = { 'account_id[1]': '410213', 'account_id[2]': '999' };
    const reply = await legacyPost(LEGACY, { ...FIELDS, ...accounts, ...preview });
    expect(reply.at()).toEqual({ error: 0, data: { post_id: added()[0]?.postId } });
    expect(added().map((post) => post.account.loginId)).toEqual([410_201, 410_213]);
    expect(added()[0]?.content).toMatchObject({ title: 'A title', url: 'https://kelpgate.example/a' });
  });

  test('go out at once with now, unless a schedule date overrides it', async () => {
    const { legacyPost, harbour } = await start();
    await legacyPost(LEGACY, { ...FIELDS, now: 'true' });
    expect(harbour.published).toHaveLength(1);
    const reply = await legacyPost(LEGACY, { ...FIELDS, now: 'true', schedule_date: '2026-11-22 13:05 PM' });
    expect(harbour.published).toHaveLength(1);
    const scheduled = harbour.queue.find((post) => post.postId === reply.at('data.post_id'));
    expect(scheduled?.dueAt).toBe(Date.parse('2026-11-22T13:05:00Z'));
  });

  test('reach the accounts of a group as well, each once', async () => {
    const { legacyPost, added } = await start();
    await legacyPost(LEGACY, { ...FIELDS, group_id: '5101' });
    expect(added().map((post) => post.account.loginId)).toEqual([410_201, 410_202, 410_203, 410_206]);
  });

  test.each([
    [LEGACY, { schedule_date: '2026-11-22 01:05 PM' }, expect.stringContaining('schedule_date')],
    [LEGACY, { schedule_date: '2026-11-22 13:05' }, expect.stringContaining('schedule_date')],
    [LEGACY, { schedule_date: '22.11.2026' }, expect.stringContaining('schedule_date')],
    [LEGACY, { schedule_date: '2026-13-22 13:05 PM' }, expect.stringContaining('schedule_date')],
    [LEGACY, { post_content: ' ' }, blank('Status description')],
    ['/oauth/post/updatewithimage', {}, blank('Image URL')],
  ])('%s is refused with %j, in HTML where something is blank', async (path, changes, msg) => {
    const { legacyPost } = await start();
    expect((await legacyPost(path, { ...FIELDS, ...changes })).at()).toEqual({ error: 1, msg });
  });

  test('make nothing, without a word, when no id means anything, and fail without one', async () => {
    const { legacyPost } = await start();
    const reply = await legacyPost(LEGACY, { ...FIELDS, 'account_id[0]': '730501' });
    expect(reply.at()).toEqual({ error: 0, data: { post_id: '' } });
    expect((await legacyPost(LEGACY, { post_content: 'Hello' })).at('error')).toBe(1);
  });

  test('accept multipart forms that can be read, and find nothing in JSON', async () => {
    const { sandbox } = await start();
    const send = async (body: FormData | string, type: Record<string, string> = {}) => {
      const headers = { authorization: 'Bearer demo-token-harbour', ...type };
      return await (await fetch(`${sandbox.url}${LEGACY}`, { method: 'POST', body, headers })).json();
    };
    const form = new FormData();
    for (const [name, value] of Object.entries(FIELDS)) form.append(name, value);
    expect(await send(form)).toMatchObject({ error: 0 });
    const nothing = { error: 1, msg: blank('Status description') };
    expect(await send('no form', { 'content-type': 'multipart/form-data; boundary=x' })).toEqual(nothing);
    const json = await send(JSON.stringify(FIELDS), { 'content-type': 'application/json' });
    expect(json).toMatchObject({ error: 1 });
  });
});
