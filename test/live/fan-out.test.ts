import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { startBuiltServer, type ServerProcess } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { INSPECTED, inspectHeap } from '../support/costs.ts';
import { ASKING, LOOKING, watching, type Asked, readAllOverSocket, type Reading } from '../support/live.ts';
import { jsonOf, postJson } from '../support/http.ts';
import { documentOf } from '../support/writes.ts';
import { sandboxForTest } from '../support/sandbox.ts';

const CREDENTIALS = cases(5, 10);
const SOCKETS_PER_CREDENTIAL = 4;
const RESULTS_PER_CREDENTIAL = cases(10, 100);
const RESULTS_OF_FIRST_ROUND = cases(2, 10);
const POLL_INTERVAL_MS = 250;
const PATIENTLY = { timeoutMs: 60_000 };
const LONG = { timeout: cases(240_000, 600_000) };

/** One who waits for one result. */
interface Subscriber {
  readonly contentId: string;
  readonly prompt: string;
  readonly reading: Reading;
}

async function subscribeAll(url: string, sandbox: Sandbox, count: number): Promise<Subscriber[]> {
  const all = sandbox.owners.slice(2).map(async ({ name, apiKey }) => {
    const ask = async (index: number): Promise<Omit<Subscriber, 'reading'>> => {
      const prompt = `slowly, result ${index} of ${count} for ${name}.`;
      const body = { query: documentOf('generateAiText'), variables: { input: { prompt, tone: 'warm' } } };
      const { data } = jsonOf(await postJson(`${url}/graphql`, body, { 'x-api-key': apiKey }));
      const { contentId, status } = data.generateAiText.aiGeneration as Asked;
      expect(status).toBe('PENDING');
      return { contentId, prompt };
    };
    const asked = await Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
    return Array.from({ length: SOCKETS_PER_CREDENTIAL }, (_, socket) => {
      const own = asked.filter((_one, index) => index % SOCKETS_PER_CREDENTIAL === socket);
      const operations = own.map(({ contentId }) => watching(contentId));
      const readings = readAllOverSocket(url, operations, apiKey);
      return readings.map((reading, index) => ({ ...own[index], reading }) as Subscriber);
    }).flat();
  });
  return (await Promise.all(all)).flat();
}

/**
 * Ends the generations in three parts, some with two messages. Between the parts every push socket is cut; the second
 * part ends while there is none.
 */
async function finishAll(sandbox: Sandbox, subscribers: readonly Subscriber[]): Promise<void> {
  for (const part of [0, 1, 2]) {
    if (part < 2) await sandbox.push.waitForOpen(CREDENTIALS, PATIENTLY);
    const due = subscribers.filter((_, index) => index % 3 === part);
    for (const [index, { contentId }] of due.entries())
      sandbox.generations.finish(contentId, { pushes: index % 5 === 0 ? 2 : 1 });
    if (part < 2) expect(sandbox.push.kill()).toBe(CREDENTIALS);
  }
}

async function runRound({ url }: ServerProcess, sandbox: Sandbox, count: number) {
  const beganAt = Date.now();
  sandbox.requests.clear();
  const subscribers = await subscribeAll(url, sandbox, count);
  await Promise.all(subscribers.map(({ reading }) => reading.received(1)));
  await finishAll(sandbox, subscribers);
  await Promise.all(subscribers.map(({ reading }) => reading.ended()));
  const tookMs = Date.now() - beganAt;
  await sandbox.push.waitForOpen(0, PATIENTLY);
  return { subscribers, tookMs };
}

/** The most looks into the history for one credential; each begins with its first page. */
function mostLooks({ requests, owners }: Sandbox): number {
  const looks = requests.of(LOOKING).filter(({ query }) => query.get('page') === '1');
  return Math.max(...owners.map(({ name }) => looks.filter(({ owner }) => owner === name).length));
}

const openFiles = ({ pid }: ServerProcess): number => readdirSync(`/proc/${pid}/fd`).length;

test.runIf(process.platform === 'linux')(
  'many subscribers on several credentials each get their own result, once, and leave nothing behind',
  LONG,
  async () => {
    const sandbox = await sandboxForTest({ moreOwners: CREDENTIALS, slowAiDelayMs: 600_000 });
    const server = await startBuiltServer({
      CURRENT_API_URL: sandbox.url,
      LOG_LEVEL: 'warn',
      OVERLOAD_DELAY: '1h',
      AI_POLL_INTERVAL: `${POLL_INTERVAL_MS}ms`,
      AI_SOCKET_URL: sandbox.pushUrls.socketIo,
      ...INSPECTED,
    });
    let mostPushSockets = 0;
    const timer = setInterval(() => {
      for (const { name } of sandbox.owners)
        mostPushSockets = Math.max(mostPushSockets, sandbox.push.open(name));
    }, 10);
    onTestFinished(() => clearInterval(timer));
    const heap = await inspectHeap(server);
    const filesBefore = openFiles(server);
    await runRound(server, sandbox, RESULTS_OF_FIRST_ROUND);
    const usedBefore = await heap.usedMiB();

    const { subscribers, tookMs } = await runRound(server, sandbox, RESULTS_PER_CREDENTIAL);

    expect(subscribers).toHaveLength(CREDENTIALS * RESULTS_PER_CREDENTIAL);
    for (const { prompt, reading } of subscribers) {
      expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
      expect(reading.events[1]?.generation.text).toContain(prompt);
    }
    expect(mostPushSockets).toBe(1);
    expect(mostLooks(sandbox)).toBeLessThanOrEqual(tookMs / POLL_INTERVAL_MS + 1);
    expect(sandbox.requests.count(ASKING)).toBe(subscribers.length);
    await expect.poll(() => openFiles(server)).toBeLessThanOrEqual(filesBefore);
    // The results themselves stay, for callers who ask again; a thousand of them take less than this.
    expect((await heap.usedMiB()) - usedBefore).toBeLessThan(4);
  },
);
