import { assertObjectType } from 'graphql';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { schema } from '../../src/schema/index.ts';
import { EXAMPLE_TABS } from '../../packages/explorer/src/tabs.ts';
import { keepPicture, leavesOutBrowser } from '../support/browser.ts';
import {
  pasteQuery,
  pressRun,
  runAndAwait,
  selectTab,
  shareGraphiql,
  shownResult,
  untilReady,
} from '../support/graphiql.ts';
import { shareGraph } from '../support/shared-graph.ts';

/** More than this, compressed, is not loaded at the first visit. */
const MOST_BYTES = 1_500_000;

describe.skipIf(leavesOutBrowser())('GraphiQL in a browser', () => {
  const graph = shareGraph({ explorer: true });
  const graphiql = shareGraphiql(graph, '/');

  test('loads little, and that once', async () => {
    const { page } = graphiql();
    const bytes = await bytesOnceLoaded(page);
    expect(bytes).toBeGreaterThan(MOST_BYTES / 3);
    expect(bytes).toBeLessThan(MOST_BYTES);
    await page.reload();
    await untilReady(page);
    expect(await loadedBytes(page, 'transferSize')).toBe(0);
  });

  test('runs each of its example tabs without an error, and asks nobody but this server', async () => {
    const { url, sandbox } = graph;
    const { page, addresses, complaints } = graphiql();
    expect(await page.title()).toBe('Social Publishing GraphQL');
    expect(await page.locator('.graphiql-logo').innerText()).toBe('Social Publishing GraphQL');
    expect(await page.locator('.graphiql-tab').count()).toBe(EXAMPLE_TABS.length);
    for (const [index, tab] of EXAMPLE_TABS.entries()) {
      const [, kind, name = ''] = /^(query|mutation|subscription) (\w+)/m.exec(tab.query) ?? [];
      await selectTab(page, index);
      if (kind === 'subscription') {
        await (name.startsWith('Watch') ? watchAndStop(page) : runAndStop(page, sandbox));
        await keepPicture(page, `tab-${index + 1}-${name}`);
        continue;
      }
      const answer = await runAndAwait(page, name);
      expect(answer.errors, `errors of the tab ${name}`).toBeUndefined();
      expect(Object.values(answer.data ?? { none: null }), `root fields of the tab ${name}`).not.toContain(
        null,
      );
      if (index === 0) await expect.poll(() => shownResult(page)).toContain('"accounts"');
      await keepPicture(page, index === 0 ? 'first-tab' : `tab-${index + 1}-${name}`);
      if (kind === 'mutation')
        expect(Object.values(answer.data ?? {}), name).toMatchObject([{ userErrors: [] }]);
    }
    // Any number of times: a key that is fixed would only return the first result.
    for (const name of ['Publish', 'Schedule', 'Pause', 'Publish']) {
      await selectTab(page, tabOf(name));
      const [payload] = Object.values((await runAndAwait(page, name)).data ?? {});
      expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [] });
      expect(payload).not.toMatchObject({ replayed: true });
    }
    const own = [`${url}/`, `${url.replace('http', 'ws')}/`];
    expect(addresses.filter((address) => !own.some((start) => address.startsWith(start)))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('follows a system that is dark', async () => {
    const { page } = graphiql();
    await page.emulateMedia({ colorScheme: 'dark' });
    const colour = await page.evaluate(
      `getComputedStyle(document.querySelector('.graphiql-container')).backgroundColor`,
    );
    expect(colour).toMatch(/^rgb\((?:[0-9]|[1-5]\d), (?:[0-9]|[1-5]\d), (?:[0-9]|[1-6]\d)\)$/);
    await keepPicture(page, 'dark');
  });

  test('opens its documentation as a guide', async () => {
    const { page } = graphiql();
    await page.click('[aria-label="Show Documentation Explorer"]');
    const guide = page.locator('.graphiql-doc-explorer-content');
    await expect.poll(() => guide.innerText()).toContain('Where to begin.');
    await keepPicture(page, 'docs');
    await guide.getByText('Query', { exact: true }).first().click();
    await expect.poll(() => guide.innerText()).toContain('All reads.');
  });

  test('completes fields and arguments in the order of the schema', async () => {
    const { page } = graphiql();
    const accountFields = assertObjectType(schema.getType('Account')).getFields();
    const completed = async (typed: string): Promise<string[]> => {
      await pasteQuery(page, '');
      await page.keyboard.press('Backspace');
      await page.keyboard.type(typed);
      await page.keyboard.press('ControlOrMeta+Space');
      const names = page.locator('.suggest-widget .monaco-list-row .label-name');
      await expect.poll(() => names.count()).toBeGreaterThan(5);
      return await names.allInnerTexts();
    };
    const fields = await completed('{ accounts { nodes { ');
    await keepPicture(page, 'completion');
    expect(fields.slice(0, 12)).toEqual(Object.keys(accountFields).slice(0, 12));
    await page.keyboard.press('Escape');
    expect((await completed('{ accounts(')).slice(0, 4)).toEqual(['filter', 'orderBy', 'surface', 'first']);
    await page.keyboard.press('Escape');
  });

  test('breaks lines that are wider than their editor', async () => {
    const { page } = graphiql();
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    await pasteQuery(page, `# ${words}\n{ __typename }`);
    const editor = page.locator('.graphiql-query-editor .view-lines');
    await expect.poll(() => editor.innerText()).toContain('word59');
    await expect.poll(() => editor.locator('.view-line').count()).toBeGreaterThan(5);
  });

  test('is kept by its policy from running what stands in the page, and from asking others', async () => {
    const { page, complaints } = graphiql();
    const ran = await page.evaluate(`(async () => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.ranInline = true';
      document.body.append(script);
      await fetch('http://127.0.0.1:1/').catch(() => undefined);
      try { new Worker(URL.createObjectURL(new Blob([''])));  } catch { }
      return globalThis.ranInline === true;
    })()`);
    expect(ran).toBe(false);
    expect(complaints.filter((text) => text.includes('Content Security Policy')).length).toBeGreaterThan(2);
  });
});

const tabOf = (name: string): number =>
  EXAMPLE_TABS.findIndex(({ query }) => query.includes(`mutation ${name}(`));

// A subscription goes over a socket; that it runs shows where its results would come from.
async function watchAndStop(page: Page): Promise<void> {
  await pressRun(page);
  await expect.poll(() => shownResult(page)).toContain('"SNAPSHOT"');
  await pressRun(page);
}

async function runAndStop(page: Page, { push }: Sandbox): Promise<void> {
  await pressRun(page);
  await push.waitForOpen(1);
  await pressRun(page);
  await push.waitForOpen(0);
}

// Until then the number depends on how far the page has come; what a reload interrupts is loaded once more.
async function bytesOnceLoaded(page: Page): Promise<number> {
  let last = -1;
  const isSettled = async (): Promise<boolean> => {
    const now = await loadedBytes(page, 'encodedBodySize');
    const isEqual = now === last;
    last = now;
    return isEqual;
  };
  await expect.poll(isSettled, { interval: 1_000 }).toBe(true);
  return last;
}

// What workers load beyond their own files is not told of; they load nothing. A worker that is started again comes from
// the cache, and is told of once more.
async function loadedBytes(page: Page, measure: 'encodedBodySize' | 'transferSize'): Promise<number> {
  const sizes = await page.evaluate<[string, number][]>(
    `performance.getEntriesByType('resource')
      .filter(({ name }) => name.includes('/explorer/'))
      .map(({ name, ${measure} }) => [name, ${measure}])`,
  );
  return [...new Map(sizes).values()].reduce((sum, size) => sum + size, 0);
}
