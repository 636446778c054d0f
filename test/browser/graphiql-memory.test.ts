import { describe, expect, test } from 'vitest';
import { EXAMPLE_TABS } from '../../packages/explorer/src/tabs.ts';
import { keepPicture, leavesOutBrowser } from '../support/browser.ts';
import {
  areToolsShown,
  keptInBrowser,
  keptTitles,
  openGraphiql,
  pasteHeaders,
  runAndAwait,
  selectTab,
  shareGraphiql,
  shownHeaders,
  titlesOfTabs,
  untilReady,
} from '../support/graphiql.ts';
import { startServer } from '../support/server.ts';
import { shareGraph } from '../support/shared-graph.ts';

const TITLES = EXAMPLE_TABS.map(({ query }) => /^(?:query|mutation|subscription) (\w+)/m.exec(query)?.[1]);

describe.skipIf(leavesOutBrowser())('what GraphiQL remembers', () => {
  const graph = shareGraph({ explorer: true });
  const graphiql = shareGraphiql(graph);

  test('is no credential, whatever was run, written, or looked at', async () => {
    const { sandbox } = graph;
    const { page } = graphiql();
    const { apiKey, accessToken } = sandbox.owners[1];
    await pasteHeaders(page, { 'x-api-key': apiKey, authorization: `Bearer ${accessToken}` });
    await runAndAwait(page, 'Accounts');
    await page.click('[aria-label="Show History"]');
    await page.click('[aria-label="Add favorite"]');
    await selectTab(page, 1);
    await selectTab(page, 0);
    // What is typed is stored half a second later.
    await expect.poll(() => keptInBrowser(page)).toContain('"activeTabIndex\\":0');
    const kept = await keptInBrowser(page);
    expect(kept).toContain('query Accounts');
    for (const owner of sandbox.owners) {
      expect(kept).not.toContain(owner.apiKey);
      expect(kept).not.toContain(owner.accessToken);
    }
  });

  test('is the history, from which a text is taken and never a header', async () => {
    const { sandbox } = graph;
    const { page } = graphiql();
    await selectTab(page, 2);
    await runAndAwait(page, 'Queue');
    const items = page.locator('.graphiql-history-item-label');
    await expect.poll(() => items.allInnerTexts()).toEqual(['Accounts', 'Queue']);
    await keepPicture(page, 'history');
    const key = sandbox.owners[1].apiKey;
    await pasteHeaders(page, { 'x-api-key': key });
    await items.nth(0).click();
    await expect.poll(() => titlesOfTabs(page)).toEqual(TITLES.with(2, 'Accounts'));
    expect(await shownHeaders(page)).toContain(key);
    expect((await runAndAwait(page, 'Accounts')).errors).toBeUndefined();
  });

  test('are the history and the tabs, those until there are other examples', async () => {
    const { url } = graph;
    const { page } = graphiql();
    const items = page.locator('.graphiql-history-item-label');
    const [before, history] = [await titlesOfTabs(page), await items.allInnerTexts()];
    expect(history).toContain('Queue');
    // GraphiQL keeps them half a second after a change.
    await expect.poll(() => keptTitles(page)).toEqual(before);
    await page.goto(`${url}/graphql?query=${encodeURIComponent('query Mine { surfaces { surface } }')}`);
    await untilReady(page);
    expect(new URL(page.url()).search).toBe('');
    await expect.poll(() => items.allInnerTexts()).toEqual(history);
    expect(await titlesOfTabs(page)).toEqual([...before, 'Mine']);
    await runAndAwait(page, 'Mine');
    await expect.poll(() => keptInBrowser(page)).toContain('query Mine');
    await page.reload();
    await untilReady(page);
    expect(await titlesOfTabs(page)).toEqual([...before, 'Mine']);

    await page.evaluate(`localStorage.setItem('graphiql:edition', 'of last year')`);
    await page.reload();
    await untilReady(page);

    expect(await titlesOfTabs(page)).toEqual(TITLES);
    expect(await page.locator('.graphiql-query-editor').innerText()).toContain('Accounts');
    await expect.poll(() => items.allInnerTexts()).toContain('Mine');
  });

  test('is what was filled in where headers were to be filled in, for the other tabs of the page', async () => {
    const token = 'a-token-of-a-client-that-is-long';
    const { url } = await startServer({ CLIENT_TOKENS: token });
    const { page, complaints } = await openGraphiql(url);
    expect(await areToolsShown(page)).toBe(true);
    expect(await shownHeaders(page)).toContain('YOUR API KEY');
    const notice = page.locator('.schema-notice');
    await expect.poll(() => notice.innerText()).toContain('is not valid. Correct the headers');
    await keepPicture(page, 'refused-schema');
    expect(complaints.join('\n')).toMatch(/^Failed to load resource: [^\n]* 401 [^\n]*$/);
    await pasteHeaders(page, { 'x-client-token': token });
    await page.click('[aria-label^="Re-fetch GraphQL schema"]');
    await notice.waitFor({ state: 'detached' });
    await selectTab(page, 1);
    await expect.poll(() => shownHeaders(page)).toContain(token);
    expect(await keptInBrowser(page)).not.toContain(token);
  });
});
