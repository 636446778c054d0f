import { describe, expect, test } from 'vitest';
import { keepPicture, leavesOutBrowser } from '../../../test/support/browser.ts';
import {
  expectText,
  holdTimers,
  linkedVariables,
  openDesk,
  press,
  send,
  startDesk,
  visitDesk,
  write,
} from './desk-page.ts';

/** How many days of the calendar, or entries of them, are lower than what is in them. */
const CUT_OFF = `[...document.querySelectorAll('.day, .day .post')]
  .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight).length`;

/** How long Desk shows a post that has left the queue. */
const FADE_MS = 6_000;

/** Everything that the page left in the browser. */
const KEPT = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';

describe.skipIf(leavesOutBrowser())('the first screen of Desk', () => {
  test('is one query of four calls, asks nobody else, and keeps no credential', async () => {
    const graph = await startDesk({ environment: { WATCH_INTERVAL: '1h' } });
    graph.sandbox.requests.clear();
    const { page, requests, complaints } = await openDesk(graph.url);
    await page.waitForSelector('.post');
    const queries = requests.filter((request) => request.method() === 'POST');
    const names = queries.map((request) => /(?:query|mutation) \w+/.exec(request.postData() ?? '')?.[0]);
    expect(names).toEqual(['query DeskHome']);
    const answer = (await (await queries[0]?.response())?.json()) as {
      extensions: { cost: { calls: number } };
    };
    expect(answer.extensions.cost.calls).toBe(4);
    expect(requests.filter((request) => !request.url().startsWith(`${graph.url}/`))).toEqual([]);
    const [{ apiKey, accessToken }] = graph.sandbox.owners;
    const kept = await page.evaluate<string>(KEPT);
    expect([kept.includes(apiKey), kept.includes(accessToken)]).toEqual([false, false]);
    expect(await page.locator('.head').innerText()).toMatch(/SANDBOX[\s\S]*in the queue/);
    await expectText(page.locator('.connection')).toBe('Live');
    expect(complaints).toEqual([]);
    await keepPicture(page, 'desk');
    // The graph of a part is one click away, and so is the way back.
    expect(await linkedVariables(page, 'First screen')).toEqual({ current: true });
    // A text may be longer than what the server takes as an address.
    await page.fill('#post-text', '港'.repeat(5_000));
    const link = page.getByLabel('New post: open this operation in GraphiQL');
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await opened.waitForSelector('.graphiql-query-editor .view-line');
    await expectText(opened.locator('.graphiql-query-editor')).toMatch(/mutation\s+CreatePost/);
    expect(await opened.locator('.graphiql-logo a').getAttribute('href')).toBe('/');
  });

  test('shows texts of others as text, of one account or group where somebody chooses it', async () => {
    const graph = await startDesk();
    const owner = graph.sandbox.state.owner(graph.sandbox.owners[0].name);
    const [post] = owner.queue;
    if (!post) throw new Error('the queue is empty');
    const text = '<img src=x onerror="document.title=1"><b>bold</b>';
    Object.assign(post.content, { description: text });
    const { page, complaints } = await openDesk(graph.url);
    await expect.poll(() => page.locator('.post', { hasText: '<b>bold</b>' }).count()).toBe(1);
    expect(await page.locator('#desk img, #desk b').count()).toBe(0);
    expect(await page.title()).toBe('Desk');
    expect(complaints).toEqual([]);
    await press(page, 'Week');
    const shown = () => page.locator('.grid .post').count();
    const all = await shown();
    await page.getByLabel('Show posts of').selectOption({ label: 'Shopfront' });
    const ofGroup = await shown();
    await press(page, 'Choose all of Shopfront');
    // The fourth is blocked.
    expect(await page.locator('.chip :checked').count()).toBe(3);
    await page.locator('.accounts .row', { hasText: 'X account' }).click();
    const ofAccount = await shown();
    expect([ofGroup < all, ofAccount < ofGroup, ofAccount > 0]).toEqual([true, true, true]);
  });

  test('a post that was just sent is still there after a reload, although the subscription begins with what is older', async () => {
    const graph = await startDesk({ environment: { WATCH_INTERVAL: '1h' } });
    // Whoever follows the queue already keeps the server from reading it for a new subscription.
    const { page: other } = await openDesk(graph.url);
    await expectText(other.locator('.connection')).toBe('Live');
    const { page, requests } = await openDesk(graph.url);
    // Otherwise its subscription might begin with the post missing, and read the list already.
    await expectText(page.locator('.connection')).toBe('Live');
    await write(page, 'Just sent.', 'kelpgate.roasters');
    await send(page);
    const post = page.locator('.post', { hasText: 'Just sent.' });
    await expect.poll(() => post.count()).toBe(1);
    await page.reload();
    // The list decides.
    await expect
      .poll(() => requests.filter((one) => one.postData()?.includes('query QueuedPosts')).length)
      .toBe(1);
    await expectText(page.locator('.connection')).toBe('Live');
    // Until the list is there, the number is that of what is older.
    await expectText(page.locator('.fill')).toMatch(/^26 of 60/);
    expect([await post.count(), await page.locator('.post.is-gone').count()]).toEqual([1, 0]);
  });

  test('what Desk changes is shown at once: the sandbox, and an account that is resumed with one button', async () => {
    const { page } = await visitDesk({ environment: { WATCH_INTERVAL: '1h' } });
    await holdTimers(page, FADE_MS);
    const [count, strip] = [page.locator('.needs h2 small'), page.locator('.sandbox-bar output')];
    const before = Number(await count.innerText());
    await press(page, 'Disconnect an account');
    await expectText(strip).toContain('lost its connection');
    await expect.poll(async () => Number(await count.innerText())).toBe(before + 1);
    // A row of the calendar grows with the reasons that come into it.
    expect(await page.evaluate(CUT_OFF)).toBe(0);
    await press(page, 'Fail the next post');
    // What is new comes first.
    const first = page.locator('.need').first();
    await expectText(first).toContain('The network rejected the post.');
    await press(page, 'Show all 6');
    await press(page, 'Publish the next post');
    await expect.poll(() => page.locator('.post.is-gone').count()).toBe(1);
    expect(await page.locator('.post.is-gone').innerText()).toContain('left the queue');
    expect(await page.locator('.grid').innerText()).not.toMatch(/published/i);
    // The sandbox names an account as the page does.
    expect(await strip.innerText()).toMatch(/^X account \d+ has published/);
    const card = page.locator('.need', { hasText: 'Kelpgate Roasters Wholesale' });
    await card.getByRole('button', { name: 'Resume Kelpgate Roasters Wholesale' }).press('Enter');
    await expect.poll(() => card.count()).toBe(0);
    const resumed = 'Kelpgate Roasters Wholesale is running again.';
    expect(await page.evaluate('document.activeElement.textContent')).toBe(resumed);
    const disconnected = page.locator('.need', { hasText: 'The Kelpgate cupping room' });
    await disconnected.getByRole('button').click();
    await expectText(disconnected).toContain('reconnect the account there');
  });

  test('an account that loses its connection elsewhere is one card, whatever is read first', async () => {
    const { graph, page } = await visitDesk();
    const [account] = graph.sandbox.state.owner(graph.sandbox.owners[0].name).accounts;
    await expectText(page.locator('.connection')).toBe('Live');
    await page.evaluate(`{
      globalThis.most = 0;
      new MutationObserver(() => {
        const names = [...document.querySelectorAll('.need strong')].map(({ textContent }) => textContent);
        most = Math.max(most, names.filter((name) => name === ${JSON.stringify(account?.username)}).length);
      }).observe(document.querySelector('.needs'), { childList: true, subtree: true, characterData: true });
    }`);
    graph.sandbox.makeHappen({ kind: 'disconnect' });
    const card = page.locator('.need', { hasText: 'It must be reconnected.' });
    await expectText(card).toMatch(/[2-9] posts waiting/);
    await expect
      .poll(() => page.locator('.post.is-stuck', { hasText: 'disconnected' }).count())
      .toBeGreaterThan(1);
    expect(await page.evaluate('most')).toBe(1);
  });
});
