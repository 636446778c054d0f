import { describe, expect, test } from 'vitest';
import { keepPicture, leavesOutBrowser } from '../../../test/support/browser.ts';
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts';
import { choose, openDesk, pickTime, press, queuedTexts, send, startDesk, write } from './desk-page.ts';

const TEXT = 'Doors at seven, cardamom buns while they last.';
const TIME = '2035-06-05T09:00';

describe.skipIf(leavesOutBrowser())('writing a post in Desk', () => {
  test('schedules it once, and another window shows it', async () => {
    const graph = await startDesk();
    const { page: other } = await openDesk(graph.url);
    const { page, complaints } = await openDesk(graph.url);
    await write(page, TEXT, 'kelpgate.roasters', 'X account');
    await pickTime(page, TIME);
    await send(page);
    await expect.poll(() => page.locator('.sent h3').innerText()).toBe('Scheduled for Tue 5 Jun 2035, 09:00');
    expect(queuedTexts(graph, TEXT)).toHaveLength(2);
    expect(await page.inputValue('#post-text')).toBe('');
    await press(page, 'Show');
    await expect.poll(() => page.locator('.grid .post', { hasText: 'Doors at seven' }).count()).toBe(2);
    await expect.poll(() => page.evaluate('document.activeElement.title')).toContain('Doors at seven');
    await expect.poll(() => other.locator('.fill').innerText()).toMatch(/^27 of 60/);
    expect(complaints).toEqual([]);
  });

  test('whose answer is lost is a card that survives a reload, and is found without sending it again', async () => {
    const graph = await startDesk();
    const { page } = await openDesk(graph.url);
    await press(page, 'Lose the next answer');
    await expect.poll(() => page.locator('.sandbox-bar output').innerText()).toContain('will be lost');
    await write(page, TEXT, 'kelpgate.roasters');
    await pickTime(page, TIME);
    await send(page);
    const card = page.locator('.sent');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('UNKNOWN');
    expect(await card.innerText()).toContain('nothing is sent twice');
    expect(await page.locator('.sandbox-bar output').innerText()).toContain('was lost');
    await keepPicture(page, 'desk-unknown');
    await page.reload();
    await expect.poll(() => card.getAttribute('data-standing')).toBe('UNKNOWN');
    await press(page, 'Check again');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('FOUND');
    expect(queuedTexts(graph, TEXT)).toHaveLength(1);
    expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
  });

  test('whose answer is lost is confirmed by a server that reads before it writes', async () => {
    const graph = await startDesk({ environment: { READ_BEFORE_WRITES: 'on' } });
    const { page } = await openDesk(graph.url);
    await press(page, 'Lose the next answer');
    await write(page, TEXT, 'kelpgate.roasters');
    await pickTime(page, TIME);
    await send(page);
    await expect.poll(() => page.locator('.sent').getAttribute('data-standing')).toBe('COMPLETED');
    expect(queuedTexts(graph, TEXT)).toHaveLength(1);
  });

  test('that was being sent when the page went away is open, and checking it again sends it once', async () => {
    const graph = await startDesk();
    const { page } = await openDesk(graph.url);
    await write(page, TEXT, 'kelpgate.roasters');
    await pickTime(page, TIME);
    const key = await page.evaluate<string>(`JSON.parse(sessionStorage.getItem('desk:draft')).key`);
    const keptBefore: boolean[] = [];
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('mutation CreatePost')) return await route.continue();
      keptBefore.push(
        await page.evaluate<boolean>(`sessionStorage.getItem('desk:outbox').includes('${key}')`),
      );
      // It arrives, and the answer never comes back.
      await route.fetch().catch(() => undefined);
    });
    await send(page);
    await expect.poll(() => queuedTexts(graph, TEXT).length).toBe(1);
    expect(keptBefore).toEqual([true]);
    await page.reload();
    const card = page.locator('.sent');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('UNKNOWN');
    await page.unroute('**/graphql');
    await press(page, 'Check again');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('COMPLETED');
    expect(queuedTexts(graph, TEXT)).toHaveLength(1);
    expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
  });

  test('of which the server has no record is sent again only by somebody who says so', async () => {
    const graph = await startDesk();
    const { page } = await openDesk(graph.url);
    await write(page, TEXT, 'kelpgate.roasters');
    await page.route('**/graphql', async (route) => {
      const isPost = route.request().postData()?.includes('mutation CreatePost') === true;
      await (isPost ? route.abort() : route.continue());
    });
    await send(page);
    const card = page.locator('.sent');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('UNKNOWN');
    await page.unroute('**/graphql');
    await press(page, 'Check again');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('NO_RECORD');
    expect(queuedTexts(graph, TEXT)).toHaveLength(0);
    await press(page, 'Send again');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('COMPLETED');
    expect(queuedTexts(graph, TEXT)).toHaveLength(1);
  });

  test('while the server restarts is written again, and everything is read again', async () => {
    const [graph, restarted] = [await startDesk(), await startDesk()];
    const way = await startTcpProxy(Number(new URL(graph.url).port));
    const { page } = await openDesk(`http://127.0.0.1:${way.port}`);
    const [needs, connection] = [page.locator('.needs h2 small'), page.locator('.connection')];
    const before = Number(await needs.innerText());
    await expect.poll(() => connection.innerText()).toBe('Live');
    await press(page, 'Disconnect an account');
    await expect.poll(async () => Number(await needs.innerText())).toBe(before + 1);
    way.cut();
    await write(page, TEXT, 'kelpgate.roasters');
    await pickTime(page, TIME);
    await send(page);
    const card = page.locator('.sent');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('UNKNOWN');
    expect(await card.getByRole('button', { name: 'Write it again' }).count()).toBe(1);
    const [post] = restarted.sandbox.state.owner(restarted.sandbox.owners[0].name).queue;
    Object.assign(post?.content ?? {}, { description: 'Another text of the same post' });
    way.restore(Number(new URL(restarted.url).port));
    await expect.poll(() => connection.innerText()).toBe('Live');
    await expect.poll(async () => Number(await needs.innerText())).toBe(before);
    await press(page, 'Today');
    await expect.poll(() => page.locator('.post', { hasText: 'Another text of' }).count()).toBe(1);
    await press(page, 'Check again');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('NO_RECORD');
    await page.fill('#post-text', 'Half a text');
    await card.locator('.primary', { hasText: 'Write it again' }).click();
    expect(await page.inputValue('#post-text')).toBe(TEXT);
    await press(page, 'Undo');
    expect(await page.inputValue('#post-text')).toBe('Half a text');
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await card.locator('.primary', { hasText: 'Write it again' }).click();
    await send(page);
    await expect
      .poll(() => card.locator('h3').allInnerTexts())
      .toEqual(['Scheduled for Tue 5 Jun 2035, 09:00']);
    expect(queuedTexts(restarted, TEXT)).toHaveLength(1);
  });

  test('that cannot go out as it is is sent only by somebody who was told, or not at all', async () => {
    const graph = await startDesk();
    const { page } = await openDesk(graph.url);
    const long = 'a'.repeat(300);
    await choose(page, 'X account');
    // Pressed before anybody could know.
    await page.evaluate(`{
      const field = document.querySelector('#post-text');
      field.value = '${long}';
      field.dispatchEvent(new Event('input', { bubbles: true }));
      document.querySelector('.submit .primary').click();
    }`);
    const button = page.locator('.submit .primary');
    await expect.poll(() => button.innerText()).toBe('Too long for X: add anyway');
    expect(queuedTexts(graph, long)).toHaveLength(0);
    const link = page.getByLabel('New post: open this operation in GraphiQL');
    const address = new URL((await link.getAttribute('href')) ?? '', graph.url);
    const { input } = JSON.parse(address.searchParams.get('variables') ?? '') as {
      input: { idempotencyKey: string };
    };
    expect(input.idempotencyKey).not.toBe(
      await page.evaluate(`JSON.parse(sessionStorage.getItem('desk:draft')).key`),
    );
    await send(page);
    await expect.poll(() => page.locator('.sent h3').innerText()).toBe('Added to the queue');
    expect(queuedTexts(graph, long)).toHaveLength(1);
    // The first account is the one that the sandbox disconnects.
    const label = await page.locator('.chip span').first().innerText();
    await choose(page, label);
    await page.fill('#post-text', TEXT);
    await press(page, 'Disconnect an account');
    await expect.poll(() => page.locator('#findings-accounts').innerText()).toContain('cannot publish');
    await send(page);
    expect(queuedTexts(graph, TEXT)).toHaveLength(0);
  });

  test('shows problems and warnings beside the part that they mean, while one types', async () => {
    const graph = await startDesk();
    const { page } = await openDesk(graph.url);
    await send(page);
    expect(await page.locator('#findings-accounts').innerText()).toBe('Choose at least one account.');
    expect(await page.locator('#findings-text').innerText()).toBe('Write a text.');
    await write(page, `${'🥐'.repeat(140)} example.com`, 'X account', 'kelpgate.roasters');
    await expect.poll(() => page.locator('.lengths').innerText()).toMatch(/X 304\/280\s+Instagram 152\/2200/);
    await expect.poll(() => page.locator('#findings-text .is-warning').count()).toBe(1);
    await page.getByRole('tab', { name: 'X' }).click();
    await page.fill('#post-text', 'Short.');
    await expect.poll(() => page.locator('.lengths').innerText()).toMatch(/X 6\/280/);
    await expect.poll(() => page.locator('#findings-text .is-warning').count()).toBe(0);
    await pickTime(page, '2020-01-01T09:00');
    await expect.poll(() => page.locator('#findings-when .is-error').count()).toBe(1);
    const off = page.locator('.chip', { hasText: 'Kelpgate slow mornings' });
    expect([await off.locator('input').isDisabled(), await off.innerText()]).toEqual([
      true,
      expect.stringContaining('locked'),
    ]);
    await page.locator('.slots button').first().click();
    await expect.poll(() => page.locator('#findings-when').innerText()).toBe('');
  });

  test('saves it as a draft and to the library', async () => {
    const graph = await startDesk();
    const { page } = await openDesk(graph.url);
    const owner = graph.sandbox.state.owner(graph.sandbox.owners[0].name);
    const [drafts, items] = [owner.drafts.length, owner.library.length];
    await write(page, TEXT, 'kelpgate.roasters');
    await press(page, 'Save as draft');
    await expect.poll(() => page.locator('.sent h3').first().innerText()).toBe('Saved as a draft');
    await page.fill('#post-text', TEXT);
    await press(page, 'To the library');
    await expect.poll(() => page.locator('.sent h3').first().innerText()).toBe('Saved to the library');
    expect([owner.drafts.length, owner.library.length]).toEqual([drafts + 1, items + 1]);
  });

  test('lets the assistant write the text, which arrives live', async () => {
    const graph = await startDesk();
    const { page } = await openDesk(graph.url);
    await page.getByText('Write it for me').click();
    await expect.poll(() => page.locator('.writer .suggestion').count()).toBeGreaterThan(0);
    await page.getByLabel('About').fill('A line about rain, slowly');
    await press(page, 'Write');
    await page.waitForSelector('.pulse');
    const arrived = page.locator('.suggestion.is-new');
    await expect.poll(() => arrived.count()).toBe(1);
    const text = await arrived.locator('p').innerText();
    await arrived.getByRole('button', { name: 'Use it' }).click();
    expect(await page.inputValue('#post-text')).toBe(text);
  });
});
