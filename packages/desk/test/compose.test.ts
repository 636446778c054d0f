import { describe, expect, test, vi } from 'vitest';
import type { Page, Route } from 'playwright-core';
import {
  findingsIn,
  keepPicture,
  leavesOutBrowser,
  NO_STORAGE,
  openPage,
} from '../../../test/support/browser.ts';
import { startTcpProxy } from '../../../test/support/network.ts';
import { ENDLESSLY_SLOW, finishTextsOnceFollowed, holdAnswers } from '../../../test/support/sandbox.ts';
import { addDays } from '../src/lib/local-time.ts';
import {
  choose,
  expectText,
  holdTimers,
  linkedVariables,
  openDesk,
  pickTime,
  press,
  queuedTexts,
  send,
  startDesk,
  visitDesk,
  write,
} from './desk-page.ts';

const TEXT = 'Doors at seven, cardamom buns while they last.';

/** Whether all from one part to another is above the button at the bottom of the column, and the focus is in a third. */
const isSeen = (page: Page, first: string, last: string, focused: string) =>
  page.evaluate<boolean>(`{
    const boxOf = (one) => document.querySelector(one).getBoundingClientRect();
    const [top, bottom, column, button] = ['${first}', '${last}', '.desk-side', '.submit .primary'].map(boxOf);
    top.top >= column.top && bottom.height > 0 && bottom.bottom <= button.top
      && document.activeElement.matches('${focused}');
  }`);
const isTextSeen = (page: Page) => isSeen(page, '#post-text', '#post-text', '#post-text');
const areAccountsSeen = (page: Page) => isSeen(page, '.chips', '#findings-accounts', '.chip input');

/** Has the page drawn for as long as a column that scrolls by itself would take. */
const SETTLED = `new Promise((done) => {
  const end = performance.now() + 300;
  const draw = (now) => (now < end ? requestAnimationFrame(draw) : done());
  requestAnimationFrame(draw);
})`;
/** How long a press of the button waits for the length of the text. */
const COUNTING_MS = 3_000;
const NEVER_ARRIVED = 'The ferry leaves without it.';
const TIME = '2035-06-05T09:00';

const draftOf = (page: Page) =>
  page.evaluate<{ readonly key: string }>(`JSON.parse(sessionStorage.getItem('desk:draft'))`);

describe.skipIf(leavesOutBrowser())('writing a post in Desk', () => {
  test('schedules it once, which another window shows, or saves it as a draft and to the library', async () => {
    const { graph, page: other } = await visitDesk();
    const { page, complaints } = await openDesk(graph.url);
    const button = page.locator('.submit .primary');
    await write(page, TEXT, 'kelpgate.roasters');
    expect(await button.innerText()).toContain('Add to the queue for kelpgate.roasters');
    await choose(page, 'X account');
    await pickTime(page, TIME);
    expect(await button.innerText()).toBe('Schedule for 2 accounts, Tue 5 Jun 2035, 09:00');
    await send(page);
    await expectText(page.locator('.sent h2')).toBe('Scheduled for Tue 5 Jun 2035, 09:00');
    expect(queuedTexts(graph, TEXT)).toHaveLength(2);
    // The next post goes to nobody until somebody says so.
    expect(await page.inputValue('#post-text')).toBe('');
    expect(await page.locator('.chip :checked').count()).toBe(0);
    expect(await button.innerText()).toBe('Add to the queue');
    await press(page, 'Show');
    await expect.poll(() => page.locator('.grid .post', { hasText: 'Doors at seven' }).count()).toBe(2);
    await expect.poll(() => page.evaluate('document.activeElement.title')).toContain('Doors at seven');
    await expectText(other.locator('.fill')).toMatch(/^27 of 60/);
    const owner = graph.sandbox.state.owner(graph.sandbox.owners[0].name);
    const [drafts, items] = [owner.drafts.length, owner.library.length];
    await write(page, TEXT, 'kelpgate.roasters');
    await press(page, 'Save as draft');
    await expectText(page.locator('.sent h2').first()).toBe('Saved as a draft');
    // A text that no chosen account gets is none.
    await choose(page, 'X account');
    await page.getByRole('tab', { name: 'X' }).click();
    await page.fill('#post-text', TEXT);
    await choose(page, 'X account');
    await press(page, 'To the library');
    expect(await page.locator('#findings-text').innerText()).toBe('Write a text.');
    await choose(page, 'X account');
    await press(page, 'To the library');
    await expectText(page.locator('.sent h2').first()).toBe('Saved to the library');
    expect([owner.drafts.length, owner.library.length]).toEqual([drafts + 1, items + 1]);
    expect(complaints).toEqual([]);
  });

  test('whose answer is lost is a card that survives a reload, and is found without sending it again', async () => {
    const { graph, page } = await visitDesk();
    await press(page, 'Lose the next answer');
    await expectText(page.locator('.sandbox-bar output')).toContain('will be lost');
    await write(page, TEXT, 'kelpgate.roasters');
    await pickTime(page, TIME);
    await send(page);
    const card = page.locator('.sent');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('UNKNOWN');
    expect(await card.innerText()).toMatch(/did not confirm[^]*nothing is sent twice/);
    // The queue is read again, which proves nothing: somebody else could have written the same.
    const seems = 'It seems to be in the calendar: Tue 5 Jun 2035, 09:00. Check again to be sure';
    await expectText(card).toContain(seems);
    expect(await page.locator('.sandbox-bar output').innerText()).toBe('');
    await keepPicture(page, 'desk-unknown');
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => page.locator('.new-post').count()).toBe(1);
    expect(await findingsIn(page)).toEqual([]);
    await page.setViewportSize({ width: 1366, height: 768 });
    await page.reload();
    await expect.poll(() => card.getAttribute('data-standing')).toBe('UNKNOWN');
    await page.route('**/graphql', (route) => route.abort());
    await press(page, 'Check again');
    await expectText(card).toContain('This server cannot be reached.');
    await page.unroute('**/graphql');
    await press(page, 'Check again');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('FOUND');
    expect(queuedTexts(graph, TEXT)).toHaveLength(1);
    expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
    expect(await card.innerText()).toContain('kelpgate.roasters (Tue 5 Jun 2035, 09:00)');
    await page.setViewportSize({ width: 360, height: 740 });
    await press(page, 'Show');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain(TEXT);
    await expect.poll(() => page.evaluate('document.activeElement.matches(".post-row")')).toBe(true);
  });

  test('that was being sent when the page went away is open; what the server has no record of is not sent by itself', async () => {
    const { graph, page } = await visitDesk();
    await write(page, TEXT, 'kelpgate.roasters');
    await pickTime(page, TIME);
    const { key } = await draftOf(page);
    const keptBefore: boolean[] = [];
    const whilePosting = (act: (route: Route) => Promise<unknown>): Promise<unknown> =>
      page.route('**/graphql', async (route) => {
        const isPost = route.request().postData()?.includes('mutation CreatePost') === true;
        await (isPost ? act(route) : route.continue());
      });
    await whilePosting(async (route) => {
      const isKept = `sessionStorage.getItem('desk:outbox').includes('${key}')`;
      keptBefore.push(await page.evaluate<boolean>(isKept));
      // It arrives, and the answer never comes back.
      await route.fetch().catch(() => undefined);
    });
    await send(page);
    await expect.poll(() => queuedTexts(graph, TEXT).length).toBe(1);
    expect(keptBefore).toEqual([true]);
    await page.reload();
    const card = page.locator('.sent').first();
    await expect.poll(() => card.getAttribute('data-standing')).toBe('UNKNOWN');
    // Another text is another post, with a key of its own.
    expect([await page.inputValue('#post-text'), (await draftOf(page)).key === key]).toEqual(['', false]);
    await page.unroute('**/graphql');
    await press(page, 'Check again');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('COMPLETED');
    expect(queuedTexts(graph, TEXT)).toHaveLength(1);
    expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
    await whilePosting((route) => route.abort());
    await write(page, NEVER_ARRIVED, 'kelpgate.roasters');
    await send(page);
    await expectText(card.locator('h2')).toBe('This server did not respond');
    await page.unroute('**/graphql');
    await press(page, 'Check again');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('NO_RECORD');
    expect(queuedTexts(graph, NEVER_ARRIVED)).toHaveLength(0);
    await press(page, 'Send again');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('COMPLETED');
    expect(queuedTexts(graph, NEVER_ARRIVED)).toHaveLength(1);
  });

  test('while another one is being sent keeps it, with a key of its own', async () => {
    const { graph, page } = await visitDesk();
    await write(page, TEXT, 'kelpgate.roasters');
    const { key } = await draftOf(page);
    const held = holdAnswers(graph.sandbox, { endpoint: 'POST /posts/create' });
    await send(page);
    await held.arrived();
    await page.fill('#post-text', 'And the next one.');
    held.release();
    const card = page.locator('.sent').first();
    await expect.poll(() => card.getAttribute('data-standing')).toBe('COMPLETED');
    await page.reload();
    await page.waitForSelector('#post-text');
    expect(await page.inputValue('#post-text')).toBe('And the next one.');
    expect((await draftOf(page)).key).not.toBe(key);
  });

  test('while the server restarts is written again, and everything is read again', async () => {
    const [graph, restarted] = [await startDesk(), await startDesk()];
    const way = await startTcpProxy(Number(new URL(graph.url).port));
    const { page } = await openDesk(`http://127.0.0.1:${way.port}`);
    const [needs, connection] = [page.locator('.needs h2 small'), page.locator('.connection')];
    const before = Number(await needs.innerText());
    await expectText(connection).toBe('Live');
    await press(page, 'Disconnect an account');
    await expect.poll(async () => Number(await needs.innerText())).toBe(before + 1);
    way.cut();
    await expectText(connection).toContain('Not connected');
    await write(page, TEXT, 'kelpgate.roasters');
    await pickTime(page, TIME);
    await expectText(page.locator('#findings-post')).toContain('Not checked');
    await send(page);
    const card = page.locator('.sent');
    await expect.poll(() => card.getAttribute('data-standing')).toBe('UNKNOWN');
    expect(await card.innerText()).not.toContain('Not checked');
    expect(await card.getByRole('button', { name: 'Write it again' }).count()).toBe(1);
    const [post] = restarted.sandbox.state.owner(restarted.sandbox.owners[0].name).queue;
    Object.assign(post?.content ?? {}, { description: 'Another text of the same post' });
    way.restore(Number(new URL(restarted.url).port));
    // The longest pause before it connects again takes most of the usual patience.
    await expect.poll(() => connection.innerText(), { timeout: 60_000 }).toBe('Live');
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
      .poll(() => card.locator('h2').allInnerTexts())
      .toEqual(['Scheduled for Tue 5 Jun 2035, 09:00']);
    expect(queuedTexts(restarted, TEXT)).toHaveLength(1);
  });

  test('that cannot go out as it is is sent only by somebody who was told, or not at all', async () => {
    const { graph, page } = await visitDesk();
    const long = 'a'.repeat(300);
    await holdTimers(page, COUNTING_MS);
    await choose(page, 'X account');
    // Pressed before anybody could know.
    await page.evaluate(`{
      const field = document.querySelector('#post-text');
      field.value = '${long}';
      field.dispatchEvent(new Event('input', { bubbles: true }));
      document.querySelector('.submit .primary').click();
    }`);
    const button = page.locator('.submit .primary');
    await expectText(button).toMatch(/^Too long for X: add anyway for X account \d+, probably /);
    expect(queuedTexts(graph, long)).toHaveLength(0);
    // Whoever runs it in GraphiQL as well has sent it once.
    const { input } = await linkedVariables<{ input: { idempotencyKey: string } }>(page, 'New post');
    expect(input.idempotencyKey).toBe((await draftOf(page)).key);
    await expect.poll(() => page.locator('#findings-text .is-warning').count()).toBe(1);
    const time = /probably (.*)/.exec(await button.innerText())?.[1];
    await button.press('Enter');
    const card = page.locator('.sent');
    await expectText(card).toMatch(/Added to the queue\s+X account \d+ \(... \d+ ..., \d\d:\d\d\)/);
    expect(await card.innerText()).toContain(`(${time})`);
    expect(await card.innerText()).toContain('X allows 280');
    expect(await page.evaluate(`document.activeElement.matches('.sent')`)).toBe(true);
    expect(queuedTexts(graph, long)).toHaveLength(1);
    // The first account is the one that the sandbox disconnects.
    const label = await page.locator('.chip span').first().innerText();
    await choose(page, label);
    await page.fill('#post-text', TEXT);
    await press(page, 'Disconnect an account');
    await expectText(page.locator('#findings-accounts')).toContain('cannot publish');
    await send(page);
    // The accounts take the focus from the button.
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('checkbox');
    expect(queuedTexts(graph, TEXT)).toHaveLength(0);
  });

  test('shows problems and warnings beside the part that they mean, while one types, and nothing out of sight', async () => {
    // What is said of a time that has passed names the present minute.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const { page } = await visitDesk();
    await send(page);
    expect(await page.locator('#findings-accounts').innerText()).toBe('Choose at least one account.');
    expect(await page.locator('#findings-text').innerText()).toBe('Write a text.');
    await write(page, `${'🥐'.repeat(140)} example.com`, 'X account', 'kelpgate.roasters');
    await expectText(page.locator('.lengths')).toMatch(/X 304\/280\s+Instagram 152\/2200/);
    await expect.poll(() => page.locator('#findings-text .is-warning').count()).toBe(1);
    await page.getByRole('tab', { name: 'X' }).click();
    await page.fill('#post-text', 'Short.');
    await expectText(page.locator('.lengths')).toMatch(/X 6\/280/);
    await expect.poll(() => page.locator('#findings-text .is-warning').count()).toBe(0);
    await pickTime(page, '2020-01-01T09:00');
    await expect.poll(() => page.locator('#findings-when .is-error').count()).toBe(1);
    // What the server then refuses for the same reason is said once, beside the part and on the card.
    await send(page);
    await expectText(page.locator('.sent h2')).toBe('Nothing was sent');
    const said = await page.locator('.sent, #findings-when .is-error').allInnerTexts();
    expect(said.map((text) => text.split('is in the past').length - 1)).toEqual([1, 1]);
    // The card shows what the first account gets.
    expect(said[0]).toContain('Short.');
    await press(page, 'Dismiss');
    const off = page.locator('.chip', { hasText: 'Kelpgate slow mornings' });
    expect(await off.locator('input').isDisabled()).toBe(true);
    expect(await off.innerText()).toContain('locked');
    await page.locator('.slots button').first().click();
    await expectText(page.locator('#findings-when')).toBe('');
    await page.fill('input[type="datetime-local"]', '2035-06-03T04:56');
    await expectText(page.locator('#findings-when .is-note')).toContain('is outside');
    await page.locator('.slots button').first().click();
    // Free times of some accounts are no free times of another one.
    expect(await page.locator('.grid .slot').count()).toBeGreaterThan(0);
    await page.locator('.accounts .row', { hasText: 'kelpgatepours' }).click();
    expect(await page.locator('.grid .slot').count()).toBe(0);
    expect(await page.locator('.legend').first().innerText()).not.toContain('Free times');
    await page.locator('.accounts .row', { hasText: 'All accounts' }).click();
    // A day that is clicked comes with its own free times, and with the text in sight.
    await page.evaluate(`document.querySelector('.desk-side').scrollTop = 1_000`);
    const day = page.locator('.day:not(.is-past)').last();
    await day.click();
    await expect.poll(() => isTextSeen(page)).toBe(true);
    const clicked = (await day.getAttribute('data-day')) ?? '';
    await expect.poll(() => page.locator('.slots button').count()).toBe(4);
    const { afterLocal } = await linkedVariables<{ afterLocal: string }>(page, 'Next free times');
    expect([afterLocal < clicked, `${afterLocal}:01` > addDays(clicked, -1)]).toEqual([true, true]);
    // The Tab key goes from top to bottom.
    const tops = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.submit button')].map((one) => one.getBoundingClientRect().top)`,
    );
    expect(tops).toEqual(tops.toSorted((one, other) => one - other));
  });

  test('names the time in the queue where it is known, which posts with a chosen time do not move', async () => {
    const { page } = await visitDesk();
    const button = page.locator('.submit .primary');
    await write(page, TEXT, 'kelpgate.roasters');
    await expectText(button).toContain(', probably ');
    const forecast = await button.innerText();
    await pickTime(page, TIME);
    await send(page);
    await expectText(page.locator('.sent h2')).toContain('Scheduled for');
    await write(page, TEXT, 'kelpgate.roasters');
    await expectText(button).toBe(forecast);
    // Each account gets a time of its own.
    await choose(page, 'X account');
    await expectText(button).toBe('Add to the queue for 2 accounts');
    await choose(page, 'X account');
    await expectText(button).toBe(forecast);
    await send(page);
    const time = forecast.split(', probably ').at(-1);
    await expectText(page.locator('.sent')).toContain(`kelpgate.roasters (${time})`);
  });

  test('offers no time that has passed', async () => {
    const now = '2026-11-18T08:00:00Z';
    const { page } = await visitDesk({ sandbox: { now: () => Date.parse(now) } }, { now });
    await choose(page, 'kelpgate.roasters');
    await page.locator('.slot').first().waitFor();
    const first = await page.locator('.slot').first().innerText();
    await page.clock.setFixedTime('2026-12-01T23:08:00Z');
    await page.clock.fastForward('00:15');
    await expect.poll(() => page.locator('.is-today').getAttribute('data-day')).toBe('2026-12-01');
    await page.getByText('At a time', { exact: true }).click();
    const time = () => page.inputValue('input[type="datetime-local"]');
    expect((await time()) > '2026-12-01T23:08').toBe(true);
    await page.locator('.is-today').click();
    expect(await time()).toBe('2026-12-01T23:59');
    expect(first).toContain('free');
  });

  test('is not sent by the Enter key in one of its fields, which asks the assistant in its own', async () => {
    const { graph, page } = await visitDesk();
    await write(page, TEXT, 'kelpgate.roasters');
    await pickTime(page, TIME);
    // From now on, a press of the button would send it at once.
    await expectText(page.locator('.lengths')).toContain('Instagram');
    await page.press('input[type="datetime-local"]', 'Enter');
    await page.press('.chip :checked', 'Enter');
    await page.getByText('Write it for me').click();
    await page.getByLabel('About').fill('Rain');
    await page.getByLabel('Tone').press('Enter');
    await page.waitForSelector('.suggestion.is-new');
    expect(queuedTexts(graph, TEXT)).toHaveLength(0);
  });

  test('is not sent by a browser that allows no storage, which would forget it', async () => {
    const graph = await startDesk();
    const { page } = await openPage();
    await page.addInitScript(NO_STORAGE);
    await page.goto(graph.url);
    await write(page, TEXT, 'kelpgate.roasters');
    await send(page);
    await expectText(page.locator('#findings-post')).toContain('Nothing was sent');
    expect(queuedTexts(graph, TEXT)).toHaveLength(0);
  });

  test('leaves the column where it is while somebody chooses, and shows what is missing, with the focus, on a press of the button', async () => {
    const { page } = await visitDesk();
    await page.setViewportSize({ width: 1366, height: 640 });
    const scrolled = () => page.evaluate<number>(`document.querySelector('.desk-side').scrollTop`);
    await page.fill('#post-text', TEXT);
    await pickTime(page, '2035-06-03T04:56');
    await page.evaluate(`document.querySelector('.desk-side').scrollTop = 0`);
    await choose(page, 'kelpgate.roasters');
    await expect.poll(() => page.locator('#findings-when .is-note').count()).toBe(1);
    await page.evaluate(SETTLED);
    expect(await scrolled()).toBe(0);
    await choose(page, 'kelpgate.roasters');
    await page.evaluate(`document.querySelector('.desk-side').scrollTop = 1_000`);
    await send(page);
    await expect.poll(() => areAccountsSeen(page)).toBe(true);
    await choose(page, 'kelpgate.roasters');
    await page.fill('input[type="datetime-local"]', '');
    await send(page);
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('datetime-local');
  });

  test('instead of one that failed is noted on its card, so that nobody writes it a third time', async () => {
    const { page } = await visitDesk();
    await press(page, 'Fail the next post');
    const card = page.locator('.need', { hasText: 'The network rejected the post.' });
    await press(page, 'Write it again');
    await send(page);
    await expectText(card).toMatch(/Written again on .*, \d\d:\d\d/);
    expect(await card.getByRole('button').count()).toBe(0);
    await page.reload();
    await expectText(card).toContain('Written again on');
  });

  test('lets the assistant write the text, which arrives live', async () => {
    const { graph, page } = await visitDesk({ sandbox: ENDLESSLY_SLOW });
    await send(page);
    await expectText(page.locator('#findings-text')).toBe('Write a text.');
    await page.getByText('Write it for me').click();
    await expectText(page.locator('#findings-text')).toBe('');
    await expect.poll(() => page.locator('.writer .suggestion').count()).toBeGreaterThan(0);
    // A long text, in a low window.
    await page.setViewportSize({ width: 1366, height: 560 });
    await page.getByLabel('About').fill('A line about rain, slowly. '.repeat(12).trim());
    // What was rejected can be asked for again as it was.
    const endpoint = 'POST /openai/response';
    graph.sandbox.faults.add({ kind: 'status', status: 400, endpoint });
    await press(page, 'Write');
    await page.waitForSelector('.writer .is-error');
    // What was not confirmed can only be found.
    graph.sandbox.faults.add({ kind: 'reset-before-headers', effect: 'done', endpoint });
    await press(page, 'Write');
    await expectText(page.locator('.writer .is-error')).toContain('earlier texts');
    await page.getByLabel('Tone').fill('Wry');
    await press(page, 'Write');
    await page.waitForSelector('.pulse');
    await finishTextsOnceFollowed(graph.sandbox);
    const arrived = page.locator('.suggestion.is-new');
    await expect.poll(() => arrived.count()).toBe(1);
    const text = await arrived.locator('p').innerText();
    await arrived.getByRole('button', { name: 'Use it' }).click();
    expect(await page.inputValue('#post-text')).toBe(text);
    await expect.poll(() => isTextSeen(page)).toBe(true);
  });
});
