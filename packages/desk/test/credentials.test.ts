import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findingsIn, keepPicture, leavesOutBrowser, openPage } from '../../../test/support/browser.ts';
import { startConnectable } from '../../../test/support/connect.ts';
import { choose, expectText, openDesk, press, send, startDesk, visitDesk, write } from './desk-page.ts';

const SIGN_IN = { ready: '.sign-in' };

/** Opens Desk with a credential, by the label of its field. */
async function openWith(page: Page, label: string, credential: string): Promise<void> {
  await page.getByLabel(label).fill(credential);
  await press(page, 'Open Desk');
}

describe.skipIf(leavesOutBrowser())('the credentials of Desk', () => {
  test('are asked for, kept in memory, and asked for again when one is refused', async () => {
    const { graph, page } = await visitDesk({ desk: 'service' }, SIGN_IN);
    await keepPicture(page, 'desk-sign-in');
    expect(await findingsIn(page)).toEqual([]);
    await press(page, 'Open Desk');
    expect(await page.getByRole('alert').innerText()).toContain('Fill in');
    await openWith(page, 'API key', 'wrong-key');
    await expectText(page.getByRole('alert')).toMatch(/rejected|refused|not valid/i);
    expect(await page.getByRole('alert').innerText()).not.toMatch(/\d more/);
    const [{ apiKey, accessToken }] = graph.sandbox.owners;
    await openWith(page, 'API key', apiKey);
    await page.waitForSelector('.post');
    expect(await page.locator('.badge').innerText()).toBe(new URL(graph.sandbox.url).host);
    expect(await page.locator('.sandbox-bar').count()).toBe(0);
    const kept = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect([kept.includes(apiKey), kept.includes(accessToken)]).toEqual([false, false]);
    // What was chosen with one key is no part of a post with another.
    await choose(page, 'kelpgate.roasters');
    await page.reload();
    await openWith(page, 'API key', graph.sandbox.owners[1].apiKey);
    await write(page, 'Of another owner', 'Fernlight Books');
    await send(page);
    await expectText(page.locator('.sent h2')).toBe('Added to the queue');
  });

  test('may be the legacy token alone: its accounts take a text, and the rest says what it needs', async () => {
    const { graph, page, complaints } = await visitDesk({ desk: 'service' }, SIGN_IN);
    await openWith(page, 'Access token', graph.sandbox.owners[0].accessToken);
    await page.waitForSelector('.calendar .note');
    expect(await page.locator('.calendar').innerText()).toContain('open Desk with an API key');
    expect(await page.locator('.connection').innerText()).toBe('Not live');
    expect(await page.locator('.problems, .needs, .legend, .writer, .save').count()).toBe(0);
    const label = await page.locator('.chip:not(:has(:disabled)) span').first().innerText();
    await write(page, 'From the legacy surface', label);
    await send(page);
    await expectText(page.locator('.sent h2')).toBe('Added to the queue');
    expect(graph.sandbox.requests.count('POST /oauth/post/update')).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('of somebody else show nothing of what was shown before, also if a part cannot be read', async () => {
    const graph = await startDesk({ desk: 'service' });
    const [first, second] = graph.sandbox.owners;
    const times = Number.POSITIVE_INFINITY;
    const failing = { kind: 'status', status: 500, times } as const;
    graph.sandbox.faults.add({ ...failing, endpoint: 'GET /membership/plan/list', owner: first.name });
    for (const endpoint of ['GET /accounts/list', 'GET /posts/queued'] as const)
      graph.sandbox.faults.add({ ...failing, endpoint, owner: second.name });
    const { page } = await openDesk(graph.url, SIGN_IN);
    await openWith(page, 'API key', first.apiKey);
    await page.waitForSelector('.post');
    await press(page, 'Other credentials');
    await openWith(page, 'API key', first.apiKey);
    await page.waitForSelector('.post');
    await page.route('**/graphql', (route) =>
      route.continue({ headers: { ...route.request().headers(), 'x-api-key': 'revoked' } }),
    );
    // The form is there for a moment before the page reloads, which would empty it.
    const reloaded = page.waitForEvent('load');
    await press(page, 'Try again');
    await reloaded;
    await expectText(page.getByRole('alert')).toMatch(/rejected/i);
    await page.unroute('**/graphql');
    await openWith(page, 'API key', second.apiKey);
    await expectText(page.locator('.accounts h2 small')).toBe('0');
    expect(await page.locator('.post').count()).toBe(0);
  });

  test('are handed over by /connect, once', async () => {
    const CLIENT_TOKENS = 'a-client-token-of-this-server-0001';
    const graph = await startConnectable({ desk: 'service', environment: { CLIENT_TOKENS } });
    const { page } = await openPage();
    const [{ login, password }] = graph.sandbox.owners;
    await page.goto(`${graph.url}/`);
    await page.getByLabel('Client token').fill(CLIENT_TOKENS);
    await openWith(page, 'Access token', 'expired');
    await expectText(page.getByRole('alert')).toMatch(/rejected/i);
    await page.getByText('Connect your account').click();
    await page.fill('input[name=login]', login);
    await page.fill('input[name=password]', password);
    await page.click('button[type=submit]');
    await page.click('button[value=allow]');
    const open = page.getByRole('button', { name: 'Open Desk with it' });
    await open.waitFor();
    // The script that the button needs is below it.
    await page.waitForLoadState();
    await open.click();
    // It is kept while something else is asked for, and is not the one that was refused.
    await page.waitForSelector('.sign-in');
    expect(await page.getByRole('alert').count()).toBe(0);
    await openWith(page, 'Client token', CLIENT_TOKENS);
    await page.waitForSelector('.calendar .note');
    await expectText(page.locator('.accounts h2 small')).toBe('13');
    expect(await page.evaluate(`sessionStorage.getItem('desk-headers')`)).toBeNull();
  });
});
