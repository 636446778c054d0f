import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { isInstalled, programPath } from './programs.ts';

// A browser of the machine's own; nothing is downloaded, and none of its own errands are run.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** True where tests in a browser are left out. */
export function leavesOutBrowser(): boolean {
  return !isInstalled('chromium');
}

/** A page of a fresh browser, and the address of every request that it made; both end with the test. */
export async function openPage(): Promise<{ readonly page: Page; readonly requests: readonly string[] }> {
  const path = programPath('chromium');
  if (path === null) throw new Error('there is no Chromium on this machine');
  const browser = await chromium.launch({ executablePath: path, args: FLAGS });
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  return { page, requests };
}

/** A picture for people, where a folder for them is named in PICTURES. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}
