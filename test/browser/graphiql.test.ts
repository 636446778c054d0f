import { assertObjectType } from 'graphql';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GRAPHIQL_HANDOVER_KEY } from '../../packages/explorer/src/options.ts';
import { EXAMPLE_TABS } from '../../packages/explorer/src/tabs.ts';
import { schema } from '../../src/schema/index.ts';
import {
  keepPicture,
  leavesOutBrowser,
  pressRun,
  untilReady,
  type OpenedPage,
  newPage,
  CLICK,
  SHOWN_TOOL,
  NO_STORAGE,
} from '../support/browser.ts';
import { startGraph, shareGraph } from '../support/graph.ts';
import { ENDLESSLY_SLOW, finishTexts } from '../support/sandbox.ts';
import { openTcpProxy } from '../support/network.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

// What the explorer adds to GraphiQL. Loading it costs more than most of what is done with it, so that one page serves all
// tests, each of which finds it as the last one left it.

/** A message of graphql-transport-ws, as far as tests look. */
interface SocketMessage {
  readonly type: string;
  readonly payload?: { readonly extensions?: { readonly headers?: Readonly<Record<string, string>> } };
}

/** At most this many compressed bytes are loaded at the first visit. */
const MAX_BYTES = 1_500_000;
const TITLES = EXAMPLE_TABS.map(
  ({ query }) => /^(?:query|mutation|subscription) (\w+)/m.exec(query)?.[1] ?? '',
);

describe.skipIf(leavesOutBrowser())('GraphiQL', () => {
  const graph = shareGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  let watched: OpenedPage;
  const sockets: string[] = [];
  /** Every message that went over a WebSocket to the server. */
  const sent: SocketMessage[] = [];
  let page: Page;
  let url: string;

  beforeAll(async () => {
    proxy = await openTcpProxy(Number(new URL(graph.url).port));
    url = `http://127.0.0.1:${proxy.port}`;
    watched = await newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
    ({ page } = watched);
    page.on('websocket', (socket) => {
      sockets.push(socket.url());
      socket.on('framesent', ({ payload }) => sent.push(JSON.parse(String(payload)) as SocketMessage));
    });
    await page.goto(`${url}/graphql`);
    await untilReady(page);
  });
  afterAll(async () => {
    await page.context().close();
    proxy.close();
  });

  async function selectTab(name: string): Promise<void> {
    const tab = page.locator('.graphiql-tab').nth(TITLES.indexOf(name));
    await expect
      .poll(async () => {
        await tab.locator('.graphiql-tab-button').click(CLICK);
        return await tab.getAttribute('class');
      })
      .toContain('graphiql-tab-active');
  }

  const titlesOfTabs = () => page.locator('.graphiql-tab-button').allInnerTexts();
  const notice = async () => (await page.locator('.live-notice').allInnerTexts()).join('');
  // The editors show blanks as others.
  const textIn = async (place: string) => (await page.locator(place).innerText()).replaceAll('\u00a0', ' ');
  const shownResult = () => textIn('.result-window');
  const shownHeaders = () => textIn(SHOWN_TOOL);
  const areToolsShown = async () =>
    ((await page.locator('.graphiql-editor-tool').first().boundingBox())?.x ?? 0) > 0;

  /**
   * Runs what the tab shows, an operation of that name, and gives its answer. After a change of tabs GraphiQL sends the name
   * of the last tab's operation for a moment, which executes nothing; then it is run again, as a person would.
   */
  async function run(operation: string) {
    for (;;) {
      const answered = page.waitForResponse((response) =>
        new RegExp(`(?:query|mutation) ${operation}\\b`).test(response.request().postData() ?? ''),
      );
      await pressRun(page);
      const response = await answered;
      // Until the page has the answer as well, the same button stops the operation.
      await page.waitForSelector('[aria-label^="Execute query"]');
      const { operationName = operation, variables } = JSON.parse(response.request().postData() ?? '{}') as {
        readonly operationName?: string;
        readonly variables?: unknown;
      };
      if (operationName !== operation) continue;
      const answer = (await response.json()) as { data?: Record<string, unknown>; errors?: unknown };
      return { ...answer, headers: response.request().headers(), variables };
    }
  }

  // What is typed would be completed by the editor: a bracket brings its other half.
  async function paste(editor: string, text: string): Promise<void> {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await page.locator(`${editor} .view-lines`).click(CLICK);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('ControlOrMeta+V');
  }

  async function pasteHeaders(headers: Readonly<Record<string, string>>): Promise<void> {
    await page.click('.graphiql-editor-tools [data-name="headers"]', CLICK);
    await paste(SHOWN_TOOL, JSON.stringify(headers));
    await expect.poll(shownHeaders).toContain(Object.values(headers)[0]);
  }

  const keptInBrowser = (): Promise<string> =>
    page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
  const keptTitles = (): Promise<string[]> =>
    page.evaluate(
      `JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{"tabs":[]}').tabs.map(({ title }) => title)`,
    );

  // Workers load nothing beyond their own files.
  const loadedFiles = async (measure: 'encodedBodySize' | 'transferSize'): Promise<Map<string, number>> =>
    new Map(
      await page.evaluate<[string, number][]>(`performance.getEntriesByType('resource')
        .filter(({ name }) => name.includes('/explorer/')).map(({ name, ${measure} }) => [name, ${measure}])`),
    );

  test('loads little, and that once, with the credentials of the sandbox', async () => {
    await page.waitForLoadState('networkidle');
    const files = await loadedFiles('encodedBodySize');
    const bytes = [...files.values()].reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(MAX_BYTES / 3);
    expect(bytes).toBeLessThan(MAX_BYTES);
    await page.reload();
    await untilReady(page);
    // A font or a worker may be loaded so late that the first page is gone before, and the second one loads it first.
    const again = [...(await loadedFiles('transferSize'))].filter(([name]) => files.has(name));
    expect(again.length).toBeGreaterThan(0);
    expect(again.filter(([, size]) => size !== 0)).toEqual([]);
    expect(await page.locator('.graphiql-logo').innerText()).toBe('Social Publishing GraphQL');
    expect(await titlesOfTabs()).toEqual(TITLES);
    const asked = watched.requests.filter((request) => request.postData()?.includes('__schema'));
    expect(asked.length).toBeGreaterThan(0);
    const [{ apiKey }] = graph.sandbox.owners;
    for (const request of asked) expect(request.headers()['x-api-key']).toBe(apiKey);
    // The guide of the documentation is the description of the schema.
    expect(asked[0]?.postData()).toMatch(/__schema \{(?:\s|\\n)*description/);
  });

  test('has readable comments, and says what the history is for while it is empty', async () => {
    await expect.poll(() => contrastOfComments(page)).toBeGreaterThan(4.5);
    await page.click('[aria-label="Show History"]');
    const hint = page.locator('.history-hint');
    expect(await hint.innerText()).toContain('operations that you run are listed here');
    await keepPicture(page, 'empty-history');
    expect((await run('Accounts')).errors).toBeUndefined();
    await hint.waitFor({ state: 'detached' });
  });

  test('hides headers that are complete, opens the variables that a comment names, and renews the key in them', async () => {
    expect(await areToolsShown()).toBe(false);
    await selectTab('Publish');
    await page.locator('.variables-hint').first().click();
    await expect.poll(areToolsShown).toBe(true);
    const shown = page.locator('.graphiql-editor-tool[aria-label="Variables"]');
    await expect.poll(() => shown.innerText()).toContain('idempotencyKey');
    await keepPicture(page, 'variables');
    for (let time = 0; time < 2; time += 1)
      expect((await run('Publish')).data?.['createPost']).toMatchObject({
        outcome: 'COMPLETED',
        replayed: false,
        userErrors: [],
      });
  });

  test('stores no credential, and keeps the headers of a tab when the history replaces its operation', async () => {
    const { apiKey, accessToken } = graph.sandbox.owners[1];
    await selectTab('Accounts');
    await pasteHeaders({ 'x-api-key': apiKey, authorization: `Bearer ${accessToken}` });
    await run('Accounts');
    await page.locator('[aria-label="Add favorite"]').first().click();
    await selectTab('Queue');
    await pasteHeaders({ 'x-api-key': apiKey });
    const items = page.locator('.graphiql-history-item-label').filter({ hasText: /^Accounts$/ });
    await items.first().click();
    await expect.poll(titlesOfTabs).toEqual(TITLES.with(TITLES.indexOf('Queue'), 'Accounts'));
    expect(await shownHeaders()).toContain(apiKey);
    expect((await run('Accounts')).headers['x-api-key']).toBe(apiKey);
    // GraphiQL stores what was changed half a second later.
    await expect.poll(keptTitles).toEqual(await titlesOfTabs());
    const kept = await keptInBrowser();
    expect(kept).toContain('query Accounts');
    for (const owner of graph.sandbox.owners)
      for (const secret of [owner.apiKey, owner.accessToken]) expect(kept).not.toContain(secret);
  });

  test('opens the operation in the address, and remembers the history and the tabs, but no tabs of other examples; comments are readable in the dark', async () => {
    const history = page.locator('.graphiql-history-item-label');
    const [before, remembered] = [await titlesOfTabs(), await history.allInnerTexts()];
    const query = 'query Mine { surfaces { surface } }';
    await page.goto(`${url}/graphql?query=${encodeURIComponent(query)}`);
    await untilReady(page);
    expect(new URL(page.url()).search).toBe('');
    await expect.poll(() => history.allInnerTexts()).toEqual(remembered);
    expect(await titlesOfTabs()).toEqual([...before, 'Mine']);
    await run('Mine');
    await expect.poll(keptTitles).toEqual([...before, 'Mine']);

    await page.evaluate(`localStorage.setItem('graphiql:edition', 'of last year')`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.reload();
    await untilReady(page);
    expect(await titlesOfTabs()).toEqual(TITLES);
    await expect.poll(() => history.allInnerTexts()).toContain('Mine');
    await expect.poll(() => contrastOfComments(page)).toBeGreaterThan(4.5);
    await keepPicture(page, 'dark');
    await page.click('[aria-label="Hide History"]');
  });

  test.each([640, 1280])('shows the whole title of each tab, %i pixels wide', async (width) => {
    await page.setViewportSize({ width, height: 720 });
    await selectTab('WatchHealth');
    await page.click('[aria-label="Show Documentation Explorer"]');
    await page.waitForSelector('.graphiql-doc-explorer-content');
    // The tabs glide to their places.
    await expect.poll(() => titlesInSight(page)).toBe(TITLES.length);
    // The response is below the operation in half of a laptop's screen, and beside it otherwise.
    const [editors, response] = await Promise.all(
      ['.graphiql-editors', '.graphiql-response'].map((name) => page.locator(name).boundingBox()),
    );
    expect((response?.y ?? 0) > (editors?.y ?? 0) + 100).toBe(width === 640);
    await keepPicture(page, `layout-${width}`);
    await page.click('[aria-label="Hide Documentation Explorer"]');
  });

  test('completes fields in the order of the schema, and wraps long lines', async () => {
    await selectTab('LegacySurface');
    await paste('.graphiql-query-editor', '');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('{ accounts { nodes { ');
    await page.keyboard.press('ControlOrMeta+Space');
    const names = page.locator('.suggest-widget .monaco-list-row .label-name');
    const fields = Object.keys(assertObjectType(schema.getType('Account')).getFields());
    // The names are there before they are visible, and have no text until then.
    await expect.poll(async () => (await names.allInnerTexts()).slice(0, 12)).toEqual(fields.slice(0, 12));
    await keepPicture(page, 'completion');
    await page.keyboard.press('Escape');
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    await paste('.graphiql-query-editor', `# ${words}\n{ __typename }`);
    const lines = page.locator('.graphiql-query-editor .view-line');
    await expect.poll(() => lines.count()).toBeGreaterThan(5);
  });

  test('stops an operation, and explains that the server is out of reach or does not respond with JSON', async () => {
    await selectTab('Accounts');
    await page.route('**/graphql', () => undefined);
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await pressRun(page);
    const stopped = page.waitForEvent('requestfailed');
    await asked;
    await pressRun(page);
    expect((await stopped).failure()?.errorText).toBe('net::ERR_ABORTED');
    await page.waitForSelector('[aria-label^="Execute query"]');
    // The editor would show an error in its next frame.
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect(await shownResult()).toBe('');
    await page.route('**/graphql', (route) => route.abort());
    await pressRun(page);
    await expect.poll(shownResult).toContain('The server cannot be reached.');
    await page.route('**/graphql', (route) => route.fulfill({ status: 502, body: '<html>' }));
    await pressRun(page);
    await expect.poll(shownResult).toContain('answered with status 502');
    expect(await shownResult()).not.toContain('stack');
    await page.unrouteAll();
  });

  test('says that no connection could be opened for a subscription, and does not try again', async () => {
    await selectTab('LiveResults');
    // GraphiQL reads the text a moment later; until then it would send what is run by POST, as that of the last tab.
    await expect
      .poll(() => page.evaluate(`localStorage.getItem('graphiql:query')`))
      .toContain('subscription LiveResults');
    proxy.cut();
    await pressRun(page);
    await expect.poll(shownResult).toContain('The WebSocket could not be opened');
    expect(await notice()).toBe('');
    proxy.restore();
  });

  test('sends the headers of the tab with each subscription, and none with the connection', async () => {
    const { owners, push } = graph.sandbox;
    const follow = async (): Promise<void> => {
      await pressRun(page);
      await push.waitForOpen(1);
      await pressRun(page);
      await push.waitForOpen(0);
    };
    await follow();
    await pasteHeaders({ 'X-API-Key': owners[1].apiKey });
    await follow();
    const payloadsOf = (type: string) =>
      sent.flatMap((message) => (message.type === type ? [message.payload] : []));
    const keys = () => payloadsOf('subscribe').map((payload) => payload?.extensions?.headers?.['x-api-key']);
    // The browser reports what it has sent a moment later.
    await expect.poll(keys).toEqual(owners.slice(0, 2).map(({ apiKey }) => apiKey));
    expect(new Set(payloadsOf('connection_init'))).toEqual(new Set([undefined]));
    await pasteHeaders({ 'x-api-key': owners[0].apiKey });
  });

  test('reconnects a subscription after a restart, says so, and resumes none that was stopped meanwhile', async () => {
    const { push } = graph.sandbox;
    await pressRun(page);
    await expect.poll(notice).toContain('Listening.');
    await push.waitForOpen(1);
    proxy.cut();
    await expect.poll(notice).toMatch(/^The connection was lost\. Connecting again, attempt \d/);
    expect(await shownResult()).not.toContain('isTrusted');
    await keepPicture(page, 'reconnecting');
    await pressRun(page);
    await expect.poll(notice).toBe('');
    await push.waitForOpen(0);

    proxy.restore();
    await pressRun(page);
    await push.waitForOpen(1);
    proxy.cut();
    await expect.poll(notice).toContain('The connection was lost.');
    // What the server opened for the last subscription stays open for a while, and would be taken for that of the next.
    await push.waitForOpen(0);
    proxy.restore();
    await expect.poll(notice).toContain('Connected again at');
    await keepPicture(page, 'reconnected');
    await push.waitForOpen(1);
    const input = { ...EXAMPLES.generateAiText, prompt: 'A line about rain, slowly' };
    await graph.query(documentOf('generateAiText'), { variables: { input } });
    finishTexts(graph.sandbox);
    await expect.poll(shownResult).toContain('"prompt": "A line about rain, slowly"');
    expect(await shownResult()).toContain('The sandbox made this text');
    await pressRun(page);
    await expect.poll(notice).toBe('');
  });

  test('calls no other server, and nothing that it does is against its policy', () => {
    const addresses = [...watched.requests.map((request) => request.url()), ...sockets];
    const own = [`${url}/`, `${url.replace('http', 'ws')}/`];
    expect(addresses.length).toBeGreaterThan(10);
    expect(addresses.filter((address) => !own.some((start) => address.startsWith(start)))).toEqual([]);
    // The connections that were cut, and the response that was no JSON.
    const expected = /ERR_|WebSocket connection to|502|Failed to fetch/;
    expect(watched.complaints.filter((text) => !expected.test(text))).toEqual([]);
  });

  test('takes headers that another page left for it, with an operation for them, and forgets them', async () => {
    const { accessToken } = graph.sandbox.owners[0];
    const left = JSON.stringify({ authorization: `Bearer ${accessToken}` });
    await page.evaluate(
      `sessionStorage.setItem(${JSON.stringify(GRAPHIQL_HANDOVER_KEY)}, ${JSON.stringify(left)})`,
    );
    await page.reload();
    await untilReady(page);
    const { errors, data, headers } = await run('MyAccounts');
    expect(errors).toBeUndefined();
    expect(data?.['accounts']).toMatchObject({ totalCount: 13 });
    expect([headers['authorization'], headers['x-api-key']]).toEqual([`Bearer ${accessToken}`, undefined]);
    await expect.poll(keptTitles).toContain('MyAccounts');
    expect(await keptInBrowser()).not.toContain(accessToken);
  });

  test('gives each write of a run a key of its own, and keeps that of a write that is looked up', async () => {
    const open = async (query: string, variables: Readonly<Record<string, unknown>>): Promise<void> => {
      const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
      await page.goto(`${url}/graphql?${search}`);
      await untilReady(page);
    };
    const input = EXAMPLE_TABS[TITLES.indexOf('Publish')]?.variables?.['input'];
    const twice = ['one', 'two'].map((name) => `${name}: createPost(input: $${name}) { outcome }`);
    const two = `Two($one: CreatePostInput!, $two: CreatePostInput!) { ${twice.join(' ')} }`;
    await open(`mutation ${two}`, { one: input, two: input });
    const { data, variables } = await run('Two');
    expect(data).toEqual({ one: { outcome: 'COMPLETED' }, two: { outcome: 'COMPLETED' } });
    const [idempotencyKey = '', other] = JSON.stringify(variables).match(/graphiql-[0-9a-f]{32}/g) ?? [];
    expect(other).not.toBe(idempotencyKey);
    const look = 'writeOutcome(idempotencyKey: $idempotencyKey) { mutation }';
    await open(`query Known($idempotencyKey: String!) { ${look} }`, { idempotencyKey });
    expect((await run('Known')).data).toEqual({ writeOutcome: { mutation: 'createPost' } });
  });

  test('asks for headers, says why it has no schema, and runs operations without one', async () => {
    const token = 'a-token-of-a-client-that-is-long';
    const guarded = await startGraph({
      environment: { CLIENT_TOKENS: token, INTROSPECTION: 'off' },
    });
    proxy.cut();
    proxy.restore(Number(new URL(guarded.url).port));
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await untilReady(page);
    expect(await areToolsShown()).toBe(true);
    await expect.poll(shownHeaders).toContain('YOUR API KEY');
    const schemaNotice = () => page.locator('.schema-notice').innerText();
    await expect.poll(schemaNotice).toContain('is not valid. Correct the headers');
    await keepPicture(page, 'refused-schema');
    await pasteHeaders({ 'x-client-token': token, ...guarded.caller.key });
    await page.click('[aria-label^="Re-fetch GraphQL schema"]');
    await expect.poll(schemaNotice).toContain('does not let its schema be read.');
    await keepPicture(page, 'no-schema');
    expect((await run('Accounts')).errors).toBeUndefined();
    await selectTab('Paging');
    await expect.poll(shownHeaders).toContain(token);
    await expect
      .poll(() => page.evaluate(`JSON.parse(localStorage.getItem('graphiql:tabState')).activeTabIndex`))
      .toBe(TITLES.indexOf('Paging'));
    expect(await keptInBrowser()).not.toContain(token);
    // A browser that allows no storage is no obstacle.
    await page.addInitScript(NO_STORAGE);
    await page.reload();
    await untilReady(page);
    await expect.poll(shownHeaders).toContain('YOUR API KEY');
  });
});

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
