import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { EXAMPLE_TABS } from '../../src/server/graphiql-tabs.ts';
import { leavesOutBrowser, openPage } from '../support/browser.ts';
import { startGraph } from '../support/graph.ts';

const CLICK = { delay: 120 } as const;
const IN_THE_PAGE = /^(?:blob|data):/;

describe.skipIf(leavesOutBrowser())('GraphiQL in a browser', () => {
  test(
    'runs each of its example tabs without an error, and asks nobody but this server',
    { timeout: 60_000 },
    async () => {
      const { url } = await startGraph({ explorer: true });
      const { page, requests } = await openPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));

      await page.goto(url);
      await page.waitForSelector('.graphiql-execute-button');
      expect(await page.locator('.graphiql-tab').count()).toBe(EXAMPLE_TABS.length);
      for (const [index, tab] of EXAMPLE_TABS.entries()) {
        const name = /(?:query|mutation) (\w+)/.exec(tab.query)?.[1] ?? '';
        await selectTab(page, index);
        const answer = await runAndAwait(page, name);
        expect(answer.errors, `errors of the tab ${name}`).toBeUndefined();
        expect(Object.values(answer.data ?? { none: null }), `root fields of the tab ${name}`).not.toContain(
          null,
        );
      }

      expect(requests.filter((address) => !address.startsWith(url) && !IN_THE_PAGE.test(address))).toEqual(
        [],
      );
      expect(complaints).toEqual([]);
    },
  );

  test('keeps no credential in the browser', { timeout: 60_000 }, async () => {
    const { url, sandbox } = await startGraph({ explorer: true });
    const { page } = await openPage();
    await page.goto(url);
    await page.waitForSelector('.graphiql-execute-button');
    await runAndAwait(page, 'Accounts');
    await page.reload();
    await page.waitForSelector('.graphiql-execute-button');

    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );

    for (const { apiKey, accessToken } of sandbox.owners) {
      expect(kept).not.toContain(apiKey);
      expect(kept).not.toContain(accessToken);
    }
  });
});

// Tabs can be dragged, and GraphiQL takes some short clicks for the beginning of that.
async function selectTab(page: Page, index: number): Promise<void> {
  const tab = page.locator('.graphiql-tab').nth(index);
  await expect
    .poll(async () => {
      await tab.locator('.graphiql-tab-button').click(CLICK);
      return await tab.getAttribute('class');
    })
    .toContain('graphiql-tab-active');
}

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: unknown;
}

async function runAndAwait(page: Page, operation: string): Promise<Answer> {
  const answered = page.waitForResponse((response) =>
    new RegExp(`(?:query|mutation) ${operation}\\b`).test(response.request().postData() ?? ''),
  );
  await page.click('.graphiql-execute-button', CLICK);
  return (await (await answered).json()) as Answer;
}
