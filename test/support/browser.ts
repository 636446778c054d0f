import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

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

/** Path of a Chromium on this machine, or null. */
export function chromiumPath(): string | null {
  const named = process.env['CHROMIUM'];
  if (named) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = folders.flatMap((folder) => [
    join(folder, 'chromium'),
    join(folder, 'chromium-browser'),
  ]);
  return candidates.find((path) => existsSync(path)) ?? null;
}

/** True where tests in a browser are left out, which is said once; with `CI=true` they are not, and fail. */
export function leavesOutBrowser(): boolean {
  if (chromiumPath() !== null || process.env['CI'] === 'true') return false;
  process.stderr.write('No Chromium on this machine: the tests in a browser are left out.\n');
  return true;
}

/** A page of a fresh browser, and the address of every request that it made; both end with the test. */
export async function openPage(): Promise<{ readonly page: Page; readonly requests: readonly string[] }> {
  const path = chromiumPath();
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
