import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { EXAMPLE_TABS } from '../../packages/explorer/src/tabs.ts';
import { keepPicture, leavesOutBrowser } from '../support/browser.ts';
import { isDeep } from '../support/depth.ts';
import {
  areToolsShown,
  pasteHeaders,
  selectTab,
  shareGraphiql,
  shownHeaders,
  untilReady,
} from '../support/graphiql.ts';
import { shareGraph } from '../support/shared-graph.ts';

const LAST = EXAMPLE_TABS.length - 1;
const PUBLISH = EXAMPLE_TABS.findIndex(({ query }) => query.includes('mutation Publish'));
const SCHEMES = ['light', 'dark'] as const;
/** Colours move nothing; all of them are tried with the large figures alone. */
const SCHEMES_OF_WIDTHS = isDeep ? SCHEMES : (['dark'] as const);
const VIEWPORTS = [
  { width: 640, height: 720 },
  { width: 1280, height: 720 },
  { width: 1920, height: 1000 },
];

describe.skipIf(leavesOutBrowser())('GraphiQL', () => {
  const graph = shareGraph({ explorer: true });
  const graphiql = shareGraphiql(graph);

  test('folds headers away that are complete, and shows them once others are put in their place', async () => {
    const { page } = graphiql();
    expect(await areToolsShown(page)).toBe(false);
    const key = 'a-key-of-another-owner';
    await pasteHeaders(page, { 'x-api-key': key });
    expect(await areToolsShown(page)).toBe(true);
    expect(await shownHeaders(page)).toContain(key);
  });

  test.each(SCHEMES)(
    'has comments with a contrast of at least 4.5 to 1 when it is %s',
    async (colorScheme) => {
      const { page } = graphiql();
      await showIn(page, colorScheme);
      await expect.poll(() => contrastOfComments(page)).toBeGreaterThan(4.5);
    },
  );

  test('opens the variables where a comment names them', async () => {
    const { page } = graphiql();
    expect(await page.locator('.variables-hint').count()).toBe(0);
    expect(await areToolsShown(page)).toBe(false);
    await selectTab(page, PUBLISH);
    await page.locator('.variables-hint').first().click();
    await expect.poll(() => areToolsShown(page)).toBe(true);
    const shown = page.locator('.graphiql-editor-tool[aria-label="Variables"]');
    await expect.poll(() => shown.innerText()).toContain('idempotencyKey');
    await keepPicture(page, 'variables');
  });

  test('says what the history is for while it is empty', async () => {
    const { page } = graphiql();
    await selectTab(page, 0);
    await page.click('[aria-label="Show History"]');
    const hint = page.locator('.history-hint');
    expect(await hint.innerText()).toContain('operations that you run are listed here');
    await keepPicture(page, 'empty-history');
    await page.click('.graphiql-execute-button', { delay: 120 });
    await hint.waitFor({ state: 'detached' });
    expect(await page.locator('.graphiql-history-item').count()).toBe(1);
    await page.click('[aria-label="Hide History"]');
  });

  test.each(VIEWPORTS)(
    'shows the whole title of each tab, $width pixels wide, and the answer where there is room',
    async (viewport) => {
      const { page } = graphiql();
      await page.setViewportSize(viewport);
      for (const colorScheme of SCHEMES_OF_WIDTHS) {
        await showIn(page, colorScheme);
        await selectTab(page, LAST);
        expect(await titlesInSight(page)).toBe(EXAMPLE_TABS.length);
        // Below the operation in half of a laptop's screen, and beside it otherwise.
        expect(await isAnswerBelow(page)).toBe(viewport.width === 640);
        await page.click('[aria-label="Show Documentation Explorer"]');
        await page.waitForSelector('.graphiql-doc-explorer-content');
        expect(await titlesInSight(page)).toBe(EXAMPLE_TABS.length);
        await keepPicture(page, `layout-${colorScheme}-${viewport.width}`);
        await page.click('[aria-label="Hide Documentation Explorer"]');
      }
    },
  );
});

/** Shows the page in other colours; the editors take them when they are loaded. */
async function showIn(page: Page, colorScheme: (typeof SCHEMES)[number]): Promise<void> {
  const isShown = await page.evaluate<boolean>(
    `matchMedia('(prefers-color-scheme: ${colorScheme})').matches`,
  );
  if (isShown) return;
  await page.emulateMedia({ colorScheme });
  await page.reload();
  await untilReady(page);
}

async function isAnswerBelow(page: Page): Promise<boolean> {
  const [editors, response] = await Promise.all(
    ['.graphiql-editors', '.graphiql-response'].map((name) => page.locator(name).boundingBox()),
  );
  return (response?.y ?? 0) > (editors?.y ?? 0) + 100;
}

/** How many titles of tabs are whole: neither cut off by what is around them nor covered by anything. */
async function titlesInSight(page: Page): Promise<number> {
  return await page.evaluate(`[...document.querySelectorAll('.graphiql-tab-button')].filter((button) => {
    const { left, right, top, bottom } = button.getBoundingClientRect();
    const corners = [[left + 2, top + 2], [right - 2, bottom - 2]];
    return corners.every(([x, y]) => button.parentElement.contains(document.elementFromPoint(x, y)));
  }).length`);
}

/** The contrast of the first line, a comment, with what is behind the editor. */
async function contrastOfComments(page: Page): Promise<number> {
  return await page.evaluate(`(() => {
    const luminance = (colour) => {
      const [r, g, b] = colour.match(/[\\d.]+/g).map((part) => part / 255).map((part) =>
        part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const comment = [...document.querySelectorAll('.graphiql-query-editor .view-line span span')]
      .find(({ textContent }) => textContent.startsWith('#'));
    const colours = [comment, document.querySelector('.graphiql-editors')]
      .map((element, index) => getComputedStyle(element)[index === 0 ? 'color' : 'backgroundColor']);
    const [dark, light] = colours.map(luminance).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  })()`);
}
