import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openPage, type OpenedPage } from '../../../test/support/browser.ts';
import { startGraph, type GraphOptions, type RunningGraph } from '../../../test/support/graph.ts';

/** Starts a graph on the sandbox whose clock begins at a fixed time, with Desk, as `npm start` does. */
export async function startDesk({ environment = {}, ...options }: GraphOptions = {}): Promise<RunningGraph> {
  return await startGraph({
    desk: 'sandbox',
    explorer: true,
    environment: { SERVICE_TIME_ZONE: 'UTC', WATCH_INTERVAL: '100ms', ...environment },
    ...options,
  });
}

interface Opening extends BrowserContextOptions {
  /** What is waited for: the first screen if left out. */
  readonly ready?: string;
  /** What the browser's clock shows, which then stands still. */
  readonly now?: string;
}

/** Opens Desk and waits for its first screen, or for the form that asks for credentials. */
export async function openDesk(url: string, options: Opening = {}): Promise<OpenedPage> {
  const { ready = '.screen .calendar .toolbar', now, ...context } = options;
  const opened = await openPage(context);
  const { page } = opened;
  if (now !== undefined) await page.clock.setFixedTime(now);
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
       console.error('policy', violatedDirective, blockedURI))`,
  );
  await page.goto(`${url}/`);
  await page.waitForSelector(ready);
  return opened;
}

export async function visitDesk(options: GraphOptions = {}, opening: Opening = {}) {
  const graph = await startDesk(options);
  return { graph, ...(await openDesk(graph.url, opening)) };
}

/**
 * Holds the timers of a length that Desk chooses, from now on until the page is loaded again: a busy machine may let them
 * end before the test, or the server, has had its turn.
 */
export async function holdTimers(page: Page, ms: number): Promise<void> {
  await page.evaluate(`{
    const start = globalThis.setTimeout;
    globalThis.setTimeout = (run, ms, ...values) => start(run, ms === ${ms} ? 3_600_000 : ms, ...values);
  }`);
}

export async function choose(page: Page, ...labels: readonly string[]): Promise<void> {
  for (const label of labels) await page.locator('.chip', { hasText: label }).first().click();
}

export async function write(page: Page, text: string, ...labels: readonly string[]): Promise<void> {
  await choose(page, ...labels);
  await page.fill('#post-text', text);
}

export async function send(page: Page): Promise<void> {
  await page.click('.submit .primary');
}

/** Waits until a part of the page says what is expected. */
export const expectText = (part: Locator) => expect.poll(() => part.innerText());

/** Presses a button, by its whole name. */
export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).first().click();
}

export async function pickTime(page: Page, local: string): Promise<void> {
  await page.getByText('At a time', { exact: true }).click();
  await page.fill('input[type="datetime-local"]', local);
}

/** The variables of the operation that a part's link opens in GraphiQL. */
export async function linkedVariables<T>(page: Page, part: string): Promise<T> {
  const link = page.getByLabel(`${part}: open this operation in GraphiQL`);
  const { hash } = new URL((await link.getAttribute('href')) ?? '', page.url());
  return JSON.parse(new URLSearchParams(hash.slice(1)).get('variables') ?? '') as T;
}

/** The posts of the sandbox's first owner with a text. */
export function queuedTexts({ sandbox }: RunningGraph, text: string): string[] {
  const { queue, published } = sandbox.state.owner(sandbox.owners[0].name);
  return [...queue, ...published].map(({ content }) => content.description).filter((one) => one === text);
}
