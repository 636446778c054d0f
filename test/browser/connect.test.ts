import { describe, expect, test } from 'vitest';
import { keepPicture, leavesOutBrowser, openPage } from '../support/browser.ts';
import { startConnectable } from '../support/connecting.ts';
import { pressRun, untilReady } from '../support/graphiql.ts';

const CLICK = { delay: 120 } as const;

interface Answer {
  readonly data?: { readonly accounts?: { readonly totalCount: number } };
  readonly errors?: unknown;
}

describe.skipIf(leavesOutBrowser())('/connect in a browser', () => {
  test('leads over login and consent to GraphiQL with a token that answers a query', async () => {
    const graph = await startConnectable();
    const { page, requests } = await openPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    const [{ login, password }] = graph.sandbox.owners;

    // By another name of this machine than the one that the service leads back to.
    const localhost = graph.url.replace('127.0.0.1', 'localhost');
    await page.goto(`${localhost}/connect`);
    await page.fill('input[name=login]', login);
    await page.fill('input[name=password]', password);
    await page.click('button[type=submit]');
    await page.click('button[value=allow]');
    await page.waitForSelector('#token');
    await keepPicture(page, 'connected');
    const token = (await page.textContent('#token')) ?? '';
    expect(token).toBe(graph.sandbox.secrets.accessTokens.at(-1));
    await page.click('#open', CLICK);
    await untilReady(page);
    const answered = page.waitForResponse(
      (response) => response.request().postData()?.includes('query MyAccounts') === true,
    );
    await pressRun(page);

    const response = await answered;
    const answer = (await response.json()) as Answer;
    expect(answer.errors).toBeUndefined();
    expect(answer.data?.accounts?.totalCount).toBe(13);
    expect(response.request().headers()['authorization']).toBe(`Bearer ${token}`);
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toContain(token);
    const foreign = requests.filter(
      (url) =>
        ![graph.url, localhost, graph.sandbox.url, 'blob:', 'data:'].some((own) => url.startsWith(own)),
    );
    expect(foreign).toEqual([]);
    expect(requests.filter((url) => url.includes(token))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('shows a denial, and a way to begin again', async () => {
    const graph = await startConnectable();
    const { page } = await openPage();
    const [{ login, password }] = graph.sandbox.owners;
    await page.goto(`${graph.url}/connect`);
    await page.fill('input[name=login]', login);
    await page.fill('input[name=password]', password);
    await page.click('button[type=submit]');
    await page.click('button[value=deny]');
    expect(await page.textContent('h1')).toBe('Not authorised');
    await page.click('a[href="/connect"]');
    expect(await page.textContent('h1')).toContain('Sign in');
    expect(graph.sandbox.requests.count('POST /oauth/accesstoken')).toBe(0);
  });
});
