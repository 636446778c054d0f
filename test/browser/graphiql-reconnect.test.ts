import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXAMPLE_TABS } from '../../src/http/explorer/tabs.ts';
import { keepPicture, leavesOutBrowser } from '../support/browser.ts';
import { pressRun, selectTab, shareGraphiql, shownResult } from '../support/graphiql.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { ENDLESSLY_SLOW, finishTexts } from '../support/slow-texts.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

const LIVE = EXAMPLE_TABS.findIndex(({ query }) => query.includes('subscription LiveResults'));
/** What the sandbox writes. */
const TEXT = 'The sandbox made this text';

describe.skipIf(leavesOutBrowser())('a live tab of GraphiQL', () => {
  const graph = shareGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  beforeAll(async () => {
    proxy = await openTcpProxy(Number(new URL(graph.url).port));
  });
  afterAll(() => proxy.close());
  const graphiql = shareGraphiql({
    get url() {
      return `http://127.0.0.1:${proxy.port}`;
    },
  });

  test('says why where no connection could be opened, and does not try again', async () => {
    const { page } = graphiql();
    await selectTab(page, LIVE);
    proxy.cut();
    await pressRun(page);
    await expect.poll(() => shownResult(page)).toContain('The WebSocket could not be opened');
    expect(await notice(page)).toBe('');
    proxy.restore();
  });

  test('says that it listens, connects again after a restart, says so, and shows what comes then', async () => {
    const { page } = graphiql();
    await selectTab(page, LIVE);
    await pressRun(page);
    await expect.poll(() => notice(page)).toContain('Listening.');
    await graph.sandbox.push.waitForOpen(1);

    proxy.cut();
    await expect.poll(() => notice(page)).toMatch(/^The connection was lost\. Connecting again, attempt \d/);
    expect(await shownResult(page)).not.toContain('isTrusted');
    await keepPicture(page, 'reconnecting');
    proxy.restore();
    await expect.poll(() => notice(page)).toContain('Connected again at');
    await keepPicture(page, 'reconnected');

    await graph.sandbox.push.waitForOpen(1);
    await graph.query(documentOf('generateAiText'), {
      variables: { input: { ...EXAMPLES.generateAiText, prompt: 'A line about rain, slowly' } },
    });
    finishTexts(graph.sandbox);
    await expect.poll(() => shownResult(page)).toContain(TEXT);
    await pressRun(page);
    await expect.poll(() => notice(page)).toBe('');
  });

  test('that is stopped while it reconnects stays stopped, and can be started again', async () => {
    const { page } = graphiql();
    await pressRun(page);
    // The feeds of the subscription before may still be open: only the page says that this one is there.
    await expect.poll(() => notice(page)).toContain('Listening.');
    await graph.sandbox.push.waitForOpen(1);
    proxy.cut();
    await expect.poll(() => notice(page)).toContain('The connection was lost.');
    await pressRun(page);
    await expect.poll(() => notice(page)).toBe('');
    await graph.sandbox.push.waitForOpen(0);
    proxy.restore();
    await pressRun(page);
    await graph.sandbox.push.waitForOpen(1);
    await expect.poll(() => notice(page)).toContain('istening');
    await pressRun(page);
    await graph.sandbox.push.waitForOpen(0);
  });
});

/** What the page says of its subscription; nothing where none is running. */
async function notice(page: Page): Promise<string> {
  return (await page.locator('.live-notice').allInnerTexts()).join('');
}
