import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
import { ENDLESSLY_SLOW, finishTexts, finishTextsOnceFollowed } from '../support/slow-texts.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

const GENERATE = `mutation Generate {
  generateAiText(input: { prompt: "A line about rain, slowly", tone: "warm" }) {
    aiGeneration { id status text }
  }
}`;
const FOLLOW = 'subscription Follow { aiGenerationFinished { status prompt text } }';
const READ = (id: string): string => `subscription Read { aiGenerationUpdated(id: "${id}") { status text } }`;
const pathOf = (query: string): string => `/graphql?query=${encodeURIComponent(query)}`;
/** What the sandbox writes; nothing else has these words. */
const TEXT = 'The sandbox made this text';

/** The place of an example beside the tab that the address of the page holds, which comes first. */
const tabOf = (name: string): number => EXAMPLE_TABS.findIndex(({ query }) => query.includes(` ${name}`)) + 1;

// Loading GraphiQL costs more than all that is done here with it: two windows of one browser serve all tests.
describe.skipIf(leavesOutBrowser())('an operation of GraphiQL that goes on', () => {
  let hours = 0;
  const graph = shareGraph({
    explorer: true,
    environment: { WATCH_INTERVAL: '100ms' },
    sandbox: { ...ENDLESSLY_SLOW, now: () => Date.now() + hours * 3_600_000 },
  });
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  beforeAll(async () => {
    proxy = await openTcpProxy(Number(new URL(graph.url).port));
  });
  afterAll(() => proxy.close());
  const through = {
    get url() {
      return `http://127.0.0.1:${proxy.port}`;
    },
  };
  const graphiql = shareGraphiql(through, pathOf(FOLLOW));
  let otherWindow: Page;
  beforeAll(async () => {
    otherWindow = await graphiql().page.context().newPage();
    await otherWindow.goto(through.url + pathOf(GENERATE));
    await untilReady(otherWindow);
    // A window behind another one draws nothing, and takes clicks late.
    await graphiql().page.bringToFront();
  });

  test('says why where no connection could be opened, and does not try again', async () => {
    const { page } = graphiql();
    await selectTab(page, tabOf('LiveResults'));
    proxy.cut();
    await pressRun(page);
    await expect.poll(() => shownResult(page)).toContain('The WebSocket could not be opened');
    expect(await notice(page)).toBe('');
    proxy.restore();
  });

  test('says that it listens, connects again after a restart, says so, and shows what comes then', async () => {
    const { page } = graphiql();
    await selectTab(page, tabOf('LiveResults'));
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

  test('shows a text that is generated slowly, and asked for in another window, when it arrives', async () => {
    const { sandbox } = graph;
    const { page } = graphiql();
    await selectTab(page, 0);
    await pressRun(page);
    await sandbox.push.waitForOpen(1);
    await otherWindow.bringToFront();
    await pressRun(otherWindow);

    await expect.poll(() => shownResult(otherWindow)).toContain('"PENDING"');
    finishTexts(sandbox);
    await page.bringToFront();
    await expect.poll(() => shownResult(page)).toContain(TEXT);
    expect(await shownResult(page)).toContain('"prompt": "A line about rain, slowly"');
    expect(await shownResult(otherWindow)).not.toContain(TEXT);
    await keepPicture(page, 'live-result');
    // The same button stops it.
    await pressRun(page);
    await sandbox.push.waitForOpen(0);
  });

  test('waits for a text by its id, and its stream ends with it', async () => {
    const { sandbox } = graph;
    const { page } = graphiql();
    await pasteQuery(page, GENERATE);
    await pressRun(page);
    await expect.poll(() => shownResult(page)).toContain('"PENDING"');
    const id = /"id": "([^"]+)"/.exec(await shownResult(page))?.[1] ?? '';

    await pasteQuery(page, READ(id));
    await pressRun(page);
    await finishTextsOnceFollowed(sandbox);

    await expect.poll(() => shownResult(page)).toContain(TEXT);
    await sandbox.push.waitForOpen(0);
    expect(sandbox.requests.count('POST /openai/response')).toBe(1);
  });

  test('follows the queue while another window adds posts, and time lets posts leave', async () => {
    const { sandbox } = graph;
    const { page } = graphiql();
    const publish = async () => {
      await otherWindow.bringToFront();
      await selectTab(otherWindow, tabOf('Publish'));
      const { data } = await runAndAwait(otherWindow, 'Publish');
      await page.bringToFront();
      return data?.['createPost'];
    };
    const first = await publish();
    const kept = async () => JSON.stringify(await otherWindow.evaluate('localStorage'));
    await expect.poll(kept).toMatch(/graphiql-[0-9a-f]{32}/);
    await selectTab(page, tabOf('WatchQueue'));
    await pressRun(page);
    await expect.poll(() => shownResult(page)).toContain('"SNAPSHOT"');
    const second = await publish();
    expect([first, second]).toMatchObject([
      { outcome: 'COMPLETED', replayed: false },
      { outcome: 'COMPLETED', replayed: false },
    ]);
    await expect.poll(() => shownResult(page)).toContain('"ADDED"');
    await expect.poll(() => shownResult(page)).toContain('"text": "Hello from GraphQL"');
    await keepPicture(page, 'watching-added');

    const before = sandbox.state.owner('harbour').queue.length;
    while (sandbox.state.owner('harbour').queue.length === before) hours += 1;
    await expect.poll(() => shownResult(page)).toContain('"LEFT"');
    await keepPicture(page, 'watching-left');
    await pressRun(page);
  });

  test('follows the health of the accounts while another window pauses one, and one is disconnected', async () => {
    const { page } = graphiql();
    await selectTab(page, tabOf('WatchHealth'));
    await pressRun(page);
    await expect.poll(() => shownResult(page)).toContain('"SNAPSHOT"');
    await otherWindow.bringToFront();
    await selectTab(otherWindow, tabOf('Pause'));
    await runAndAwait(otherWindow, 'Pause');
    await page.bringToFront();
    await expect.poll(() => shownResult(page)).toMatch(/"after": \{\s+"state": "PAUSED"/);
    await keepPicture(page, 'watching-paused');
    await fetch(`${graph.sandbox.url}/sandbox/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"kind":"disconnect"}',
    });
    await expect.poll(() => shownResult(page)).toContain('"displayName": "Kelpgate Roasters"');
    expect(await shownResult(page)).toMatch(/"after": \{\s+"state": "NEEDS_RECONNECT"/);
    await pressRun(page);
  });
});

/** What the page says of its subscription; nothing where none is running. */
async function notice(page: Page): Promise<string> {
  return (await page.locator('.live-notice').allInnerTexts()).join('');
}
