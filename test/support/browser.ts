import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page, type Request } from 'playwright-core';
import { onTestFinished, afterAll, beforeAll, expect } from 'vitest';
import { isInstalled, programPath } from './programs.ts';

/** What Playwright switches off itself; only the last such list counts, so that ours has to begin with it. */
const OFF_BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];
/**
 * Pages that the browser loads for itself with each window, such as the suggestions below its address bar, and processes
 * that wait for another page: half as much work as GraphiQL.
 */
const PAGES_OF_ITS_OWN = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxAimPopup',
  'PreloadTopChromeWebUI',
  'SpareRendererForSitePerProcess',
];
// A browser of the machine's own; nothing is downloaded, and none of its own errands are run.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${[...OFF_BY_PLAYWRIGHT, ...PAGES_OF_ITS_OWN].join(',')}`,
];

/** True where tests in a browser are left out. */
export function leavesOutBrowser(): boolean {
  return !isInstalled('chromium');
}

/** How long anything of a page is waited for: less than a test may take, so that what is missing is named. */
const PATIENCE_MS = 45_000;

let browser: Promise<Browser> | undefined;

// One browser serves all tests of a worker, since starting it costs as much as a test, and ends with it.
async function launch(): Promise<Browser> {
  const path = programPath('chromium');
  if (path === null) throw new Error('there is no Chromium on this machine');
  return await chromium.launch({ executablePath: path, args: FLAGS, timeout: PATIENCE_MS });
}

/** A page, and every request that it made. */
export interface OpenedPage {
  readonly page: Page;
  readonly requests: readonly Request[];
}

/** A page of the worker's browser that knows nothing of the others; it is closed when the test ends. */
export async function openPage(options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const opened = await newPage(options);
  onTestFinished(() => opened.page.context().close());
  return opened;
}

/** The same, for whoever closes its context. */
export async function newPage(options: BrowserContextOptions = {}): Promise<OpenedPage> {
  browser ??= launch();
  const running = await browser;
  const context = await running.newContext({
    viewport: { width: 1400, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));
  return { page, requests };
}

/** A picture for people, where a folder for them is named in PICTURES. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}

// Tabs can be dragged, and GraphiQL takes some short clicks for the beginning of that.
const CLICK = { delay: 120 } as const;
/** The editor below, which is that of the headers at first. */
const SHOWN_TOOL = '.graphiql-editor-tool .graphiql-editor:not(.hidden)';

/** GraphiQL in a page of its own, and what it said and did that it should not have. */
export interface GraphiqlPage {
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
export interface SocketMessage {
  readonly type: string;
  readonly payload?: { readonly extensions?: { readonly headers?: Readonly<Record<string, string>> } };
}

/** Opens GraphiQL and waits until it can be used. */
export async function openGraphiql(
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
export function shareGraphiql(server: { readonly url: string }, path = '/graphql'): () => GraphiqlPage {
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

/** Waits until operations can be written and run, and the schema is there or refused. */
export async function untilReady(page: Page): Promise<void> {
  await page.waitForSelector('.graphiql-query-editor .view-line');
  await page.waitForSelector(`${SHOWN_TOOL} .view-line`);
  await page.waitForSelector('[aria-label^="Re-fetch GraphQL schema"]:not([disabled])');
}

/** Shows a tab, by its place. */
export async function selectTab(page: Page, index: number): Promise<void> {
  const tab = page.locator('.graphiql-tab').nth(index);
  await expect
    .poll(async () => {
      await tab.locator('.graphiql-tab-button').click(CLICK);
      return await tab.getAttribute('class');
    })
    .toContain('graphiql-tab-active');
}

/** Titles of the tabs. */
export async function titlesOfTabs(page: Page): Promise<string[]> {
  return await page.locator('.graphiql-tab-button').allInnerTexts();
}

/** Presses the button that runs, and stops. */
export async function pressRun(page: Page): Promise<void> {
  await page.click('.graphiql-execute-button', CLICK);
}

/** An answer over HTTP. */
export interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: unknown;
}

/**
 * Runs what the tab shows, a query or mutation of that name, and gives its answer. After a change of tabs GraphiQL sends the
 * name of the last tab's operation for a moment, which executes nothing; then it is run again, as a person would.
 */
export async function runAndAwait(page: Page, operation: string): Promise<Answer> {
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
export async function shownResult(page: Page): Promise<string> {
  return withBlanks(await page.locator('.result-window').innerText());
}

/** Whether the editors of variables and headers are open. */
export async function areToolsShown(page: Page): Promise<boolean> {
  const box = await page.locator('.graphiql-editor-tool').boundingBox();
  return (box?.x ?? 0) > 0;
}

/** The text in the editor of the headers. */
export async function shownHeaders(page: Page): Promise<string> {
  return withBlanks(await page.locator(SHOWN_TOOL).innerText());
}

/** Puts headers in place of those that are there, as a person does who pastes them. */
export async function pasteHeaders(page: Page, headers: Readonly<Record<string, string>>): Promise<void> {
  await page.click('.graphiql-editor-tools [data-name="headers"]', CLICK);
  await paste(page, SHOWN_TOOL, JSON.stringify(headers));
  await expect.poll(() => shownHeaders(page)).toContain(Object.values(headers)[0]);
}

/** Puts an operation in place of the one that is there. */
export async function pasteQuery(page: Page, query: string): Promise<void> {
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
export async function keptInBrowser(page: Page): Promise<string> {
  return await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
}

/** Titles of the tabs that the browser has kept. */
export async function keptTitles(page: Page): Promise<string[]> {
  return await page.evaluate(
    `JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{"tabs":[]}').tabs.map(({ title }) => title)`,
  );
}

function withBlanks(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}
