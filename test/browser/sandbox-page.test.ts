import { describe, expect, test } from 'vitest';
import { keepPicture, leavesOutBrowser, openPage } from '../support/browser.ts';
import { clientOf, sandboxForTest } from '../../packages/sandbox/test/running-sandbox.ts';

describe.skipIf(leavesOutBrowser())('the page of the sandbox in a browser', () => {
  test('makes things happen, and shows the calls while they come in', async () => {
    const sandbox = await sandboxForTest();
    const { page, requests } = await openPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await page.goto(sandbox.url);
    const happened = page.locator('#happened');
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

    await page.getByLabel('Account').selectOption({ label: 'kelpgatepours · 410209' });
    await press('Disconnect');
    await expect.poll(() => happened.innerText()).toBe('kelpgatepours has lost its connection.');
    await press('Publish the next post');
    await expect.poll(() => happened.innerText()).toMatch(/ has published “.*”\.$/);
    await press('Let a day pass');
    await expect.poll(() => happened.innerText()).toMatch(/by 1440 minutes; posts published: \d+\.$/);
    await press('Lose the next response');
    await expect.poll(() => happened.innerText()).toContain('will be lost');
    await press('Remove all faults');
    await expect.poll(() => happened.innerText()).toBe('Faults removed: 1.');

    const { get } = clientOf(sandbox);
    expect((await get('/accounts/view/410209')).at('response.isReconnect')).toBe(true);
    sandbox.faults.add({ endpoint: 'GET /library/list', kind: 'status', status: 503 });
    await get('/library/list');
    const newest = page.locator('#calls tr').first();
    await expect.poll(() => newest.innerText()).toMatch(/harbour\s+GET \/library\/list\s+503\s+status$/);
    await keepPicture(page, 'sandbox');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await keepPicture(page, 'sandbox-narrow');

    await sandbox.close();
    await press('Pause');
    await expect.poll(() => happened.innerText()).toBe('The sandbox cannot be reached.');
    expect(complaints.filter((text) => !text.includes('ERR_CONNECTION_REFUSED'))).toEqual([]);
    expect(requests.filter((request) => !request.url().startsWith(sandbox.url))).toEqual([]);
  });
});
