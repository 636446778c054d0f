import { describe, expect, test } from 'vitest';
import { leavesOutBrowser } from '../../../test/support/browser.ts';
import { openDesk, startDesk } from './desk-page.ts';

describe.skipIf(leavesOutBrowser())('the first screen of Desk', () => {
  test('of 250 accounts and 1,000 posts is there within a second, and then complete', async () => {
    const graph = await startDesk({ sandbox: { data: 'large' }, environment: { WATCH_INTERVAL: '1h' } });
    const { page } = await openDesk(graph.url);
    await page.waitForSelector('.post');
    const times: number[] = [];
    // The best of some visits: other work on the machine, and the start of a browser, are not Desk's.
    for (let visit = 0; visit < 4; visit += 1) {
      await page.reload();
      await page.waitForSelector('.post');
      times.push(await page.evaluate<number>('performance.now()'));
    }
    expect(Math.min(...times)).toBeLessThan(1_000);
    await expect.poll(() => page.locator('.accounts h2 small').innerText()).toBe('250');
    await expect.poll(() => page.locator('.chips .chip').count()).toBeLessThan(30);
  });
});
