import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page, type Request } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { isInstalled, programPath } from './programs.ts';

/** What Playwright switches off itself; only the last such list counts, so that ours has to begin with it. */
const OFF_BY_PLAYWRIGHT = `
  AvoidUnnecessaryBeforeUnloadCheckSync DestroyProfileOnBrowserClose HttpsUpgrades
  HttpsFirstBalancedModeAutoEnable LensOverlay MediaRouter PaintHolding ThirdPartyStoragePartitioning
  AvoidCorsURLLoaderRestartOnRedirect OptimizationHints NetworkTimeServiceQuerying AimEnabled PreconnectToSearch`;
/**
 * Pages that the browser loads for itself with each window, such as the suggestions below its address bar, and processes
 * that wait for another page: half as much work as GraphiQL.
 */
const PAGES_OF_ITS_OWN = `
  WebUIOmniboxPopup WebUIOmniboxFullPopup WebUIOmniboxAimPopup PreloadTopChromeWebUI
  SpareRendererForSitePerProcess`;
// A browser of the machine's own; nothing is downloaded, and none of its own errands are run.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${(OFF_BY_PLAYWRIGHT + PAGES_OF_ITS_OWN).trim().replaceAll(/\s+/g, ',')}`,
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

/** A page, every request that it made, and what it complained about: exceptions, and errors in its console. */
export type OpenedPage = Awaited<ReturnType<typeof newPage>>;

/** A page of the worker's browser that knows nothing of the others; it is closed when the test ends. */
export async function openPage(options: BrowserContextOptions = {}) {
  const opened = await newPage(options);
  onTestFinished(() => opened.page.context().close());
  return opened;
}

/** The same, for whoever closes its context. */
export async function newPage(options: BrowserContextOptions = {}) {
  browser ??= launch();
  const running = await browser;
  const viewport = { width: 1400, height: 900 };
  const context = await running.newContext({ viewport, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  return { page, requests: requests as readonly Request[], complaints };
}

/** A picture for people, where a folder for them is named in PICTURES. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}

// Tabs can be dragged, and GraphiQL takes some short clicks for the beginning of that.
export const CLICK = { delay: 120 } as const;
/** The editor below, which is that of the headers at first. */
export const SHOWN_TOOL = '.graphiql-editor-tool .graphiql-editor:not(.hidden)';

/** Waits until operations can be written and run, and the schema is there or refused. */
export async function untilReady(page: Page): Promise<void> {
  await page.waitForSelector('.graphiql-query-editor .view-line');
  await page.waitForSelector(`${SHOWN_TOOL} .view-line`);
  await page.waitForSelector('[aria-label^="Re-fetch GraphQL schema"]:not([disabled])');
}

/** Makes a page one of a browser that allows no storage, as a script that runs before those of the page. */
export const NO_STORAGE = `for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied.', 'SecurityError'); } })`;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds, as texts. */
export async function findingsIn(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE);
  return await page.evaluate<
    string[]
  >(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`);
}

export async function pressRun(page: Page): Promise<void> {
  await page.click('.graphiql-execute-button', CLICK);
}
