import { describe, expect, test } from 'vitest';
import { GRAPHIQL_HANDOVER_KEY } from '../../packages/explorer/src/options.ts';
import { clientOf } from '../../packages/sandbox/test/running-sandbox.ts';
import { findingsIn, keepPicture, leavesOutBrowser, openPage } from '../support/browser.ts';
import { startConnectable } from '../support/connect.ts';
import { sandboxForTest } from '../support/sandbox.ts';

describe.skipIf(leavesOutBrowser())('in a browser', () => {
  test('/connect leads over login and consent to a token, which it hands over to GraphiQL; its pages are readable', async () => {
    const graph = await startConnectable();
    const { page, requests, complaints } = await openPage({
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const look = async (name: string): Promise<void> => {
      await page.waitForLoadState();
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of [640, 1280]) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 800 });
          const shown = `${name}-${colorScheme}-${width}`;
          await keepPicture(page, shown);
          if (width === 1280) expect(await findingsIn(page), shown).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth'), shown).toBe(width);
        }
    };
    const signIn = async (): Promise<void> => {
      const [{ login, password }] = graph.sandbox.owners;
      await page.fill('input[name=login]', login);
      await page.fill('input[name=password]', password);
      await page.click('button[type=submit]');
      await page.waitForSelector('button[value=allow]');
    };
    await page.setContent('<p style="color: #888; background: #777">Grey on grey</p>');
    expect(await findingsIn(page)).toContainEqual(expect.stringMatching(/^color-contrast: .*Grey on grey/));
    await page.goto(graph.sandbox.url);
    await look('sandbox');
    // By another name of this machine than the one that the service redirects to.
    const localhost = graph.url.replace('127.0.0.1', 'localhost');
    await page.goto(`${localhost}/connect`);
    await look('sandbox-login');
    await signIn();
    await look('sandbox-consent');
    await page.click('button[value=deny]');
    await expect.poll(() => page.textContent('h1')).toBe('Access not granted');
    await look('connect-denied');
    expect(graph.sandbox.requests.count('POST /oauth/accesstoken')).toBe(0);
    await page.goto(`${graph.url}/connect/callback?state=none`);
    expect(await page.getByRole('alert').count()).toBe(1);
    await look('connect-error');
    // The browser reports the status of a page as an error.
    complaints.length = 0;
    await page.click('a[href="/connect"]');
    await signIn();
    await page.click('button[value=allow]');
    await page.waitForSelector('#token');
    await look('connected');
    const token = (await page.textContent('#token')) ?? '';
    expect(token).toBe(graph.sandbox.secrets.accessTokens.at(-1));
    await page.click('#copy');
    await page.getByText('Copied', { exact: true }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("forbidden"))');
    await page.click('#copy');
    await page.getByText('Ctrl-C').waitFor();
    expect(await page.evaluate('getSelection().toString()')).toBe(token);
    expect(complaints).toEqual([]);

    // What GraphiQL does with it is in its own tests, and loading it takes seconds.
    await page.route('**/explorer/**', (route) => route.abort());
    await page.click('#open');
    await page.waitForURL('**/graphql');
    const handedOver: string = await page.evaluate(`sessionStorage.getItem('${GRAPHIQL_HANDOVER_KEY}')`);
    expect(JSON.parse(handedOver)).toEqual({ authorization: `Bearer ${token}` });
    const own = [graph.url, localhost, graph.sandbox.url, 'blob:', 'data:'];
    const addresses = requests.map((request) => request.url());
    expect(addresses.filter((url) => !own.some((start) => url.startsWith(start)))).toEqual([]);
    expect(addresses.filter((url) => url.includes(token))).toEqual([]);
  });

  test('the page of the sandbox makes things happen, and shows the calls as they arrive', async () => {
    const sandbox = await sandboxForTest();
    const { page, requests, complaints } = await openPage();
    await page.goto(sandbox.url);
    const happened = page.locator('#happened');
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await page.getByLabel('Account').selectOption({ label: 'kelpgatepours · 410209' });
    for (const [button, said] of [
      ['Disconnect', /^kelpgatepours has lost its connection\.$/],
      ['Publish the next post', / has published “.*”\.$/],
      ['Let a day pass', /by 1440 minutes; posts published: \d+\.$/],
      ['Lose the next response', /will be lost/],
      ['Remove all faults', /^Faults removed: 1\.$/],
    ] as const) {
      await press(button);
      await expect.poll(() => happened.innerText()).toMatch(said);
    }
    const { get } = clientOf(sandbox);
    expect((await get('/accounts/view/410209')).at('response.isReconnect')).toBe(true);
    sandbox.faults.add({ endpoint: 'GET /library/list', kind: 'status', status: 503 });
    await get('/library/list');
    const newest = page.locator('#calls tr').first();
    await expect.poll(() => newest.innerText()).toMatch(/harbour\s+GET \/library\/list\s+503\s+status$/);

    await sandbox.close();
    await press('Pause');
    await expect.poll(() => happened.innerText()).toBe('The sandbox cannot be reached.');
    expect(complaints.filter((text) => !text.includes('ERR_CONNECTION_REFUSED'))).toEqual([]);
    expect(requests.filter((request) => !request.url().startsWith(sandbox.url))).toEqual([]);
  });
});
