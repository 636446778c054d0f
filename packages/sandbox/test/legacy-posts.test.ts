import { describe, expect, test } from 'vitest';
import { call, clientOf, movableClock, sandboxForTest } from './running-sandbox.ts';

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

  test('accept an empty schedule date', async () => {
    const { legacyPost } = clientOf(await sandboxForTest());
    const image = { ...fields, image_url: 'https://pictures.example.com/a.jpg', schedule_date: '' };
    expect((await legacyPost('/oauth/post/updatewithimage', image)).at('error')).toBe(0);
  });

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

  test('say what is blank when a multipart form cannot be read', async () => {
    const { url } = await sandboxForTest();
    const reply = await call(`${url}${path}`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer demo-token-harbour',
        'content-type': 'multipart/form-data; boundary=x',
      },
      body: 'no form',
    });
    expect(reply.at('msg')).toContain('Status description cannot be blank');
  });

  test('stop at the limit of the queue', async () => {
    const sandbox = await sandboxForTest();
    sandbox.state.owner('harbour').queueLimit = 25;
    const reply = await clientOf(sandbox).legacyPost(path, fields);
    expect(reply.at('error')).toBe(1);
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
