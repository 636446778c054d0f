import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { findingsIn, keepPicture, leavesOutBrowser } from '../../../test/support/browser.ts';
import { choose, expectText, openDesk, press, send, startDesk, visitDesk } from './desk-page.ts';

const SCHEMES = ['light', 'dark'] as const;

const focusedDay = (page: Page) => page.evaluate<string | undefined>('document.activeElement.dataset.day');
const focusedId = (page: Page) => page.evaluate<string>('document.activeElement.id');

describe.skipIf(leavesOutBrowser())('Desk for everybody', () => {
  test('nothing is cut off at any width or at 200 % zoom, and axe finds nothing, light and dark', async () => {
    const { page } = await visitDesk();
    await page.waitForSelector('.post');
    const show = async (width: number, colorScheme: 'light' | 'dark'): Promise<string> => {
      await page.setViewportSize({ width, height: 900 });
      // The script hears of the width later than the style sheet.
      await expect.poll(() => page.locator('.new-post').count()).toBe(width < 900 ? 1 : 0);
      await page.emulateMedia({ colorScheme });
      return `${width} pixels, ${colorScheme}`;
    };
    for (const width of [360, 640, 900, 1920, 1280])
      for (const colorScheme of SCHEMES) {
        const message = await show(width, colorScheme);
        await expect
          .poll(() => page.evaluate('document.documentElement.scrollWidth'), { message })
          .toBe(width);
        await keepPicture(page, `desk-${width}-${colorScheme}`);
        if (width === 360 || width === 1280) expect(await findingsIn(page), message).toEqual([]);
      }
    await choose(page, 'kelpgate.roasters', 'X account');
    await page.getByText('At a time', { exact: true }).click();
    await page.getByText('Write it for me').click();
    await page.getByText('Earlier texts').click();
    await page.waitForSelector('.suggestion');
    expect(await findingsIn(page)).toEqual([]);
    await page.locator('.grid .post').first().click();
    await page.waitForSelector('.day-sheet');
    for (const colorScheme of SCHEMES) {
      await show(1280, colorScheme);
      expect(await findingsIn(page), `the posts of a day, ${colorScheme}`).toEqual([]);
    }
    await page.keyboard.press('Escape');
    await show(360, 'dark');
    // The calendar is in sight.
    await expect.poll(() => page.locator('.need').count()).toBe(0);
    await press(page, 'Show all 4');
    await expect.poll(() => page.locator('.need').count()).toBe(4);
    await press(page, 'New post');
    await page.getByText('Write it for me').click();
    for (const colorScheme of SCHEMES) {
      await show(360, colorScheme);
      expect(await findingsIn(page), `the composer as a sheet, ${colorScheme}`).toEqual([]);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.compose-sheet').count()).toBe(0);
    // 1,280 by 800 pixels at 200 %.
    await page.setViewportSize({ width: 640, height: 400 });
    await press(page, 'New post');
    await expect.poll(() => focusedId(page)).toBe('post-text');
    await press(page, 'To the library');
    await expectText(page.locator('#findings-text')).toBe('Write a text.');
    await keepPicture(page, 'desk-zoomed');
    await page.evaluate(`document.querySelector('dialog').scrollTop = 1_000`);
    expect((await page.locator('dialog > .close').boundingBox())?.y).toBeGreaterThan(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.compose-sheet').count()).toBe(0);
  });

  test('the keys of the grid are those of the pattern, with one stop for the Tab key', async () => {
    const now = '2026-11-18T08:00:00Z';
    const { page } = await visitDesk({ sandbox: { now: () => Date.parse(now) } }, { now });
    await page.waitForSelector('.need');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('New post (N)');
    await page.keyboard.press('Enter');
    await expect.poll(() => focusedId(page)).toBe('post-text');
    expect(await page.locator('[role="grid"] [tabindex="0"]').count()).toBe(1);
    await page.locator('[data-day="2026-11-18"]').focus();
    for (const [key, day] of [
      ['ArrowRight', '2026-11-19'],
      ['ArrowDown', '2026-11-26'],
      ['ArrowLeft', '2026-11-25'],
      ['ArrowUp', '2026-11-18'],
      ['Home', '2026-11-16'],
      ['End', '2026-11-22'],
      ['PageDown', '2026-12-22'],
      ['PageUp', '2026-11-22'],
      ['t', '2026-11-18'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => focusedDay(page), { message: key }).toBe(day);
    }
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press(' ');
    await page.waitForSelector('.day-sheet');
    await page.keyboard.press('Escape');
    await expect.poll(() => focusedDay(page)).toBe('2026-11-19');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.inputValue('input[type="datetime-local"]')).toBe('2026-11-19T09:00');
    await expect.poll(() => focusedId(page)).toBe('post-text');
    await page.keyboard.press('n');
    expect(await page.inputValue('#post-text')).toBe('n');
    await page.keyboard.press('Escape');
    await expect.poll(() => focusedDay(page)).toBe('2026-11-19');
    // Turning counts from the month that is shown, whichever day of its neighbours is chosen.
    const title = page.locator('#calendar-title');
    await page.locator('[data-day="2026-12-03"]').click();
    expect(await title.innerText()).toBe('November 2026');
    await press(page, 'Next month');
    await expectText(title).toBe('December 2026');
    // The accounts are one stop as well.
    await page.locator('.chip input').first().focus();
    await page.keyboard.press(' ');
    await expectText(page.locator('.legend').first()).toContain('are listed up to');
    await page.keyboard.press('ArrowRight');
    const focused = await page.evaluate('document.activeElement.closest("label").innerText');
    expect(focused).toBe('kelpgate.roasters');
    await page.keyboard.press(' ');
    // Facebook documents no limit.
    await expectText(page.locator('.lengths')).toBe('Instagram 1/2200');
    expect(await page.locator('.chips [tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.role')).toBe('tab');
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('tab', { name: 'Facebook' }).getAttribute('aria-selected')).toBe('true');
    // What is typed right after N belongs to the text.
    expect(
      await page.evaluate(`{
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }));
        Promise.resolve().then(() => document.activeElement.id);
      }`),
    ).toBe('post-text');
    await page.locator('.chip input').first().focus();
    await page.keyboard.press('t');
    await expect.poll(() => focusedDay(page)).toBe('2026-11-18');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => focusedDay(page)).toBe('2026-11-11');
    await page.keyboard.press('ArrowDown');
    // A week leaves its room to the days that are not over.
    await press(page, 'Week');
    const widthOf = async (day: string) =>
      (await page.locator(`[data-day="${day}"]`).boundingBox())?.width ?? 0;
    expect(await widthOf('2026-11-20')).toBeGreaterThan(2 * (await widthOf('2026-11-17')));
    const header = await page.locator('[role="columnheader"]').nth(2).boundingBox();
    expect(header?.width).toBe(await widthOf('2026-11-18'));
    await press(page, 'Previous week');
    expect(await widthOf('2026-11-15')).toBeGreaterThan(80);
    await press(page, 'Next week');
    await page.setViewportSize({ width: 1920, height: 900 });
    expect((await page.locator('[data-day="2026-11-18"]').boundingBox())?.height).toBeGreaterThan(400);
    await page.setViewportSize({ width: 1280, height: 900 });
    await press(page, 'Month');
    await press(page, 'Mon 26 Oct – Sun 15 Nov: past, nothing left in the queue');
    await expect.poll(() => focusedDay(page)).toBe('2026-11-15');
    const where = page.getByRole('button', { name: /^Where to reconnect/ });
    await where.press('Enter');
    await page.waitForSelector('.need .detail');
    await where.press('Enter');
    expect(await page.locator('.need .detail').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.ariaExpanded')).toBe('false');
  });

  test('times are those of the service, whatever the clock of the browser, also when clocks change', async () => {
    // In New York, 25 October 2026 has begun in Paris, where clocks go back that night.
    const now = '2026-10-24T23:30:00Z';
    const environment = { SERVICE_TIME_ZONE: 'Europe/Paris' };
    const graph = await startDesk({ environment, sandbox: { now: () => Date.parse(now) } });
    const { page, complaints } = await openDesk(graph.url, { timezoneId: 'America/New_York', now });
    await page.waitForSelector('.is-today');
    expect(await page.locator('.is-today').getAttribute('data-day')).toBe('2026-10-25');
    expect(await page.locator('.calendar').innerText()).toContain('Europe/Paris');
    await choose(page, 'kelpgate.roasters');
    await page.getByText('At a time', { exact: true }).click();
    const hint = () => page.locator('.when-field .quiet').innerText();
    await page.fill('input[type="datetime-local"]', '2026-10-26T09:00');
    // Paris has left summer time, New York has not.
    await expect.poll(hint).toBe('Mon 26 Oct, 09:00 in Europe/Paris is Mon 26 Oct, 04:00 for you.');
    await page.fill('input[type="datetime-local"]', '2027-03-28T02:30');
    await expect.poll(hint).toContain('skips this time');
    // A year is typed digit by digit.
    for (const typed of ['0002-03-28T02:30', '20277-03-28T02:30']) {
      await page.fill('input[type="datetime-local"]', typed);
      await send(page);
      await expectText(page.locator('#findings-when')).toBe('Choose a date and a time.');
      expect(await page.inputValue('input[type="datetime-local"]')).toBe(typed);
    }
    expect(await page.locator('#calendar-title').innerText()).toBe('March 2027');
    expect(complaints).toEqual([]);
  });
});
