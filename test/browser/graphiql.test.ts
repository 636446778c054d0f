import { assertObjectType } from 'graphql';
import type { Page, BrowserContextOptions, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXAMPLE_TABS } from '../../packages/explorer/src/tabs.ts';
import { schema } from '../../src/schema/index.ts';
import {
  keepPicture,
  leavesOutBrowser,
  pressRun,
  untilReady,
  type OpenedPage,
  openPage,
  newPage,
  CLICK,
  SHOWN_TOOL,
} from '../support/browser.ts';
import { startGraph, shareGraph } from '../support/graph.ts';
import { ENDLESSLY_SLOW, finishTexts } from '../support/sandbox.ts';
import { openTcpProxy } from '../support/network.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

/** GraphiQL in a page of its own, and what it said and did that it should not have. */
interface GraphiqlPage {
  readonly page: Page;
  /** Errors in the console, exceptions, and what the policy kept the page from. */
  readonly complaints: readonly string[];
  /** Every request over HTTP. */
  readonly requests: readonly Request[];
  /** Address of every request, and of every WebSocket. */
  readonly addresses: readonly string[];
  /** Every message that went over a WebSocket to the server, parsed. */
  readonly sent: readonly SocketMessage[];
}

/** A message of graphql-transport-ws, as far as tests look. */
interface SocketMessage {
  readonly type: string;
  readonly payload?: { readonly extensions?: { readonly headers?: Readonly<Record<string, string>> } };
}

/** Opens GraphiQL and waits until it can be used. */
async function openGraphiql(
  url: string,
  path = '/graphql',
  options: BrowserContextOptions = {},
): Promise<GraphiqlPage> {
  return await load(await openPage(options), url + path);
}

/**
 * GraphiQL in one page for all tests of a file, since loading it costs more than most tests; the next test finds the page
 * as the last one left it. Read it within a test.
 */
function shareGraphiql(server: { readonly url: string }, path = '/graphql'): () => GraphiqlPage {
  let loaded: GraphiqlPage | undefined;
  beforeAll(async () => {
    loaded = await load(await newPage(), server.url + path);
  });
  afterAll(() => loaded?.page.context().close());
  return () => {
    if (!loaded) throw new Error('GraphiQL has not been opened yet');
    return loaded;
  };
}

async function load({ page, requests }: OpenedPage, address: string): Promise<GraphiqlPage> {
  const complaints: string[] = [];
  const sockets: string[] = [];
  const sent: SocketMessage[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('websocket', (socket) => {
    sockets.push(socket.url());
    socket.on('framesent', ({ payload }) => sent.push(JSON.parse(String(payload)) as SocketMessage));
  });
  await page.goto(address);
  await untilReady(page);
  return {
    page,
    complaints,
    sent,
    requests,
    get addresses() {
      return [...requests.map((request) => request.url()), ...sockets];
    },
  };
}

/** Shows a tab, by its place. */
async function selectTab(page: Page, index: number): Promise<void> {
  const tab = page.locator('.graphiql-tab').nth(index);
  await expect
    .poll(async () => {
      await tab.locator('.graphiql-tab-button').click(CLICK);
      return await tab.getAttribute('class');
    })
    .toContain('graphiql-tab-active');
}

/** Titles of the tabs. */
async function titlesOfTabs(page: Page): Promise<string[]> {
  return await page.locator('.graphiql-tab-button').allInnerTexts();
}

/** An answer over HTTP. */
interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: unknown;
}

/**
 * Runs what the tab shows, a query or mutation of that name, and gives its answer. After a change of tabs GraphiQL sends the
 * name of the last tab's operation for a moment, which executes nothing; then it is run again, as a person would.
 */
async function runAndAwait(page: Page, operation: string): Promise<Answer> {
  for (;;) {
    const answered = page.waitForResponse((response) =>
      new RegExp(`(?:query|mutation) ${operation}\\b`).test(response.request().postData() ?? ''),
    );
    await pressRun(page);
    const response = await answered;
    const sent = JSON.parse(response.request().postData() ?? '{}') as { readonly operationName?: string };
    if ((sent.operationName ?? operation) === operation) return (await response.json()) as Answer;
  }
}

/** The text of the answer, whose blanks the editor shows as others. */
async function shownResult(page: Page): Promise<string> {
  return withBlanks(await page.locator('.result-window').innerText());
}

/** Whether the editors of variables and headers are open. */
async function areToolsShown(page: Page): Promise<boolean> {
  const box = await page.locator('.graphiql-editor-tool').boundingBox();
  return (box?.x ?? 0) > 0;
}

/** The text in the editor of the headers. */
async function shownHeaders(page: Page): Promise<string> {
  return withBlanks(await page.locator(SHOWN_TOOL).innerText());
}

/** Puts headers in place of those that are there, as a person does who pastes them. */
async function pasteHeaders(page: Page, headers: Readonly<Record<string, string>>): Promise<void> {
  await page.click('.graphiql-editor-tools [data-name="headers"]', CLICK);
  await paste(page, SHOWN_TOOL, JSON.stringify(headers));
  await expect.poll(() => shownHeaders(page)).toContain(Object.values(headers)[0]);
}

/** Puts an operation in place of the one that is there. */
async function pasteQuery(page: Page, query: string): Promise<void> {
  await paste(page, '.graphiql-query-editor', query);
}

// What is typed would be completed by the editor: a bracket brings its other half.
async function paste(page: Page, editor: string, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.locator(`${editor} .view-lines`).click(CLICK);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('ControlOrMeta+V');
}

/** Everything that the page left in the browser. */
async function keptInBrowser(page: Page): Promise<string> {
  return await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
}

/** Titles of the tabs that the browser has kept. */
async function keptTitles(page: Page): Promise<string[]> {
  return await page.evaluate(
    `JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{"tabs":[]}').tabs.map(({ title }) => title)`,
  );
}

function withBlanks(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}

/** At most this many compressed bytes are loaded at the first visit. */
const MAX_BYTES = 1_500_000;
const OPERATION = /^(query|mutation|subscription) (\w+)/m;
const TITLES = EXAMPLE_TABS.map(({ query }) => OPERATION.exec(query)?.[2] ?? '');
const tabOf = (name: string): number => TITLES.indexOf(name);
/** What the sandbox generates; nothing else has these words. */
const TEXT = 'The sandbox made this text';

// Loading GraphiQL costs more than most of what is done with it: each test finds the page as the last one left it.
describe.skipIf(leavesOutBrowser())('GraphiQL', () => {
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
  const graphiql = shareGraphiql(through);

  test('loads little, and that once, with the credentials of the sandbox', async () => {
    const { page, requests } = graphiql();
    const bytes = await bytesOnceLoaded(page);
    expect(bytes).toBeGreaterThan(MAX_BYTES / 3);
    expect(bytes).toBeLessThan(MAX_BYTES);
    await page.reload();
    await untilReady(page);
    expect(await loadedBytes(page, 'transferSize')).toBe(0);
    expect(await page.title()).toBe('Social Publishing GraphQL');
    expect(await page.locator('.graphiql-logo').innerText()).toBe('Social Publishing GraphQL');
    expect(await titlesOfTabs(page)).toEqual(TITLES);
    const asked = requests.filter((request) => request.postData()?.includes('__schema'));
    const keys = asked.map((request) => request.headers()['x-api-key']);
    expect(new Set(keys)).toEqual(new Set([graph.sandbox.owners[0].apiKey]));
  });

  test('has readable comments, and says what the history is for while it is empty', async () => {
    const { page } = graphiql();
    await expect.poll(() => contrastOfComments(page)).toBeGreaterThan(4.5);
    await page.click('[aria-label="Show History"]');
    const hint = page.locator('.history-hint');
    expect(await hint.innerText()).toContain('operations that you run are listed here');
    await keepPicture(page, 'empty-history');
    await pressRun(page);
    await hint.waitFor({ state: 'detached' });
    expect(await page.locator('.graphiql-history-item').count()).toBe(1);
    await page.click('[aria-label="Hide History"]');
  });

  test('hides headers that are complete, and opens the variables that a comment names', async () => {
    const { page } = graphiql();
    expect(await page.locator('.variables-hint').count()).toBe(0);
    expect(await areToolsShown(page)).toBe(false);
    await selectTab(page, tabOf('Publish'));
    await page.locator('.variables-hint').first().click();
    await expect.poll(() => areToolsShown(page)).toBe(true);
    const shown = page.locator('.graphiql-editor-tool[aria-label="Variables"]');
    await expect.poll(() => shown.innerText()).toContain('idempotencyKey');
    await keepPicture(page, 'variables');
  });

  test('runs each of its example tabs without an error, and calls no other server', async () => {
    const { page, addresses, complaints } = graphiql();
    for (const [index, tab] of EXAMPLE_TABS.entries()) {
      const [, kind, name = ''] = OPERATION.exec(tab.query) ?? [];
      await selectTab(page, index);
      if (kind === 'subscription') {
        // The tests below follow each of them.
        await keepPicture(page, `tab-${index + 1}-${name}`);
        continue;
      }
      const { data, errors } = await runAndAwait(page, name);
      expect(errors, `errors of the tab ${name}`).toBeUndefined();
      const fields = Object.values(data ?? { none: null });
      expect(fields, `root fields of the tab ${name}`).not.toContain(null);
      if (kind === 'mutation') expect(fields, name).toMatchObject([{ userErrors: [] }]);
      if (index === 0) await expect.poll(() => shownResult(page)).toContain('"accounts"');
      await keepPicture(page, `tab-${index + 1}-${name}`);
    }
    // Any number of times: a fixed key would only return the first result.
    for (const name of ['Publish', 'Schedule', 'Pause', 'Publish']) {
      await selectTab(page, tabOf(name));
      const [payload] = Object.values((await runAndAwait(page, name)).data ?? {});
      expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [] });
      expect(payload).not.toMatchObject({ replayed: true });
    }
    const own = [`${through.url}/`, `${through.url.replace('http', 'ws')}/`];
    expect(addresses.filter((address) => !own.some((start) => address.startsWith(start)))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('stores no credential, whatever was run, written or marked as a favourite', async () => {
    const { page } = graphiql();
    const { apiKey, accessToken } = graph.sandbox.owners[1];
    await selectTab(page, 0);
    await pasteHeaders(page, { 'x-api-key': apiKey, authorization: `Bearer ${accessToken}` });
    expect(await areToolsShown(page)).toBe(true);
    await runAndAwait(page, 'Accounts');
    await page.click('[aria-label="Show History"]');
    await page.locator('[aria-label="Add favorite"]').first().click();
    await selectTab(page, 1);
    await selectTab(page, 0);
    // What is typed is stored half a second later.
    await expect.poll(() => keptInBrowser(page)).toContain('"activeTabIndex\\":0');
    const kept = await keptInBrowser(page);
    expect(kept).toContain('query Accounts');
    for (const owner of graph.sandbox.owners)
      for (const secret of [owner.apiKey, owner.accessToken]) expect(kept).not.toContain(secret);
  });

  test('takes the text of an operation from the history, and leaves the headers as they are', async () => {
    const { page } = graphiql();
    const { apiKey } = graph.sandbox.owners[1];
    await selectTab(page, tabOf('Queue'));
    await pasteHeaders(page, { 'x-api-key': apiKey });
    await keepPicture(page, 'history');
    const items = page.locator('.graphiql-history-item-label');
    await items
      .filter({ hasText: /^Accounts$/ })
      .first()
      .click();
    await expect.poll(() => titlesOfTabs(page)).toEqual(TITLES.with(tabOf('Queue'), 'Accounts'));
    expect(await shownHeaders(page)).toContain(apiKey);
    expect((await runAndAwait(page, 'Accounts')).errors).toBeUndefined();
  });

  test('remembers the history and the tabs, but not the tabs of another set of examples; it is dark when the system is', async () => {
    const { page } = graphiql();
    const items = page.locator('.graphiql-history-item-label');
    const [before, history] = [await titlesOfTabs(page), await items.allInnerTexts()];
    // GraphiQL stores them half a second after a change.
    await expect.poll(() => keptTitles(page)).toEqual(before);
    await page.goto(
      `${through.url}/graphql?query=${encodeURIComponent('query Mine { surfaces { surface } }')}`,
    );
    await untilReady(page);
    expect(new URL(page.url()).search).toBe('');
    await expect.poll(() => items.allInnerTexts()).toEqual(history);
    expect(await titlesOfTabs(page)).toEqual([...before, 'Mine']);
    await runAndAwait(page, 'Mine');
    await expect.poll(() => keptTitles(page)).toEqual([...before, 'Mine']);

    await page.evaluate(`localStorage.setItem('graphiql:edition', 'of last year')`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.reload();
    await untilReady(page);
    expect(await titlesOfTabs(page)).toEqual(TITLES);
    expect(await page.locator('.graphiql-query-editor').innerText()).toContain('Accounts');
    await expect.poll(() => items.allInnerTexts()).toContain('Mine');
    await page.click('[aria-label="Hide History"]');

    const colour = await page.evaluate(
      `getComputedStyle(document.querySelector('.graphiql-container')).backgroundColor`,
    );
    expect(colour).toMatch(/^rgb\((?:[0-9]|[1-5]\d), (?:[0-9]|[1-5]\d), (?:[0-9]|[1-6]\d)\)$/);
    await expect.poll(() => contrastOfComments(page)).toBeGreaterThan(4.5);
    await keepPicture(page, 'dark');
  });

  test.each([640, 1280, 1920])(
    'shows the whole title of each tab, %i pixels wide, and the response where there is room',
    async (width) => {
      const { page } = graphiql();
      await page.setViewportSize({ width, height: width === 1920 ? 1000 : 720 });
      await selectTab(page, TITLES.length - 1);
      expect(await titlesInSight(page)).toBe(TITLES.length);
      // Below the operation in half of a laptop's screen, and beside it otherwise.
      expect(await isResponseBelow(page)).toBe(width === 640);
      await page.click('[aria-label="Show Documentation Explorer"]');
      await page.waitForSelector('.graphiql-doc-explorer-content');
      expect(await titlesInSight(page)).toBe(TITLES.length);
      await keepPicture(page, `layout-${width}`);
      await page.click('[aria-label="Hide Documentation Explorer"]');
    },
  );

  test('opens its documentation as a guide', async () => {
    const { page } = graphiql();
    await page.click('[aria-label="Show Documentation Explorer"]');
    const guide = page.locator('.graphiql-doc-explorer-content');
    await expect.poll(() => guide.innerText()).toContain('Where to begin.');
    await keepPicture(page, 'docs');
    await guide.getByText('Query', { exact: true }).first().click();
    await expect.poll(() => guide.innerText()).toContain('All reads.');
    await page.click('[aria-label="Hide Documentation Explorer"]');
  });

  test('completes fields and arguments in the order of the schema, and wraps long lines', async () => {
    const { page } = graphiql();
    await selectTab(page, tabOf('LegacySurface'));
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
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    await pasteQuery(page, `# ${words}\n{ __typename }`);
    const editor = page.locator('.graphiql-query-editor .view-lines');
    await expect.poll(() => editor.innerText()).toContain('word59');
    await expect.poll(() => editor.locator('.view-line').count()).toBeGreaterThan(5);
  });

  test('stops an operation, and explains that the server is out of reach or does not respond with JSON', async () => {
    const { page } = graphiql();
    await selectTab(page, 0);
    await page.route('**/graphql', () => undefined);
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await pressRun(page);
    const stopped = page.waitForEvent('requestfailed');
    await asked;
    await pressRun(page);
    expect((await stopped).failure()?.errorText).toBe('net::ERR_ABORTED');
    await page.waitForSelector('[aria-label^="Execute query"]');
    expect(await shownResult(page)).toBe('');
    await page.unroute('**/graphql');
    await page.route('**/graphql', (route) => route.abort());
    await pressRun(page);
    await expect.poll(() => shownResult(page)).toContain('The server cannot be reached.');
    await page.unroute('**/graphql');
    await page.route('**/graphql', (route) => route.fulfill({ status: 502, body: '<html>' }));
    await pressRun(page);
    await expect.poll(() => shownResult(page)).toContain('answered with status 502');
    expect(await shownResult(page)).not.toContain('stack');
    await page.unroute('**/graphql');
  });

  test('says that no connection could be opened for a subscription, and does not try again', async () => {
    const { page } = graphiql();
    await selectTab(page, tabOf('LiveResults'));
    proxy.cut();
    await pressRun(page);
    await expect.poll(() => shownResult(page)).toContain('The WebSocket could not be opened');
    expect(await notice(page)).toBe('');
    proxy.restore();
  });

  test('sends the headers of the tab with each subscription, and none with the connection', async () => {
    const { page, sent } = graphiql();
    const { owners, push } = graph.sandbox;
    const from = sent.length;
    const follow = async (): Promise<void> => {
      await pressRun(page);
      await push.waitForOpen(1);
      await pressRun(page);
      await push.waitForOpen(0);
    };
    await follow();
    await pasteHeaders(page, { 'X-API-Key': owners[1].apiKey });
    await follow();
    const payloadsOf = (type: string) =>
      sent.slice(from).flatMap((message) => (message.type === type ? [message.payload] : []));
    const keys = () => payloadsOf('subscribe').map((payload) => payload?.extensions?.headers?.['x-api-key']);
    // The browser reports what it has sent a moment later.
    await expect.poll(keys).toEqual(owners.slice(0, 2).map(({ apiKey }) => apiKey));
    expect(new Set(payloadsOf('connection_init'))).toEqual(new Set([undefined]));
    await pasteHeaders(page, { 'x-api-key': owners[0].apiKey });
  });

  test('reconnects a subscription after a restart, says so, and shows the next result', async () => {
    const { page } = graphiql();
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
    expect(await shownResult(page)).toContain('"prompt": "A line about rain, slowly"');
    await pressRun(page);
    await expect.poll(() => notice(page)).toBe('');
  });

  test('does not resume a subscription that is stopped while it reconnects, and can start it again', async () => {
    const { page } = graphiql();
    const { push } = graph.sandbox;
    await pressRun(page);
    // The feeds of the subscription before may still be open: only the page says that this one is there.
    await expect.poll(() => notice(page)).toContain('Listening.');
    await push.waitForOpen(1);
    proxy.cut();
    await expect.poll(() => notice(page)).toContain('The connection was lost.');
    await pressRun(page);
    await expect.poll(() => notice(page)).toBe('');
    await push.waitForOpen(0);
    proxy.restore();
    await pressRun(page);
    await push.waitForOpen(1);
    await expect.poll(() => notice(page)).toContain('istening');
    await pressRun(page);
    await push.waitForOpen(0);
  });

  test('follows the queue while others add posts and posts leave', async () => {
    const { page } = graphiql();
    await selectTab(page, tabOf('WatchQueue'));
    await pressRun(page);
    await expect.poll(() => shownResult(page)).toContain('"SNAPSHOT"');
    await graph.query(documentOf('createPost'), { variables: { input: EXAMPLES.createPost } });
    await expect.poll(() => shownResult(page)).toContain('"ADDED"');
    await keepPicture(page, 'watching-added');
    const { queue } = graph.sandbox.state.owner('harbour');
    const before = queue.length;
    while (graph.sandbox.state.owner('harbour').queue.length === before) hours += 1;
    await expect.poll(() => shownResult(page)).toContain('"LEFT"');
    await keepPicture(page, 'watching-left');
    await pressRun(page);
  });

  test('follows the health of the accounts while one is disconnected', async () => {
    const { page } = graphiql();
    await selectTab(page, tabOf('WatchHealth'));
    await pressRun(page);
    await expect.poll(() => shownResult(page)).toContain('"SNAPSHOT"');
    graph.sandbox.makeHappen({ kind: 'disconnect' });
    await expect.poll(() => shownResult(page)).toMatch(/"after": \{\s+"state": "NEEDS_RECONNECT"/);
    expect(await shownResult(page)).toContain('"displayName": "Kelpgate Roasters"');
    await keepPicture(page, 'watching-disconnected');
    await pressRun(page);
  });

  test('has a policy that keeps it from running inline scripts and calling other servers', async () => {
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

  test('asks for headers, says why it has no schema, and runs operations without one', async () => {
    const token = 'a-token-of-a-client-that-is-long';
    const guarded = await startGraph({ environment: { CLIENT_TOKENS: token, INTROSPECTION: 'off' } });
    const { page, complaints } = await openGraphiql(guarded.url);
    expect(await areToolsShown(page)).toBe(true);
    expect(await shownHeaders(page)).toContain('YOUR API KEY');
    const schemaNotice = page.locator('.schema-notice');
    await expect.poll(() => schemaNotice.innerText()).toContain('is not valid. Correct the headers');
    await keepPicture(page, 'refused-schema');
    expect(complaints.join('\n')).toMatch(/^Failed to load resource: [^\n]* 401 [^\n]*$/);
    await pasteHeaders(page, { 'x-client-token': token, ...guarded.caller.key });
    await page.click('[aria-label^="Re-fetch GraphQL schema"]');
    await expect.poll(() => schemaNotice.innerText()).toContain('does not let its schema be read.');
    await keepPicture(page, 'no-schema');
    expect((await runAndAwait(page, 'Accounts')).errors).toBeUndefined();
    await selectTab(page, 1);
    await expect.poll(() => shownHeaders(page)).toContain(token);
    expect(await keptInBrowser(page)).not.toContain(token);
  });
});

/** What the page says of its subscription; nothing where none is running. */
async function notice(page: Page): Promise<string> {
  return (await page.locator('.live-notice').allInnerTexts()).join('');
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

// What workers load beyond their own files is not reported; they load nothing. A worker that is started again comes from
// the cache, and is reported once more.
async function loadedBytes(page: Page, measure: 'encodedBodySize' | 'transferSize'): Promise<number> {
  const sizes = await page.evaluate<[string, number][]>(
    `performance.getEntriesByType('resource')
      .filter(({ name }) => name.includes('/explorer/'))
      .map(({ name, ${measure} }) => [name, ${measure}])`,
  );
  return [...new Map(sizes).values()].reduce((sum, size) => sum + size, 0);
}

async function isResponseBelow(page: Page): Promise<boolean> {
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
