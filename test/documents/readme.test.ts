import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import { createServer } from '../../src/server.ts';
import { at, runSnippet } from '../examples/snippets.ts';
import { sandboxForTest } from '../../packages/sandbox/test/running-sandbox.ts';
import { leavesOutBrowser, openPage } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { startGraph, UNDISTURBED } from '../support/graph.ts';
import { blocksOf } from '../support/readme.ts';
import { ENDLESSLY_SLOW, finishTexts, finishTextsOnceFollowed } from '../support/slow-texts.ts';
import { ROOT, shell, startLikeReadme } from './commands.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const LIST = blocksOf('1. Read a list', 'sh')[0];
const PUBLISH = blocksOf('2. Publish a post once', 'sh')[0];
const SCHEDULE = blocksOf('3. Schedule a post', 'sh')[0];
const LIVE = blocksOf('4. Follow a live result', 'js')[0];
const [ALLOW] = blocksOf('5. Call it from a browser', 'sh');
const PAGE = blocksOf('5. Call it from a browser', 'html')[0];

test('is short, and begins with the two commands', () => {
  expect(README.split('\n').length).toBeLessThanOrEqual(201);
  const [start, check] = blocksOf('First minute', 'sh');
  expect([start, check]).toEqual(['npm ci && npm start\n', 'npm ci && npm test\n']);
});

test('a list answers with its length, ids and the cursor of the next page', async () => {
  const graph = await startLikeReadme();
  expect(await shell(at(graph, LIST))).toMatch(
    /"totalCount":12,.*"id":"MWFjOjQxMDIwMQ".*"hasNextPage":true,"endCursor":"\w+"/,
  );
});

test('the post is published once, however often it is sent', async () => {
  const graph = await startLikeReadme();
  const command = at(graph, PUBLISH);
  expect(await shell(command)).toMatch(/"outcome":"COMPLETED","replayed":false,"postIds":\["\w+"\]/);
  expect(await shell(command)).toMatch(/"outcome":"COMPLETED","replayed":true,"postIds":\["\w+"\]/);
  expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
});

test('the scheduled post is queued for its time', async () => {
  const graph = await startLikeReadme();
  expect(await shell(at(graph, SCHEDULE))).toContain(
    '"queuedPosts":[{"text":"See you in January","scheduledAtLocal":"2030-01-15T09:00"}],"userErrors":[]',
  );
});

/** What the program for a live result prints: the present state, then the text. */
const FOLLOWED = /status: 'PENDING', text: null.*status: 'COMPLETE',\s+text: 'The sandbox made this text/s;

describe('the program for a live result', () => {
  test('prints the present state, then the text, and ends', async () => {
    const graph = await startLikeReadme();
    const running = runSnippet(graph, LIVE, 'live.mjs');
    await finishTextsOnceFollowed(graph.sandbox);
    const { status, stdout, stderr } = await running;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(FOLLOWED);
  });

  test('continues when the server restarts, and ends as if nothing had happened', async () => {
    const { running, sandbox } = await restartWhileFollowing(LIVE);
    finishTexts(sandbox);
    const { status, stdout, stderr } = await running;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(FOLLOWED);
    expect(sandbox.requests.count('POST /openai/response')).toBe(1);
  });

  test('would fail then without its last option', async () => {
    const { running } = await restartWhileFollowing(LIVE.replace(/^.*shouldRetry.*\n/m, ''));
    const { status, stderr } = await running;
    expect(status).not.toBe(0);
    expect(stderr).toContain('ErrorEvent');
  });
});

/** Runs a program while its server goes away, refuses one attempt to connect, and comes back. */
async function restartWhileFollowing(program: string) {
  const sandbox = await sandboxForTest(ENDLESSLY_SLOW);
  const settings = { ...UNDISTURBED, CURRENT_API_URL: sandbox.url, DRAIN_DELAY: '0s', LOG_LEVEL: 'silent' };
  const start = async (port: string) => {
    const config = readConfig({ ...settings, PORT: port, AI_SOCKET_URL: sandbox.pushUrls.socketIo });
    const server = createServer(config, { log: openLog(config.logLevel, () => {}) });
    const url = await server.listen();
    onTestFinished(() => server.close());
    return { server, url };
  };
  const { server, url } = await start(String(await freePort()));
  const running = runSnippet({ url }, program, 'live.mjs');
  await sandbox.push.waitForOpen(1);
  await server.close();
  await breakOneConnection(Number(new URL(url).port));
  await start(new URL(url).port);
  return { running, sandbox };
}

/** Takes the port of a server until somebody has tried to connect. */
async function breakOneConnection(port: number): Promise<void> {
  const broken = createTcpServer((socket) => socket.destroy());
  broken.listen(port, '127.0.0.1');
  await once(broken, 'connection');
  broken.close();
  await once(broken, 'close');
}

/** Serves the page of the README on a port of its own. */
async function servePage(): Promise<(url: string) => string> {
  let html = '';
  const server = createHttpServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(html),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (url) => {
    html = at({ url }, PAGE);
    return origin;
  };
}

describe.skipIf(leavesOutBrowser())('the page of another origin', () => {
  test('lists the accounts of the key that was entered, where its origin is allowed', async () => {
    const serve = await servePage();
    const graph = await startGraph({ environment: { ALLOWED_ORIGINS: serve('') } });
    expect(ALLOW).toMatch(/^ALLOWED_ORIGINS=http:\/\/127\.0\.0\.1:8080 npm start\n$/);
    const { page } = await openPage();
    await page.goto(serve(graph.url));
    await page.fill('input', graph.sandbox.owners[0].apiKey);
    await page.click('button');
    await expect.poll(() => page.textContent('pre')).toContain('Kelpgate Roasters');
  });

  test('gets nothing where it is not', async () => {
    const serve = await servePage();
    const graph = await startGraph();
    const { page } = await openPage();
    await page.goto(serve(graph.url));
    const failed = page.waitForEvent('pageerror');
    await page.fill('input', graph.sandbox.owners[0].apiKey);
    await page.click('button');
    expect(String(await failed)).toContain('Failed to fetch');
    expect(await page.textContent('pre')).toBe('');
  });
});
